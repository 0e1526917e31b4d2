"""Samplers: their distributions, compiled and batched calls, derivatives, shapes and errors."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import stats

import dovetail as dt
import dovetail.numpy as dnp
from dovetail import config, dtypes, ops, random
from dovetail.random import generators
from dovetail.test_util import check_grads
from support.breadth import some
from support.random_table import ROWS, Row

COUNT = 4000


def draw(row: Row, key: Any, shape: tuple[int, ...]) -> Any:
    return row.draw(random, dnp, key, shape)


def by_name(row: Row) -> str:
    return row.name


# Distributions --------------------------------------------------------------------------------


@pytest.mark.parametrize("row", ROWS, ids=by_name)
def test_distribution(row: Row) -> None:
    samples = np.asarray(draw(row, random.key(11), (COUNT,))).astype(np.float64)
    assert not np.isnan(samples).any()
    if hasattr(row.law, "pdf") and not isinstance(row.law.dist, stats.rv_discrete):
        assert stats.kstest(samples, row.law.cdf).pvalue > 1e-3
    else:
        check_counts(samples, row.law)
    mean, variance = row.law.stats("mv")
    fourth = row.law.moment(4) if row.name not in ("cauchy", "t", "f", "pareto") else np.inf
    if np.isfinite(variance):
        assert abs(samples.mean() - mean) < 5 * np.sqrt(variance / COUNT)
    if np.isfinite(fourth):
        # The variance's own standard deviation is at most that of the fourth moment.
        assert abs(samples.var() - variance) < 8 * np.sqrt(abs(fourth) + mean**4) / np.sqrt(COUNT)


def check_counts(samples: np.ndarray, law: Any) -> None:
    """Pearson's test, with rare outcomes combined."""
    values = np.arange(int(law.ppf(1e-4)), int(law.ppf(1 - 1e-4)) + 1)
    assert_array_equal(samples, samples.astype(int))
    expected = COUNT * law.pmf(values)
    kept = values[expected >= 5]
    observed = np.array([(samples == value).sum() for value in kept])
    rest, wanted = COUNT - observed.sum(), COUNT - COUNT * law.pmf(kept).sum()
    pairs = [*zip(observed, COUNT * law.pmf(kept), strict=True)]
    if wanted > 1:
        pairs.append((rest, wanted))
    statistic = sum((a - b) ** 2 / b for a, b in pairs)
    assert stats.chi2.sf(statistic, max(1, len(pairs) - 1)) > 1e-3


ELEMENT_LAWS: dict[str, tuple[tuple[float, ...], Any]] = {
    "normal": ((), stats.norm()),
    "uniform": ((), stats.uniform()),
    "exponential": ((), stats.expon()),
    "gamma": ((2.0,), stats.gamma(2)),
    "beta": ((2.0, 3.0), stats.beta(2, 3)),
    "t": ((5.0,), stats.t(5)),
}


@pytest.mark.parametrize("how", ["eager", "compiled"])
@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float64"])
def test_element_types(dtype: str, how: str) -> None:
    def draw(key: Any) -> dict[str, Any]:
        return {
            name: getattr(random, name)(key, *parameters, shape=(500,), dtype=dtype)
            for name, (parameters, _) in ELEMENT_LAWS.items()
        }

    with config.enable_x64(True):
        samples = (dt.jit(draw) if how == "compiled" else draw)(random.key(1))
    for name, (_, law) in ELEMENT_LAWS.items():
        assert samples[name].dtype == dtypes.as_dtype(dtype)
        values = np.asarray(samples[name]).astype(np.float64)
        assert abs(values.mean() - law.mean()) < 5 * law.std() / np.sqrt(500), name


def test_complex_normal() -> None:
    x = np.asarray(random.normal(random.key(0), (COUNT,), "complex64"))
    assert x.dtype == np.complex64
    for part in (np.real(x), np.imag(x)):
        assert stats.kstest(part, stats.norm(0, np.sqrt(0.5)).cdf).pvalue > 1e-3


def test_permutation_is_uniform() -> None:
    keys = random.split(random.key(3), 1200)
    orders = np.asarray(dt.vmap(lambda key: random.permutation(key, 4))(keys))
    assert_array_equal(np.sort(orders, 1), np.tile(np.arange(4), (1200, 1)))
    places = {order: i for i, order in enumerate(itertools.permutations(range(4)))}
    counts = np.bincount([places[tuple(order)] for order in orders.tolist()], minlength=24)
    assert stats.chisquare(counts).pvalue > 1e-3


