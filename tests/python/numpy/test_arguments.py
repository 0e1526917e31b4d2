"""Rarely used arguments of NumPy's functions, and what functions accept for them."""

import functools
import io
import itertools
import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

import dovetail as dt
import dovetail.numpy as dnp
from dovetail import lax

X = np.arange(12, dtype=np.float32).reshape(3, 4)
PLACES = [1, -1, [0, 2], [2, 2, 0], [-1, 1], np.array([3])]


class Sizes(Sequence):
    """A user-defined class of sequences."""

    def __init__(self, *sizes: int) -> None:
        self.sizes = sizes

    def __len__(self) -> int:
        return len(self.sizes)

    def __getitem__(self, i: Any) -> Any:
        return self.sizes[i]


@pytest.mark.parametrize("shape", [(2, 1), [2, 1], np.array([2, 1]), range(2, 0, -1), Sizes(2, 1)])
def test_any_sequence_is_a_shape(shape: Any) -> None:
    for made in (dnp.zeros(shape), dnp.full(shape, 1), lax.full(shape, 1), dnp.tile(1.0, shape)):
        assert made.shape == (2, 1)
    for moved in (dnp.reshape(X[0, :2], shape), dnp.broadcast_to(X[0, 0], shape)):
        assert moved.shape == (2, 1)


def test_an_array_of_rank_0_is_one_size() -> None:
    assert dnp.zeros(np.array(3)).shape == (3,)
    assert dnp.reshape(X, np.array(-1)).shape == (12,)


@pytest.mark.parametrize("axes", [(0, 1), [0, 1], range(2), Sizes(0, 1), np.array([0, 1])])
def test_any_sequence_is_axes(axes: Any) -> None:
    assert dnp.sum(X, axes) == X.sum()
    assert dnp.expand_dims(X, axes).shape == (1, 1, 3, 4)
    assert dnp.squeeze(X[None, None], axes).shape == (3, 4)
    np.testing.assert_array_equal(dnp.flip(X, axes), X[::-1, ::-1])
    np.testing.assert_array_equal(dnp.roll(X, (1, 2), axes), np.roll(X, (1, 2), (0, 1)))
    np.testing.assert_allclose(dnp.linalg.norm(X, axis=axes), np.linalg.norm(X), rtol=1e-6)


def test_traced_places_of_insert() -> None:
    def inserted(insert: Any, places: Any) -> list[Any]:
        given = itertools.product((7.0, [8.0]), (None, 0, 1))
        return [insert(X, places, np.array(value), axis) for value, axis in given]

    traced = dt.jit(lambda places: inserted(dnp.insert, places))
    for places in map(np.array, PLACES):
        for got, wanted in zip(traced(places), inserted(np.insert, places), strict=True):
            np.testing.assert_array_equal(got, wanted)


def test_traced_places_of_several_inserted_columns() -> None:
    columns, places = X[:, :2] + 20, np.array([2, 0])
    got = dt.jit(lambda p: dnp.insert(X, p, columns, 1))(places)
    np.testing.assert_array_equal(got, np.insert(X, places, columns, 1))
    got = dt.vmap(lambda p: dnp.insert(X[0], p, dnp.ones(2)))(np.arange(5))
    np.testing.assert_array_equal(got, [np.insert(X[0], p, [1, 1]) for p in range(5)])
    with pytest.raises(ValueError, match="a vector"):
        dnp.insert(X, np.zeros((1, 1), int), 0)


def test_traced_places_of_delete() -> None:
    delete = dt.jit(lambda p: dnp.delete(X, p, 0, assume_unique_indices=True))
    for places in (1, -1, [0, 2], [-1, 1]):
        np.testing.assert_array_equal(delete(np.array(places)), np.delete(X, places, 0))


