"""Elements at indices along an axis, and indices of elements, against NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import dovetail as dt
import dovetail.numpy as dnp
from dovetail.errors import NonConcreteBooleanIndexError

RNG = np.random.default_rng(0)
X = RNG.normal(size=(3, 4, 5)).astype(np.float32)
MASK = X > 0.5


def same(actual: Any, expected: Any) -> None:
    actual = actual if isinstance(actual, tuple) else (actual,)
    expected = expected if isinstance(expected, tuple) else (expected,)
    for a, e in zip(actual, expected, strict=True):
        assert np.shape(a) == np.shape(e)
        np.testing.assert_allclose(np.asarray(a), e, rtol=1e-5)


@pytest.mark.parametrize("axis", [0, 1, 2, -1, None])
def test_take(axis: int | None) -> None:
    indices = RNG.integers(0, 3, (2, 2))
    same(dnp.take(X, indices, axis), np.take(X, indices, axis))
    same(dnp.take(X, indices + 7, axis, mode="wrap"), np.take(X, indices + 7, axis, mode="wrap"))
    same(dnp.take(X, indices + 7, axis, mode="clip"), np.take(X, indices + 7, axis, mode="clip"))
    order = np.argsort(X, axis=axis)
    same(dnp.take_along_axis(X, order, axis), np.take_along_axis(X, order, axis))


def test_take_out_of_bounds() -> None:
    same(dnp.take(X[0, 0], np.array([4, 5])), np.array([X[0, 0, 4], np.nan]))
    same(dnp.take(np.arange(3), np.array([7]), fill_value=-1), np.array([-1]))
    with pytest.raises(TypeError, match="take indices must be of integer type, got float32"):
        dnp.take(X, 1.5)


def test_put() -> None:
    first = np.argmax(X, axis=1, keepdims=True)
    same(dnp.take_along_axis(X, first, 1), np.take_along_axis(X, first, 1))
    expected = X.copy()
    np.put_along_axis(expected, first, 9, 1)
    same(dnp.put_along_axis(X, first, 9.0, 1, inplace=False), expected)
    expected = X.copy()
    np.put(expected, [3, 7, 50], [1, 2])
    same(dnp.put(X, np.array([3, 7, 50]), np.array([1.0, 2.0]), inplace=False), expected)
    with pytest.raises(ValueError, match="immutable, so inplace must be False"):
        dnp.put(X, np.array([0]), 1.0)


def test_places_of_elements() -> None:
    same(dnp.nonzero(MASK), np.nonzero(MASK))
    same(dnp.argwhere(MASK), np.argwhere(MASK))
    same(dnp.flatnonzero(MASK), np.flatnonzero(MASK))
    with pytest.raises(NonConcreteBooleanIndexError):
        dt.jit(dnp.nonzero)(MASK)


def test_nonzero_with_a_traced_fill_value() -> None:
    nonzero = dt.jit(dnp.nonzero, static_argnames="size")
    (indices,) = nonzero(np.array([0, 1, 0, 2]), size=3, fill_value=4)
    np.testing.assert_array_equal(indices, [1, 3, 4])


def test_what_must_be_known_while_tracing() -> None:
    for f in (lambda i: dnp.delete(np.arange(5), i), lambda i: dnp.min(np.arange(5), i)):
        with pytest.raises(dt.errors.ConcretizationTypeError):
            dt.jit(f)(0)


@pytest.mark.parametrize("more", [0, 3, -2])
def test_nonzero_of_known_size(more: int) -> None:
    count = int(MASK.sum())
    size = count + more
    actual = dt.jit(lambda m: dnp.nonzero(m, size=size, fill_value=-1))(MASK)
    for a, places in zip(actual, np.nonzero(MASK), strict=True):
        same(a, np.concatenate([places, np.full(5, -1)])[:size] if more > 0 else places[:size])


def test_choice_by_masks() -> None:
    rows = np.array([True, False, True])
    same(dnp.compress(rows, X, 0), np.compress(rows, X, 0))
    same(dnp.extract(MASK, X), np.extract(MASK, X))


@pytest.mark.parametrize("side", ["left", "right"])
def test_searchsorted(side: Any) -> None:
    array = np.sort(RNG.integers(0, 20, 37)).astype(np.float32)
    values = RNG.integers(-2, 23, (4, 5)).astype(np.float32)
    same(dnp.searchsorted(array, values, side), np.searchsorted(array, values, side))
    jitted = dt.jit(lambda a, v: dnp.searchsorted(a, v, side))
    same(jitted(array, values), np.searchsorted(array, values, side))
    for bins in (array, array[::-1].copy()):
        right = side == "left"
        same(dnp.digitize(values, bins, right), np.digitize(values, bins, right))
    with_nan = np.append(array, np.float32(np.nan))
    odd = np.array([np.nan, 3, np.inf], np.float32)
    same(dnp.searchsorted(with_nan, odd, side), np.searchsorted(with_nan, odd, side))
    empty = np.zeros(0, np.float32)
    same(dnp.searchsorted(empty, values, side), np.searchsorted(empty, values, side))
    with dt.enable_x64():
        assert dnp.searchsorted(array, values, side).dtype == np.int32
        assert dt.jit(dnp.searchsorted)(array, values).dtype == np.int32
        assert dnp.digitize(values, array).dtype == np.int32
        assert dt.lax.shape_as_value((2, 2**31 - 1)).dtype == np.int32
        assert dt.lax.shape_as_value((2, 2**31)).dtype == np.int64


def test_bincount() -> None:
    numbers, weights = RNG.integers(0, 9, 50), RNG.normal(size=50).astype(np.float32)
    same(dnp.bincount(numbers), np.bincount(numbers))
    same(dnp.bincount(numbers, weights, 12), np.bincount(numbers, weights, 12))
    counted = dt.jit(lambda n: dnp.bincount(n, length=5))(numbers)
    same(counted, np.bincount(numbers)[:5])


def test_interp() -> None:
    places = np.sort(RNG.normal(size=9)).astype(np.float32)
    values = RNG.normal(size=9).astype(np.float32)
    at = 2 * RNG.normal(size=(3, 7)).astype(np.float32)
    expected = np.interp(at, places, values)
    same(dnp.interp(at, places, values), expected)
    same(dt.jit(dnp.interp)(at, places, values), expected)
    ends = np.interp(at, places, values, left=-5, right=7)
    same(dnp.interp(at, places, values, left=-5, right=7), ends)
    weights = dt.grad(lambda v: dnp.sum(dnp.interp(at, places, v)))(values)
    np.testing.assert_allclose(float(dnp.sum(weights)), at.size, rtol=1e-5)


# Outside of programs, NumPy's own functions are called ------------------------------------------

SPECIAL = np.array([1, np.nan, -0.0, np.inf, 0.0, -2, np.nan, 1, -np.inf, 3], np.float32)


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        (dnp.nonzero, np.nonzero),
        (dnp.flatnonzero, np.flatnonzero),
        (dnp.argwhere, np.argwhere),
        (dnp.unique, np.unique),
        (dnp.bincount, np.bincount),
        (lambda x: dnp.unique(x, return_counts=True), lambda x: np.unique(x, return_counts=True)),
        (lambda x: dnp.compress(x > 1, x), lambda x: np.compress(x > 1, x)),
        (lambda x: dnp.where(x == 0), lambda x: np.where(x == 0)),
    ],
)
def test_remembered_calls_find_as_many_as_there_are(ours: Any, theirs: Any) -> None:
    for row in ([1, 0, 2, 0], [0, 0, 0, 0], [3, 4, 5, 6], [2, 2, 0, 2], [0, 0, 0, 9]):
        x = np.array(row, np.int32)
        same(ours(dnp.array(x)), theirs(x))


@pytest.mark.parametrize(
    "function",
    [
        lambda x: dnp.argsort(x),
        lambda x: dnp.argsort(dnp.reshape(x, (2, 5)), 0),
        lambda x: dnp.lexsort((x, dnp.abs(x))),
        lambda x: dnp.searchsorted(dnp.sort(x), x),
        lambda x: dnp.searchsorted(dnp.sort(x), x, side="right"),
        lambda x: dnp.divmod(x, 2.0),
        lambda x: dnp.divmod(x, -x[::-1]),
    ],
)
def test_eager_calls_agree_with_compiled_ones(function: Any) -> None:
    expected = dt.jit(function)(SPECIAL)
    for _ in range(3):
        bitwise(function(dnp.array(SPECIAL)), expected)


@pytest.mark.parametrize(("equal_nan", "count"), [(True, 7), (False, 8)])
def test_eager_unique_agrees_with_the_compiled_one(equal_nan: bool, count: int) -> None:
    def find(x: Any, size: int | None) -> Any:
        return dnp.unique(x, True, True, True, equal_nan=equal_nan, size=size)

    expected = dt.jit(find, static_argnums=1)(SPECIAL, count)
    for _ in range(3):
        bitwise(find(dnp.array(SPECIAL), None), expected)


def bitwise(actual: Any, expected: Any) -> None:
    """Including signs of zeros."""
    actual = actual if isinstance(actual, tuple) else (actual,)
    expected = expected if isinstance(expected, tuple) else (expected,)
    for a, e in zip(actual, expected, strict=True):
        np.testing.assert_array_equal(a, e)
        assert a.dtype == e.dtype
        np.testing.assert_array_equal(np.signbit(a) & ~np.isnan(a), np.signbit(e) & ~np.isnan(e))


def looked_up_in_strided_slices(x: Any) -> tuple[Any, ...]:
    i, j = np.array([3, 1, 4, 1, 4, 2, 0]), np.array([0, 1, 1, 0, 4, 3, 2])
    rows = x.reshape(10, 10)
    return (
        x[::3][::-1],
        x[1::7][i],
        rows[::2, 3][i],
        rows[1::2, ::2][i, j],
        rows[::2, :1].T[0][i],
        rows[:, ::3][::-1],
        rows.T[::2][i, j],
        rows[::2].T[i, j],
        x[::2].reshape(5, 10)[i, j],
    )


@pytest.mark.parametrize("dtype", ["float32", "int8"])
def test_strided_slices_are_read_by_index(dtype: str) -> None:
    x = (np.arange(100) % 7).astype(dtype)
    same(dt.jit(looked_up_in_strided_slices, compile="now")(x), looked_up_in_strided_slices(x))


def test_strided_slices_are_sorted_and_multiplied() -> None:
    def program(x: Any) -> tuple[Any, ...]:
        half = x[:, ::2]
        step = lambda i, v: v + x[1::2, i][::-1].sum()  # noqa: E731
        return dnp.sort(half), half @ x[:50], dt.lax.fori_loop(0, 3, step, half[0])

    x = RNG.normal(size=(100, 100)).astype(np.float32)
    half = x[:, ::2]
    expected = np.sort(half), half @ x[:50], half[0] + x[1::2, :3].sum()
    for actual, wanted in zip(dt.jit(program, compile="now")(x), expected, strict=True):
        np.testing.assert_allclose(actual, wanted, rtol=1e-4, atol=1e-4)
