"""Sorting, order statistics and running reductions as in NumPy, eager and compiled."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pytest

from dovetail import grad, jit, lax, vmap
from dovetail import numpy as dnp

RNG = np.random.default_rng(0)
X = RNG.integers(-5, 5, (3, 7)).astype(np.float32)
WITH_NAN = np.where(RNG.random((3, 7)) < 0.3, np.nan, X).astype(np.float32)


def f32(values: Any) -> np.ndarray[Any, Any]:
    return np.array(values, np.float32)


def i32(values: Any) -> np.ndarray[Any, Any]:
    return np.array(values, np.int32)


def test_payloads_keep_the_order_of_equal_keys() -> None:
    for size in (6, 300):
        keys = RNG.integers(0, 4, (2, size)).astype(np.int32)
        numbers = np.broadcast_to(np.arange(size, dtype=np.int32), keys.shape)
        order = np.argsort(keys, 1, kind="stable")
        for function in (lax.sort_key_val, jit(lax.sort_key_val)):
            ordered, places = function(keys, numbers)
            np.testing.assert_array_equal(ordered, np.sort(keys, 1))
            np.testing.assert_array_equal(places, order)


def test_order_of_zeros_and_nans() -> None:
    x = f32([np.nan, 0.0, -0.0, np.inf, -np.nan, -np.inf, 1.0, 0.0])
    for function in (dnp.argsort, jit(dnp.argsort)):
        np.testing.assert_array_equal(function(x), [5, 1, 2, 7, 6, 3, 0, 4])
    assert list(np.signbit(np.asarray(dnp.sort(x))[1:4])) == [False, True, False]


def keys_with_ties(dtype: str, shape: tuple[int, ...]) -> np.ndarray[Any, Any]:
    """Many equal keys, all extreme ones, and NaNs with either sign."""
    values = np.concatenate([RNG.normal(size=400) * 100, RNG.integers(-3, 3, 100)])
    keys = RNG.choice(values, shape).astype("int32" if dtype in ("int8", "uint32") else dtype)
    keys: np.ndarray[Any, Any] = keys.astype(dtype)
    special = [0.0, -0.0, np.nan, -np.nan, np.inf, -np.inf]
    if keys.dtype.kind in "fc":
        keys.flat[:60] = RNG.choice(f32(special), 60)
        if keys.dtype.kind == "c":
            keys.imag.flat[30:90] = RNG.choice(f32(special), 60)
    elif keys.dtype.kind != "b":
        keys.flat[:2] = np.iinfo(keys.dtype).min, np.iinfo(keys.dtype).max
    return keys


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint32", "float16", "float32", "complex64"])
def test_long_rows(dtype: str) -> None:
    """In one program."""
    arrays = [keys_with_ties(dtype, shape) for shape in [(500,), (3, 500), (500, 3)]]
    axes = [int(np.argmax(keys.shape)) for keys in arrays]

    @jit
    def compiled(arrays: Any) -> Any:
        pairs = zip(arrays, axes, strict=True)
        return [(dnp.argsort(keys, axis), dnp.sort(keys, axis)) for keys, axis in pairs]

    for keys, axis, (order, ordered) in zip(arrays, axes, compiled(arrays), strict=True):
        # NumPy would put complex numbers with any NaN last.
        np.testing.assert_array_equal(order, np.lexsort((keys.imag, keys.real), axis))
        np.testing.assert_array_equal(ordered, np.take_along_axis(keys, np.asarray(order), axis))


def test_top_k() -> None:
    x = f32([[1, 3, 3, np.nan], [4, 2, 4, 0]])
    for function in (lax.top_k, jit(lax.top_k, static_argnums=1)):
        values, indices = function(x, 2)
        np.testing.assert_array_equal(values, f32([[np.nan, 3], [4, 4]]))
        np.testing.assert_array_equal(indices, [[3, 1], [0, 2]])
    with pytest.raises(ValueError, match="k argument to top_k must be no larger than size"):
        lax.top_k(x, 5)


@pytest.mark.parametrize("name", ["quantile", "nanquantile"])
@pytest.mark.parametrize("axis", [None, 0, 1, (0, 1)])
@pytest.mark.parametrize("method", ["linear", "lower", "higher", "midpoint", "nearest"])
def test_quantiles(name: str, axis: Any, method: str) -> None:
    x = WITH_NAN if name == "nanquantile" else X
    for q in (0.3, f32([0, 0.25, 1])):
        for keepdims in (False, True):
            keywords: dict[str, Any] = {"axis": axis, "method": method, "keepdims": keepdims}
            expected = getattr(np, name)(x, q, **keywords)
            actual = getattr(dnp, name)(x, q, **keywords)
            np.testing.assert_allclose(actual, expected, rtol=1e-5)


def test_medians() -> None:
    for axis in (None, 0, 1):
        np.testing.assert_allclose(dnp.median(X, axis), np.median(X, axis))
        np.testing.assert_allclose(dnp.nanmedian(WITH_NAN, axis), np.nanmedian(WITH_NAN, axis))
    assert np.isnan(dnp.median(WITH_NAN))
    np.testing.assert_allclose(jit(dnp.median)(X), np.median(X))
    np.testing.assert_allclose(dnp.percentile(X, 30), np.percentile(X, 30), rtol=1e-5)


@pytest.mark.parametrize("name", ["cumsum", "cumprod", "nancumsum", "nancumprod"])
def test_running(name: str) -> None:
    for axis in (None, 0, -1):
        expected = getattr(np, name)(WITH_NAN, axis)
        np.testing.assert_allclose(getattr(dnp, name)(WITH_NAN, axis), expected, rtol=1e-6)
    assert getattr(dnp, name)(np.array([True, True])).dtype == np.int32


def test_orders() -> None:
    keys = RNG.integers(0, 3, (3, 9)).astype(np.int32)
    np.testing.assert_array_equal(dnp.lexsort(tuple(keys)), np.lexsort(tuple(keys)))
    np.testing.assert_array_equal(dnp.argsort(X, None), np.argsort(X, None, kind="stable"))
    np.testing.assert_array_equal(dnp.sort(X, 0, descending=True), np.sort(X, 0)[::-1])
    z = (X[0] + 1j * X[1]).astype(np.complex64)
    np.testing.assert_array_equal(dnp.sort_complex(z), np.sort_complex(z))


@pytest.mark.parametrize("axis", [None, 0, 1])
def test_unique(axis: int | None) -> None:
    x = RNG.integers(0, 2, (5, 4)).astype(np.int32)
    expected = np.unique(x, True, True, True, axis)
    for actual, wanted in zip(dnp.unique(x, True, True, True, axis), expected, strict=True):
        np.testing.assert_array_equal(actual, wanted)


def test_unique_of_a_size() -> None:
    x = i32([3, 1, 3, 2])
    function = jit(lambda x: dnp.unique(x, return_counts=True, size=5, fill_value=9))
    values, counts = function(x)
    np.testing.assert_array_equal(values, [1, 2, 3, 9, 9])
    np.testing.assert_array_equal(counts, [1, 1, 2, 0, 0])
    values, counts = dnp.unique(x, return_counts=True, size=2)
    np.testing.assert_array_equal(counts, [1, 1])


def test_derivatives_at_ties() -> None:
    ones = grad(lambda x: dnp.sum(lax.cummax(x)))(f32([1, 2, 2, 0]))
    np.testing.assert_allclose(ones, [1, 2, 1, 0])
    zeros = grad(lambda x: dnp.sum(lax.cumprod(x)))(f32([2, 0, 3]))
    np.testing.assert_allclose(zeros, [1, 8, 0])
    nothing = grad(lambda x: lax.cumlogsumexp(x)[-1])(f32([-np.inf, 0, 0]))
    np.testing.assert_allclose(nothing, [0, 0.5, 0.5])


@pytest.mark.parametrize("size", [0, 1, 2, 7, 8])
def test_complex_cumlogsumexp(size: int) -> None:
    rng = np.random.default_rng(size)
    z = (rng.normal(0, 2, (3, size)) + 1j * rng.normal(0, 5, (3, size))).astype(np.complex64)
    for reverse in (False, True):
        step = -1 if reverse else 1
        wanted = np.log(np.cumsum(np.exp(z[:, ::step].astype(complex)), 1))[:, ::step]
        whole = partial(lax.cumlogsumexp, axis=1, reverse=reverse)
        of_rows = vmap(partial(lax.cumlogsumexp, reverse=reverse))
        for got in (whole(z), jit(whole)(z), of_rows(z)):
            assert got.dtype == np.complex64
            np.testing.assert_allclose(got, wanted, rtol=1e-4, atol=1e-5)
    high = lax.cumlogsumexp(np.array([-np.inf, 2000, 2000 + 1j], np.complex64))
    np.testing.assert_allclose(high, [-np.inf, 2000, 2000.2 + 0.5j], rtol=1e-3)
    with pytest.raises(NotImplementedError, match="must have a known size"):
        jit(lax.cumlogsumexp, dynamic_shapes="n")(np.ones(3, np.complex64))


@pytest.mark.parametrize("size", [1024, 1031, 5003])
@pytest.mark.parametrize("reverse", [False, True])
def test_long_rows_go_in_blocks(size: int, reverse: bool) -> None:
    """Including sizes that are not multiples of a block."""
    x = np.random.default_rng(0).integers(-3, 4, size).astype(np.float32)
    turned = x[::-1] if reverse else x
    sums, most = np.cumsum(turned), np.maximum.accumulate(turned)

    def running(x: Any) -> Any:
        return lax.cumsum(x, reverse=reverse), lax.cummax(x, reverse=reverse)

    expected = (sums[::-1], most[::-1]) if reverse else (sums, most)
    for actual, wanted in zip(jit(running)(x), expected, strict=True):
        np.testing.assert_array_equal(actual, wanted)


def test_a_single_distinct_element() -> None:
    x = f32([3, 1, 3, 1])
    for function in (dnp.unique, jit(dnp.unique, static_argnames=("size", "return_counts"))):
        values, counts = function(x, size=1, return_counts=True)
        np.testing.assert_array_equal(values, [1])
        np.testing.assert_array_equal(counts, [2])