@pytest.mark.parametrize("dtype", [np.int8, np.int32, np.uint8])
def test_traced_diagonals(dtype: Any) -> None:
    def matrices(module: Any, k: Any) -> list[Any]:
        made = [f(3, 4, k=k) for f in (module.eye, module.tri)]
        return made + [f(X, k=k) for f in (module.tril, module.triu)]

    traced = dt.jit(lambda k: matrices(dnp, k))
    for k in (-300, -1, 0, 2, 9):
        if np.iinfo(dtype).min <= k:
            for got, wanted in zip(traced(dtype(k)), matrices(np, k), strict=True):
                np.testing.assert_array_equal(got, wanted)


def test_negative_sizes_are_rejected() -> None:
    for call in (dnp.zeros, dnp.ones, lambda n: lax.full((n,), 1), lambda n: dnp.tile(X, n)):
        with pytest.raises(TypeError, match="no negative size"):
            call(-1)
    for call in (dnp.eye, dnp.tri, dnp.identity):
        with pytest.raises(ValueError, match="0 or more"):
            call(-1)


# Arguments that are seldom given ------------------------------------------------------------------


def test_take_along_axis_without_counting_from_the_end() -> None:
    places = np.array([[-1, 0, 9]])
    same = dnp.take_along_axis(X, places, 1, mode="clip", wrap_negative_indices=False)
    np.testing.assert_array_equal(same, X[:, [0, 0, 3]])
    hot = dnp.take_along_axis(X, places, 1, mode="one_hot")
    np.testing.assert_array_equal(hot, np.where([True, True, False], X[:, [3, 0, 0]], 0))


@pytest.mark.parametrize("name", ["quantile", "nanquantile", "percentile", "nanpercentile"])
@pytest.mark.parametrize("keepdims", [False, True])
def test_quantiles_with_weights(name: str, keepdims: bool) -> None:
    rng = np.random.default_rng(0)
    x = rng.normal(size=(4, 3, 5)).astype(np.float32)
    weights = rng.uniform(size=x.shape).astype(np.float32)
    x[0, 0, 0] = np.nan if "nan" in name else 0
    unit = 100 if "percent" in name else 1
    ours, theirs = getattr(dnp, name), getattr(np, name)
    options: Any = {"method": "inverted_cdf", "keepdims": keepdims}
    for axis, part in itertools.product((0, -1, None), (0.3, np.array([0.25, 0.5, 1.0]))):
        for given in (None, weights):
            got = ours(x, part * unit, axis=axis, weights=given, **options)
            expected = theirs(x, part * unit, axis=axis, weights=given, **options)
            np.testing.assert_allclose(got, expected, rtol=1e-6)
    rows = ours(x, 0.5 * unit, axis=(2,), weights=weights[0, 0], **options)
    spread = np.broadcast_to(weights[0, 0], x.shape)
    np.testing.assert_array_equal(rows, ours(x, 0.5 * unit, axis=2, weights=spread, **options))


def test_quantiles_reject() -> None:
    with pytest.raises(ValueError, match="must be real"):
        dnp.quantile(X * 1j, 0.5)
    with pytest.raises(NotImplementedError, match="inverted_cdf"):
        dnp.quantile(X, 0.5, weights=X)
    with pytest.raises(ValueError, match="shape of a"):
        dnp.quantile(X, 0.5, weights=X[0], method="inverted_cdf")


def test_positions_of_indices() -> None:
    rows, columns = np.array([0, 2, 5]), np.array([1, -2, 3])
    for mode in ("clip", "wrap"):
        got = dnp.ravel_multi_index((rows, columns), (3, 4), mode, dtype=np.int16)
        assert got.dtype == np.int16
        np.testing.assert_array_equal(got, np.ravel_multi_index((rows, columns), (3, 4), mode))
    assert dnp.ravel_multi_index((7, 1), (3, 4), "ignore", "F") == 10
    assert dnp.ravel_multi_index((np.uint8(2), np.int8(3)), (3, 4)) == 11
    for given, dims, error in (((3, 0), (3, 4), ValueError), ((0.5, 0), (3, 4), TypeError)):
        with pytest.raises(error):
            dnp.ravel_multi_index(given, dims)
    with pytest.raises(ValueError, match="hold"):
        dnp.ravel_multi_index((0, 0), (20, 20), dtype=np.int8)
    with pytest.raises(dt.errors.ConcretizationTypeError):
        dt.jit(lambda i: dnp.ravel_multi_index((i, i), (3, 4)))(1)


