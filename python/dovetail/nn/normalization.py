"""Functions of whole axes: softmax, sums in the log domain, standardization, one-hot."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

import dovetail.numpy as dnp
from dovetail import lax
from dovetail.arrays.array import Array
from dovetail.base import dtypes
from dovetail.base.errors import needed_for, value_error, warn
from dovetail.numpy.named_axes import without_names
from dovetail.numpy.promotion import inexact, promote
from dovetail.ops.operands import ArrayLike, as_operand, canonical_axes, canonical_axis
from dovetail.symbolic.size import as_size
from dovetail.transforms.custom_derivatives import custom_jvp

Axis = int | Sequence[int] | None


def logsumexp(
    a: ArrayLike,
    axis: Axis = None,
    b: ArrayLike | None = None,
    keepdims: bool = False,
    return_sign: bool = False,
    where: ArrayLike | None = None,
) -> Any:
    """log(sum(b * exp(a))) over `axis`, without overflow.

    Args:
      a: an array or scalar of numbers.
      axis: one or more dimensions; None for all.
      b: factors that broadcast to the shape of `a`.
      keepdims: whether to keep those dimensions, with size 1.
      return_sign: whether to return the sign of the sum too.
      where: a mask of the elements to include, which broadcasts to the shape of `a`.

    Returns:
      An array without those dimensions; NaN where the sum is negative, -inf where it is empty. With
      `return_sign` a pair: the logarithm of the sum's magnitude, and its sign.

    Example:
      >>> logsumexp(np.float32([1000, 1000]))
      Array(1000.6932, dtype=float32)
    """
    if where is not None:
        a = dnp.where(where, a, 0)
    if b is None:
        x, factors = inexact("logsumexp", a), None
    else:
        x, factors = promote("logsumexp", a, b, to=dtypes.to_inexact_dtype)
        # An infinite element without weight does not count.
        x = dnp.where(factors != 0, x, -np.inf)
    dims, names = without_names(axis)
    dims = canonical_axes(dims, x.ndim)
    axes = dims + names
    largest = dnp.max(dnp.real(x), axes, keepdims=True, where=where, initial=-np.inf)
    largest = lax.stop_gradient(dnp.where(dnp.isfinite(largest), largest, 0))
    terms = dnp.exp(x - largest.astype(x.dtype))
    if factors is not None:
        terms = terms * factors
    total = dnp.sum(terms, axes, keepdims=True, where=where)
    sign, is_real = dnp.sign(total), dtypes.KINDS[x.dtype] != "c"
    if return_sign or is_real:
        total = dnp.abs(total)
    result = dnp.log(total) + largest.astype(total.dtype)
    if factors is not None and is_real and not return_sign:
        result = dnp.where(sign < 0, np.nan, result)
    if not keepdims:
        result, sign = dnp.squeeze(result, dims), dnp.squeeze(sign, dims)
    return (result, sign) if return_sign else result


def logmeanexp(
    x: ArrayLike,
    axis: Axis = None,
    where: ArrayLike | None = None,
    keepdims: bool = False,
) -> Array:
    """log(mean(exp(x))) over `axis`, without overflow.

    Args:
      x: an array or scalar of numbers.
      axis: one or more dimensions; None for all.
      where: a mask of the elements to include, which broadcasts to the shape of `x`.
      keepdims: whether to keep those dimensions, with size 1.

    Returns:
      An array without those dimensions.

    Example:
      >>> logmeanexp(np.float32([1000, 1000]))
      Array(1000., dtype=float32)
    """
    x = as_operand("logmeanexp", x)
    total = logsumexp(x, axis, keepdims=keepdims, where=where)
    mask = dnp.broadcast_to(True if where is None else where, x.shape)
    count = dnp.sum(mask, axis, dtypes.to_real_dtype(total.dtype), keepdims=keepdims)
    return total - dnp.log(count)


def _shifted(x: Array, where: ArrayLike | None, largest: Array) -> Array:
    """x minus its maximum; -inf for elements that are not included."""
    return (x if where is None else dnp.where(where, x, -np.inf)) - largest


def _largest(x: ArrayLike, axis: Axis, where: ArrayLike | None) -> Array:
    return dnp.max(x, axis, keepdims=True, where=where, initial=-np.inf)


def log_softmax(x: ArrayLike, axis: Axis = -1, where: ArrayLike | None = None) -> Array:
    """x - `logsumexp`(x), the logarithm of `softmax`.

    Args:
      x: an array of real numbers.
      axis: one or more dimensions; None for all.
      where: a mask of the elements to include, which broadcasts to the shape of `x`.

    Returns:
      An array of floats like `x`; -inf for elements that are not included.

    Example:
      >>> log_softmax(np.float32([1000, 1000]))
      Array([-0.6931472, -0.6931472], dtype=float32)
    """
    x = inexact("log_softmax", x)
    shifted = _shifted(x, where, lax.stop_gradient(_largest(x, axis, where)))
    total = dnp.sum(dnp.exp(shifted), axis, keepdims=True, where=where)
    result = shifted - dnp.log(total)
    return result if where is None else dnp.where(where, result, -np.inf)


def softmax(x: ArrayLike, axis: Axis = -1, where: ArrayLike | None = None) -> Array:
    """exp(x) / sum(exp(x)) over `axis`, without overflow.

    Args:
      x: an array of real numbers.
      axis: one or more dimensions; None for all.
      where: a mask of the elements to include, which broadcasts to the shape of `x`.

    Returns:
      An array of floats like `x`; 0 for elements that are not included.

    Example:
      >>> softmax(np.float32([1000, 1000]))
      Array([0.5, 0.5], dtype=float32)
    """
    return _softmax(inexact("softmax", x), axis, where)


def _softmax_value(x: Array, axis: Axis, where: ArrayLike | None) -> Array:
    terms = dnp.exp(_shifted(x, where, _largest(x, axis, where)))
    result = terms / dnp.sum(terms, axis, keepdims=True, where=where)
    return result if where is None else dnp.where(where, result, 0)


# The derivative through the result: it keeps one array, and needs no exponential.
_softmax = custom_jvp(_softmax_value, nondiff_argnums=(1,))


@_softmax.defjvp
def _softmax_jvp(axis: Axis, primals: Any, tangents: Any) -> tuple[Array, Array]:
    x, where = primals
    y = _softmax(x, axis, where)
    weighted = dnp.sum(y * tangents[0], axis, keepdims=True, where=where)
    return y, y * (tangents[0] - weighted)


def standardize(
    x: ArrayLike,
    axis: Axis = -1,
    mean: ArrayLike | None = None,
    variance: ArrayLike | None = None,
    epsilon: ArrayLike = 1e-5,
    where: ArrayLike | None = None,
    *,
    algorithm: str = "fast",
) -> Array:
    """(x - mean) / sqrt(variance + epsilon) over `axis`.

    Args:
      x: an array of real numbers.
      axis: one or more dimensions; None for all.
      mean, variance: those of `x`, if known, which broadcast to its shape.
      epsilon: a number added to the variance.
      where: a mask of the elements to include in mean and variance, which broadcasts to the shape
        of `x`.
      algorithm: "fast" computes the variance as mean(x**2) - mean(x)**2, "stable" as
        mean((x - mean(x))**2).

    Returns:
      An array of floats like `x`.

    Raises:
      ValueError: there is no such algorithm.

    Example:
      >>> standardize(np.float32([1, 3]), epsilon=0.0)
      Array([-1.,  1.], dtype=float32)
    """
    x = as_operand("standardize", x)
    if algorithm not in ("fast", "stable"):
        raise value_error(f"standardize: algorithm must be 'fast' or 'stable', got: {algorithm!r}")
    if mean is None:
        mean = dnp.mean(x, axis, keepdims=True, where=where)
    if variance is None and algorithm == "stable":
        variance = dnp.mean(dnp.square(x - mean), axis, keepdims=True, where=where)
    elif variance is None:
        squares = dnp.mean(dnp.square(x), axis, keepdims=True, where=where)
        # The difference can be negative because of rounding.
        variance = dnp.clip(squares - dnp.square(mean), 0)
    return (x - mean) * lax.rsqrt(inexact("standardize", dnp.add(variance, epsilon)))


def one_hot(x: Any, num_classes: int, *, dtype: Any = None, axis: Any = -1) -> Array:
    """Vectors of zeros with a one at the index given by each element.

    Args:
      x: an array of integers; if one is negative or too large, its vector is all zeros.
      num_classes: the size of the vectors.
      dtype: the element type of the result; by default the default float.
      axis: the dimension of the vectors in the result, or the name of an axis of `vmap` with as
        many elements, each of which gets its element of the vectors.

    Returns:
      An array with one additional dimension.

    Raises:
      ValueError: the named axis has another size.

    Example:
      >>> one_hot(np.array([0, 2]), 3)
      Array([[1., 0., 0.],
             [0., 0., 1.]], dtype=float32)
    """
    array = dnp.asarray(x)
    if dtypes.KINDS[array.dtype] not in "iu":
        warn(f"one_hot input should be integer-typed, got: {array.dtype.name}", stacklevel=2)
    result = dtypes.default_dtype("f") if dtype is None else dtypes.requested(dtype, "one_hot")
    with needed_for("It arose in the one_hot argument `num_classes`"):
        count = as_size(num_classes)
    if not isinstance(axis, (int, np.integer)):
        if lax.axis_size(axis) != count:
            raise value_error(
                f"one_hot: num_classes must be the size of the axis {axis!r}, "
                f"{lax.axis_size(axis)}, got: {count}"
            )
        return (array == lax.axis_index(axis)).astype(result)
    place = canonical_axis(int(axis), array.ndim + 1)
    sizes = [1] * (array.ndim + 1)
    sizes[place] = count
    classes = lax.broadcasted_iota(array.dtype, sizes, place)
    return (dnp.expand_dims(array, place) == classes).astype(result)