def test_permutation_of_rows() -> None:
    x = np.arange(60).reshape(20, 3)
    together = np.asarray(random.permutation(random.key(0), x))
    assert_array_equal(together[np.argsort(together[:, 0])], x)
    alone = np.asarray(random.permutation(random.key(0), x, independent=True))
    assert_array_equal(np.sort(alone, 0), x)
    assert not (np.diff(alone, axis=1) == 1).all()
    sideways = np.asarray(random.permutation(random.key(2), x, axis=-1))
    assert_array_equal(np.sort(sideways, 1), x)


def test_choice() -> None:
    key = random.key(5)
    chosen = np.asarray(random.choice(key, np.arange(10.0), (10,), replace=False))
    assert_array_equal(np.sort(chosen), np.arange(10.0))
    columns = random.choice(key, np.arange(12).reshape(3, 4), (2, 5), axis=1)
    assert columns.shape == (3, 2, 5)
    assert_array_equal(columns[0] + 4, columns[1])
    # Without replacement, the first is drawn by p.
    keys = random.split(key, 2000)
    p = dnp.array([0.1, 0.2, 0.7])
    drawn = dt.vmap(lambda key: random.choice(key, 3, (2,), replace=False, p=p))(keys)
    assert (np.asarray(drawn)[:, 0] != np.asarray(drawn)[:, 1]).all()
    counts = np.bincount(np.asarray(drawn)[:, 0], minlength=3)
    assert stats.chisquare(counts, 2000 * np.array([0.1, 0.2, 0.7])).pvalue > 1e-3


def test_categories_without_replacement() -> None:
    logits = dnp.log(dnp.array([[0.1, 0.2, 0.7], [0.5, 0.25, 0.25]]))
    drawn = random.categorical(random.key(0), logits, shape=(3, 2), replace=False)
    assert_array_equal(np.sort(np.asarray(drawn), 0), [[0, 0], [1, 1], [2, 2]])


def test_dirichlet_sums_to_one() -> None:
    x = random.dirichlet(random.key(0), np.array([1e-3, 0.1, 1.0], np.float32), (50,))
    assert x.shape == (50, 3)
    assert_allclose(x.sum(-1), 1, rtol=1e-6)


@pytest.mark.parametrize("method", ["cholesky", "eigh", "svd"])
def test_multivariate_normal(method: str) -> None:
    mean, cov = np.array([1.0, -2.0], np.float32), np.array([[2.0, 0.5], [0.5, 1.0]], np.float32)
    x = np.asarray(random.multivariate_normal(random.key(0), mean, cov, (COUNT,), method=method))
    assert_allclose(x.mean(0), mean, atol=0.1)
    assert_allclose(np.cov(x.T), cov, atol=0.15)
    rows = random.multivariate_normal(random.key(0), np.zeros((3, 1, 2)), np.stack([cov] * 4))
    assert rows.shape == (3, 4, 2)


def test_orthogonal() -> None:
    for shape, n, m in (((2,), 3, None), ((), 2, 5), ((3,), 4, 2)):
        x = np.asarray(random.orthogonal(random.key(0), n, shape, m=m))
        assert x.shape == (*shape, n, m or n)
        short = x if n >= (m or n) else np.swapaxes(x, -1, -2)
        product = np.swapaxes(short, -1, -2) @ short
        assert_allclose(
            product, np.broadcast_to(np.eye(product.shape[-1]), product.shape), atol=1e-5
        )
    unitary = np.asarray(random.orthogonal(random.key(0), 3, dtype="complex64"))
    assert_allclose(unitary @ unitary.conj().T, np.eye(3), atol=1e-5)
    # The trace of a uniform rotation of the plane, or a reflection.
    many = np.asarray(random.orthogonal(random.key(1), 2, (COUNT,)))
    assert abs((np.linalg.det(many) > 0).mean() - 0.5) < 0.05
    assert (
        stats.kstest(
            np.arctan2(many[:, 1, 0], many[:, 0, 0]), stats.uniform(-np.pi, 2 * np.pi).cdf
        ).pvalue
        > 1e-3
    )