def test_zeros_trimmed_along_dimensions() -> None:
    x = np.zeros((4, 5), np.int32)
    x[1:3, 2:4] = 1
    for trim, axis in itertools.product(("fb", "f", "B", ""), (None, 0, (0, 1), -1)):
        start, stop = (1, 3) if axis != -1 else (None, None), (2, 4) if axis != 0 else (None, None)
        ends = [
            slice(a if "f" in trim.lower() else None, b if "b" in trim.lower() else None)
            for a, b in (start, stop)
        ]
        np.testing.assert_array_equal(dnp.trim_zeros(x, trim, axis), x[*ends])
    assert dnp.trim_zeros(np.zeros((2, 3)), axis=1).shape == (2, 0)


def test_a_function_pads() -> None:
    def ours(row: Any, width: Any, axis: int, options: Any) -> Any:
        assert axis in (0, 1)
        return row.at[: width[0]].set(options["a"]).at[-width[1] :].set(axis)

    def theirs(row: Any, width: Any, axis: int, options: Any) -> None:
        row[: width[0]], row[-width[1] :] = options["a"], axis

    got = dnp.pad(X, ((1, 2), (2, 1)), ours, a=7)
    np.testing.assert_array_equal(got, np.pad(X, ((1, 2), (2, 1)), theirs, a=7))


def test_the_rest_of_a_division_trimmed() -> None:
    u, v = np.array([1.0, 3.0, 5.0]), np.array([1.0, 1.0])
    quotient, rest = dnp.polydiv(u, v, trim_leading_zeros=True)
    np.testing.assert_array_equal(quotient, [1, 2])
    np.testing.assert_array_equal(rest, [3])
    assert dnp.polydiv(X[0, 1:], X[0, 1:], trim_leading_zeros=True)[1].shape == (0,)


def test_requested_types() -> None:
    assert dnp.argsort(X[0], dtype=np.int16).dtype == np.int16
    assert dnp.asarray(X[0]).argsort(dtype=np.uint32, descending=True).tolist() == [3, 2, 1, 0]
    with pytest.raises(ValueError, match="must hold"):
        dnp.argsort(np.zeros(200), dtype=np.int8)
    product = lax.mul(np.float32(2.5), np.array([3], np.int8), out_dtype=np.float16)
    assert product.dtype == np.float16
    np.testing.assert_array_equal(product, [7.5])
    np.testing.assert_array_equal(dnp.bincount(np.array([True, False, True])), [1, 2])
    assert dnp.isin(X, X[0], method="sort").sum() == 4
    with pytest.raises(ValueError, match="method"):
        dnp.isin(X, X, method="quick")


@pytest.mark.parametrize("given", [np.complex64, np.dtype("complex64"), dnp.complex64, 1j, [1j]])
def test_complex_arguments(given: Any) -> None:
    with dt.transfer_guard("disallow" if given != [1j] else "allow"):
        assert dnp.iscomplexobj(given)
    assert not any(map(dnp.iscomplexobj, (None, 1, X, np.float32, np.dtype("int8"))))


def test_grids_of_nothing() -> None:
    assert dnp.mgrid[()].shape == (0,)
    assert len(dnp.ogrid[()]) == 0


@pytest.mark.parametrize("joiner", ["r_", "c_"])
@pytest.mark.parametrize("directive", ["r", "c"])
def test_vectors_joined_to_matrices(joiner: str, directive: str) -> None:
    key = (directive, np.arange(2), np.arange(2))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PendingDeprecationWarning)
        expected = np.asarray(getattr(np, joiner)[key])
    np.testing.assert_array_equal(getattr(dnp, joiner)[key], expected)
    with pytest.raises(ValueError, match="could not understand directive"):
        getattr(dnp, joiner)["rows", 1]


