"""Distributions of `scipy.stats`: ranges of values and shapes, and the functions of each."""

from __future__ import annotations

import importlib
from typing import Any, NamedTuple

import numpy as np
import pytest

RNG = np.random.default_rng(0)
COUNT = 60


def uniform(low: float, high: float) -> np.ndarray[Any, Any]:
    return RNG.uniform(low, high, COUNT)


class Row(NamedTuple):
    """A distribution: the range of its values and of its shapes.

    `loose` is the tolerance in float32: upper tails of float32 arguments near 1 are inexact.
    """

    name: str
    values: tuple[float, float]
    shapes: tuple[tuple[float, float], ...] = ()
    located: bool = True
    loose: float = 1e-5


ROWS = [
    Row("norm", (-9, 9)),
    Row("cauchy", (-40, 40)),
    Row("laplace", (-9, 9)),
    Row("logistic", (-20, 20)),
    Row("uniform", (-0.5, 1.5)),
    Row("expon", (-1, 20)),
    Row("gumbel_r", (-3, 12)),
    Row("gumbel_l", (-12, 3)),
    Row("beta", (-0.2, 1.2), ((0.5, 5), (0.5, 5)), loose=1e-4),
    Row("gamma", (-1, 20), ((0.3, 9),), loose=1e-4),
    Row("chi2", (-1, 20), ((0.3, 9),), loose=1e-4),
    Row("pareto", (0.5, 20), ((0.5, 5),)),
    Row("t", (-9, 9), ((0.5, 30),)),
    Row("truncnorm", (-2.5, 3.5), ((-2, -0.7), (0.5, 3))),
    Row("truncnorm", (4.5, 7), ((3.5, 4), (6.6, 8)), loose=2e-4),
    Row("vonmises", (-3, 3), ((0.1, 20),), False),
    Row("wrapcauchy", (-0.5, 7), ((0.1, 0.95),), False),
    Row("gennorm", (-4, 4), ((0.6, 3),), False, loose=1e-4),
]
LOCATED = {"loc": 0.3, "scale": 1.7}
FUNCTIONS = ("logpdf", "pdf", "cdf", "logcdf", "sf", "logsf", "ppf", "isf")


def module(name: str) -> Any:
    return importlib.import_module(f"dovetail.scipy.stats.{name}")


def cases() -> list[Any]:
    return [
        pytest.param(row, function, id=f"{row.name}-{function}-{i}")
        for i, row in enumerate(ROWS)
        for function in FUNCTIONS
        if hasattr(module(row.name), function)
    ]


def operands(row: Row, function: str) -> list[np.ndarray[Any, Any]]:
    values = uniform(0.001, 0.999) if function in ("ppf", "isf") else uniform(*row.values)
    return [values, *(uniform(*shape) for shape in row.shapes)]
