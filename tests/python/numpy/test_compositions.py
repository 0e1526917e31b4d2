"""Functions of numpy that are compositions of others, against NumPy."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import dovetail as dt
import dovetail.numpy as dnp

RNG = np.random.default_rng(0)
X = RNG.normal(size=50).astype(np.float32)
W = RNG.random(50).astype(np.float32)


def f32(values: Any) -> Any:
    return np.array(values, np.float32)


def i32(values: Any) -> Any:
    return np.array(values, np.int32)


def same(actual: Any, expected: Any, rtol: float = 1e-5) -> None:
    actual = actual if isinstance(actual, (tuple, list)) else (actual,)
    expected = expected if isinstance(expected, (tuple, list)) else (expected,)
    for a, e in zip(actual, expected, strict=True):
        if isinstance(e, (tuple, list)):
            same(a, e, rtol)
            continue
        assert np.shape(a) == np.shape(e)
        np.testing.assert_allclose(np.asarray(a), e, rtol=rtol, atol=rtol)


def both(function: Callable[..., Any], *args: Any) -> Any:
    """The result, which is the same under jit."""
    result = function(*args)
    jitted = dt.jit(function)(*args)
    for a, b in zip(dt.tree.leaves(result), dt.tree.leaves(jitted), strict=True):
        assert a.dtype == b.dtype
    same(dt.tree.leaves(jitted), dt.tree.leaves(result))
    return result


# Histograms ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("bins", [1, 7, [-1.0, 0.0, 0.5, 2.0]])
@pytest.mark.parametrize("limits", [None, (-0.5, 1.0)])
@pytest.mark.parametrize("density", [False, True])
def test_histogram(bins: Any, limits: Any, density: bool) -> None:
    edges = both(lambda x: dnp.histogram_bin_edges(x, bins, limits), X)
    same(edges, np.histogram_bin_edges(X, bins, limits))
    counts = both(lambda x: dnp.histogram(x, bins, limits, density=density), X.reshape(5, 10))
    same(counts, np.histogram(X, bins, limits, density=density))
    counts = both(lambda x, w: dnp.histogram(x, bins, limits, w, density), X, W)
    same(counts, np.histogram(X, bins, limits, density, W))


def test_histogram_of_integers() -> None:
    x = RNG.integers(0, 6, 40).astype(np.int32)
    same(dnp.histogram(x, 6), np.histogram(x, 6))
    same(dnp.histogram(x, dnp.array([1, 2, 4, 5])), np.histogram(x, np.array([1, 2, 4, 5])))
    # All elements equal, and NaN, which is in no bin.
    same(dnp.histogram(np.full(4, 3.0), 4), np.histogram(np.full(4, 3.0), 4))
    same(dnp.histogram(f32([0.5, np.nan]), 2, (0, 1))[0], [np.array([0.0, 1.0])])


@pytest.mark.parametrize("density", [False, True])
@pytest.mark.parametrize("bins", [5, (2, 3), [[-1.0, 0.0, 1.0], [-2.0, 0.5, 0.6, 2.0]]])
def test_histogram2d(bins: Any, density: bool) -> None:
    x, y = X[:25], X[25:]
    counts = both(lambda x, y: dnp.histogram2d(x, y, bins, density=density), x, y)
    same(counts, np.histogram2d(x, y, bins, density=density))
    weighted = both(lambda x, y, w: dnp.histogram2d(x, y, bins, None, w, density), x, y, W[:25])
    same(weighted, np.histogram2d(x, y, bins, None, density, W[:25]))


def test_histogram2d_edges() -> None:
    x, y = X[:25], X[25:]
    edges: Any = [-1.0, 0.0, 0.5, 1.0]
    same(dnp.histogram2d(x, y, edges), np.histogram2d(x, y, edges))
    limits = [(-1, 1), (0, 1)]
    same(dnp.histogram2d(x, y, 3, limits), np.histogram2d(x, y, 3, limits))


def test_histogramdd() -> None:
    points = X[:48].reshape(16, 3)
    bins = (2, [-1.0, 0.0, 1.0, 3.0], 3)
    limits: Any = (None, None, (-1.0, 1.0))
    counts = both(lambda p: dnp.histogramdd(p, bins, limits), points)
    same(counts, np.histogramdd(points, bins, limits))
    assert counts[0].dtype == np.int32
    result = dnp.histogramdd(points, 2, weights=W[:16], density=True)
    same(result, np.histogramdd(points, 2, weights=W[:16], density=True))


def test_histogram_errors() -> None:
    with pytest.raises(NotImplementedError, match="bins must be a number or edges, got: 'auto'"):
        dnp.histogram(X, "auto")
    with pytest.raises(ValueError, match="range must be a pair"):
        dnp.histogram(X, 3, (1, 2, 3))
    with pytest.raises(ValueError, match="weights must have the shape of a"):
        dnp.histogram(X, 3, weights=W[:3])
    with pytest.raises(ValueError, match="x and y must be vectors of one size"):
        dnp.histogram2d(X, X[:2])
    with pytest.raises(ValueError, match="sample must have rank 2"):
        dnp.histogramdd(X)
    with pytest.raises(ValueError, match="bins must have one entry for each of 2 dimensions"):
        dnp.histogramdd(X.reshape(25, 2), (1, 2, 3))
    with pytest.raises(ValueError, match="there must be 25 weights"):
        dnp.histogramdd(X.reshape(25, 2), weights=X)


# Sets ---------------------------------------------------------------------------------------------


SETS: list[Any] = [
    (i32([3, 1, 2, 3, 1, 9]), i32([3, 3, 4, 1])),
    (i32([[-2, 5], [7, -2]]), i32([5, -2])),
    (f32([np.nan, 2, np.nan, 0, -1]), f32([np.nan, 2, -0.0])),
    (i32([1, 2]), i32([4])),
    (np.zeros(0, np.float32), f32([2, 1])),
    (f32([2, 1]), np.zeros(0, np.float32)),
    (np.array([True, False]), np.array([True])),
    (i32([1, 2]), f32([1.5, 2.0])),
]
SET_NAMES = ["union1d", "intersect1d", "setdiff1d", "setxor1d"]


@pytest.mark.parametrize(("x", "y"), SETS)
@pytest.mark.parametrize("name", SET_NAMES)
def test_sets(name: str, x: np.ndarray, y: np.ndarray) -> None:
    function, expected = getattr(dnp, name), getattr(np, name)(x, y)
    result = function(x, y)
    same(result, expected)
    if name == "setdiff1d":
        assert result.dtype == x.dtype
    n = expected.size
    run = both if x is SETS[0][0] else lambda f, x, y: f(x, y)
    filled = np.concatenate([expected, np.full(2, 7, expected.dtype)])
    padded = run(lambda x, y: function(x, y, size=n + 2, fill_value=7), x, y)
    same(padded, filled.astype(padded.dtype))
    if n:
        same(function(x, y, size=n - 1), expected[: n - 1])
        last = function(x, y, size=n + 1)[-1]
        same(last, 0 if name == "setdiff1d" else np.asarray(expected[0]))
    if name == "setdiff1d" and not x.size:
        return
    with pytest.raises(TypeError, match="Abstract tracer value"):
        dt.jit(function)(x, y)


@pytest.mark.parametrize(("x", "y"), [*SETS[:2], *SETS[3:6]])
def test_intersection_indices(x: np.ndarray, y: np.ndarray) -> None:
    expected = np.intersect1d(x, y, return_indices=True)
    same(dnp.intersect1d(x, y, return_indices=True), expected)
    n = expected[0].size
    result = both(lambda x, y: dnp.intersect1d(x, y, False, True, size=n + 1, fill_value=5), x, y)
    fills = [5, x.size, y.size]
    same(result, tuple(np.append(e, f) for e, f in zip(expected, fills, strict=True)))


def test_sets_of_unique_elements() -> None:
    x, y = i32([5, 1, 3]), i32([3, 7])
    for name in SET_NAMES[1:]:
        same(getattr(dnp, name)(x, y, True), getattr(np, name)(x, y, True))
    result = both(lambda x, y: dnp.setdiff1d(x, y, True, size=3), x, y)
    same(result, i32([5, 1, 0]))


@pytest.mark.parametrize("x", [RNG.integers(0, 4, (3, 4)), f32([np.nan, 1, np.nan, 1])])
def test_unique_by_name(x: np.ndarray) -> None:
    for name in ("unique_all", "unique_counts", "unique_inverse", "unique_values"):
        result, expected = getattr(dnp, name)(x), getattr(np, name)(x)
        if name == "unique_values":
            same(result, np.sort(expected))
            continue
        assert result._fields == expected._fields
        same(result.values, expected.values)
        if not np.isnan(x).any():
            same(tuple(result), tuple(expected))
    n = np.unique_values(x).size
    result = both(lambda x: dnp.unique_all(x, size=n + 2, fill_value=9), x)
    same(result.values[-2:], np.full(2, 9))
    same(result.counts, np.append(np.unique_counts(x).counts, [0, 0]))
    same(both(lambda x: dnp.unique_counts(x, size=2), x).counts, np.unique_counts(x).counts[:2])
    assert both(lambda x: dnp.unique_inverse(x, size=n), x).inverse_indices.shape == x.shape
    assert both(lambda x: dnp.unique_values(x, size=n), x).shape == (n,)


# Extremes -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("axis", [0, 1, -1])
@pytest.mark.parametrize("k", [0, 1, 3])
def test_top_k(axis: int, k: int) -> None:
    x = RNG.integers(0, 3, (3, 4)).astype(np.float32)
    for mode in ("largest", "smallest"):
        values, indices = both(lambda x, m=mode: dnp.top_k(x, k, axis=axis, mode=m), x)
        order = np.argsort(-x if mode == "largest" else x, axis, kind="stable")
        order = np.take(order, np.arange(k), axis)
        same(indices, order)
        same(values, np.take_along_axis(x, order, axis))


def test_top_k_nan() -> None:
    x = f32([1, np.nan, 2, -np.inf])
    same(dnp.top_k(x, 4), (f32([2, 1, -np.inf, np.nan]), i32([2, 0, 3, 1])))
    same(dnp.top_k(x, 3, mode="smallest")[1], i32([3, 0, 2]))
    same(dnp.top_k(np.array([0, 255, 7], np.uint8), 2)[0], np.array([255, 7], np.uint8))
    with pytest.raises(ValueError, match="k must be 0 or more and at most 4"):
        dnp.top_k(x, 5)
    with pytest.raises(ValueError, match="mode must be 'largest' or 'smallest', got: 'least'"):
        dnp.top_k(x, 1, mode="least")


# Convolution --------------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", ["full", "same", "valid"])
@pytest.mark.parametrize("n", [1, 4, 7])
@pytest.mark.parametrize("k", [1, 2, 3, 4, 9])
def test_convolve_correlate(mode: Any, n: int, k: int) -> None:
    a, v = X[:n], X[20 : 20 + k]
    for name in ("convolve", "correlate"):
        result = both(functools.partial(getattr(dnp, name), mode=mode), a, v)
        same(result, getattr(np, name)(a, v, mode))


def test_convolve_types() -> None:
    a, v = i32([1, 2, 3]), i32([0, 1])
    assert dnp.convolve(a, v).dtype == np.float32
    assert dnp.convolve(a, v, preferred_element_type=np.float32).dtype == np.float32
    c, d = (X[:5] + 1j * X[5:10]), (X[10:13] - 1j * X[13:16])
    for mode in ("full", "same", "valid"):
        same(both(functools.partial(dnp.convolve, mode=mode), c, d), np.convolve(c, d, mode))
        same(both(functools.partial(dnp.correlate, mode=mode), c, d), np.correlate(c, d, mode))
        same(both(functools.partial(dnp.correlate, mode=mode), d, c), np.correlate(d, c, mode))


def test_convolve_gradient() -> None:
    a, v, weights = X[:6], X[10:13], X[20:28]
    grads = dt.grad(lambda a, v: dnp.sum(dnp.convolve(a, v) * weights), (0, 1))(a, v)
    same(grads, (np.correlate(weights, v, "valid"), np.correlate(weights, a, "valid")))


def test_convolve_errors() -> None:
    with pytest.raises(ValueError, match="mode must be one of full, same, valid, got: 'half'"):
        dnp.convolve(X, X, "half")
    with pytest.raises(ValueError, match="operands must be vectors that are not empty"):
        dnp.correlate(X, X[:0])
    with pytest.raises(ValueError, match="operands must be vectors that are not empty"):
        dnp.convolve(X.reshape(5, 10), X)


# Vectorization ------------------------------------------------------------------------------------


def test_vectorize_scalars() -> None:
    f = dnp.vectorize(lambda x, y: dnp.where(x > 0, x, -x) * y)
    x, y = X[:6].reshape(2, 1, 3), X[6:10].reshape(4, 1)
    same(both(f, x, y), np.abs(x) * y)
    same(both(f, x, 2.0), np.abs(x) * 2)
    same(both(f, x[:, :1, :1], y[:1]), np.abs(x[:, :1, :1]) * y[:1])
    same(f(3.0, 4.0), np.float32(12))
    same(dnp.vectorize(lambda x: dnp.stack([x, -x]))(X[:3]), np.stack([X[:3], -X[:3]], 1))


def test_vectorize_signature() -> None:
    product = dnp.vectorize(lambda m, v: m @ v, signature="(n,m),(m)->(n)")
    m, v = X[:24].reshape(4, 2, 3), X[24:30].reshape(2, 1, 3)
    same(both(product, m, v), (m @ v[..., None])[..., 0])
    same(both(product, m[:1], v[0, 0]), m[:1] @ v[0, 0])
    parts = dnp.vectorize(lambda v: (v.sum(), -v), signature="(n)->(),(n)")
    same(both(parts, m), (m.sum(-1), -m))


def test_vectorize_excluded() -> None:
    def f(x: Any, scale: Any, *, shift: Any = 0) -> Any:
        assert isinstance(scale, list)
        return x * scale[0] + shift

    g = dnp.vectorize(f, excluded={1, "shift"})
    same(g(X, [2.0]), X * 2)
    same(g(X, [2.0], shift=1.0), X * 2 + 1)
    h = dnp.vectorize(lambda x, y: x if y is None else x + y)
    same(h(X, None), X)
    same(h(X, X), X + X)


def test_vectorize_errors() -> None:
    with pytest.raises(ValueError, match="a signature must be of the form"):
        dnp.vectorize(dnp.dot, signature="(n),(n)")
    with pytest.raises(TypeError, match="can only exclude integer or string arguments"):
        dnp.vectorize(dnp.dot, excluded={1.5})  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="excluded positions must be 0 or more"):
        dnp.vectorize(dnp.dot, excluded={-1})
    dot = dnp.vectorize(dnp.dot, signature="(n),(n)->()")
    with pytest.raises(TypeError, match="wrong number of positional arguments: expected 2"):
        dot(X)
    with pytest.raises(ValueError, match="inconsistent size for core dimension 'n': 2 vs 3"):
        dot(X[:3], X[:2])
    with pytest.raises(
        ValueError, match=r"does not have enough dimensions for all core dimensions \(n\)"
    ):
        dot(1.0, X)
    with pytest.raises(TypeError, match="an argument given by name must be excluded, got: 'b'"):
        dot(X, b=X)
    with pytest.raises(ValueError, match=r"output shape .* does not match core dimensions"):
        dnp.vectorize(lambda x: x, signature="(n)->()")(X)
    with pytest.raises(
        TypeError, match="output must be a tuple when multiple outputs are expected"
    ):
        dnp.vectorize(lambda x: x, signature="(n)->(n),(n)")(X)
    dt.config.update("numpy_rank_promotion", "raise")
    with pytest.raises(
        ValueError, match="Operands could not be broadcast together for vectorize on shapes"
    ):
        dot(dnp.ones((2, 3)), dnp.ones((4, 2, 3)))


@pytest.mark.parametrize("axis", [0, 1, 2, -1])
def test_apply_along_axis(axis: int) -> None:
    x = X[:24].reshape(2, 3, 4)
    both(lambda x: dnp.apply_along_axis(dnp.sum, axis, x), x)
    same(dnp.apply_along_axis(dnp.sum, axis, x), np.sum(x, axis))

    def doubled(v: Any, n: Any, by: Any = 1) -> Any:
        return v[:2] * n + by

    result = dnp.apply_along_axis(doubled, axis, x, 3, by=2)
    same(result, np.apply_along_axis(doubled, axis, x, 3, by=2))
    result = dnp.apply_along_axis(lambda v: dnp.outer(v, v), axis, x)
    same(result, np.apply_along_axis(lambda v: np.outer(v, v), axis, x))
    same(dnp.apply_along_axis(dnp.cumsum, 0, X), np.cumsum(X))


# Polynomials --------------------------------------------------------------------------------------


def test_polymul() -> None:
    for a, b in ((X[:3], X[3:8]), (i32([1, 2]), i32([3])), (X[:1], X[:2])):
        same(both(dnp.polymul, a, b), np.polymul(a, b))
    a, b = f32([0, 0, 1, 2]), f32([0, 3])
    same(dnp.polymul(a, b), f32([0, 0, 0, 3, 6]))
    same(dnp.polymul(a, b, trim_leading_zeros=True), np.polymul(a, b))
    with pytest.raises(ValueError, match="polynomials must be vectors"):
        dnp.polymul(X.reshape(5, 10), X)


def test_poly() -> None:
    for roots in (X[:4], i32([1, 2, 3]), X[:3] + 1j * X[3:6]):
        same(both(dnp.poly, roots), np.poly(roots))
    same(dnp.poly(X[:0]), np.ones(1))
    same(dnp.poly(2.0), f32([1, -2]))
    # Matrices are in test_polynomials.py.
    with pytest.raises(ValueError, match=r"a vector or a square matrix, got: shape \(3, 2\)"):
        dnp.poly(dnp.ones((3, 2)))


def test_polydiv() -> None:
    for u, v in ((X[:5], X[5:7]), (X[:3], X[3:6]), (i32([4, 2, 1]), i32([2]))):
        quotient, remainder = both(dnp.polydiv, u, v)
        expected = np.polydiv(u.astype(np.float64), v.astype(np.float64))
        same(quotient, expected[0], 1e-4)
        assert remainder.shape == u.shape
        size = expected[1].size
        same(remainder[u.size - size :], expected[1], 1e-4)
        same(remainder[: u.size - size], np.zeros(u.size - size), 1e-4)
    same(dnp.polydiv(X[:2], X[:3]), (np.zeros(1), X[:2]))
    quotient, _ = dnp.polydiv(X, X, trim_leading_zeros=True)
    same(quotient, np.ones(1), 1e-4)
    with pytest.raises(ValueError, match="polynomials must not be empty"):
        dnp.polydiv(X, X[:0])


# The others ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("axis", [0, 1, -1])
def test_unwrap(axis: int) -> None:
    x = (5 * X).reshape(5, 10)
    same(both(lambda x: dnp.unwrap(x, axis=axis), x), np.unwrap(x, axis=axis), 1e-4)
    result = both(lambda x: dnp.unwrap(x, 4.0, axis, 5.0), x)
    same(result, np.unwrap(x, 4.0, axis, period=5.0), 1e-4)
    n = RNG.integers(0, 12, (4, 5)).astype(np.int32)
    for period in (4, 5):
        result = both(lambda n, p=period: dnp.unwrap(n, axis=axis, period=p), n)
        assert result.dtype == np.int32
        same(result, np.unwrap(n, axis=axis, period=period))
    same(dnp.unwrap(x[:, :0]), x[:, :0])
    with pytest.raises(TypeError, match="the element type must be real, got: complex64"):
        dnp.unwrap(x + 1j)


def test_i0() -> None:
    x = np.linspace(-9, 9, 31).astype(np.float32)
    same(both(dnp.i0, x), np.i0(x), 1e-5)
    assert dnp.i0(i32([0, 1])).dtype == np.float32
    with pytest.raises(TypeError, match="must be real"):
        dnp.i0(1j)


def test_i0_gradient() -> None:
    x = f32([-1.5, 0.0, 0.5, 2.0])
    gradient = dt.grad(lambda x: dnp.sum(dnp.i0(x)))(x)
    h = 1e-5
    same(gradient, (np.i0(x.astype(float) + h) - np.i0(x.astype(float) - h)) / (2 * h), 1e-4)


@pytest.mark.parametrize("count", [1, 2, 9])
def test_place(count: int) -> None:
    x, values = X[:12].reshape(3, 4), X[20 : 20 + count]
    expected = x.copy()
    np.place(expected, x > 0, values)
    result = both(lambda x, v: dnp.place(x, x > 0, v, inplace=False), x, values)
    same(result, expected)


def test_place_errors() -> None:
    same(dnp.place(X[:0], X[:0] > 0, 1.0, inplace=False), X[:0])
    with pytest.raises(ValueError, match="inplace must be False"):
        dnp.place(X, X > 0, 1.0)
    with pytest.raises(ValueError, match="mask must have 50 elements, as arr, got: 3"):
        dnp.place(X, X[:3] > 0, 1.0, inplace=False)
    with pytest.raises(ValueError, match="there must be a value"):
        dnp.place(X, X > 0, X[:0], inplace=False)


@pytest.mark.parametrize("jitted", [False, True])
def test_repeat_to_a_length(jitted: bool) -> None:
    """Counts that are known only when the program runs, for arrays with one element or none."""

    def check(x: Any, counts: Any, length: int, expected: Any, axis: int | None = 0) -> None:
        def repeated(x: Any, counts: Any) -> Any:
            return dnp.repeat(x, counts, axis=axis, total_repeat_length=length)

        result = (dt.jit(repeated) if jitted else repeated)(x, counts)
        np.testing.assert_array_equal(result, expected)

    check(np.ones((1, 4)), 1, 1, np.ones((1, 4)))
    check(np.ones((1, 4)), i32([2]), 3, np.ones((3, 4)))
    check(f32(3), 2, 3, f32([3, 3, 3]), axis=None)
    check(i32([0, 1, 2]), 2, 4, i32([0, 0, 1, 1]))
    check(i32([0, 1, 2]), i32([1, 2, 3]), 8, i32([0, 1, 1, 2, 2, 2, 2, 2]))
    check(i32([0, 1, 2]), 0, 2, i32([2, 2]))
    check(np.zeros((0, 2)), 2, 3, np.zeros((0, 2)))
    with pytest.raises(ValueError, match="repeat: there must be one count"):
        check(i32([0, 1, 2]), i32([1, 2]), 3, None)


@pytest.mark.parametrize("axis", [0, 1, 2])
@pytest.mark.parametrize("find", ["argmin", "argmax"])
def test_indices_on_their_side(find: str, axis: int) -> None:
    x = RNG.integers(0, 5, (3, 2, 4)).astype(np.float32)

    def program(x: Any) -> Any:
        indices = getattr(dnp, find)(x, axis)
        return indices.T, (indices + 1).T, dnp.arange(5)[indices.T]

    exact = getattr(np, find)(x, axis).T
    same(
        tuple(dt.jit(lambda x, i=i: program(x)[i], compile="now")(x) for i in range(3)),
        (exact, exact + 1, exact),
    )
    batched = dt.jit(dt.vmap(lambda x: getattr(dnp, find)(x, 0), out_axes=1), compile="now")
    same(batched(x), getattr(np, find)(x, 1).T)


@pytest.mark.parametrize("name", ["sum", "prod", "nansum", "nanprod"])
def test_bool_dtype(name: str) -> None:
    x = np.array([[1.0, 0.0, 2.0], [1.0, 0.5, np.nan]], np.float32)
    given: list[dict[str, Any]] = [{}, {"axis": 0}, {"axis": 1, "keepdims": True}, {"axis": ()}]
    if not name.startswith("nan"):
        x = np.nan_to_num(x)
        given += [{"axis": 1, "initial": True}, {"where": x != 0}]
    for options in given:
        exact = getattr(np, name)(x, dtype=bool, **options)
        call = functools.partial(getattr(dnp, name), dtype=bool, **options)
        for result in (call(x), dt.jit(call, compile="now")(x), dt.vmap(call)(x[None])[0]):
            assert result.dtype == bool
            same(result, exact)
    if name == "sum":
        x = np.nan_to_num(x)
        add: Any = dnp.add
        for result in (dnp.trace(x, dtype=bool), add.reduce(x, None, dtype=bool)):
            assert result.dtype == bool
            assert result
        assert dt.jit(lambda x: dnp.trace(x, dtype=bool))(x).dtype == bool
        assert add.accumulate(x, 1, dtype=bool).tolist() == [[True] * 3] * 2
