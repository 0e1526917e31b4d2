"""dovetail.scipy.stats against SciPy: values, limits, derivatives, compiled code."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.stats

import dovetail.numpy as dnp
from dovetail import config, grad, jit, vmap
from dovetail.scipy import stats
from support.scipy_stats import COUNT, LOCATED, RNG, Row, cases, module, operands

INF, NAN = np.inf, np.nan
# SciPy's stubs cover only a part.
REFERENCE: Any = scipy.stats


@pytest.mark.parametrize(("row", "function"), cases())
def test_values(row: Row, function: str) -> None:
    ours, theirs = getattr(module(row.name), function), getattr(REFERENCE, row.name)
    theirs = getattr(theirs, function)
    xs = operands(row, function)
    options = [{}, LOCATED] if row.located else [{}]
    for located in options:
        with config.enable_x64(True):
            wide = ours(*map(dnp.asarray, xs), **located)
            expected = theirs(*xs, **located)
            assert wide.dtype == np.float64
            np.testing.assert_allclose(wide, expected, rtol=2e-11, atol=1e-15)
        narrow = [x.astype(np.float32) for x in xs]
        value = ours(*map(dnp.asarray, narrow), **located)
        assert value.dtype == np.float32
        if not located:
            expected = theirs(*(x.astype(float) for x in narrow))
            np.testing.assert_allclose(value, expected, rtol=row.loose, atol=1e-7)


@pytest.mark.parametrize("function", ["ppf", "isf"])
def test_normal_quantiles_have_the_default_type(function: str) -> None:
    ours = getattr(module("norm"), function)
    assert ours(dnp.float16(0.25)).dtype == np.float32
    with config.enable_x64(True):
        value = ours(dnp.float32(0.25), np.float32(1), np.float32(2))
    assert value.dtype == np.float64
    np.testing.assert_allclose(value, getattr(REFERENCE.norm, function)(0.25, 1, 2), rtol=1e-14)


@pytest.mark.parametrize(("row", "function"), cases())
def test_derivatives(row: Row, function: str) -> None:
    ours = getattr(module(row.name), function)
    xs = operands(row, function)
    low, high = row.values if function not in ("ppf", "isf") else (0, 1)
    middle = np.linspace(low + 0.3 * (high - low), high - 0.3 * (high - low), COUNT)
    xs[0] = middle
    if row.located:
        xs += [np.full(COUNT, 0.03), np.full(COUNT, 1.2)]
    # The incomplete beta function has no derivatives with respect to its parameters.
    arguments = range(len(xs)) if row.name != "beta" or "pdf" in function else (0,)
    with config.enable_x64(True):
        chosen = [dnp.asarray(x[:8]) for x in xs]
        for argument in arguments:
            slopes = np.asarray(vmap(grad(ours, argument))(*chosen))
            step = 1e-5

            def at(offset: float, argument: int = argument) -> np.ndarray[Any, Any]:
                moved = [x + offset * (i == argument) for i, x in enumerate(chosen)]
                return np.asarray(ours(*moved))

            numeric = (8 * (at(step) - at(-step)) - at(2 * step) + at(-2 * step)) / (12 * step)
            np.testing.assert_allclose(slopes, numeric, rtol=1e-5, atol=1e-8)


def test_compiled_is_eager() -> None:
    def everything(x: Any, low: Any, high: Any) -> list[Any]:
        truncated = stats.truncnorm.logpdf(x, low, high)
        return [stats.norm.logcdf(x), stats.gumbel_r.logsf(x), truncated, stats.laplace.cdf(x)]

    x = dnp.linspace(-2, 3, 20)
    xs = x, dnp.full(20, -1.0), dnp.full(20, 2.0)
    for got, expected in zip(
        jit(everything).lower(*xs).compile()(*xs), everything(*xs), strict=True
    ):
        np.testing.assert_allclose(got, expected, rtol=1e-5, atol=1e-7)


DISCRETE: list[tuple[str, str, tuple[Any, ...]]] = [
    (name, function, (np.arange(-1, 8).astype(float), *shapes))
    for name, functions, shapes in [
        ("bernoulli", ("logpmf", "pmf", "cdf"), (0.3,)),
        ("binom", ("logpmf", "pmf"), (6.0, 0.3)),
        ("binom", ("logpmf", "pmf"), (6.0, 0.0)),
        ("binom", ("logpmf", "pmf"), (6.0, 1.0)),
        ("nbinom", ("logpmf", "pmf"), (4.0, 0.3)),
        ("betabinom", ("logpmf", "pmf"), (6.0, 1.5, 2.5)),
        ("betabinom", ("logpmf", "pmf"), (0.0, 1.5, 2.5)),
        ("geom", ("logpmf", "pmf"), (0.3,)),
        ("poisson", ("logpmf", "pmf", "cdf"), (2.3,)),
        ("poisson", ("logpmf", "pmf"), (0.0,)),
    ]
    for function in functions
]


@pytest.mark.parametrize(("name", "function", "xs"), DISCRETE)
def test_discrete(name: str, function: str, xs: tuple[Any, ...]) -> None:
    expected = getattr(getattr(REFERENCE, name), function)(*xs)
    with config.enable_x64(True):
        got = getattr(module(name), function)(*xs)
        np.testing.assert_allclose(got, expected, rtol=1e-12, atol=1e-15)
        if function != "cdf":
            moved = getattr(module(name), function)(xs[0] + 2, *xs[1:], loc=2)
            np.testing.assert_allclose(moved, expected, rtol=1e-12, atol=1e-15)
            # With respect to the last shape parameter, a probability or a mean.
            if xs[-1] not in (0, 1):
                inner = getattr(module(name), function)

                def of_last(p: Any) -> Any:
                    return inner(min(xs[1], 1.0), *xs[1:-1], p)

                numeric = (of_last(xs[-1] + 1e-6) - of_last(xs[-1] - 1e-6)) / 2e-6
                np.testing.assert_allclose(grad(of_last)(xs[-1]), numeric, rtol=1e-7)


EDGES: list[tuple[str, str, tuple[float, ...], float]] = [
    ("norm", "logcdf", (-1e10,), -5e19),
    ("norm", "logpdf", (INF,), -INF),
    ("norm", "ppf", (0.0,), -INF),
    ("norm", "isf", (0.0,), INF),
    ("norm", "isf", (1e-30,), 11.4640247),
    ("cauchy", "sf", (1e30,), 1 / (np.pi * 1e30)),
    ("cauchy", "logcdf", (-1e30,), -np.log(np.pi * 1e30)),
    ("cauchy", "ppf", (1e-30,), -1 / (np.pi * 1e-30)),
    ("cauchy", "ppf", (1.5,), NAN),
    ("expon", "logpdf", (-0.1,), -INF),
    ("expon", "logcdf", (1e-30,), np.log(1e-30)),
    ("expon", "logcdf", (-1.0,), -INF),
    ("expon", "ppf", (1.0,), INF),
    ("gumbel_r", "logsf", (80.0,), -80),
    ("gumbel_l", "logcdf", (-80.0,), -80),
    ("gumbel_r", "ppf", (0.0,), -INF),
    ("gumbel_r", "logpdf", (0.0, 0.0, -1.0), NAN),
    ("beta", "pdf", (0.0, 2.0, 3.0), 0),
    ("beta", "pdf", (0.0, 1.0, 3.0), 3),
    ("beta", "logpdf", (0.5, -1.0, 3.0), NAN),
    ("beta", "cdf", (2.0, 2.0, 3.0), 1),
    ("gamma", "pdf", (0.0, 1.0), 1),
    ("gamma", "sf", (-1.0, 1.0), 1),
    ("chi2", "pdf", (0.0, 2.0), 0.5),
    ("pareto", "cdf", (0.5, 2.0), 0),
    ("pareto", "logcdf", (1.0, 2.0), -INF),
    ("uniform", "pdf", (0.0,), 1),
    ("uniform", "pdf", (1.0,), 1),
    ("uniform", "cdf", (2.0,), 1),
    ("uniform", "ppf", (-0.1,), NAN),
    ("truncnorm", "logpdf", (0.0, 2.0, 1.0), NAN),
    ("truncnorm", "cdf", (INF, 0.0, INF), 1),
    ("truncnorm", "logcdf", (0.5, -INF, INF), np.log(0.6914624612740131)),
    ("truncnorm", "logsf", (12.0, -1.0, 40.0), -75.23791904),
    ("vonmises", "pdf", (0.0, 0.0), NAN),
    ("wrapcauchy", "pdf", (-0.1, 0.5), 0),
    ("bernoulli", "ppf", (0.5, 0.3), 0),
    ("bernoulli", "ppf", (1.5, 0.3), NAN),
    ("bernoulli", "cdf", (0.0, 1.5), NAN),
    ("poisson", "pmf", (1.5, 2.0), 0),
]


@pytest.mark.parametrize(("name", "function", "xs", "expected"), EDGES)
def test_edges(name: str, function: str, xs: tuple[float, ...], expected: float) -> None:
    with config.enable_x64(True):
        got = getattr(module(name), function)(*xs)
        np.testing.assert_allclose(got, expected, rtol=1e-8)
    assert getattr(module(name), function)(*xs).dtype == np.float32


def test_poisson_entropy() -> None:
    means = np.array([0.0, 0.1, 3.0, 40.0, 99.0, 101.0, 5000.0])
    with config.enable_x64(True):
        got = stats.poisson.entropy(means)
        np.testing.assert_allclose(got, REFERENCE.poisson.entropy(means), rtol=1e-7)
        assert stats.poisson.entropy(means, np.zeros((2, 1))).shape == (2, 7)


def test_dirichlet() -> None:
    alpha, x = np.array([1.5, 2.0, 0.7]), RNG.dirichlet([2.0, 2.0, 2.0], 5).T
    expected = REFERENCE.dirichlet.logpdf(x, alpha)
    with config.enable_x64(True):
        np.testing.assert_allclose(stats.dirichlet.logpdf(x, alpha), expected, rtol=1e-12)
        np.testing.assert_allclose(stats.dirichlet.pdf(x[:-1], alpha), np.exp(expected), rtol=1e-9)
        assert stats.dirichlet.logpdf(2 * x[:, 0], alpha) == -INF
    with pytest.raises(ValueError, match="alpha must be a vector, got: shape"):
        stats.dirichlet.logpdf(x, alpha[None])
    with pytest.raises(ValueError, match="must be of size 3 or 2"):
        stats.dirichlet.logpdf(x[:1], alpha)


def test_multinomial() -> None:
    x, p = np.array([[1, 2, 3], [2, 2, 2], [1, 1, 1]]), np.array([0.2, 0.3, 0.5])
    expected = REFERENCE.multinomial.logpmf(x, 6, p)
    np.testing.assert_allclose(stats.multinomial.logpmf(x, 6, p), expected, rtol=1e-5)
    np.testing.assert_allclose(stats.multinomial.pmf(x, 6, p), np.exp(expected), rtol=1e-5)
    with pytest.raises(ValueError, match="must be integers, got: float32"):
        stats.multinomial.logpmf(p, 6, p)


def test_multivariate_normal() -> None:
    x, mean, root = RNG.normal(size=(4, 3)), RNG.normal(size=3), RNG.normal(size=(3, 3))
    cov = root @ root.T + np.eye(3)
    expected = REFERENCE.multivariate_normal.logpdf(x, mean, cov)
    logpdf = stats.multivariate_normal.logpdf
    with config.enable_x64(True):
        np.testing.assert_allclose(logpdf(x, mean, cov), expected, rtol=1e-12)
        one = REFERENCE.multivariate_normal.logpdf(x, mean, 2.0)
        np.testing.assert_allclose(logpdf(x, mean, 2.0), one, rtol=1e-12)
        scalar = REFERENCE.multivariate_normal.logpdf(0.5, 0.1, 2.0)
        np.testing.assert_allclose(logpdf(0.5, 0.1, 2.0), scalar, rtol=1e-12)
        batch = np.stack([cov, 2 * cov])[:, None]
        assert logpdf(x, mean, batch).shape == (2, 4)
        np.testing.assert_allclose(logpdf(x, mean, batch)[0], expected, rtol=1e-12)
        slope = grad(logpdf, 1)(x[0], mean, cov)
        np.testing.assert_allclose(slope, np.linalg.solve(cov, x[0] - mean), rtol=1e-10)
    with pytest.raises(ValueError, match="must be of sizes 3, 3"):
        logpdf(x, mean, cov[:2, :2])


@pytest.mark.parametrize("axis", [0, 1, -1, None])
def test_samples(axis: int | None) -> None:
    x = RNG.integers(0, 4, (5, 7)).astype(float)
    for keepdims in (False, True):
        ours = stats.mode(x, axis, keepdims=keepdims)
        theirs = REFERENCE.mode(x, axis, keepdims=keepdims)
        np.testing.assert_array_equal(ours.mode, theirs.mode)
        np.testing.assert_array_equal(ours.count, theirs.count)
        np.testing.assert_allclose(
            stats.sem(x, axis, keepdims=keepdims), REFERENCE.sem(x, axis, keepdims=keepdims), 1e-5
        )
    for method in ("average", "min", "max", "dense", "ordinal"):
        expected = REFERENCE.rankdata(x, method, axis=axis)
        np.testing.assert_array_equal(stats.rankdata(x, method, axis=axis), expected)
    compiled = jit(lambda x: (stats.mode(x, axis), stats.rankdata(x, axis=axis)))(x)
    np.testing.assert_array_equal(compiled[0].mode, stats.mode(x, axis).mode)
    np.testing.assert_array_equal(compiled[1], stats.rankdata(x, axis=axis))


def test_samples_with_nan() -> None:
    x = np.array([[1.0, NAN, NAN, 2.0], [3.0, 1.0, 2.0, 3.0]])
    assert np.isnan(stats.mode(x[0]).mode)
    assert stats.mode(x[0]).count == 2
    np.testing.assert_array_equal(np.isnan(stats.rankdata(x, axis=1)).all(1), [True, False])
    np.testing.assert_allclose(
        stats.sem(x, 1, nan_policy="omit"), REFERENCE.sem(x, 1, nan_policy="omit"), rtol=1e-6
    )
    assert np.isnan(stats.mode(np.zeros((0, 3))).mode).all()
    with pytest.raises(ValueError, match="nan_policy must be"):
        stats.mode(x, nan_policy="ignore")
    with pytest.raises(NotImplementedError, match="look for NaN before"):
        stats.rankdata(x, nan_policy="omit")
    with pytest.raises(ValueError, match="method must be one of average"):
        stats.rankdata(x, "middle")


@pytest.mark.parametrize("bw_method", [None, "scott", "silverman", 0.5, lambda kde: kde.n**-0.3])
def test_gaussian_kde(bw_method: Any) -> None:
    data, weights = RNG.normal(size=(2, 30)), RNG.uniform(0.1, 1, 30)
    at = RNG.normal(size=(2, 5))
    with config.enable_x64(True):
        ours = stats.gaussian_kde(data, bw_method, weights)
        theirs = REFERENCE.gaussian_kde(data, bw_method, weights)
        np.testing.assert_allclose(ours(at), theirs(at), rtol=1e-10)
        np.testing.assert_allclose(ours.logpdf(at), theirs.logpdf(at), rtol=1e-10)
        np.testing.assert_allclose(jit(lambda kde, x: kde.pdf(x))(ours, at), theirs(at), rtol=1e-9)
        other = stats.gaussian_kde(data[:, :9]), REFERENCE.gaussian_kde(data[:, :9])
        np.testing.assert_allclose(
            ours.integrate_kde(other[0]), theirs.integrate_kde(other[1]), rtol=1e-10
        )
        mean, cov = np.array([0.1, 0.2]), np.array([[1.0, 0.2], [0.2, 0.5]])
        np.testing.assert_allclose(
            ours.integrate_gaussian(mean, cov), theirs.integrate_gaussian(mean, cov), rtol=1e-10
        )
        flat = stats.gaussian_kde(data[0]), REFERENCE.gaussian_kde(data[0])
        np.testing.assert_allclose(
            flat[0].integrate_box_1d(-1, 0.5), flat[1].integrate_box_1d(-1, 0.5), rtol=1e-12
        )


def test_gaussian_kde_rejects() -> None:
    with pytest.raises(ValueError, match="two numbers at least"):
        stats.gaussian_kde(np.zeros(1))
    with pytest.raises(ValueError, match="bw_method must be"):
        stats.gaussian_kde(np.arange(3.0), "wide")
    with pytest.raises(ValueError, match="a vector of size 3"):
        stats.gaussian_kde(np.arange(3.0), weights=np.ones(2))
    kde = stats.gaussian_kde(RNG.normal(size=(2, 9)))
    with pytest.raises(ValueError, match="must have 2 coordinates"):
        kde(np.zeros((3, 4)))
    with pytest.raises(NotImplementedError, match="use integrate_box_1d"):
        kde.integrate_box(0, 1)
