"""Differences, sums over intervals, polynomials and windows."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any

import numpy as np

from dovetail import lax
from dovetail.arrays.array import Array
from dovetail.base import dtypes
from dovetail.base.errors import type_error, value_error
from dovetail.numpy import reductions
from dovetail.numpy.creation import asarray
from dovetail.numpy.joining import concatenate
from dovetail.numpy.promotion import inexact, promote
from dovetail.numpy.shape import broadcast_to, moveaxis, ravel
from dovetail.ops.operands import (
    ArrayLike,
    as_operand,
    broadcast_shapes,
    canonical_axes,
    canonical_axis,
    check_kind,
)
from dovetail.symbolic.size import is_symbolic_dim
from dovetail.tracing.bind import constant
from dovetail.tracing.whole import whole


@whole
def diff(
    a: ArrayLike,
    n: int = 1,
    axis: int = -1,
    prepend: ArrayLike | None = None,
    append: ArrayLike | None = None,
) -> Array:
    """Each element minus the one before it along `axis`, `n` times over.

    Args:
      a: an array of rank 1 or more.
      n: the number of repetitions.
      axis: the dimension.
      prepend, append: elements to put at the ends first.

    Returns:
      An array, shorter by n along `axis`; for bools, whether neighbours differ.

    Example:
      >>> diff(np.int32([1, 4, 9]))
      Array([3, 5], dtype=int32)
    """
    x = as_operand("diff", a)
    dim = canonical_axis(axis, x.ndim)
    if operator.index(n) < 0:
        raise value_error(f"diff: n must be 0 or more, got: {n}")
    edge = (*x.shape[:dim], 1, *x.shape[dim + 1 :])

    def end(v: ArrayLike) -> Array:
        e = as_operand("diff", v)
        return lax.broadcast_in_dim(e, edge, ()) if e.ndim == 0 else e

    parts = [end(prepend)] if prepend is not None and n else []
    parts += [x] + ([end(append)] if append is not None and n else [])
    x = concatenate(parts, dim) if len(parts) > 1 else x
    for _ in range(n):
        later = lax.slice_in_dim(x, min(1, x.shape[dim]), None, 1, dim)
        earlier = lax.slice_in_dim(x, 0, max(x.shape[dim] - 1, 0), 1, dim)
        x = later != earlier if x.dtype == dtypes.bool_ else later - earlier
    return x


@whole
def ediff1d(
    ary: ArrayLike, to_end: ArrayLike | None = None, to_begin: ArrayLike | None = None
) -> Array:
    """The differences of consecutive elements in row-major order, between `to_begin` and `to_end`.

    Args:
      ary: an array of numbers, which is flattened.
      to_end, to_begin: elements after and before the differences.

    Returns:
      A vector.

    Example:
      >>> ediff1d(np.int32([1, 4, 9]))
      Array([3, 5], dtype=int32)
    """
    x = check_kind("ediff1d", ravel(ary), "iufc")
    parts = [diff(x)]
    if to_begin is not None:
        parts.insert(0, ravel(asarray(to_begin)).astype(parts[0].dtype))
    if to_end is not None:
        parts.append(ravel(asarray(to_end)).astype(parts[0].dtype))
    return concatenate(parts) if len(parts) > 1 else parts[0]


@whole
def gradient(f: ArrayLike, *varargs: ArrayLike, axis: int | Sequence[int] | None = None) -> Any:
    """Central differences along each axis, one-sided at the ends; `varargs` are spacings, one for
    all axes or one each.

    Args:
      f: an array.
      axis: one or more dimensions; None for all.
      varargs: no spacing, one, or one for each dimension: scalars or vectors of points.

    Returns:
      An array like `f` for each dimension, in a list if there are several.

    Example:
      >>> gradient(np.float32([1, 4, 9]))
      Array([3., 4., 5.], dtype=float32)
    """
    x, *given = promote("gradient", f, *varargs, to=dtypes.to_inexact_dtype)
    axes = canonical_axes(axis, x.ndim)
    if len(given) not in (0, 1, len(axes)):
        raise type_error(
            f"gradient: there must be no spacing, one, or one for each of {len(axes)} axes, got: "
            f"{len(given)}"
        )
    spacings = given * len(axes) if len(given) == 1 else given or [1.0] * len(axes)
    results = [
        _gradient_along(x, dim, as_operand("gradient", spacing))
        for dim, spacing in zip(axes, spacings, strict=True)
    ]
    return results[0] if len(results) == 1 else results


def _gradient_along(x: Array, dim: int, spacing: Array) -> Array:
    size = x.shape[dim]
    if size < 2:
        raise value_error(f"gradient: a dimension must have 2 elements or more, got: size {size}")

    def part(start: int, stop: int | None) -> Array:
        return lax.slice_in_dim(x, start, stop, 1, dim)

    before, center, after = part(0, -2), part(1, -1), part(2, None)
    if spacing.ndim == 0:
        inside = (after - before) / (2 * spacing)
        first, last = (part(1, 2) - part(0, 1)) / spacing, (part(-1, None) - part(-2, -1)) / spacing
        return concatenate([first, inside, last], dim)
    if spacing.shape != (size,):
        raise value_error(
            f"gradient: coordinates must be a vector of the dimension's size {size}, got: "
            f"{spacing.shape}"
        )
    steps = lax.reshape(diff(spacing), [size - 1 if i == dim else 1 for i in range(x.ndim)])
    h0, h1 = lax.slice_in_dim(steps, 0, -1, 1, dim), lax.slice_in_dim(steps, 1, None, 1, dim)
    # The derivative, at the middle one, of the parabola through three points.
    inside = (after - center) * h0 / (h1 * (h0 + h1)) + (center - before) * h1 / (h0 * (h0 + h1))
    first = (part(1, 2) - part(0, 1)) / lax.slice_in_dim(steps, 0, 1, 1, dim)
    last = (part(-1, None) - part(-2, -1)) / lax.slice_in_dim(steps, size - 2, size - 1, 1, dim)
    return concatenate([first, inside, last], dim)


def trapezoid(
    y: ArrayLike, x: ArrayLike | None = None, dx: ArrayLike = 1.0, axis: int = -1
) -> Array:
    """The integral along `axis` by the trapezoidal rule, at the points `x` or at distances `dx`.

    Args:
      y: an array.
      x: the points, a vector or an array of the same size along `axis`; other dimensions are
        broadcast.
      dx: the distance between points, without `x`.
      axis: the dimension.

    Returns:
      An array of floats without the dimension.

    Example:
      >>> trapezoid(np.float32([1, 2, 3]))
      Array(4., dtype=float32)
    """
    given = (y,) if x is None else (y, x)
    values, *points = promote("trapezoid", *given, to=dtypes.to_inexact_dtype)
    if not points:
        steps = as_operand("trapezoid", dx)
        if steps.ndim:
            steps = lax.expand_dims(steps, range(values.ndim - steps.ndim))
            steps = moveaxis(steps, axis, -1)
    elif points[0].ndim == 1:
        steps = diff(points[0])
    else:
        steps = moveaxis(diff(points[0], axis=axis), axis, -1)
    values = moveaxis(values, axis, -1)
    pairs = lax.slice_in_dim(values, 1, None, 1, -1) + lax.slice_in_dim(values, 0, -1, 1, -1)
    return reductions.sum(pairs * steps, -1) * 0.5


# Polynomials --------------------------------------------------------------------------------------


def polyval(p: ArrayLike, x: ArrayLike, *, unroll: int = 16) -> Array:
    """The polynomial with coefficients `p`, the highest power first, at `x`.

    Args:
      p: a vector of coefficients.
      x: an array.
      unroll: accepted for JAX's sake: where the number of coefficients is known, there is no loop.

    Returns:
      An array of the shape of `x`.

    Example:
      >>> polyval(np.float32([1, 0, 2]), 3.0)
      Array(11., dtype=float32)
    """
    coefficients, at = promote("polyval", p, x)
    if coefficients.ndim == 0:
        raise value_error("polyval: p must have 1 dimension or more, got: rank 0")
    shape = broadcast_shapes(coefficients.shape[1:], at.shape)
    result = lax.full(shape, 0, at.dtype)
    if is_symbolic_dim(coefficients.shape[0]):
        return lax.scan(lambda value, c: (value * at + c, None), result, coefficients)[0]
    for c in lax.unstack(coefficients):
        result = result * at + c
    return result


def polyadd(a1: ArrayLike, a2: ArrayLike) -> Array:
    """The coefficients of the sum of polynomials.

    Args:
      a1, a2: vectors of coefficients, the highest power first, or arrays with them in the first
        dimension; with fewer of them, an array is broadcast to the other one's other dimensions.

    Returns:
      An array of the coefficients.

    Example:
      >>> polyadd(np.int32([1, 2]), np.int32([3]))
      Array([1, 5], dtype=int32)
    """
    x, y = promote("polyadd", a1, a2)
    if not x.ndim == y.ndim == 1:
        # The one with more coefficients has the shape of the result.
        more, fewer = (y, x) if x.shape[0] < y.shape[0] else (x, y)
        x, y = more, broadcast_to(fewer, (fewer.shape[0], *more.shape[1:]))
    length = max(x.shape[0], y.shape[0])

    def padded(a: Array) -> Array:
        config = [(length - a.shape[0], 0, 0), *[(0, 0, 0)] * (a.ndim - 1)]
        return lax.pad(a, lax.full((), 0, a.dtype), config)

    return padded(x) + padded(y)


def polysub(a1: ArrayLike, a2: ArrayLike) -> Array:
    """The coefficients of the difference of polynomials.

    Args:
      a1, a2: vectors or arrays of coefficients, as for `polyadd`.

    Returns:
      An array of the coefficients.

    Example:
      >>> polysub(np.int32([1, 2]), np.int32([3]))
      Array([ 1, -1], dtype=int32)
    """
    x, y = promote("polysub", a1, a2)
    return polyadd(x, -y)


def polyder(p: ArrayLike, m: int = 1) -> Array:
    """The coefficients of the `m`-th derivative of a polynomial.

    Args:
      p: a vector of coefficients, the highest power first.
      m: the number of repetitions.

    Returns:
      A vector.

    Example:
      >>> polyder(np.float32([1, 0, 2]))
      Array([2., 0.], dtype=float32)
    """
    x = inexact("polyder", p)
    for _ in range(_count("polyder", m)):
        degree = max(x.shape[0] - 1, 0)
        powers = constant(np.arange(degree, 0, -1).astype(x.dtype))
        x = lax.slice_in_dim(x, 0, degree) * powers
    return x


@whole
def polyint(p: ArrayLike, m: int = 1, k: ArrayLike | None = None) -> Array:
    """The coefficients of the `m`-th antiderivative of a polynomial, with integration constants
    `k`.

    Args:
      p: a vector of coefficients, the highest power first.
      m: the number of repetitions.
      k: the constants, one for all or one for each repetition.

    Returns:
      A vector.

    Example:
      >>> polyint(np.float32([2, 0]))
      Array([1., 0., 0.], dtype=float32)
    """
    x = inexact("polyint", p)
    count = _count("polyint", m)
    constants = ravel(asarray(0 if k is None else k)).astype(x.dtype)
    if constants.size not in (1, count):
        raise value_error(f"polyint: k must be one constant or {count}, got: {constants.size}")
    for i in range(count):
        powers = constant(np.arange(x.shape[0], 0, -1).astype(x.dtype))
        c = lax.slice_in_dim(constants, i, i + 1) if constants.size > 1 else constants
        x = lax.concatenate([x / powers, c], 0)
    return x


def _count(name: str, m: int) -> int:
    if operator.index(m) < 0:
        raise value_error(f"{name}: m must be 0 or more, got: {m}")
    return operator.index(m)


# Windows ------------------------------------------------------------------------------------------


def _window(values: np.ndarray) -> Array:
    return constant(values.astype(dtypes.default_dtype("f")))


def bartlett(M: int) -> Array:
    """The triangular window with M points.

    Args:
      M: the number of points.

    Returns:
      A vector of floats.

    Example:
      >>> bartlett(3)
      Array([0., 1., 0.], dtype=float32)
    """
    return _window(np.bartlett(operator.index(M)))


def blackman(M: int) -> Array:
    """Blackman's window with M points.

    Args:
      M: the number of points.

    Returns:
      A vector of floats.

    Example:
      >>> blackman(1)
      Array([1.], dtype=float32)
    """
    return _window(np.blackman(operator.index(M)))


def hamming(M: int) -> Array:
    """Hamming's window with M points.

    Args:
      M: the number of points.

    Returns:
      A vector of floats.

    Example:
      >>> hamming(1)
      Array([1.], dtype=float32)
    """
    return _window(np.hamming(operator.index(M)))


def hanning(M: int) -> Array:
    """Von Hann's window with M points.

    Args:
      M: the number of points.

    Returns:
      A vector of floats.

    Example:
      >>> hanning(3)
      Array([0., 1., 0.], dtype=float32)
    """
    return _window(np.hanning(operator.index(M)))


def kaiser(M: int, beta: float) -> Array:
    """Kaiser's window with M points.

    Args:
      M: the number of points.
      beta: the shape parameter: 0 is a rectangle.

    Returns:
      A vector of floats.

    Example:
      >>> kaiser(1, 2.0)
      Array([1.], dtype=float32)
    """
    return _window(np.kaiser(operator.index(M), float(beta)))
