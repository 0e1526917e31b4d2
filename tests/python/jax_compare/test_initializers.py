"""`dovetail.nn.initializers`: the same numbers as JAX's for the same keys."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

jax = pytest.importorskip("jax", minversion="0.10")

import dovetail as dt  # noqa: E402
from dovetail import config  # noqa: E402
from dovetail.nn import initializers  # noqa: E402
from support.jax_compare import check, outcome  # noqa: E402

SCALED = ["glorot_normal", "glorot_uniform", "he_normal", "he_uniform", "lecun_normal"]
SCALED += ["lecun_uniform", "kaiming_normal", "kaiming_uniform", "xavier_normal", "xavier_uniform"]
CALLS = [
    "zeros(key, (2, 3))",
    "ones(key, (2, 3), dtype)",
    "constant(3)(key, (2, 3))",
    "constant(np.arange(3), dtype)(key, (2, 3))",
    "uniform()(key, (2, 3), dtype)",
    "uniform(3.0, dtype)(key, (2, 3))",
    "normal()(key, (2, 3), dtype)",
    "normal(2.0)(key, (4,), dtype)",
    "truncated_normal(2.0, dtype, -1.0, 3.0)(key, (20,))",
    *(f"{name}()(key, (4, 5), dtype)" for name in SCALED),
    *(f"{name}(0, 2, 1)(key, (4, 3, 5), dtype)" for name in SCALED[:2]),
    "he_normal((0, 1), -1)(key, (3, 3, 4, 5), dtype)",
    "lecun_normal()(key, (4,), dtype)",
    "variance_scaling(3.0, 'fan_geo_avg', 'normal')(key, (4, 5), dtype)",
    "variance_scaling(3.0, 'fan_out', 'uniform', dtype=dtype)(key, (2, 4, 5))",
    "variance_scaling(1.0, 'fan', 'uniform')(key, (2, 4, 5))",
    "variance_scaling(1.0, 'fan_in', 'gamma')(key, (2, 4, 5))",
    "orthogonal()(key, (5, 3), dtype)",
    "orthogonal(2.0)(key, (3, 5), dtype)",
    "orthogonal(column_axis=0)(key, (2, 3, 4), dtype)",
    "orthogonal()(key, (3,), dtype)",
    "orthogonal()(key, (0, 3), dtype)",
    "delta_orthogonal()(key, (3, 2, 3), dtype)",
    "delta_orthogonal(2.0)(key, (3, 4, 2, 2), dtype)",
    "delta_orthogonal()(key, (3, 3), dtype)",
    "delta_orthogonal()(key, (3, 3, 2), dtype)",
]


@pytest.mark.parametrize("text", CALLS)
def test_numbers(text: str) -> None:
    for dtype in ("float32", "bfloat16", "float64", "complex64"):
        if "orthogonal" in text and dtype == "bfloat16":
            continue
        if "truncated_normal(2.0" in text and dtype == "complex64":
            continue
        with config.enable_x64(dtype == "float64"), jax.enable_x64(dtype == "float64"):
            results: list[Any] = []
            for lib, functions in ((dt, initializers), (jax, jax.nn.initializers)):
                names = {"key": lib.random.key(7), "dtype": dtype, "np": np}
                call = lambda f=functions, n=names: eval(f"f.{text}", {"f": f, **n})  # noqa: E731
                results.append(outcome(call))
            check(results[0], results[1], f"{text} of {dtype}", ulps=64)