@pytest.mark.parametrize("mode", ["clip", "wrap"])
def test_places_out_of_bounds(mode: Any) -> None:
    expected, places, values = np.arange(6.0), [-2, 4, 8], [10.0, 20.0, 30.0]
    np.put(expected, places, values, mode)
    result = dnp.put(np.arange(6.0), np.array(places), np.array(values), mode, inplace=False)
    np.testing.assert_array_equal(result, expected)


def test_files_of_bfloat16() -> None:
    file = io.BytesIO()
    dnp.save(file, dnp.ones(2, dnp.bfloat16))
    file.seek(0)
    assert dnp.load(file).dtype == dnp.bfloat16


def test_keys_are_close_if_they_are_equal() -> None:
    keys = dt.random.split(dt.random.key(0))
    assert dnp.isclose(keys, keys[0]).tolist() == [True, False]


def test_aranges_from_zero_transfer_nothing() -> None:
    with dt.transfer_guard("disallow"):
        numbers = dnp.arange(2.5), dnp.arange(np.float32(3))
    assert [x.tolist() for x in numbers] == [[0, 1, 2]] * 2


@pytest.mark.parametrize("name", ["setxor1d", "intersect1d"])
def test_sets_that_were_promised_to_be_unique(name: str) -> None:
    x, y = np.array([2, 1, 2, 3, 4]), np.array([1, 5, 5, 3, 2])
    expected = getattr(np, name)(x, y, assume_unique=True)
    np.testing.assert_array_equal(getattr(dnp, name)(x, y, assume_unique=True), expected)


# Errors -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["cov", "corrcoef"])
def test_covariances_are_inexact(name: str) -> None:
    with pytest.raises(ValueError, match=f"{name}: dtype must be a subclass of float or complex"):
        getattr(dnp, name)(X, dtype=int)


@pytest.mark.parametrize("item", ["a", None])
def test_only_numbers_are_in_arrays(item: Any) -> None:
    with pytest.raises(TypeError, match="looks for a number"):
        _ = item in dnp.arange(2)


def test_contracted_dimensions_are_pairs() -> None:
    with pytest.raises(TypeError, match="axes lists to have equal length"):
        dnp.tensordot(X, X[0], axes=([0], [0, 1]))


def test_distances_of_samples_are_scalars() -> None:
    with pytest.raises(ValueError, match=r"d argument of .* only takes a single value"):
        dnp.fft.fftfreq(4, [1.0, 2.0])  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ["sum", "prod", "max", "min", "mean", "var", "all", "nansum"])
def test_where_must_be_bools(name: str) -> None:
    options = {"initial": 0} if name in ("max", "min") else {}
    with pytest.raises(ValueError, match=f"jnp.{name}: where must be None or a boolean array"):
        getattr(dnp, name)(X, where=np.ones(4, int), **options)
    if name in ("sum", "prod", "max", "min", "nansum"):
        with pytest.raises(ValueError, match="initial value must be a scalar"):
            getattr(dnp, name)(X, initial=np.ones(4))


def test_classes_of_errors() -> None:
    for numbers in ((1 + 2j, 5), (0, 5, 1j), (np.complex64(3),)):
        with pytest.raises(ValueError, match=r"Passing complex start/stop/step to jnp\.arange"):
            dnp.arange(*numbers)
    with pytest.raises(ValueError, match="hypot is not well defined for complex-valued inputs"):
        dnp.hypot(1j, 2)
    vector = dnp.arange(4)
    assert 1 in vector
    assert 9 not in vector
    for item, array in ((1, dnp.array(1)), (np.arange(2), vector), (1, dnp.ones((2, 2)))):
        with pytest.raises(ValueError, match=r"Array\.__contains__"):
            _ = item in array
    assert dnp.asarray(X).tobytes("F") == X.tobytes("F")


def test_indices_that_are_traced() -> None:
    with pytest.raises(IndexError):
        dt.jit(lambda x, n: x[:n])(X, 2)
    with pytest.raises(IndexError):
        dt.jit(lambda x, m: x[m])(X, np.array([True, False, True]))
    got = dt.jit(lambda x, i: x[[i, 0]])(X, 2)
    np.testing.assert_array_equal(got, X[[2, 0]])


