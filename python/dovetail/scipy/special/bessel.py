"""Bessel functions and spherical harmonics."""

from __future__ import annotations

import math
import operator
from typing import Any

import numpy as np

from dovetail import lax, ops
from dovetail.arrays.array import Array
from dovetail.base import dtypes
from dovetail.base.documentation import documented
from dovetail.base.errors import type_error, value_error
from dovetail.numpy import atleast_1d, broadcast_arrays, concatenate, stack, where
from dovetail.numpy.promotion import filled, real_inexact, static, with_dtype
from dovetail.ops.operands import ArrayLike, as_operand
from dovetail.scipy.operands import pointwise, with_derivatives
from dovetail.scipy.special.docstrings import FLOATS


@documented(FLOATS)
def i0(x: ArrayLike) -> Array:
    """The modified Bessel function of the first kind of order 0.

    Source: https://dlmf.nist.gov/10.25#E2

    Example:
      >>> i0(1.0)
      Array(1.2660658, dtype=float32, weak_type=True)
    """
    return pointwise("i0", lambda x: ops.exp(ops.abs(x)) * ops.bessel_i0e(x), x)


@documented(FLOATS)
def i0e(x: ArrayLike) -> Array:
    """exp(-|x|) I0(x), the modified Bessel function of order 0 without its growth.

    Example:
      >>> i0e(1.0)
      Array(0.4657596, dtype=float32, weak_type=True)
    """
    return pointwise("i0e", ops.bessel_i0e, x)


@documented(FLOATS)
def i1(x: ArrayLike) -> Array:
    """The modified Bessel function of the first kind of order 1.

    Source: https://dlmf.nist.gov/10.25#E2

    Example:
      >>> i1(1.0)
      Array(0.5651591, dtype=float32, weak_type=True)
    """
    return pointwise("i1", lambda x: ops.exp(ops.abs(x)) * ops.bessel_i1e(x), x)


@documented(FLOATS)
def i1e(x: ArrayLike) -> Array:
    """exp(-|x|) I1(x), the modified Bessel function of order 1 without its growth.

    Example:
      >>> i1e(1.0)
      Array(0.20791042, dtype=float32, weak_type=True)
    """
    return pointwise("i1e", ops.bessel_i1e, x)


def bessel_jn(z: ArrayLike, *, v: int, n_iter: int = 50) -> Array:
    """Bessel functions of the first kind of orders 0 to v.

    Args:
      z: an array of real numbers; integers and bools become floats.
      v: the largest order, an integer that is known while tracing.
      n_iter: the order at which the recurrence starts to come down; it must be greater than |z|, by
        about 30 for all digits.

    Returns:
      An array of floats of shape (v + 1, *z.shape), by Miller's algorithm on quotients of
      neighbours, which do not overflow. https://dlmf.nist.gov/3.6#iii

    Raises:
      ValueError: `v` is negative.

    Example:
      >>> bessel_jn(1.0, v=1)
      Array([0.7651977, 0.4400506], dtype=float32)
    """
    order = operator.index(static(v, "the bessel_jn argument 'v'"))
    steps = operator.index(static(n_iter, "the bessel_jn argument 'n_iter'"))
    if order < 0:
        raise value_error(f"bessel_jn: v must not be negative, got: {order}")
    return pointwise("bessel_jn", _with_order(order, steps), z)


def _with_order(order: int, steps: int) -> Any:
    @with_derivatives(lambda ans, z: _bessel_slopes(ans, z, order, steps))
    def bessel(z: Array) -> Array:
        return _bessel_values(z, order, max(steps, order + 1))

    return bessel


def _bessel_slopes(values: Array, z: Array, order: int, steps: int) -> Array:
    """(J(n - 1) - J(n + 1)) / 2, https://dlmf.nist.gov/10.6#E1."""
    above = _with_order(order + 1, steps)(z)[1:]
    below = concatenate([-above[:1], values[:-1]])
    return (below - above) / 2


def _bessel_values(z: Array, order: int, steps: int) -> Array:
    def step(i: Any, state: tuple[Array, Array]) -> tuple[Array, Array]:
        return _bessel_step(lax.convert_element_type(steps - i, z.dtype), z, *state)

    state = filled(z, 0), filled(z, 0)
    state = lax.fori_loop(0, steps - order, step, state)
    quotients = []
    for k in range(order, 0, -1):
        state = _bessel_step(k, z, *state)
        quotients.append(state[0])
    # 1 = J(0) + 2 J(2) + 2 J(4) + ..., https://dlmf.nist.gov/10.12#E4.
    values = [1 / (1 + 2 * state[1])]
    for quotient in reversed(quotients):
        values.append(values[-1] * quotient)
    return stack(values)


