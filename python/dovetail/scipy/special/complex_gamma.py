"""The gamma function of complex numbers and its logarithm."""

from __future__ import annotations

import math

from dovetail import ops
from dovetail.arrays.array import Array
from dovetail.numpy import where
from dovetail.scipy.operands import is_whole, polynomial
from dovetail.scipy.special.coefficients import LOG_STIRLING
from dovetail.scipy.special.stirling import HALF_LOG_2PI, START


def loggamma(z: Array) -> Array:
    """The principal branch.

    Left of 1/2 by reflection: the logarithm of sin(pi z) is analytic in each half plane if it is
    expressed by exp(2 pi i z) in the upper one.
    """
    real, imag = ops.real(z), ops.imag(z)
    pole = (imag == 0) & (real <= 0) & is_whole(real)
    finite = where(pole | (z != z), 1, z)
    reflect = ops.real(finite) < 0.5
    main = _right(where(reflect, 1 - finite, finite))
    # In the upper half plane; the other one is its mirror image.
    below = (imag < 0) | ((imag == 0) & (1 / imag < 0))
    upper = where(reflect, where(below, ops.conj(finite), finite), 0.25 + 1j)
    turns = ops.real(upper) - ops.round_even(ops.real(upper))
    shifted = ops.complex(turns, ops.imag(upper))
    log_sine = ops.log(-ops.expm1(shifted * (2j * math.pi))) - upper * (1j * math.pi)
    rest = math.log(2 * math.pi) - 0.5j * math.pi - log_sine
    mirrored = where(below, ops.conj(rest), rest) - main
    value = where(reflect, mirrored, main)
    return where(pole | (z != z), complex(math.nan, math.nan), value)


def gamma(z: Array) -> Array:
    """exp(loggamma(z))."""
    return ops.exp(loggamma(z))


def _right(z: Array) -> Array:
    """For real parts from 1/2 on: Stirling's series, after shifting z to where it converges."""
    near = ops.abs(z) < START
    total = where(near, 0 * z, 0)
    # The arguments of two factors add to less than pi.
    for k in range(0, START, 2):
        total = total + ops.log(where(near, (z + k) * (z + k + 1), 1))
    at = where(near, z + START, z)
    t = 1 / at
    series = (at - 0.5) * ops.log(at) - at + HALF_LOG_2PI + t * polynomial(LOG_STIRLING[0], t * t)
    return series - total