@pytest.mark.parametrize(
    ("batching", "index_batching", "match"),
    [
        ((0,), (), "equal numbers of"),
        ((0,), (0, 1), "equal numbers of"),
        ((0,), (2,), "cannot have the index vector dimension as a batching"),
        ((7,), (0,), "valid range is .0, 3"),
        ((2,), (0,), "must be disjoint"),
        ((1,), (0,), "have the same shape"),
    ],
)
def test_gathers_with_wrong_batching(batching: Any, index_batching: Any, match: str) -> None:
    x, indices = np.zeros((2, 3, 4), np.float32), np.zeros((2, 5, 1), np.int32)
    numbers = lax.GatherDimensionNumbers((), (2,), (2,), batching, index_batching)
    with pytest.raises(TypeError, match=match):
        lax.gather(x, indices, numbers, (1, 1, 1))
    into = lax.ScatterDimensionNumbers((), (2,), (2,), batching, index_batching)
    with pytest.raises(TypeError, match=match):
        lax.scatter(x, indices, np.zeros((2, 5), np.float32), into)


def test_a_function_made_a_ufunc_describes_itself() -> None:
    def f(x: Any, y: Any) -> Any:
        return x - y

    made = dnp.frompyfunc(f, 2, 1, identity=0)
    assert (made.nin, made.nout, made.nargs, made.identity) == (2, 1, 2, 0)
    for name in ("nin", "nout", "nargs", "identity"):
        with pytest.raises(AttributeError):
            setattr(made, name, 3)
    assert made == dnp.frompyfunc(f, 2, 1, identity=0)
    assert hash(made) == hash(dnp.frompyfunc(f, 2, 1, identity=0))
    assert made != dnp.frompyfunc(f, 2, 1)
    assert dnp.add.reduceat(X, np.zeros(0, int)).shape == (0, 4)  # type: ignore[attr-defined]


def test_frequencies_and_shifts_of_nothing() -> None:
    for function in (dnp.fft.fftfreq, dnp.fft.rfftfreq):
        with pytest.raises(ValueError, match="only takes an int"):
            function([3])  # type: ignore[arg-type]
        with pytest.raises(ValueError, match="only takes a single value"):
            function(3, np.ones(2))
    np.testing.assert_array_equal(dnp.fft.fftshift(X, ()), X)


def test_keys_fill_arrays() -> None:
    key = dt.random.key(3)
    keys = dnp.full((2,), key)  # type: ignore[arg-type]
    assert keys.shape == (2,)
    assert (keys == key).all()


def test_complex_numbers_with_a_part_that_is_nan_are_one() -> None:
    parts = [-0.0, 0.0, 1.0, 1.0, np.nan, -np.nan]
    x = np.array([complex(i, j) for i, j in itertools.product(parts, repeat=2)], np.complex64)
    options: Any = {"return_index": True, "return_inverse": True, "return_counts": True}
    for got, expected in zip(dnp.unique(x, **options), np.unique(x, **options), strict=True):
        np.testing.assert_array_equal(got, expected)


def test_ragged_products_that_do_not_fit() -> None:
    def product(dims: Any, ragged: Any, groups: Any, sizes: Any = (2, 2)) -> Any:
        numbers = lax.RaggedDotDimensionNumbers(dims, ragged, groups)
        x, y = np.ones((4, 3), np.float32), np.ones((2, 3, 5), np.float32)
        return lax.ragged_dot_general(x, y, np.array(sizes, np.int32), numbers)

    dims = (((1,), (1,)), ((), ()))
    assert product(dims, (0,), (0,)).shape == (4, 5)
    for wrong in ((dims, (0, 1), (0,)), (dims, (2,), (0,)), (dims, (0,), ()), (dims, (1,), (0,))):
        with pytest.raises(TypeError, match="ragged_dot_general"):
            product(*wrong)
    with pytest.raises(TypeError, match="group_sizes"):
        product(dims, (0,), (0,), [[[1]]])


