"""Special functions, with mpmath as the oracle."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import mpmath
import numpy as np

from support.op_row import FLOAT, Array, Case, Row
from support.op_samplers import Sampler, around, between

ROWS: list[Row] = []


def row(
    name: str, *samples: Sampler, oracle: Callable[..., Any], odd: bool = False, **rest: Any
) -> None:
    """Adds a row for floats; `oracle` takes numbers of mpmath, whose zeros have no sign."""
    function = _elementwise(oracle)
    signed = (lambda x: np.copysign(function(x), x)) if odd else function
    ROWS.append(Row(name, FLOAT, samples, oracle=signed, **rest))


def _elementwise(function: Callable[..., Any]) -> Callable[..., Array]:
    """A function of mpmath on arrays; exceptions at a pole or outside of its domain become NaN."""

    def value(*x: Any) -> float:
        if any(map(np.isnan, x)):
            return np.nan
        try:
            return float(function(*(mpmath.mpf(float(v)) for v in x)))
        except (ValueError, ZeroDivisionError):
            return np.nan

    def apply(*x: Array) -> Array:
        with mpmath.workdps(60):
            return np.asarray(np.frompyfunc(value, len(x), 1)(*x)).astype(np.longdouble)

    return apply


def _is_pole(x: Any) -> bool:
    return x <= 0 and mpmath.floor(x) == x


def _lgamma(x: Any) -> Any:
    if _is_pole(x) or mpmath.isinf(x):
        return mpmath.inf
    return mpmath.re(mpmath.loggamma(x))


def _digamma(x: Any) -> Any:
    return mpmath.nan if _is_pole(x) else mpmath.psi(0, x)


def _zeta(s: Any, q: Any) -> Any:
    if s <= 1:
        return mpmath.inf if s == 1 else mpmath.nan
    if _is_pole(q):
        return mpmath.inf
    if q < 0 and mpmath.floor(s) != s:
        return mpmath.nan
    if mpmath.isinf(q):
        return mpmath.mpf(0)
    if s > 100:
        if q <= -0.25 and mpmath.floor(s / 2) * 2 != s:
            # Infinite terms of both signs.
            return mpmath.nan
        return sum(_power(q + k, -s) for k in range(3))
    return mpmath.zeta(s, q)


def _power(x: Any, y: Any) -> Any:
    """x^y, even where y is so large that mpmath would try to write it out."""
    if abs(x) == 1:
        return mpmath.mpf(1)
    sign = -1 if x < 0 and mpmath.floor(y / 2) * 2 != y else 1
    exponent = y * mpmath.log(abs(x))
    if abs(exponent) > 1e3:
        return sign * mpmath.inf if exponent > 0 else mpmath.mpf(0)
    return sign * mpmath.exp(exponent)


def _polygamma(n: Any, x: Any) -> Any:
    if n < 0 or mpmath.floor(n) != n:
        return mpmath.nan
    if n == 0:
        return _digamma(x)
    sign = 1 if mpmath.floor(n / 2) * 2 != n else -1
    factorial = mpmath.inf if n > 170 else mpmath.factorial(n)
    # In float64, as its definition overflows there.
    return sign * (float(factorial) * float(_zeta(mpmath.mpf(float(n) + 1), x)))


def _erf_inv(x: Any) -> Any:
    if abs(x) >= 1:
        return mpmath.inf * mpmath.sign(x) if abs(x) == 1 else mpmath.nan
    return mpmath.erfinv(x)


def _scaled_bessel(order: int) -> Callable[[Any], Any]:
    def function(x: Any) -> Any:
        if abs(x) > 1e6:
            root = mpmath.sqrt(2 * mpmath.pi * abs(x))
            value = (1 - (4 * order**2 - 1) / (8 * abs(x))) / root
            return value * mpmath.sign(x) ** order
        return mpmath.exp(-abs(x)) * mpmath.besseli(order, x)

    return function


def _orders(rng: np.random.Generator, shape: tuple[int, ...]) -> Array:
    return rng.integers(0, 6, shape).astype(np.float64)


# From here on mpmath is slow, and the distributions are narrow.
_LARGE = 1e4


def _igamma(a: Any, x: Any) -> Any:
    if a == 0 < x:
        return mpmath.mpf(1)
    if not 0 < a < mpmath.inf or x < 0:
        return mpmath.nan
    if a > _LARGE or x > _LARGE:
        if x == a:
            return 0.5 + 1 / (3 * mpmath.sqrt(2 * mpmath.pi * a))
        return mpmath.mpf(x > a)
    return mpmath.gammainc(a, 0, x, regularized=True)


def _igammac(a: Any, x: Any) -> Any:
    if not 0 < a < 1e-40 or not 0 < x < _LARGE:
        return 1 - _igamma(a, x)
    return a * mpmath.e1(x)


def _random_gamma_grad(a: Any, x: Any) -> Any:
    def probability(a: Any) -> Any:
        return mpmath.gammainc(a, 0, x, regularized=True)

    density = mpmath.exp((a - 1) * mpmath.log(x) - x - mpmath.loggamma(a))
    with mpmath.workdps(60):
        return -mpmath.diff(probability, a, h=mpmath.mpf(10) ** -20) / density


def _betainc(a: Any, b: Any, x: Any) -> Any:
    return mpmath.betainc(a, b, 0, x, regularized=True)


_OPERAND = (17,)

row("lgamma", between(0.1, 12), oracle=_lgamma, ulps=4, eager_ulps=4)
row("digamma", between(0.1, 12), oracle=_digamma, ulps=4, eager_ulps=4)
# Below 0 terms of both signs cancel.
row(
    "polygamma",
    *(_orders, between(0.1, 12)),
    oracle=_polygamma,
    cases=(Case(wrt=(1,)),),
    ulps=64,
    eager_ulps=64,
)
row(
    "zeta",
    *(between(1.1, 9), between(0.1, 12)),
    oracle=_zeta,
    cases=(Case(wrt=(1,)),),
    ulps=64,
    eager_ulps=64,
)
row("erf_inv", around(0.01, 0.9), oracle=_erf_inv, odd=True, ulps=4)
row("bessel_i0e", around(0.1, 20), oracle=_scaled_bessel(0), ulps=4, eager_ulps=4)
row("bessel_i1e", around(0.1, 20), oracle=_scaled_bessel(1), odd=True, ulps=4, eager_ulps=4)
# In float64, SciPy is the one that is so far off.
row(
    "igamma",
    *(between(0.3, 12), between(0.1, 15)),
    oracle=_igamma,
    cases=(Case(wrt=(1,)),),
    ulps=128,
    eager_ulps=128,
)
row(
    "igammac",
    *(between(0.3, 12), between(0.1, 15)),
    oracle=_igammac,
    cases=(Case(wrt=(1,)),),
    ulps=128,
    eager_ulps=128,
)
row(
    "random_gamma_grad",
    *(between(0.3, 12), between(0.1, 15)),
    oracle=_random_gamma_grad,
    # mpmath is slow: no special values.
    pointwise=False,
    cases=(Case(shapes=(_OPERAND,) * 2),),
    ulps=32,
    eager_ulps=32,
    no_derivative="it has none",
)
row(
    "betainc",
    *(between(0.3, 6), between(0.3, 6), between(0.05, 0.95)),
    oracle=_betainc,
    pointwise=False,
    cases=(Case(shapes=(_OPERAND,) * 3, wrt=(2,)),),
    ulps=32,
    eager_ulps=32,
)