def test_rare_parameters() -> None:
    key = random.key(0)
    rates = np.array([0.0, np.nan, 1e6], np.float32)
    zero, nan, large = np.asarray(random.poisson(key, rates)).tolist()
    assert (zero, nan) == (0, -1)
    assert abs(large - 1e6) < 1e4
    counts = np.array([np.nan, -1.0, np.inf, 0.0, 7.0], np.float32)
    drawn = np.asarray(random.binomial(key, counts, np.float32(0.5)))
    assert_array_equal(np.isnan(drawn), [True, True, False, False, False])
    assert (drawn[2], drawn[3]) == (np.inf, 0)
    assert_array_equal(random.binomial(key, 7, np.array([0.0, 1.0], np.float32)), [0, 7])


def test_wide_gumbel_has_a_tail() -> None:
    key = random.key(0)
    most = random.gumbel(key, (200_000,), mode="low").max()
    assert most < 16.7
    for mode in ("high", "highest"):
        x = random.gumbel(key, (200_000,), "float32", mode)
        assert bool(dnp.isfinite(x).all())


# Compiled, batched, without elements ----------------------------------------------------------


@pytest.mark.parametrize("group", some(range(6), 2))
def test_compiled_agrees_with_eager(group: int) -> None:
    rows = ROWS[group::6]

    def program(key: Any) -> list[Any]:
        return [draw(row, key, (2, 3)) for row in rows]

    key = random.key(9)
    compiled = dt.jit(program).lower(key).compile()(key)
    for row, actual in zip(rows, compiled, strict=True):
        expected = draw(row, key, (2, 3))
        assert actual.dtype == expected.dtype, row.name
        if row.exact:
            assert_array_equal(actual, expected, err_msg=row.name)
        else:
            assert_allclose(actual, expected, rtol=2e-5, atol=1e-6, err_msg=row.name)


@pytest.mark.parametrize("row", ROWS, ids=by_name)
def test_batch_of_keys_agrees_with_loop(row: Row) -> None:
    keys = random.split(random.key(2), 3)
    batched = dt.vmap(lambda key: draw(row, key, (2,)))(keys)
    single = [np.asarray(draw(row, key, (2,))) for key in keys]
    assert_allclose(np.asarray(batched), np.stack(single), rtol=1e-6)


@pytest.mark.parametrize("row", ROWS, ids=by_name)
@pytest.mark.parametrize("shape", [(0,), (2, 0)])
def test_no_elements(row: Row, shape: tuple[int, ...]) -> None:
    assert draw(row, random.key(0), shape).shape == shape


@pytest.mark.parametrize("row", ROWS, ids=by_name)
def test_repeated_calls_are_equal(row: Row) -> None:
    # The third call is cached.
    results = [np.asarray(draw(row, random.key(4), (3,))) for _ in range(4)]
    for result in results[1:]:
        assert_array_equal(result, results[0])
    assert not np.array_equal(np.asarray(draw(row, random.key(5), (3, 40))), results[0])


# Derivatives ----------------------------------------------------------------------------------

SMOOTH: dict[str, tuple[Callable[..., Any], tuple[Any, ...]]] = {
    "uniform": (lambda k, a, b: random.uniform(k, (3,), minval=a, maxval=b), (-1.0, 2.0)),
    "pareto": (lambda k, b: random.pareto(k, b, (3,)), (2.0,)),
    "rayleigh": (lambda k, s: random.rayleigh(k, s, (3,)), (2.0,)),
    "lognormal": (lambda k, s: random.lognormal(k, s, (3,)), (0.5,)),
    "weibull_min": (lambda k, s, c: random.weibull_min(k, s, c, (3,)), (2.0, 3.0)),
    "triangular": (lambda k, a, m, b: random.triangular(k, a, m, b, (3,)), (-1.0, 0.0, 3.0)),
    "truncated_normal": (lambda k, a, b: random.truncated_normal(k, a, b, (3,)), (-1.0, 2.0)),
    "double_sided_maxwell": (
        lambda k, loc, s: random.double_sided_maxwell(k, loc, s, (3,)),
        (0.5, 2.0),
    ),
    "wald": (lambda k, m: random.wald(k, m, (3,)), (2.0,)),
}


