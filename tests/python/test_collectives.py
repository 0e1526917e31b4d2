"""Collectives over named axes: values, derivatives and batches against formulas on whole arrays."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pytest

import dovetail as dt
import dovetail.numpy as dnp
from dovetail import lax
from dovetail.errors import ConcretizationTypeError

# Sizes of the axes i and j.
SIZES = {"i": 2, "j": 3}
AXES = ["i", "j", ("i", "j"), ("j", "i")]


class Case(NamedTuple):
    """A collective over axes of `n` elements.

    Attributes:
      named: of one element's array and the names.
      whole: of an array with another axis, then the elements, then each element's dimensions.
      shape: of one element's array.
    """

    named: Callable[[Any, Any], Any]
    whole: Callable[[Any], Any]
    shape: Callable[[int], tuple[int, ...]] = lambda n: (4,)


def each(x: Any, n: int) -> Any:
    """The same for all elements."""
    return dnp.broadcast_to(x[:, None], (x.shape[0], n, *x.shape[1:]))


def shifted(x: Any, n: int, by: int) -> Any:
    return dnp.stack([x[:, (t - by) % n] for t in range(n)], 1)


def ring(n: int, by: int) -> list[tuple[int, int]]:
    return [(s, (s + by) % n) for s in range(n)]


def tiled_gather(x: Any) -> Any:
    n, (rows, columns) = x.shape[1], x.shape[2:]
    gathered = dnp.moveaxis(x, 1, 2)
    return each(gathered.reshape(-1, rows, n * columns), n)


def tiled_exchange(x: Any) -> Any:
    """From chunks of the last dimension to chunks of the first."""
    o, n, rows, columns = x.shape
    chunks = x.reshape(o, n, rows, n, columns // n)
    return dnp.transpose(chunks, (0, 3, 1, 2, 4)).reshape(o, n, n * rows, columns // n)


def tiled_scatter(x: Any) -> Any:
    o, n, rows, columns = x.shape
    return dnp.moveaxis(dnp.sum(x, 1).reshape(o, rows, n, columns // n), 2, 1)


CASES = {
    "psum": Case(lax.psum, lambda x: each(dnp.sum(x, 1), x.shape[1])),
    "psum_of_dimension": Case(
        lambda x, axes: lax.psum(x, (0, *(axes if isinstance(axes, tuple) else (axes,)))),
        lambda x: each(dnp.sum(x, (1, 2)), x.shape[1]),
    ),
    "pmean": Case(lax.pmean, lambda x: each(dnp.mean(x, 1), x.shape[1])),
    "pmax": Case(lax.pmax, lambda x: each(dnp.max(x, 1), x.shape[1])),
    "pmin": Case(lax.pmin, lambda x: each(dnp.min(x, 1), x.shape[1])),
    "all_gather": Case(
        lambda x, axes: lax.all_gather(x, axes, axis=-1),
        lambda x: each(dnp.moveaxis(x, 1, -1), x.shape[1]),
        lambda n: (2, 4),
    ),
    "all_gather_first": Case(lax.all_gather, lambda x: each(x, x.shape[1])),
    "all_gather_tiled": Case(
        lambda x, axes: lax.all_gather(x, axes, axis=1, tiled=True), tiled_gather, lambda n: (2, 4)
    ),
    "psum_scatter": Case(
        lambda x, axes: lax.psum_scatter(x, axes, scatter_dimension=1),
        lambda x: dnp.moveaxis(dnp.sum(x, 1), 2, 1),
        lambda n: (2, n, 3),
    ),
    "psum_scatter_tiled": Case(
        lambda x, axes: lax.psum_scatter(x, axes, scatter_dimension=1, tiled=True),
        tiled_scatter,
        lambda n: (2, 2 * n),
    ),
    "all_to_all": Case(
        lambda x, axes: lax.all_to_all(x, axes, 1, 0),
        lambda x: dnp.transpose(x, (0, 3, 1, 2, 4)),
        lambda n: (2, n, 3),
    ),
    "all_to_all_later": Case(
        lambda x, axes: lax.all_to_all(x, axes, 0, 2),
        lambda x: dnp.transpose(x, (0, 2, 3, 4, 1)),
        lambda n: (n, 2, 3),
    ),
    "all_to_all_tiled": Case(
        lambda x, axes: lax.all_to_all(x, axes, 1, 0, tiled=True),
        tiled_exchange,
        lambda n: (2, 2 * n),
    ),
    "pswapaxes": Case(
        lambda x, axes: lax.pswapaxes(x, axes, 1),
        lambda x: dnp.swapaxes(x, 1, 3),
        lambda n: (2, n),
    ),
    "ppermute": Case(
        lambda x, axes: lax.ppermute(x, axes, ring(lax.axis_size(axes), 1)),
        lambda x: shifted(x, x.shape[1], 1),
    ),
    "ppermute_some": Case(
        lambda x, axes: lax.ppermute(x, axes, ring(lax.axis_size(axes), 1)[:-1]),
        lambda x: shifted(x, x.shape[1], 1).at[:, 0].set(0),
    ),
    "pshuffle": Case(
        lambda x, axes: lax.pshuffle(x, axes, list(reversed(range(lax.axis_size(axes))))),
        lambda x: x[:, ::-1],
    ),
    "pbroadcast": Case(
        lambda x, axes: lax.pbroadcast(x, axes, 1), lambda x: each(x[:, 1], x.shape[1])
    ),
    "axis_index": Case(
        lambda x, axes: x * lax.axis_index(axes),
        lambda x: x * dnp.arange(x.shape[1])[:, None],
    ),
}
PROGRAMS = [(name, axes) for name, axes in itertools.product(CASES, AXES)]


def count(axes: Any) -> int:
    return int(np.prod([SIZES[axis] for axis in axes]))


def nested(f: Callable[..., Any], **options: Any) -> Callable[..., Any]:
    """A function of one element over i and j, the leading dimensions."""
    return dt.vmap(dt.vmap(f, axis_name="j", **options), axis_name="i", **options)


def on_whole(case: Case, axes: Any) -> Callable[[Any], Any]:
    """The same on the whole array."""
    order = [
        *(d for d, axis in enumerate("ij") if axis not in axes),
        *("ij".index(a) for a in axes),
    ]

    def f(x: Any) -> Any:
        n = count(axes)
        moved = dnp.transpose(x, (*order, *range(2, x.ndim))).reshape(-1, n, *x.shape[2:])
        result = case.whole(moved)
        sizes = [x.shape[d] for d in order]
        result = result.reshape(*sizes, *result.shape[2:])
        return dnp.transpose(result, (*np.argsort(order), *range(2, result.ndim)))

    return f


def sample(case: Case, axes: Any, seed: int = 0) -> np.ndarray:
    shape = (*SIZES.values(), *case.shape(count(axes)))
    return np.random.default_rng(seed).normal(size=shape).astype(np.float32)


def check(ours: Any, expected: Any) -> None:
    np.testing.assert_allclose(ours, expected, rtol=2e-6, atol=2e-6)


@pytest.mark.parametrize(("name", "axes"), PROGRAMS, ids=str)
def test_values_and_derivatives(name: str, axes: Any) -> None:
    case = CASES[name]
    x, t = sample(case, axes), sample(case, axes, 1)
    named, whole = nested(lambda x: case.named(x, axes)), on_whole(case, axes)
    for ours, expected in zip(dt.jvp(named, (x,), (t,)), dt.jvp(whole, (x,), (t,)), strict=True):
        check(ours, expected)
    weights = np.random.default_rng(2).normal(size=whole(x).shape).astype(np.float32)
    gradient = dt.grad(lambda f, x: dnp.sum(dnp.sin(f(x)) * weights), 1)
    check(gradient(named, x), gradient(whole, x))


@pytest.mark.parametrize(("name", "axes"), PROGRAMS, ids=str)
def test_gradients_of_elements(name: str, axes: Any) -> None:
    """The transpose of a sum over an axis is that sum: what an element gets is what all send."""
    case = CASES[name]
    x = sample(case, axes)
    whole = on_whole(case, axes)
    ours = nested(dt.grad(lambda x: dnp.sum(case.named(x, axes) ** 2)))(x)
    check(ours, dt.grad(lambda x: dnp.sum(whole(x) ** 2))(x))


@pytest.mark.parametrize("axes", AXES, ids=str)
@pytest.mark.parametrize("name", CASES)
def test_other_batches(name: str, axes: Any) -> None:
    """A batch without a name, or of other names, at any place."""
    case = CASES[name]
    xs = np.stack([sample(case, axes, seed) for seed in range(2)])
    whole = on_whole(case, axes)
    expected = np.stack([whole(x) for x in xs])

    def f(x: Any) -> Any:
        return case.named(x, axes)

    check(dt.vmap(nested(f))(xs), expected)
    inner = nested(dt.vmap(f, -1, -1, axis_name="k"))(np.moveaxis(xs, 0, -1))
    check(inner, np.moveaxis(expected, 0, -1))
    between = dt.vmap(dt.vmap(dt.vmap(f, axis_name="j"), 1, 1), axis_name="i")
    check(dt.jit(between)(np.moveaxis(xs, 0, 2)), np.moveaxis(expected, 0, 2))


@pytest.mark.parametrize(("name", "axes"), PROGRAMS, ids=str)
def test_unbatched_operands(name: str, axes: Any) -> None:
    """What does not depend on the axes is the same for all elements."""
    case = CASES[name]
    x = sample(case, axes)[0, 0]
    size = tuple(SIZES.values())
    ours = nested(lambda _, x: case.named(x, axes), in_axes=(0, None))(np.zeros(size), x)
    check(ours, on_whole(case, axes)(np.broadcast_to(x, (*size, *x.shape))))


# Bodies, callees and other transforms ----------------------------------------------------------


X = np.array([[1, -2], [3, 0.5], [-5, 2]], np.float32)


def over(f: Callable[..., Any], *args: Any, **options: Any) -> Any:
    return dt.vmap(f, axis_name="i", **options)(*args)


def test_in_a_scan() -> None:
    def f(x: Any) -> Any:
        def step(carry: Any, row: Any) -> Any:
            carry = carry + lax.psum(row, "i") * (1 + lax.axis_index("i"))
            return carry, lax.pmax(carry, "i")

        return lax.scan(step, 0.0, x)

    sums = X.sum(0)
    carries = np.cumsum(sums)[:, None] * np.arange(1, 4)
    last, stacked = over(f, X)
    check(last, carries[-1])
    check(stacked, np.broadcast_to(carries.max(1), (3, 2)))
    gradient = dt.grad(lambda x: dnp.sum(over(f, x)[0] ** 2))(X)
    check(gradient, np.full((3, 2), (2 * carries[-1] * np.arange(1, 4)).sum()))
    check(over(dt.grad(lambda x: f(x)[0] ** 2), X), gradient)


def test_what_only_a_body_names() -> None:
    """No operand of the op carries the batch."""

    def numbers(_: Any) -> Any:
        return lax.scan(lambda carry, _: (carry + lax.axis_index("i"), carry), 0, None, length=3)

    last, stacked = over(numbers, X)
    np.testing.assert_array_equal(last, [0, 3, 6])
    np.testing.assert_array_equal(stacked, [[0, 0, 0], [0, 1, 2], [0, 2, 4]])
    chosen = over(lambda _: lax.cond(True, lambda: lax.axis_index("i"), lambda: 7), X)
    np.testing.assert_array_equal(chosen, [0, 1, 2])
    called = over(lambda _: dt.jit(lambda: lax.axis_index("i") + 1)(), X)
    np.testing.assert_array_equal(called, [1, 2, 3])
    counted = over(
        lambda _: lax.while_loop(lambda n: n < 5, lambda n: n + 1 + lax.axis_index("i"), 0), X
    )
    np.testing.assert_array_equal(counted, [5, 6, 6])
    total = over(lambda _: lax.fori_loop(0, 3, lambda _, n: lax.psum(n, "i"), 1), X, out_axes=None)
    assert int(total) == 27


def test_in_branches() -> None:
    def f(p: Any, x: Any) -> Any:
        return lax.cond(p, lambda x: x / lax.psum(x, "i"), lambda x: x + lax.pmean(x, "i"), x)

    for p in (True, False):
        expected = X / X.sum(0) if p else X + X.mean(0)
        check(over(f, p, X, in_axes=(None, 0)), expected)
        check(dt.jit(dt.vmap(f, (None, 0), axis_name="i"))(p, X), expected)
    # All branches run for all elements where these choose differently.
    p = np.array([True, False, True])
    check(over(f, p, X), np.where(p[:, None], X / X.sum(0), X + X.mean(0)))


def test_in_a_loop_whose_end_they_decide() -> None:
    def f(x: Any) -> Any:
        return lax.while_loop(lambda x: lax.pmax(x, "i") < 20, lambda x: x * 2, x)

    np.testing.assert_array_equal(over(f, dnp.array([1, 3, 2])), [8, 24, 16])
    own = over(
        lambda x: lax.while_loop(lambda x: x < 20, lambda x: x + lax.psum(x, "i"), x),
        dnp.array([1, 30, 2]),
    )
    np.testing.assert_array_equal(own, [34, 30, 35])


def test_in_jitted_functions() -> None:
    """One function, traced for each set of axes in scope."""

    @dt.jit
    def total(x: Any) -> Any:
        return lax.psum(x, "i") + lax.axis_size("i")

    def f(x: Any) -> Any:
        return total(x) + dt.vmap(total, axis_name="i")(dnp.arange(4.0))[0]

    check(over(f, X), np.broadcast_to(X.sum(0) + 3 + 6 + 4, X.shape))
    check(dt.jit(dt.vmap(f, axis_name="i"))(X), np.broadcast_to(X.sum(0) + 13, X.shape))


def test_inner_names_hide_outer_ones() -> None:
    def f(x: Any) -> Any:
        return dt.vmap(lambda y: lax.psum(y, "i"), axis_name="i")(x), lax.psum(x, "i")

    rows, columns = over(f, X)
    check(rows, np.broadcast_to(X.sum(1, keepdims=True), X.shape))
    check(columns, np.broadcast_to(X.sum(0), X.shape))


def test_forward_and_reverse_of_what_is_batched_inside() -> None:
    def f(x: Any) -> Any:
        values, pull = dt.vjp(lambda x: lax.psum(x**2, "i"), x)
        return dt.jvp(lambda x: lax.pmean(x**3, "i"), (x,), (pull(values)[0],))[1]

    sums = (X**2).sum(0)
    check(over(f, X), np.broadcast_to((3 * X**2 * 2 * X * 3 * sums).mean(0), X.shape))
    second = dt.jacfwd(dt.jacrev(lambda x: dnp.sum(over(lambda x: lax.psum(x, "i") ** 2, x))))(X)
    expected = np.einsum("jl,ik->ijkl", np.eye(2) * 6, np.ones((3, 3)))
    check(second, expected)


@pytest.mark.parametrize("op", [lax.pmax, lax.pmin])
def test_ties_share_the_tangent(op: Any) -> None:
    x = np.full(3, 2, np.float32)
    tangent = dt.jvp(
        lambda x: over(lambda x: op(x, "i"), x), (x,), (np.array([3, 6, 0], np.float32),)
    )[1]
    check(tangent, [3, 3, 3])


# Types, scalars and trees ---------------------------------------------------------------------


def test_known_scalars() -> None:
    def f(_: Any) -> Any:
        assert type(lax.psum(1, "i")) is int
        assert lax.psum(1, "i") == 3
        assert lax.axis_size("i") == 3
        assert lax.axis_size(()) == 1
        assert lax.psum(2.5, "i") == 7.5
        assert lax.pmean(4, "i") == 4.0
        array = lax.psum(np.array([1, -2], np.int8), "i")
        assert array.dtype == np.int8
        assert (array == dnp.int8([3, -6])).all()
        return lax.psum((True, {"a": np.float32(2)}), "i")

    count, tree = over(f, X, out_axes=None)
    assert count.dtype == np.int32
    assert int(count) == 3
    assert float(tree["a"]) == 6


@pytest.mark.parametrize(
    "dtype", ["bool", "int8", "uint16", "int32", "float16", "bfloat16", "complex64"]
)
def test_element_types(dtype: str) -> None:
    x = dnp.array([[1, 0], [1, 1], [0, 0]]).astype(dtype)
    wide = np.asarray(x).astype(np.complex64 if dtype == "complex64" else np.float64)
    total = over(lambda x: lax.psum(x, "i"), x, out_axes=None)
    assert total.dtype == ("int32" if dtype == "bool" else dtype)
    np.testing.assert_array_equal(np.asarray(total).astype(wide.dtype), wide.sum(0))
    for moved in (
        over(lambda x: lax.all_gather(x, "i"), x, out_axes=None),
        over(lambda x: lax.ppermute(x, "i", ring(3, 3)), x),
    ):
        assert moved.dtype == dtype
        np.testing.assert_array_equal(moved, x)
    if dtype != "complex64":
        greatest = over(lambda x: lax.pmax(x, "i"), x, out_axes=None)
        assert greatest.dtype == dtype
        np.testing.assert_array_equal(np.asarray(greatest).astype(wide.dtype), wide.max(0))


def test_bools_over_two_axes() -> None:
    x = np.random.default_rng(0).random((2, 3, 5)) < 0.5
    sent = nested(lambda x: lax.ppermute(x, ("i", "j"), ring(6, 1)))(x)
    np.testing.assert_array_equal(sent.reshape(6, 5), np.roll(x.reshape(6, 5), 1, 0))


def test_results_without_the_batch() -> None:
    assert over(lambda x: lax.pmean(x, "i"), X, out_axes=None).shape == (2,)
    assert over(lambda x: lax.all_gather(x, "i"), X, out_axes=None).shape == (3, 2)
    with pytest.raises(ValueError, match="out_axes must say where the batch goes in result 0"):
        over(lambda x: lax.axis_index("i"), X, out_axes=None)


def test_batches_without_arguments() -> None:
    numbers = dt.vmap(lambda: lax.axis_index("i"), axis_name="i", axis_size=3)
    np.testing.assert_array_equal(numbers(), [0, 1, 2])
    np.testing.assert_array_equal(dt.jit(numbers)(), [0, 1, 2])
    assert int(dt.vmap(lambda: lax.psum(2, "i"), axis_name="i", axis_size=3, out_axes=None)()) == 6


def test_names_that_are_no_strings() -> None:
    class Name:
        def __repr__(self) -> str:
            return "name"

    a, b = Name(), Name()
    sums = dt.vmap(
        dt.vmap(lambda x: (lax.psum(x, a), lax.psum(x, b), lax.axis_index(3)), axis_name=a),
        axis_name=b,
    )
    rows, columns, _ = dt.vmap(sums, axis_name=3)(X[None])
    check(rows[0], np.broadcast_to(X.sum(1, keepdims=True), X.shape))
    check(columns[0], np.broadcast_to(X.sum(0), X.shape))


def test_spmd_axis_name_is_accepted() -> None:
    total = dt.vmap(lambda x: lax.psum(x, "i"), axis_name="i", spmd_axis_name="data")(X)
    check(total, np.broadcast_to(X.sum(0), X.shape))


def test_pcast() -> None:
    check(over(lambda x: lax.pcast(x, "i", to="varying"), X), X)
    with pytest.raises(ValueError, match="to must be 'varying'"):
        over(lambda x: lax.pcast(x, "i", to="anywhere"), X)
    with pytest.raises(NotImplementedError, match=r"sum with lax\.psum"):
        over(lambda x: lax.pcast(x, "i", to="unreduced"), X)


def test_without_axes() -> None:
    for f in (lax.psum, lax.all_gather, lax.psum_scatter, lax.pmax):
        assert f(X, ()) is X or (f(X, ()) == X).all()
    assert int(lax.axis_index(())) == 0


# Errors ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("f", [lax.psum, lax.pmax, lax.all_gather, lambda _, a: lax.axis_index(a)])
def test_unbound_names(f: Any) -> None:
    with pytest.raises(NameError, match="unbound axis name: k; the axes in scope are none"):
        f(X, "k")
    with pytest.raises(NameError, match=r"the axes in scope are 'i' of size 3, .*axis_name='k'"):
        over(lambda x: f(x, "k"), X)


@pytest.mark.parametrize(
    ("f", "message"),
    [
        (lambda x: lax.psum(x, ("i", "i")), "axis names must be distinct"),
        (lambda x: lax.all_gather(x, "i", axis=3), "axis 3 is out of bounds"),
        (lambda x: lax.psum_scatter(x, "i"), "dimension 0 must be as large as the axes, 3"),
        (lambda x: lax.psum_scatter(x, "i", tiled=True), "must be divisible by the size"),
        (lambda x: lax.all_to_all(x, "i", 0, 0), "dimension 0 must be as large as the axes, 3"),
        (lambda x: lax.ppermute(x, "i", [(0, 3)]), "a target must be at least 0 and less than"),
        (lambda x: lax.ppermute(x, "i", [(0, 1), (2, 1)]), "targets must be distinct"),
        (lambda x: lax.pshuffle(x, "i", [0, 0, 1]), "perm must be a permutation"),
        (lambda x: lax.pbroadcast(x, "i", 3), "source must be at least 0 and less than"),
    ],
)
def test_wrong_arguments(f: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message) as caught:
        over(f, X)
    assert __file__ in str(caught.value)


def test_groups_are_not_supported() -> None:
    for f in (lax.psum, lax.pmean, lax.pmax, lax.all_gather, lax.psum_scatter):
        with pytest.raises(NotImplementedError, match="axis_index_groups is not supported"):
            over(lambda x, f=f: f(x, "i", axis_index_groups=[[0, 1], [2]]), X)


def test_values_are_not_known() -> None:
    for f in (lambda: lax.axis_index("i"), dt.jit(lambda: lax.axis_index("i"))):
        with pytest.raises(ConcretizationTypeError, match="without a value while `vmap` traces"):
            over(lambda x, f=f: x if f() > 0 else -x, X)
