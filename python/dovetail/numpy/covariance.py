"""Covariance and correlation of variables."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from dovetail import lax
from dovetail.arrays.array import Array
from dovetail.base import dtypes
from dovetail.base.errors import value_error
from dovetail.numpy import moments, reductions
from dovetail.numpy.bounds import clip
from dovetail.numpy.creation import astype
from dovetail.numpy.data import as_dtype
from dovetail.numpy.diagonals import diagonal
from dovetail.numpy.elementary import sqrt
from dovetail.numpy.joining import concatenate
from dovetail.numpy.parts import conjugate, imag, real
from dovetail.numpy.products import dot
from dovetail.numpy.shape import atleast_2d, transpose
from dovetail.ops.operands import ArrayLike, as_operand


def cov(
    m: ArrayLike,
    y: ArrayLike | None = None,
    rowvar: bool = True,
    bias: bool = False,
    ddof: int | None = None,
    fweights: ArrayLike | None = None,
    aweights: ArrayLike | None = None,
    dtype: Any = None,
) -> Array:
    """The covariance matrix of variables, which are rows (or columns) of observations.

    Args:
      m: an array of rank 2 or less, of numbers.
      y: further variables, in the same form.
      rowvar: whether variables are rows and observations columns.
      bias: whether to divide by the number n of observations, or the sum of their weights, instead
        of n - 1.
      ddof: if given, what is subtracted from n in the divisor, whatever `bias` is.
      fweights: how often each observation occurs, a vector of n integers.
      aweights: the weight of each observation, a vector of n; `ddof` is then multiplied by the
        weighted mean of them.
      dtype: the element type; by default the promoted one, as floats.

    Returns:
      A matrix with a row and a column for each variable; a scalar for one variable. Without
      observations it is NaN.

    Raises:
      ValueError: `m` has rank 3 or more, `dtype` is not an inexact type, or the number of weights
        differs from that of observations.

    Example:
      >>> cov(np.float32([[0, 1, 2], [2, 1, 0]]))
      Array([[ 1., -1.],
             [-1.,  1.]], dtype=float32)
    """
    element = dtypes.to_inexact_dtype(dtypes.result_type(*([m] if y is None else [m, y])))
    element = element if dtype is None else _inexact("cov", dtype)
    x = atleast_2d(astype(m, element))
    if x.ndim > 2:
        raise value_error(f"cov: m must have at most 2 dimensions, got: shape {x.shape}")
    x = transpose(x) if not rowvar and np.ndim(m) != 1 else x
    if y is not None:
        second = atleast_2d(astype(y, element))
        x = concatenate(
            [x, transpose(second) if not rowvar and second.shape[0] != 1 else second], 0
        )
    if x.shape[1] == 0:
        return lax.full(() if x.shape[0] == 1 else (x.shape[0],) * 2, math.nan, x.dtype)
    delta = ddof if ddof is not None else (0 if bias else 1)
    weights = None
    for w in (fweights, aweights):
        if w is not None:
            w = as_dtype(as_operand("cov", w), dtypes.to_real_dtype(element))
            if w.shape != (x.shape[1],):
                raise value_error(
                    f"cov: there must be one weight for each of {x.shape[1]} observations, got: "
                    f"shape {w.shape}"
                )
            weights = w if weights is None else weights * w
    if weights is None:
        total: Any = x.shape[1]
        centered = x - moments.mean(x, 1, keepdims=True)
        weighted = centered
    else:
        total = reductions.sum(weights)
        centered = x - reductions.sum(x * weights, 1, keepdims=True) / total
        weighted = centered * weights
    if aweights is None or delta == 0:
        factor = total - delta
    else:
        factor = total - delta * reductions.sum(weights * as_operand("cov", aweights)) / total
    result = dot(centered, conjugate(transpose(weighted))) / factor
    return lax.squeeze(result, [i for i, s in enumerate(result.shape) if s == 1])


def _inexact(name: str, dtype: Any) -> np.dtype:
    element = dtypes.requested(dtype, name)
    if not dtypes.is_inexact(element):
        raise value_error(
            f"{name}: dtype must be a subclass of float or complex, got: {element.name}"
        )
    return element


def corrcoef(
    x: ArrayLike, y: ArrayLike | None = None, rowvar: bool = True, dtype: Any = None
) -> Array:
    """The correlation matrix of variables, which are rows (or columns) of observations.

    Args:
      x: an array of rank 2 or less, of numbers.
      y: further variables, in the same form.
      rowvar: whether variables are rows and observations columns.
      dtype: the element type; by default the promoted one, as floats.

    Returns:
      A matrix with a row and a column for each variable; a scalar for one variable.

    Raises:
      ValueError: `x` has rank 3 or more, or `dtype` is not an inexact type.

    Example:
      >>> corrcoef(np.float32([[0, 1, 2], [2, 1, 0]]))
      Array([[ 1., -1.],
             [-1.,  1.]], dtype=float32)
    """
    covariance = cov(x, y, rowvar, dtype=None if dtype is None else _inexact("corrcoef", dtype))
    if covariance.ndim == 0:
        return covariance / covariance
    deviation = sqrt(real(diagonal(covariance)))
    result = covariance / lax.expand_dims(deviation, (1,)) / lax.expand_dims(deviation, (0,))
    if dtypes.KINDS[result.dtype] == "c":
        return lax.complex(clip(real(result), -1, 1), clip(imag(result), -1, 1))
    return clip(result, -1, 1)