@pytest.mark.parametrize("name", SMOOTH)
def test_derivatives_by_parameters(name: str) -> None:
    function, parameters = SMOOTH[name]
    with config.enable_x64(True):
        points = tuple(np.float64(p) for p in parameters)
        check_grads(lambda *p: function(random.key(1), *p), points, order=2, atol=1e-4, rtol=1e-4)


@pytest.mark.parametrize("alpha", [0.3, 1.0, 2.5, 30.0])
def test_derivative_of_gamma(alpha: float) -> None:
    # At a fixed quantile of the distribution.
    step = 1e-5 * alpha
    with config.enable_x64(True):
        key, shape = random.key(7), (4,)
        samples = np.asarray(random.gamma(key, alpha, shape))
        slopes = dt.jacfwd(lambda a: random.gamma(key, a, shape))(alpha)
        reverse = dt.jacrev(lambda a: random.loggamma(key, a, shape))(alpha)
        logs = np.exp(np.asarray(random.loggamma(key, alpha, shape)))

    def slope(x: np.ndarray) -> np.ndarray:
        place = stats.gamma.cdf(x, alpha)
        ends = (stats.gamma.ppf(place, alpha + sign * step) for sign in (1, -1))
        return np.subtract(*ends) / (2 * step)

    assert_allclose(slopes, slope(samples), rtol=1e-4)
    assert_allclose(reverse, slope(logs) / logs, rtol=1e-4)


def test_derivatives_of_samples_made_from_gamma() -> None:
    key = random.key(3)
    with config.enable_x64(True):
        # The mean over many samples, which is known.
        def mean(a: Any) -> Any:
            return random.chisquare(key, dnp.full((COUNT,), a)).mean()

        assert_allclose(dt.grad(mean)(3.0), 1, rtol=0.05)

        def mean_of_beta(a: Any, b: Any) -> Any:
            return random.beta(key, dnp.full((COUNT,), a), b).mean()

        by_a, by_b = dt.grad(mean_of_beta, (0, 1))(2.0, 3.0)
        assert_allclose((by_a, by_b), (3 / 25, -2 / 25), rtol=0.1)

        def first(alpha: Any) -> Any:
            return random.dirichlet(key, alpha, (COUNT,))[:, 0].mean()

        assert_allclose(
            dt.grad(first)(np.array([1.0, 2.0, 2.0])), [4 / 25, -1 / 25, -1 / 25], rtol=0.15
        )


def test_derivatives_are_compiled_and_batched() -> None:
    key = random.key(0)
    slope = dt.grad(lambda a: random.gamma(key, a, (3,)).sum())
    points = np.array([0.5, 2.0], np.float32)
    batched = dt.vmap(slope)(points)
    assert_allclose(batched, [slope(points[0]), slope(points[1])], rtol=1e-6)
    assert_allclose(dt.jit(dt.vmap(slope)).lower(points).compile()(points), batched, rtol=1e-4)


# Shapes and errors ----------------------------------------------------------------------------


def test_shapes_of_parameters() -> None:
    key = random.key(0)
    rows, columns = np.ones((3, 1), np.float32), np.ones(4, np.float32)
    assert random.beta(key, rows, columns).shape == (3, 4)
    assert random.triangular(key, -rows, 0.0, columns).shape == (3, 4)
    assert random.f(key, rows, columns, (2, 3, 4)).shape == (2, 3, 4)
    assert random.gamma(key, columns).shape == (4,)
    assert random.dirichlet(key, np.ones((3, 2), np.float32)).shape == (3, 2)
    assert random.categorical(key, np.zeros((5, 4, 3)), axis=1).shape == (5, 3)
    assert random.categorical(key, np.zeros((4, 3)), axis=0, shape=(7, 3)).shape == (7, 3)
    assert random.double_sided_maxwell(key, rows, columns).shape == (3, 4, 3, 4)
    assert random.truncated_normal(key, -columns, 1.0).shape == (4,)
    assert random.multinomial(key, 5, np.ones((2, 3), np.float32) / 3).shape == (2, 3)
    assert random.bernoulli(key, columns / 2).shape == (4,)
    assert random.randint(key, (3, 4), rows.astype(int), 5).shape == (3, 4)


