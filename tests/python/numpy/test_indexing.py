"""Indices of all kinds against NumPy: values, derivatives, batches, changes by `at`."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dovetail as dt
import dovetail.numpy as dnp
from dovetail import lax
from dovetail.errors import NonConcreteBooleanIndexError

SHAPE = (2, 3, 4)
X = np.arange(24, dtype=np.float32).reshape(SHAPE)


def slices(size: int) -> st.SearchStrategy[slice]:
    bound = st.none() | st.integers(-size - 1, size + 1)
    return st.builds(slice, bound, bound, st.sampled_from([None, 1, 2, -1, -2]))


@st.composite
def indices(draw: st.DrawFn) -> tuple[Any, ...]:
    """An index of ints, slices, arrays that broadcast together, new dimensions and dots."""
    common = draw(st.sampled_from([(), (1,), (3,), (2, 3)]))
    entries: list[Any] = []
    for size in SHAPE[: draw(st.integers(0, 3))]:
        number = st.integers(-size, size - 1)
        shape = common[draw(st.integers(0, len(common))) :]
        count = int(np.prod(shape, dtype=int))
        array = st.lists(number, min_size=count, max_size=count).map(
            lambda values, shape=shape: np.array(values, np.int32).reshape(shape)
        )
        entries.append(draw(number | slices(size) | array))
        if draw(st.booleans()) and len(entries) < 4:
            entries.append(None)
    if draw(st.booleans()):
        entries.insert(draw(st.integers(0, len(entries))), Ellipsis)
    return tuple(entries)


def arrays_of(index: tuple[Any, ...]) -> list[np.ndarray]:
    return [entry for entry in index if isinstance(entry, np.ndarray)]


def with_arrays(index: tuple[Any, ...], arrays: tuple[Any, ...]) -> tuple[Any, ...]:
    remaining = iter(arrays)
    return tuple(next(remaining) if isinstance(e, np.ndarray) else e for e in index)


@settings(max_examples=200)
@given(indices())
def test_reading_agrees_with_numpy(index: tuple[Any, ...]) -> None:
    expected, arrays = X[index], arrays_of(index)

    def read(x: Any, *arrays: Any) -> Any:
        return x[with_arrays(index, arrays)]

    np.testing.assert_array_equal(dnp.array(X)[index], expected)
    np.testing.assert_array_equal(dnp.array(X).at[index].get(mode="fill"), expected)
    # Traced arrays in the index.
    np.testing.assert_array_equal(dt.linearize(lambda x: read(x, *arrays), X)[0], expected)
    gradient = dt.grad(lambda x: dnp.sum(read(x, *arrays) ** 2))(X)
    counted = np.zeros_like(X)
    np.add.at(counted, index, 2 * expected)
    np.testing.assert_array_equal(gradient, counted)
    if arrays:
        twice = [np.stack([a, a[::-1] if a.ndim else a]) for a in arrays]
        batch = dt.vmap(read, in_axes=(None, *[0] * len(arrays)))(dnp.array(X), *twice)
        np.testing.assert_array_equal(np.asarray(batch)[0], expected)
        again = X[with_arrays(index, tuple(a[1] for a in twice))]
        np.testing.assert_array_equal(np.asarray(batch)[1], again)


@settings(max_examples=100)
@given(indices())
def test_changes_agree_with_numpy(index: tuple[Any, ...]) -> None:
    shape = X[index].shape
    values = np.random.default_rng(0).integers(1, 9, shape).astype(np.float32)
    x = dnp.array(X)
    for name, change in {"add": np.add, "multiply": np.multiply, "min": np.minimum}.items():
        expected = X.copy()
        change.at(expected, index, values)
        np.testing.assert_array_equal(getattr(x.at[index], name)(values), expected)
    expected = X.copy()
    expected[index] = 7
    np.testing.assert_array_equal(x.at[index].set(7), expected)
    np.testing.assert_array_equal(X, np.asarray(x))


@settings(max_examples=50)
@given(indices())
def test_derivatives_of_products_at_slices(index: tuple[Any, ...]) -> None:
    """Slices meet no element twice, whatever ints beside them are."""
    index = tuple(0 if isinstance(entry, np.ndarray) else entry for entry in index)
    ints = [np.array(entry, np.int32) for entry in index if isinstance(entry, int)]
    values = np.random.default_rng(0).integers(1, 9, X[index].shape).astype(np.float32)

    def product(x: Any, values: Any, ints: list[Any]) -> Any:
        remaining = iter(ints)
        known = tuple(next(remaining) if isinstance(e, int) else e for e in index)
        return dnp.sum(dnp.asarray(x).at[known].multiply(values))

    of_x, of_values = dt.grad(product, (0, 1))(X, values, ints)
    expected = np.ones_like(X)
    expected[index] = values
    np.testing.assert_array_equal(of_x, expected)
    np.testing.assert_array_equal(of_values, X[index])


def test_other_changes() -> None:
    x = dnp.array([1.0, 2.0, 3.0, 4.0])
    np.testing.assert_array_equal(x.at[1:3].divide(2.0), [1, 1, 1.5, 4])
    np.testing.assert_array_equal(x.at[np.array([0, 3])].power(2.0), [1, 2, 3, 16])
    np.testing.assert_array_equal(x.at[::2].apply(dnp.negative), [-1, 2, -3, 4])
    np.testing.assert_array_equal(x.at[-1].subtract(1), [1, 2, 3, 3])
    np.testing.assert_array_equal(x.at[1].max(5.0), [1, 5, 3, 4])
    np.testing.assert_array_equal(x.at[...].set(0.0), [0, 0, 0, 0])
    with pytest.raises(ValueError, match=r"values must broadcast to \(2,\)"):
        x.at[:2].set(np.ones(3))


@pytest.mark.parametrize("name", ["negative", "sqrt"])
def test_functions_applied_as_often_as_an_element_is_met(name: str) -> None:
    x, places = np.array([1.0, 2, 3, 4], np.float32), np.array([0, 3, 3, -1, 1])
    expected = x.copy()
    getattr(np, name).at(expected, places)

    def applied(x: Any, places: Any) -> Any:
        return x.at[places].apply(getattr(dnp, name))

    np.testing.assert_allclose(applied(dnp.array(x), places), expected, rtol=1e-6)
    np.testing.assert_allclose(dt.jit(applied)(x, places), expected, rtol=1e-6)
    masked = dnp.array(x).at[True, places].apply(getattr(dnp, name))
    np.testing.assert_allclose(masked, expected, rtol=1e-6)
    numbers = lax.ScatterDimensionNumbers((), (0,), (0,))
    shape = (len(places),)
    function = getattr(lax, {"negative": "neg"}.get(name, name))
    scattered = lax.scatter_apply(x, places[:, None] % 4, function, numbers, update_shape=shape)
    np.testing.assert_allclose(scattered, expected, rtol=1e-6)


def test_derivatives_of_functions_applied_again() -> None:
    gradient = dt.grad(lambda x: x.at[np.array([0, 0, 1])].apply(dnp.square).sum())
    np.testing.assert_array_equal(gradient(dnp.array([2.0, 3.0, 4.0])), [4 * 2**3, 2 * 3, 1])


def test_out_of_bounds() -> None:
    x = dnp.arange(5.0)
    assert x[11] == 4
    assert x[-11] == 0
    np.testing.assert_array_equal(x[np.array([7, -9])], [4, 0])
    np.testing.assert_array_equal(x.at[np.array([7, 1])].get(mode="fill"), [np.nan, 1])
    np.testing.assert_array_equal(x.at[np.array([7, 1])].get(mode="fill", fill_value=-1.0), [-1, 1])
    np.testing.assert_array_equal(x.at[np.array([7, 1])].get(fill_value=-1.0), [4, 1])
    np.testing.assert_array_equal(x.at[np.array([7, 1])].set(9.0), [0, 9, 2, 3, 4])
    np.testing.assert_array_equal(x.at[7].set(9.0, mode="clip"), [0, 1, 2, 3, 9])
    assert dt.jit(lambda x, i: x[i])(x, 11) == 4
    with pytest.raises(ValueError, match="mode must be one of clip, fill, drop"):
        x.at[0].get(mode="wrap")


def test_masks() -> None:
    x = dnp.array(X)
    mask = X > 9
    np.testing.assert_array_equal(x[mask], X[mask])
    np.testing.assert_array_equal(x[0, mask[0]], X[0, mask[0]])
    np.testing.assert_array_equal(x[mask[:, 0, 0]], X[mask[:, 0, 0]])
    np.testing.assert_array_equal(x.at[dnp.array(mask)].set(0.0), np.where(mask, 0, X))
    with pytest.raises(IndexError, match="boolean index did not match shape"):
        x[np.ones(3, bool)]
    with pytest.raises(NonConcreteBooleanIndexError, match="without a value"):
        dt.jit(lambda x, m: x[m])(x, dnp.array(mask))


def test_dynamic_slices() -> None:
    def cut(x: Any, i: Any) -> Any:
        return lax.dynamic_slice(x, (0, i, 1), (2, 2, 2))

    for i, start in ((0, 0), (1, 1), (5, 1), (-2, 1), (-7, 0)):
        expected = X[:, start : start + 2, 1:3]
        np.testing.assert_array_equal(dt.jit(cut)(X, i), expected)
        np.testing.assert_array_equal(cut(X, i), expected)
        update = np.full((2, 2, 2), -1, np.float32)
        changed = X.copy()
        changed[:, start : start + 2, 1:3] = update
        np.testing.assert_array_equal(lax.dynamic_update_slice(X, update, (0, i, 1)), changed)
    batch = dt.vmap(cut, in_axes=(None, 0))(X, dnp.array([1, 0]))
    np.testing.assert_array_equal(batch, np.stack([cut(X, 1), cut(X, 0)]))
    with pytest.raises(TypeError, match="the slice must fit"):
        lax.dynamic_slice(X, (0, 0, 0), (3, 1, 1))
    with pytest.raises(TypeError, match="there must be 3 start indices"):
        lax.dynamic_slice(X, (0, 0), (1, 1, 1))


def test_gather_with_batch_dimensions() -> None:
    numbers = lax.GatherDimensionNumbers((2,), (1,), (1,), (0,), (0,))
    starts = np.array([[[2], [0]], [[1], [1]]], np.int32)
    actual = lax.gather(X, starts, numbers, (1, 1, 4))
    np.testing.assert_array_equal(actual, np.take_along_axis(X, starts, 1))
    back = lax.ScatterDimensionNumbers((2,), (1,), (1,), (0,), (0,))
    summed = lax.scatter_add(dnp.zeros(SHAPE), starts, actual, back)
    expected = np.zeros(SHAPE, np.float32)
    for i in range(2):
        np.add.at(expected[i], starts[i, :, 0], np.asarray(actual)[i])
    np.testing.assert_array_equal(summed, expected)


def test_bad_indices() -> None:
    x = dnp.array(X)
    with pytest.raises(IndexError, match="array is 3-dimensional, but 4 were indexed"):
        x[0, 0, 0, 0]
    with pytest.raises(IndexError, match="once, got: 2"):
        x[..., 0, ...]
    with pytest.raises(ValueError, match="must broadcast together"):
        x[np.arange(2), np.arange(3)]
    with pytest.raises(IndexError, match="index 0 is out of bounds for axis 0 with size 0"):
        dnp.zeros((0, 2)).at[0].set(1)
    with pytest.raises(IndexError, match=r"no elements, got: an index that selects \(3, 2\)"):
        dnp.zeros((0, 2))[np.arange(3)]
    # Nothing is read.
    assert dnp.zeros((0, 2))[1, np.zeros(0, np.int32)].shape == (0,)
    with pytest.raises(TypeError, match=r"got indexer with type float: 1\.5"):
        x[1.5]
    with pytest.raises(TypeError, match="got indexer with type float32"):
        x[dnp.array([1.0])]
    with pytest.raises(IndexError, match="dynamic_slice"):
        dt.jit(lambda x, i: x[i : i + 1])(x, 0)


@pytest.mark.parametrize("shape", [(0,), (0, 3), (2, 0), (0, 0, 4)])
def test_masks_without_elements_select_nothing(shape: tuple[int, ...]) -> None:
    mask = np.zeros(shape, bool)
    assert dnp.asarray(X)[mask].shape == X[mask].shape
    np.testing.assert_array_equal(dnp.asarray(X).at[mask].set(7), X)


def test_updates_computed_from_the_array() -> None:
    """Compiled, the array is changed in place: everything must be read before."""

    def doubled(x: Any, i: Any) -> Any:
        part = lax.dynamic_slice(x, (i, 0), (2, 1))
        return lax.dynamic_update_slice(x, part * 2, (i + 1, 0))

    x = dnp.array([[0.5], [0.3], [0.2]])
    compiled = dt.jit(doubled).lower(x, 0).compile()
    np.testing.assert_allclose(compiled(x, 0), [[0.5], [1.0], [0.6]])


def test_padding_of_scatters() -> None:
    """The code generator cannot fuse a pad after a scatter that computes."""

    def padded(x: Any) -> Any:
        return dnp.pad(x.at[1].multiply(x.sum()), (0, 1), constant_values=5)

    x = dnp.asarray([1.0, 2.0, 3.0])
    assert dt.jit(padded).lower(x).compile()(x).tolist() == [1, 12, 3, 5]


def test_values_of_wider_types() -> None:
    x, z = dnp.arange(3), dnp.complex64(2 + 3j)
    with pytest.warns(FutureWarning, match="scatter inputs have incompatible types"):
        assert x.at[0].set(z).tolist() == [2, 1, 2]
    for run in (lambda f: f, dt.jit):
        with (
            dt.numpy_dtype_promotion("strict"),
            pytest.raises(ValueError, match=r"Input dtypes .* have no available implicit dtype"),
        ):
            run(lambda x, y: x.at[0].set(y))(x, dnp.int16(1))


@pytest.mark.parametrize("dtype", ["uint32", "int64", "uint64"])
@pytest.mark.parametrize("wrap", [True, False])
def test_far_indices_stay_out_of_bounds(dtype: str, wrap: bool, in_64_bits: None) -> None:
    """Whatever they would be in 32 bits."""
    x, limits = np.arange(7.0), np.iinfo(dtype)
    indices = [limits.max, limits.max // 2 + 1, 2**31 + 1, 3]
    indices += [limits.min, -(2**32), -(2**33) + 3] if limits.min else [2**32 - 1]
    at = np.array(indices, dtype)

    def read(x: Any, at: Any, mode: str) -> Any:
        return x.at[at].get(mode=mode, fill_value=-1, wrap_negative_indices=wrap)

    for mode, far in (("clip", lambda i: 6 if i > 0 else 0), ("fill", lambda i: -1)):
        expected = [i if i == 3 else far(i) for i in indices]
        for function in (read, dt.jit(read, static_argnums=2)):
            np.testing.assert_array_equal(function(dnp.asarray(x), at, mode), expected)


@pytest.mark.parametrize(
    "index", [[0, [0, 1]], [0, np.arange(2)], [0, None], [0, slice(None)], [...], [[0, 1], [1]]]
)
def test_sequences_that_are_no_arrays_are_no_indices(index: Any) -> None:
    x: Any = dnp.arange(6).reshape(3, 2)
    message = r"Using a non-tuple sequence for multidimensional indexing .*arr\[tuple\(seq\)\]"
    for use in (lambda: x[index], lambda: x.at[index].set(0)):
        with pytest.raises(TypeError, match=message):
            use()


def test_sequences_are_indices() -> None:
    x: Any = dnp.arange(6).reshape(3, 2)
    assert x[[0, 2]].tolist() == x[range(0, 3, 2)].tolist() == [[0, 1], [4, 5]]
