"""dovetail.scipy against JAX itself: parameters of functions, and errors that are no larger."""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

jax = pytest.importorskip("jax", minversion="0.10")

import mpmath as mp  # noqa: E402

from dovetail import config  # noqa: E402
from support import jax_compare  # noqa: E402, F401  (keeps what JAX compiles)

MODULES = (
    *("special", "signal", "ndimage", "integrate", "optimize", "sparse.linalg", "cluster.vq"),
    *("stats", "stats.norm", "stats.cauchy", "stats.expon", "stats.gamma", "stats.beta"),
    *("stats.chi2", "stats.pareto", "stats.t", "stats.truncnorm", "stats.uniform"),
    *("stats.gumbel_l", "stats.gumbel_r", "stats.laplace", "stats.logistic", "stats.vonmises"),
    *("stats.wrapcauchy", "stats.gennorm", "stats.bernoulli", "stats.binom", "stats.nbinom"),
    *("stats.betabinom", "stats.geom", "stats.poisson", "stats.dirichlet"),
    *("stats.multinomial", "stats.multivariate_normal"),
)


def module(package: str, name: str) -> Any:
    return importlib.import_module(f"{package}.scipy.{name}")


@pytest.mark.parametrize("name", MODULES)
def test_parameters(name: str) -> None:
    theirs, ours = module("jax", name), module("dovetail", name)
    for function in dir(theirs):
        value = getattr(theirs, function)
        if function.startswith("_") or not callable(value) or isinstance(value, type):
            continue
        # Deprecated in JAX.
        if function == "lpmn":
            continue
        expected = [(p.name, p.kind, p.default) for p in parameters(value)]
        got = [(p.name, p.kind, p.default) for p in parameters(getattr(ours, function))]
        assert str(got) == str(expected), f"{name}.{function}"


def parameters(function: Callable[..., Any]) -> list[inspect.Parameter]:
    return list(inspect.signature(function).parameters.values())


RNG = np.random.default_rng(0)
COUNT = 60


def uniform(low: float, high: float) -> np.ndarray[Any, Any]:
    return RNG.uniform(low, high, COUNT)


EXACT: list[tuple[str, Callable[..., Any], tuple[np.ndarray[Any, Any], ...]]] = [
    ("gamma", mp.gamma, (uniform(-30, 33),)),
    ("erfcx", lambda x: mp.exp(x * x) * mp.erfc(x), (uniform(-5, 9),)),
    ("log_ndtr", lambda x: mp.log(mp.ncdf(x)), (uniform(-30, 8),)),
    ("ndtr", mp.ncdf, (uniform(-12, 6),)),
    ("exp1", mp.e1, (10 ** uniform(-4, 1.8),)),
    ("expi", mp.ei, (uniform(-10, 60),)),
    ("spence", lambda x: mp.re(mp.polylog(2, 1 - x)), (10 ** uniform(-3, 3),)),
    ("kl_div", lambda p, q: p * mp.log(p / q) - p + q, (uniform(0.1, 1), uniform(0.1, 1))),
    ("comb", mp.binomial, (np.floor(uniform(10, 60)), np.floor(uniform(0, 9)))),
]


@pytest.mark.parametrize(("name", "exact", "operands"), EXACT)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_errors_are_no_larger(name: str, exact: Any, operands: Any, dtype: Any) -> None:
    xs = [x.astype(dtype) for x in operands]
    with mp.workdps(40), config.enable_x64(True), jax.enable_x64(True):
        values = [exact(*(mp.mpf(float(x[i])) for x in xs)) for i in range(COUNT)]
        errors = []
        for package in ("dovetail", "jax"):
            results = np.asarray(getattr(module(package, "special"), name)(*map(np.asarray, xs)))
            assert results.dtype == dtype
            relative = [
                float(abs(mp.mpf(float(result)) / value - 1))
                for result, value in zip(results, values, strict=True)
            ]
            errors.append(max(relative))
    ours, theirs = errors
    assert ours <= max(theirs, 4 * float(np.finfo(dtype).eps)), (ours, theirs)