def test_integers_at_the_ends() -> None:
    key = random.key(0)
    for dtype in ("int8", "uint8", "int16", "uint16", "int32", "uint32"):
        info = dtypes.iinfo(dtype)
        least, greatest = int(info.min), int(info.max)
        ends = np.array([least, greatest], dtype)
        x = np.asarray(random.randint(key, (3000,), ends[0], ends[1], dtype))
        assert x.dtype == dtype
        assert x.max() > greatest - (greatest - least) // 64
        assert x.min() < least + (greatest - least) // 64
    assert_array_equal(random.randint(key, (3,), 5, 5), [5, 5, 5])
    assert_array_equal(random.randint(key, (3,), 5, 2), [5, 5, 5])
    # Ends beyond the type are clamped; the one past the largest value is excluded.
    assert int(random.randint(key, (4000,), 0, 256, "uint8").max()) == 255
    assert int(random.randint(key, (4000,), 0, 1000, "int8").max()) == 127


# Calls that type checkers reject too.
untyped: Any = random

BAD: list[tuple[str, Callable[[Any], Any], type[Exception], str]] = [
    (
        "seed",
        lambda k: untyped.normal(3),
        TypeError,
        r"made by .*random.key.*, got: int; .*key\(seed",
    ),
    ("list", lambda k: untyped.bits([0, 1]), TypeError, "made by .*random.key.*, got: list"),
    (
        "floats",
        lambda k: untyped.bits(np.zeros(2)),
        TypeError,
        r"uint32\[..., 2\], got: float32\[2\]",
    ),
    ("words", lambda k: untyped.bits(np.zeros(3, np.uint32)), TypeError, r"got: uint32\[3\]"),
    (
        "batch",
        lambda k: untyped.bits(random.split(k)),
        ValueError,
        "accepts a single key.* dovetail.vmap",
    ),
    ("sizes", lambda k: untyped.normal(k, (2.5,)), TypeError, "normal: Shapes must be 1D .*2.5"),
    ("negative", lambda k: untyped.normal(k, (-3,)), TypeError, "no negative size, got:"),
    (
        "int",
        lambda k: untyped.normal(k, (), int),
        ValueError,
        "must be a float or complex dtype, got: int32",
    ),
    (
        "complex",
        lambda k: untyped.uniform(k, (), complex),
        ValueError,
        "a float dtype, got: complex64",
    ),
    ("signed", lambda k: untyped.bits(k, (), int), ValueError, "unsigned int dtype, got: int32"),
    (
        "randint",
        lambda k: untyped.randint(k, (), 0, 2, float),
        TypeError,
        "an int dtype, got: float32",
    ),
    (
        "keys",
        lambda k: untyped.normal(k, (), k.dtype),
        TypeError,
        "must be a float or complex dtype, got: key",
    ),
    (
        "ends",
        lambda k: untyped.uniform(k, (3,), minval=np.zeros(2)),
        ValueError,
        r"uniform: parameters must broadcast to shape \(3,\), got: one of shape \(2,\)",
    ),
    ("bounds", lambda k: untyped.randint(k, (3,), np.zeros(2, int), 1), ValueError, "broadcast to"),
    ("pair", lambda k: untyped.beta(k, np.ones(2), np.ones(3)), ValueError, "broadcast"),
    (
        "covariance",
        lambda k: untyped.multivariate_normal(k, np.zeros(2), np.eye(3)),
        ValueError,
        r"\(..., n\) for mean .* got: \(2,\) and \(3, 3\)",
    ),
    (
        "method",
        lambda k: untyped.multivariate_normal(k, np.zeros(2), np.eye(2), method="lu"),
        ValueError,
        "'cholesky', 'eigh' or 'svd', got: 'lu'",
    ),
    ("alpha", lambda k: untyped.dirichlet(k, 1.0), ValueError, "alpha must have rank 1"),
    (
        "p",
        lambda k: untyped.bernoulli(k, 1),
        TypeError,
        "p must be a float, got: element type int32",
    ),
    ("mode", lambda k: untyped.bernoulli(k, mode="x"), ValueError, "'high' or 'low', got: 'x'"),
    ("gumbel", lambda k: untyped.gumbel(k, mode="x"), ValueError, "'highest', 'high' or 'low'"),
    (
        "narrow",
        lambda k: untyped.pareto(k, np.float32(2), dtype="float16"),
        ValueError,
        "parameters of type float32 cannot become float16 safely",
    ),
    (
        "geometric",
        lambda k: untyped.geometric(k, 0.5, (), float),
        ValueError,
        "must be an int dtype, got:",
    ),
    ("none", lambda k: untyped.choice(k, 0, (1,)), ValueError, "elements to choose from, got: 0"),
    ("many", lambda k: untyped.choice(k, 3, (4,), replace=False), ValueError, "got: 4 of 3"),
    ("draws", lambda k: untyped.choice(k, 3, 4), TypeError, "sequence of ints, got: int"),
    (
        "probabilities",
        lambda k: untyped.choice(k, 3, (2,), p=np.ones(2)),
        ValueError,
        r"shape \(3,\), got: \(2,\)",
    ),
    ("scalar", lambda k: untyped.permutation(k, 2.5), TypeError, "must be an integer, got:"),
    ("axis", lambda k: untyped.permutation(k, np.ones((2, 2)), 2), IndexError, "axis 2 is out"),
    (
        "categories",
        lambda k: untyped.categorical(k, np.zeros(2), shape=(3,), replace=False),
        ValueError,
        "got: 3 of 2",
    ),
]