def _bessel_step(k: Any, z: Array, above: Array, even: Array) -> tuple[Array, Array]:
    """J(k) / J(k - 1), and the sum of the J of even orders from k on divided by J(k - 1)."""
    below = 2 * k - z * above
    quotient = z / where(below == 0, float(dtypes.finfo(z.dtype).eps) ** 2, below)
    odd = k - 2 * ops.floor(k / 2) if isinstance(k, Array) else k % 2
    return quotient, quotient * (1 - odd + even)


def sph_harm_y(
    n: Any, m: Any, theta: Any, phi: Any, diff_n: int | None = None, n_max: int | None = None
) -> Array:
    """Spherical harmonics, orthonormal on the sphere, with Condon and Shortley's phase.

    Args:
      n, m: arrays of integers, the degree and the order, |m| <= n.
      theta, phi: arrays of real numbers, the colatitude, of which only the cosine matters, and the
        longitude.
      diff_n: must be None; use `dovetail.jvp`.
      n_max: the largest degree, an integer that is known while tracing; by default that of `n`.

    Returns:
      An array of complex numbers, of the shape that the arguments broadcast to, with rank 1 or
      more. https://dlmf.nist.gov/14.30#E1

    Raises:
      NotImplementedError: `diff_n` is given.
      TypeError: `n` or `m` is not an array of integers.

    Example:
      >>> sph_harm_y(dnp.array([1]), dnp.array([0]), dnp.array([0.5]), dnp.array([0.0]))
      Array([0.42878905+0.j], dtype=complex64)
    """
    if diff_n is not None:
        raise NotImplementedError(
            "sph_harm_y: diff_n must be None; differentiate with dovetail.jvp or dovetail.jacfwd"
        )
    degree, order = as_operand("sph_harm_y", n, 0), as_operand("sph_harm_y", m, 1)
    for name, array in (("n", degree), ("m", order)):
        if dtypes.KINDS[array.dtype] not in "iu":
            raise type_error(f"sph_harm_y: {name} must be integers, got: {array.dtype.name}")
    most = operator.index(
        np.max(static(degree if n_max is None else n_max, "the sph_harm_y argument 'n_max'"))
    )
    angles = [real_inexact("sph_harm_y", angle) for angle in (theta, phi)]
    dtype = dtypes.result_type(*angles)
    parts = [with_dtype(x, dtype) for x in (degree, order, *angles)]
    n_, m_, theta_, phi_ = broadcast_arrays(*map(atleast_1d, parts))
    size = ops.abs(m_)
    legendre = _legendre(ops.min(n_, filled(n_, most)), size, theta_, most)
    real, imag = legendre * ops.cos(m_ * phi_), legendre * ops.sin(m_ * phi_)
    # For negative order: (-1)^m times the conjugate.
    sign = where((m_ < 0) & (ops.floor(m_ / 2) * 2 != m_), filled(real, -1), 1)
    return ops.complex(sign * real, sign * imag)


def _legendre(n: Array, m: Array, theta: Array, most: int) -> Array:
    """The normalized associated Legendre functions of cos(theta): first of degree m, then up by
    https://dlmf.nist.gov/14.10#E3.
    """
    # Outside of [0, pi], those of the angle with the same cosine.
    x, sine = ops.cos(theta), ops.abs(ops.sin(theta))

    def diagonal(i: Any, value: Array) -> Array:
        k = lax.convert_element_type(i, x.dtype)
        return where(k <= m, value * (-ops.sqrt(1 + 1 / (2 * k))) * sine, value)

    def up(i: Any, state: tuple[Array, Array]) -> tuple[Array, Array]:
        before, value = state
        k = lax.convert_element_type(i, x.dtype)
        active = (k > m) & (k <= n)
        first, last = where(active, k * k - m * m, 1), where(active, (k - 1) ** 2 - m * m, 0)
        by = ops.sqrt((4 * k * k - 1) / first)
        after = by * (x * value - ops.sqrt(last / (4 * (k - 1) ** 2 - 1)) * before)
        return where(active, value, before), where(active, after, value)

    start = lax.fori_loop(1, most + 1, diagonal, filled(x, math.sqrt(1 / (4 * math.pi))))
    return lax.fori_loop(1, most + 1, up, (filled(x, 0), start))[1]
