"""Functions of `scipy.special`: operands, and permitted errors."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

RNG = np.random.default_rng(0)
COUNT = 200


def uniform(low: float, high: float) -> np.ndarray[Any, Any]:
    return RNG.uniform(low, high, COUNT)


def powers(low: float, high: float) -> np.ndarray[Any, Any]:
    return 10 ** RNG.uniform(low, high, COUNT)


def integers(low: int, high: int) -> np.ndarray[Any, Any]:
    return RNG.integers(low, high, COUNT).astype(float)


class Row(NamedTuple):
    """A function, its operands, and the permitted errors, in units of the last place.

    Errors are those of float32; in float64 SciPy has errors of its own.
    """

    name: str
    operands: tuple[np.ndarray[Any, Any], ...]
    ulps: float = 8
    # For float64.
    relative: float = 4e-15
    # Values that count as 0.
    absolute: float = 0
    # The operands with respect to which there are derivatives.
    by: tuple[int, ...] = (0,)


POSITIVE = uniform(0.1, 20)
BOTH = (0, 1)
ROWS = [
    Row("gamma", (uniform(-30, 33),)),
    Row("gammaln", (powers(-3, 4),), absolute=1e-6),
    Row("loggamma", (powers(-3, 4),), absolute=1e-6),
    Row("digamma", (POSITIVE,), absolute=1e-6),
    # SciPy rounds n + 1.
    Row("factorial", (uniform(0, 30),), relative=2e-14),
    Row("poch", (uniform(0.1, 30), uniform(-0.1, 3)), 80, 1e-13, by=BOTH),
    Row("zeta", (uniform(1.1, 20), uniform(0.2, 10)), by=BOTH),
    Row("gammainc", (uniform(0.1, 20), POSITIVE), 200, 1e-13, 1e-35, by=BOTH),
    Row("gammaincc", (uniform(0.1, 20), POSITIVE), 200, 1e-13, 1e-35, by=BOTH),
    Row("beta", (powers(-2, 1), powers(-2, 1)), 24, 2e-14, by=BOTH),
    Row("betaln", (powers(-3, 5), powers(-3, 5)), 8, 4e-14, 1, by=BOTH),
    Row("betainc", (uniform(0.1, 9), uniform(0.1, 9), uniform(0, 1)), 100, 1e-13, 1e-20, by=(2,)),
    Row("comb", (uniform(10, 30), uniform(0, 10)), 32, 2e-14, by=BOTH),
    Row("erf", (uniform(-4, 4),)),
    Row("erfc", (uniform(-4, 9),), relative=4e-14),
    Row("erfcx", (uniform(-9, 30),), relative=2e-14),
    Row("erfinv", (uniform(-1, 1),)),
    Row("dawsn", (uniform(-12, 12),)),
    Row("ndtr", (uniform(-12, 9),), relative=4e-14),
    Row("log_ndtr", (uniform(-50, 9),), relative=1e-13),
    Row("ndtri", (uniform(0, 1),)),
    Row("owens_t", (uniform(-4, 4), uniform(-3, 3)), 16, 1e-13, by=BOTH),
    Row("exp1", (powers(-4, 1.8),)),
    Row("expi", (uniform(-10, 80),), relative=4e-14),
    Row("expn", (integers(0, 9), powers(-2, 1.8)), by=(1,)),
    Row("spence", (powers(-3, 3),), absolute=1e-7),
    Row("i0", (uniform(-20, 20),), 80, 1e-14),
    Row("i0e", (uniform(-20, 20),)),
    Row("i1", (uniform(-20, 20),), 80, 1e-14),
    Row("i1e", (uniform(-20, 20),)),
    Row("logit", (uniform(0, 1),)),
    Row("expit", (uniform(-9, 9),)),
    Row("xlogy", (uniform(-3, 3), POSITIVE), by=BOTH),
    Row("xlog1py", (uniform(-3, 3), POSITIVE), by=BOTH),
    Row("entr", (uniform(0.1, 3),)),
    Row("rel_entr", (uniform(0.1, 1), uniform(0.1, 1)), by=BOTH),
    Row("kl_div", (uniform(0.1, 1), uniform(1.1, 2)), 12, 1e-13, by=BOTH),
    Row("boxcox", (POSITIVE, uniform(-2, 2)), 8, 1e-14, by=BOTH),
    Row("boxcox1p", (POSITIVE, uniform(-2, 2)), 8, 1e-14, by=BOTH),
    Row("hyp1f1", (uniform(0.1, 5), uniform(0.1, 5), uniform(0, 20)), 64, 1e-13, by=(0, 1, 2)),
    Row(
        *("hyp2f1", (uniform(0.1, 3), uniform(0.1, 3), uniform(0.1, 5), uniform(-0.5, 0.9))),
        *(64, 1e-12, 1e-3, (0, 1, 2, 3)),
    ),
]