@pytest.mark.parametrize(
    ("call", "error", "message"), [b[1:] for b in BAD], ids=[b[0] for b in BAD]
)
def test_bad_input(call: Callable[[Any], Any], error: type[Exception], message: str) -> None:
    key = random.key(0)
    # Failing calls are not cached either.
    for _ in range(3):
        with pytest.raises(error, match=message) as caught:
            call(key)
        assert __file__ in str(caught.value)


def test_poisson_has_one_generator() -> None:
    key = random.key(0, impl="rbg")
    with pytest.raises(NotImplementedError, match="must be of threefry2x32, got: one of rbg"):
        random.poisson(key, 1.0)


# Words ----------------------------------------------------------------------------------------


def test_counters_of_large_arrays() -> None:
    for shape in ((), (5,), (2, 3), (3, 1, 4)):
        narrow, wide = generators.counters(shape), generators.wide_counters(shape)
        for a, b in zip(narrow, wide, strict=True):
            assert a.dtype == b.dtype == np.uint32
            assert_array_equal(a, b)
    shape = (2**20, 2**13)
    types = dt.eval_shape(lambda: generators.counters(shape))
    assert [t.shape for t in types] == [shape, shape]


# Keys and counters, and the words that the authors' implementation returns (Random123,
# kat_vectors).
KNOWN = [
    ((0, 0), (0, 0), (0x6B200159, 0x99BA4EFE)),
    ((0xFFFFFFFF,) * 2, (0xFFFFFFFF,) * 2, (0x1CB996FC, 0xBB002BE7)),
    ((0x13198A2E, 0x03707344), (0x243F6A88, 0x85A308D3), (0xC4923A9C, 0x483DF7A0)),
]


@pytest.mark.parametrize(("key", "counter", "words"), KNOWN)
@pytest.mark.parametrize("count", [1, 100])
def test_known_hashes(key: Any, counter: Any, words: Any, count: int) -> None:
    operands = [np.full(count, word, np.uint32) for word in (*key, *counter)]
    hashed = ops.threefry2x32(*map(dnp.asarray, operands))
    for actual, expected in zip(hashed, words, strict=True):
        assert_array_equal(actual, np.full(count, expected, np.uint32))


def test_elements_depend_on_their_place_only() -> None:
    key = random.key(0)
    long = np.asarray(random.bits(key, (40,)))
    assert_array_equal(random.bits(key, (7,)), long[:7])
    assert_array_equal(random.bits(key, (4, 10)), long.reshape(4, 10))
    blocks = np.asarray(random.bits(key, (3, 20_000)))
    assert_array_equal(random.bits(key, (60_000,)), blocks.ravel())


def test_uniform_number_between_bounds_of_one_element() -> None:
    key = random.key(3)
    low, high = np.full((1,), 2, np.float32), np.full((1, 1), 5, np.float32)
    found = random.uniform(key, (), minval=low, maxval=high)
    assert found.shape == (1, 1)
    np.testing.assert_array_equal(found[0, 0], random.uniform(key, (), minval=2.0, maxval=5.0))
    between = dt.vmap(lambda key, low: random.uniform(key, (), minval=low, maxval=high[0]))
    assert between(random.split(key, 3), dnp.zeros((3, 1))).shape == (3, 1)
    with pytest.raises(ValueError, match="parameters must broadcast"):
        random.uniform(key, (), minval=np.zeros(3, np.float32))
