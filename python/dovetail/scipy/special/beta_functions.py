"""The beta function, its logarithm, its incomplete form, and binomial coefficients."""

from __future__ import annotations

import math

from dovetail import ops
from dovetail.arrays.array import Array
from dovetail.base.documentation import documented
from dovetail.numpy import where
from dovetail.ops.operands import ArrayLike
from dovetail.scipy.operands import at_least, is_whole, pointwise, with_derivatives
from dovetail.scipy.special.docstrings import FLOATS
from dovetail.scipy.special.gamma_functions import gamma_of, gammasgn
from dovetail.scipy.special.stirling import START, log_beta, log_ratio


@documented(FLOATS)
def betaln(a: ArrayLike, b: ArrayLike) -> Array:
    """The logarithm of the absolute value of the beta function.

    Returns:
      An array of floats. For large numbers it is computed by Stirling's series, so that nothing
      cancels: A. R. DiDonato and A. H. Morris, Algorithm 708, 1992.

    Example:
      >>> betaln(2.0, 3.0)
      Array(-2.4849067, dtype=float32, weak_type=True)
    """
    return pointwise("betaln", betaln_of, a, b)


@with_derivatives(
    lambda ans, a, b: ops.digamma(a) - ops.digamma(a + b),
    lambda ans, a, b: ops.digamma(b) - ops.digamma(a + b),
)
def betaln_of(a: Array, b: Array) -> Array:
    """The logarithm of |beta(a, b)| of floats."""
    factor, logarithm = _parts(a, b)
    other = ops.lgamma(a) + ops.lgamma(b) - ops.lgamma(a + b)
    return where(ops.min(a, b) > 0, ops.log(factor) + logarithm, other)


def _parts(a: Array, b: Array) -> tuple[Array, Array]:
    """A factor and a logarithm for beta(a, b), for positive numbers."""
    low, high = ops.min(a, b), ops.max(a, b)
    start = at_least(high, START)
    part = where((low > 0) & (low < START), low, 1)
    # The gamma function of tiny numbers overflows: gamma(x) = gamma(x + 1) / x.
    tiny = part < 1e-30
    factor = gamma_of(where(tiny, 1, part))
    other = where((high > 0) & (high < START), high, 1)
    factor = where(high < START, factor * (gamma_of(other) / gamma_of(part + other)), factor)
    logarithm = where(high < START, 0, -log_ratio(start, part)) - where(tiny, ops.log(part), 0)
    logarithm = where(low < START, logarithm, log_beta(at_least(low, START), start))
    infinite = high == math.inf
    return where(low < START, factor, 1), where(infinite, -math.inf, logarithm)


@documented(FLOATS)
def beta(a: ArrayLike, b: ArrayLike) -> Array:
    """The beta function, gamma(a) gamma(b) / gamma(a + b).

    Source: https://dlmf.nist.gov/5.12#E1

    Example:
      >>> beta(2.0, 3.0)
      Array(0.08333334, dtype=float32, weak_type=True)
    """
    return pointwise("beta", beta_of, a, b)


@with_derivatives(
    lambda ans, a, b: ans * (ops.digamma(a) - ops.digamma(a + b)),
    lambda ans, a, b: ans * (ops.digamma(b) - ops.digamma(a + b)),
)
def beta_of(a: Array, b: Array) -> Array:
    """The beta function of floats."""
    factor, logarithm = _parts(a, b)
    sign = gammasgn(a) * gammasgn(b) * gammasgn(a + b)
    other = sign * ops.exp(ops.lgamma(a) + ops.lgamma(b) - ops.lgamma(a + b))
    return where(ops.min(a, b) > 0, factor * ops.exp(logarithm), other)


@documented(FLOATS)
def betainc(a: ArrayLike, b: ArrayLike, x: ArrayLike) -> Array:
    """The regularized incomplete beta function.

    Returns:
      An array of floats, NaN for a or b that are not positive and finite, and for x outside of [0,
      1]. There is no derivative with respect to a and b. https://dlmf.nist.gov/8.17#E2

    Example:
      >>> betainc(1.0, 2.0, 0.5)
      Array(0.75, dtype=float32, weak_type=True)
    """
    return pointwise("betainc", ops.betainc, a, b, x)


# N and repetition are SciPy's names.
def comb(N: ArrayLike, k: ArrayLike, *, repetition: bool = False) -> Array:
    """The number of ways to choose k of N things.

    Args:
      N, k: arrays of real numbers, which are promoted and broadcast.
      repetition: whether a thing may be chosen repeatedly.

    Returns:
      An array of floats, 0 if k > N or one is negative.

    Example:
      >>> comb(5, 2)
      Array(10., dtype=float32, weak_type=True)
    """
    return pointwise("comb", _with_repetition if repetition else _comb, N, k)


def _with_repetition(n: Array, k: Array) -> Array:
    return where((k == 0) & (n >= 0), 1, _comb(n + k - 1, k))


def _comb(n: Array, k: Array) -> Array:
    inside = (k <= n) & (n >= 0) & (k >= 0)
    return where(inside, _binomial(where(inside, n, 0), where(inside, k, 0)), 0)


@with_derivatives(
    lambda ans, n, k: ans * (ops.digamma(n + 1) - ops.digamma(n - k + 1)),
    lambda ans, n, k: ans * (ops.digamma(n - k + 1) - ops.digamma(k + 1)),
)
def _binomial(n: Array, k: Array) -> Array:
    """For 0 <= k <= n, by https://dlmf.nist.gov/1.2#E6; for integers it is an integer."""
    value = 1 / ((n + 1) * beta_of(n - k + 1, k + 1))
    return where(is_whole(n) & is_whole(k), ops.round_even(value), value)