def test_deprecated_arguments() -> None:
    x, z = dnp.arange(3), dnp.array([1 + 2j])
    calls: list[tuple[str, Callable[[], Any], Any]] = [
        ("ndim requires ndarray or scalar arguments, got: list", lambda: dnp.ndim([1, 2]), 1),
        ("shape requires ndarray or scalar arguments", lambda: dnp.shape(([1, 2],)), (1, 2)),
        ("size requires ndarray or scalar arguments", lambda: dnp.size([1, 2]), 2),
        ("Passing the copy, order, and ndmin", lambda: dnp.array(x, None, False) is x, True),
        ("Passing the copy, order", lambda: dnp.array(1, None, True, "K", 2).shape, (1, 1)),
        ("Casting from complex to real dtypes", lambda: z.astype("float32").tolist(), [1]),
        ("Casting from complex to real dtypes", lambda: dnp.astype(z, "int32").tolist(), [1]),
    ]
    for message, call, expected in calls:
        # Each call warns, with the user's line.
        for _ in range(3):
            with pytest.warns(DeprecationWarning, match=message) as caught:
                assert call() == expected
            assert {warning.filename for warning in caught} == {__file__}
    assert dnp.astype(z, bool).tolist() == [True]
    with pytest.raises(TypeError, match=r"array\(\) got multiple values for argument 'copy'"):
        dnp.array(x, None, True, copy=False)
    with pytest.raises(TypeError, match=r"array\(\) takes at most 5 positional arguments, got: 6"):
        dnp.array(x, None, True, "K", 0, "extra")


def test_places_to_cut_are_known() -> None:
    for place in (1, 1.0):
        with pytest.raises(dt.errors.ConcretizationTypeError, match="traced array"):
            dt.jit(lambda i: dnp.split(dnp.arange(4), [i]))(place)
    with pytest.raises(TypeError, match="Only integer scalar arrays"):
        dnp.split(dnp.arange(4), [dnp.array(1.0)])


@pytest.mark.parametrize("name", ["quantile", "nanquantile"])
@pytest.mark.parametrize("method", ["linear", "lower", "higher", "midpoint", "nearest"])
def test_parts_out_of_bounds_are_at_the_ends(name: str, method: str) -> None:
    x = np.array([[3.0, 1.0, 2.0], [5.0, 5.0, 4.0]], np.float32)
    call = functools.partial(getattr(dnp, name), axis=1, method=method)
    for result in (call(x, np.array([-0.3, 1.3])), dt.jit(call)(x, np.array([-0.3, 1.3]))):
        np.testing.assert_allclose(result, [[1, 4], [3, 5]], rtol=1e-6)


def test_an_index_out_of_bounds_is_an_index_error() -> None:
    with pytest.raises(IndexError, match="index 5 is out of bounds for axis 0 with size 3"):
        lax.index_in_dim(np.zeros(3), 5)


@pytest.mark.parametrize("name", ["setxor1d", "intersect1d", "setdiff1d"])
def test_sets_of_nothing(name: str) -> None:
    empty = dnp.zeros(0)
    for size in (0, 1, 3):
        function = getattr(dnp, name)
        np.testing.assert_array_equal(function(empty, empty, size=size), np.zeros(size))
        filled = dt.jit(lambda x, size=size: function(x, x, size=size, fill_value=7))(empty)  # noqa: B023
        np.testing.assert_array_equal(filled, np.full(size, 7))


UFUNCS = sorted(name for name in dir(dnp) if isinstance(getattr(dnp, name), dnp.ufunc))


@pytest.mark.parametrize("name", UFUNCS)
def test_arguments_of_ufuncs_for_writing(name: str) -> None:
    function = getattr(dnp, name)
    x = dnp.array([True, False])
    args = [x if "logical" in name else x.astype("int32")] * function.nin
    expected = function(*args)
    np.testing.assert_array_equal(function(*args, out=None, where=None), expected)
    np.testing.assert_array_equal(dt.jit(lambda *xs: function(*xs, out=None))(*args), expected)
    with pytest.raises(NotImplementedError, match="out must be None"):
        function(*args, out=expected)
    with pytest.raises(NotImplementedError, match="where must be None"):
        function(*args, where=x)
