"""Images in other sizes: products with matrices of weights, one for each dimension."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from dovetail import lax
from dovetail import numpy as dnp
from dovetail.arrays.array import Array
from dovetail.base import dtypes
from dovetail.base.errors import value_error
from dovetail.image.methods import ResizeMethod, kernel
from dovetail.numpy.promotion import inexact, promote, with_dtype
from dovetail.ops.operands import ArrayLike, as_operand, canonical_axis, canonical_shape

# Sums of weights that are smaller have no significant digits in f32.
_SMALLEST_SUM = 1000 * float(np.finfo(np.float32).eps)


def resize(
    image: ArrayLike,
    shape: Any,
    method: str | ResizeMethod,
    antialias: bool = True,
    precision: Any = lax.Precision.HIGHEST,
) -> Array:
    """An image in another size.

    Pixels are squares: that of index i has its centre at i + 1/2.

    Args:
      image: an array of rank n; batches and channels are dimensions like any others.
      shape: the n sizes of the result. A dimension whose size stays is not resampled.
      method: a `ResizeMethod` or one of its names.
      antialias: whether a kernel grows along dimensions that shrink, so that every pixel of the
        image counts.
      precision: of the products with weights, as for `lax.dot_general`.

    Returns:
      An array of this shape. Its elements are those of `image` for `NEAREST`, and floats or complex
      numbers otherwise: integers become floats.

    Raises:
      ValueError: there are not n sizes, or no method has this name.
      TypeError: a size is no integer.

    Example:
      >>> from dovetail import image
      >>> image.resize(dnp.array([0.0, 4.0]), (4,), "linear")
      Array([0., 1., 3., 4.], dtype=float32)
    """
    x, sizes, chosen = _arguments("resize", image, shape, method)
    dims = [d for d in range(x.ndim) if x.shape[d] != sizes[d]]
    if chosen is ResizeMethod.NEAREST:
        for d in dims:
            x = dnp.take(x, _nearest(x.shape[d], sizes[d]), d)
        return x
    x = inexact("resize", x)
    scales = [sizes[d] / x.shape[d] if x.shape[d] and sizes[d] else 1.0 for d in dims]
    shifts = [0.0] * len(dims)
    return _resample(x, sizes, dims, scales, shifts, chosen, antialias, precision)


def scale_and_translate(
    image: ArrayLike,
    shape: Any,
    spatial_dims: Sequence[int],
    scale: ArrayLike,
    translation: ArrayLike,
    method: str | ResizeMethod,
    antialias: bool = True,
    precision: Any = lax.Precision.HIGHEST,
) -> Array:
    """An image that is scaled and moved.

    What is at x in the image, along a dimension, is at `x * scale + translation` in the result;
    pixels are squares, that of index i has its centre at i + 1/2. `align_corners` of other
    libraries, from m to n pixels, is `scale = (n - 1) / (m - 1)` with
    `translation = (1 - scale) / 2`.

    Args:
      image: an array of rank n.
      shape: the n sizes of the result.
      spatial_dims: the k dimensions to be resampled; all others keep their sizes.
      scale: a vector of k scales.
      translation: a vector of k distances, in pixels of the result.
      method: a `ResizeMethod` other than `NEAREST`, or one of its names.
      antialias: whether a kernel grows along dimensions that shrink.
      precision: of the products with weights, as for `lax.dot_general`.

    Returns:
      An array of this shape, of floats or complex numbers. Pixels whose centres come from outside
      of the image are zero.

    Raises:
      ValueError: there are not n sizes, or the method is `NEAREST`.

    Example:
      >>> from dovetail import image
      >>> x = dnp.array([1.0, 2.0, 3.0])
      >>> image.scale_and_translate(x, (3,), (0,), dnp.ones(1), dnp.ones(1), "linear")
      Array([0., 1., 2.], dtype=float32)
    """
    x, sizes, chosen = _arguments("scale_and_translate", image, shape, method)
    if chosen is ResizeMethod.NEAREST:
        raise value_error(
            "scale_and_translate: Nearest neighbor resampling is not currently supported for "
            f"scale_and_translate, got: {method!r}; use resize, or scipy.ndimage.map_coordinates "
            "of order 0"
        )
    x = inexact("scale_and_translate", x)
    dims = [canonical_axis(d, x.ndim, "spatial_dims") for d in spatial_dims]
    scales, shifts = promote("scale_and_translate", scale, translation, to=dtypes.to_inexact_dtype)
    for name, values in (("scale", scales), ("translation", shifts)):
        if values.shape != (len(dims),):
            raise value_error(
                f"scale_and_translate: {name} must be a vector of {len(dims)} numbers, one for "
                f"each dimension of spatial_dims, got: shape {values.shape}"
            )
    return _resample(x, sizes, dims, scales, shifts, chosen, antialias, precision)


def _arguments(
    name: str, image: Any, shape: Any, method: str | ResizeMethod
) -> tuple[Array, tuple[int, ...], ResizeMethod]:
    """The operand, the sizes and the method of a call."""
    x, sizes = as_operand(name, image), canonical_shape(shape, name)
    if len(sizes) != x.ndim:
        raise value_error(
            f"{name}: shape must have length equal to the number of dimensions of x, {x.ndim}, "
            f"got: {sizes} for an array of shape {x.shape}"
        )
    return x, sizes, ResizeMethod.from_string(method) if isinstance(method, str) else method


def _nearest(size: int, result: int) -> Array:
    """The index of the pixel below the centre of each pixel of the result.

    In f32 whatever the elements are, so that ties between two pixels do not depend on the type.
    """
    centres = (dnp.arange(result, dtype=np.float32) + 0.5) * np.float32(size) / np.float32(result)
    return with_dtype(dnp.floor(centres), np.dtype(np.int32))


def _resample(
    x: Array,
    shape: tuple[int, ...],
    dims: Sequence[int],
    scales: Any,
    shifts: Any,
    method: ResizeMethod,
    antialias: bool,
    precision: Any,
) -> Array:
    """Products with the weights of each dimension."""
    if not dims:
        return x
    operands: list[Any] = [x, list(range(x.ndim))]
    result = list(range(x.ndim))
    for i, d in enumerate(dims):
        weigh = _areas if method is ResizeMethod.AREA else _weights
        weights = weigh(x.shape[d], shape[d], scales[i], shifts[i], method, antialias)
        result[d] = x.ndim + i
        operands += [with_dtype(weights, x.dtype), [d, x.ndim + i]]
    return dnp.einsum(*operands, result, precision=precision)


def _areas(
    size: int, result: int, scale: Any, shift: Any, method: ResizeMethod, antialias: bool
) -> Array:
    """The part of each pixel of the result that each pixel of the image covers."""
    starts = (_places(result, scale, shift) - shift) / scale
    ends = starts + 1 / scale
    pixels = dnp.arange(size, dtype=starts.dtype)[:, None]
    lengths = dnp.minimum(ends, pixels + 1) - dnp.maximum(starts, pixels)
    return _inside(_normalized(dnp.maximum(lengths, 0)), starts + 0.5 / scale - 0.5, size)


def _weights(
    size: int, result: int, scale: Any, shift: Any, method: ResizeMethod, antialias: bool
) -> Array:
    """The weight of each pixel of the image in each pixel of the result."""
    weight, radius, continues_edges = kernel(method, antialias)
    # Where an image grows, the kernel interpolates; where it shrinks, it also averages.
    width = dnp.maximum(1 / scale, 1) if antialias else 1
    centres = (_places(result, scale, shift) + 0.5 - shift) / scale - 0.5
    margin = radius if continues_edges else 0
    pixels = dnp.arange(-margin, size + margin, dtype=centres.dtype)[:, None]
    weights = weight(dnp.abs(centres - pixels) / width)
    if not continues_edges:
        return _inside(_normalized(weights), centres, size)
    if not size:
        return weights[:0]
    # The weights of pixels beyond the image are those of its edges.
    inner = weights[margin : margin + size]
    inner = inner.at[0].add(dnp.sum(weights[:margin], 0))
    return _normalized(inner.at[-1].add(dnp.sum(weights[margin + size :], 0)))


def _places(result: int, scale: Any, shift: Any) -> Array:
    return dnp.arange(result, dtype=dnp.result_type(scale, shift))


def _normalized(weights: Array) -> Array:
    """Weights of sum one, also where some pixels of the kernel do not exist."""
    total = dnp.sum(weights, 0, keepdims=True)
    is_some = dnp.abs(total) > _SMALLEST_SUM
    return dnp.where(is_some, weights / dnp.where(is_some, total, 1), 0)


def _inside(weights: Array, centres: Array, size: int) -> Array:
    """Weights that are zero for pixels whose centres are outside of the image."""
    return dnp.where((centres >= -0.5) & (centres <= size - 0.5), weights, 0)
