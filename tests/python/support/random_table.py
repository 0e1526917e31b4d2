"""The samplers, each with its expected distribution: one table for all tests of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from scipy import stats

Shape = tuple[int, ...]


class Row(NamedTuple):
    """One way of calling a sampler.

    Attributes:
      name: its name in tests.
      draw: takes a `random` module, its `numpy`, a key and a shape; returns samples of that shape.
      law: the distribution of all samples, one of SciPy's; None if a separate test checks it.
      exact: whether the samples are the same bits whatever rounding elementary functions have.
    """

    name: str
    draw: Callable[[Any, Any, Any, Shape], Any]
    law: Any = None
    exact: bool = False


ROWS = [
    Row("uniform", lambda r, n, k, s: r.uniform(k, s), stats.uniform(), True),
    Row("uniform_ends", lambda r, n, k, s: r.uniform(k, s, None, -2.0, 3), stats.uniform(-2, 5)),
    Row("normal", lambda r, n, k, s: r.normal(k, s), stats.norm()),
    Row("bits", lambda r, n, k, s: r.bits(k, s, "uint8"), stats.randint(0, 256), True),
    Row("randint", lambda r, n, k, s: r.randint(k, s, -3, 10), stats.randint(-3, 10), True),
    Row("bernoulli", lambda r, n, k, s: r.bernoulli(k, 0.3, s), stats.bernoulli(0.3), True),
    Row(
        "bernoulli_high",
        lambda r, n, k, s: r.bernoulli(k, 0.3, s, "high"),
        stats.bernoulli(0.3),
        True,
    ),
    Row("rademacher", lambda r, n, k, s: (r.rademacher(k, s) + 1) // 2, stats.bernoulli(0.5), True),
    Row("exponential", lambda r, n, k, s: r.exponential(k, s), stats.expon()),
    Row("cauchy", lambda r, n, k, s: r.cauchy(k, s), stats.cauchy()),
    Row("laplace", lambda r, n, k, s: r.laplace(k, s), stats.laplace()),
    Row("logistic", lambda r, n, k, s: r.logistic(k, s), stats.logistic()),
    Row("maxwell", lambda r, n, k, s: r.maxwell(k, s), stats.maxwell()),
    Row(
        "double_sided_maxwell",
        lambda r, n, k, s: abs(r.double_sided_maxwell(k, 0.0, 2.0, s)),
        stats.maxwell(0, 2),
    ),
    Row(
        "weibull_min",
        lambda r, n, k, s: r.weibull_min(k, 2.0, 3.0, s),
        stats.weibull_min(3, scale=2),
    ),
    Row("pareto", lambda r, n, k, s: r.pareto(k, 3.0, s), stats.pareto(3)),
    Row("rayleigh", lambda r, n, k, s: r.rayleigh(k, np.float32(2), s), stats.rayleigh(scale=2)),
    Row("wald", lambda r, n, k, s: r.wald(k, np.float32(2), s), stats.invgauss(2)),
    Row(
        "triangular",
        lambda r, n, k, s: r.triangular(k, -1.0, 0.0, 3.0, s),
        stats.triang(0.25, -1, 4),
    ),
    Row("lognormal", lambda r, n, k, s: r.lognormal(k, 0.5, s), stats.lognorm(0.5)),
    Row(
        "truncated_normal",
        lambda r, n, k, s: r.truncated_normal(k, -1.0, 2.0, s),
        stats.truncnorm(-1, 2),
    ),
    Row("gumbel", lambda r, n, k, s: r.gumbel(k, s), stats.gumbel_r()),
    Row("gumbel_high", lambda r, n, k, s: r.gumbel(k, s, mode="high"), stats.gumbel_r()),
    Row(
        "gumbel_highest",
        lambda r, n, k, s: r.gumbel(k, s, "float32", mode="highest"),
        stats.gumbel_r(),
    ),
    Row("gamma", lambda r, n, k, s: r.gamma(k, 2.5, s), stats.gamma(2.5)),
    Row("gamma_small", lambda r, n, k, s: r.gamma(k, 0.3, s), stats.gamma(0.3)),
    Row("loggamma", lambda r, n, k, s: r.loggamma(k, 0.3, s), stats.loggamma(0.3)),
    Row("beta", lambda r, n, k, s: r.beta(k, 0.7, 2.0, s), stats.beta(0.7, 2)),
    Row(
        "dirichlet",
        lambda r, n, k, s: r.dirichlet(k, n.array([0.7, 1.0, 1.0]), s)[..., 0],
        stats.beta(0.7, 2),
    ),
    Row("chisquare", lambda r, n, k, s: r.chisquare(k, 3.0, s), stats.chi2(3)),
    Row("f", lambda r, n, k, s: r.f(k, 3.0, 5.0, s), stats.f(3, 5)),
    Row("t", lambda r, n, k, s: r.t(k, 3.0, s), stats.t(3)),
    Row(
        "generalized_normal", lambda r, n, k, s: r.generalized_normal(k, 1.5, s), stats.gennorm(1.5)
    ),
    Row("ball", lambda r, n, k, s: n.sqrt((r.ball(k, 3, shape=s) ** 2).sum(-1)), stats.powerlaw(3)),
    Row("poisson", lambda r, n, k, s: r.poisson(k, 3.0, s), stats.poisson(3), True),
    Row("poisson_large", lambda r, n, k, s: r.poisson(k, 30.0, s), stats.poisson(30), True),
    Row("binomial", lambda r, n, k, s: r.binomial(k, 10, 0.3, s), stats.binom(10, 0.3), True),
    Row(
        "binomial_large", lambda r, n, k, s: r.binomial(k, 100, 0.6, s), stats.binom(100, 0.6), True
    ),
    Row("geometric", lambda r, n, k, s: r.geometric(k, 0.3, s), stats.geom(0.3), True),
    Row(
        "multinomial",
        lambda r, n, k, s: r.multinomial(k, 9, n.array([0.2, 0.3, 0.5]), shape=(*s, 3))[..., 1],
        stats.binom(9, 0.3),
        True,
    ),
    Row(
        "categorical",
        lambda r, n, k, s: r.categorical(k, n.log(n.array([0.3, 0.7])), shape=s),
        stats.bernoulli(0.7),
        True,
    ),
    Row("choice", lambda r, n, k, s: r.choice(k, 7, s), stats.randint(0, 7), True),
    Row(
        "choice_p",
        lambda r, n, k, s: r.choice(k, 2, s, p=n.array([0.3, 0.7])),
        stats.bernoulli(0.7),
        True,
    ),
]
