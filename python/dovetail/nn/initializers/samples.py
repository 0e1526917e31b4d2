"""Initial values that do not depend on the sizes of layers."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

import dovetail.numpy as dnp
from dovetail import random
from dovetail.arrays.array import Array
from dovetail.base.errors import value_error
from dovetail.nn.initializers.protocol import Initializer, Shape, element_type, sharded
from dovetail.ops.operands import canonical_axis


def _times(sample: Array, factor: Any, dtype: np.dtype) -> Array:
    return sample * dnp.asarray(factor, dtype)


# Constants ----------------------------------------------------------------------------------------


def zeros(key: Any, shape: Shape, dtype: Any = None, out_sharding: Any = None) -> Array:
    """An initializer: zeros.

    Args:
      key: not used.
      shape: the shape of the result.
      dtype: its element type; by default the default float.
      out_sharding: the sharding in its type.

    Returns:
      An array.

    Example:
      >>> from dovetail import random
      >>> from dovetail.nn import initializers
      >>> initializers.zeros(random.key(0), (2,))
      Array([0., 0.], dtype=float32)
    """
    return dnp.zeros(shape, element_type(dtype, "zeros"), out_sharding=out_sharding)


def ones(key: Any, shape: Shape, dtype: Any = None, out_sharding: Any = None) -> Array:
    """An initializer: ones.

    Args:
      key: not used.
      shape: the shape of the result.
      dtype: its element type; by default the default float.
      out_sharding: the sharding in its type.

    Returns:
      An array.

    Example:
      >>> from dovetail import random
      >>> from dovetail.nn import initializers
      >>> initializers.ones(random.key(0), (2,))
      Array([1., 1.], dtype=float32)
    """
    return dnp.ones(shape, element_type(dtype, "ones"), out_sharding=out_sharding)


def constant(value: Any, dtype: Any = None) -> Initializer:
    """An initializer of one value.

    Args:
      value: a number, or an array that broadcasts to the shape of the result.
      dtype: the element type, unless another is given later; by default the default float.

    Returns:
      An initializer.

    Example:
      >>> from dovetail import random
      >>> from dovetail.nn import initializers
      >>> initializers.constant(-7)(random.key(0), (2,))
      Array([-7., -7.], dtype=float32)
    """
    default = dtype

    @sharded("constant")
    def init(key: Any, shape: Shape, dtype: Any = default) -> Array:
        return dnp.full(shape, value, element_type(dtype, "constant"))

    return init


# Distributions ------------------------------------------------------------------------------------


def uniform(scale: Any = 1e-2, dtype: Any = None) -> Initializer:
    """An initializer of uniform numbers from 0 to a bound.

    Args:
      scale: the bound.
      dtype: the element type, unless another is given later; by default the default float.

    Returns:
      An initializer.

    Example:
      >>> from dovetail import random
      >>> from dovetail.nn import initializers
      >>> initializers.uniform(10.0)(random.key(0), (2, 3)).shape
      (2, 3)
    """
    default = dtype

    @sharded("uniform")
    def init(key: Any, shape: Shape, dtype: Any = default) -> Array:
        element = element_type(dtype, "uniform")
        return _times(random.uniform(key, shape, element), scale, element)

    return init


def normal(stddev: Any = 1e-2, dtype: Any = None) -> Initializer:
    """An initializer of normal numbers with mean 0.

    Args:
      stddev: the standard deviation.
      dtype: the element type, unless another is given later; by default the default float.

    Returns:
      An initializer.

    Example:
      >>> from dovetail import random
      >>> from dovetail.nn import initializers
      >>> initializers.normal(5.0)(random.key(0), (2, 3)).shape
      (2, 3)
    """
    default = dtype

    @sharded("normal")
    def init(key: Any, shape: Shape, dtype: Any = default) -> Array:
        element = element_type(dtype, "normal")
        return _times(random.normal(key, shape, element), stddev, element)

    return init


def truncated_normal(
    stddev: Any = 1e-2, dtype: Any = None, lower: Any = -2.0, upper: Any = 2.0
) -> Initializer:
    """An initializer of standard normal numbers between bounds, times a factor.

    Args:
      stddev: the factor: the standard deviation before truncation.
      dtype: the element type, unless another is given later; by default the default float.
      lower, upper: the bounds, before the multiplication.

    Returns:
      An initializer.

    Example:
      >>> from dovetail import random
      >>> from dovetail.nn import initializers
      >>> initializers.truncated_normal(5.0)(random.key(0), (2, 3)).shape
      (2, 3)
    """
    default = dtype

    @sharded("truncated_normal")
    def init(key: Any, shape: Shape, dtype: Any = default) -> Array:
        element = element_type(dtype, "truncated_normal")
        return _times(random.truncated_normal(key, lower, upper, shape, element), stddev, element)

    return init


# Orthogonal matrices ------------------------------------------------------------------------------


def orthogonal(scale: Any = 1.0, column_axis: int = -1, dtype: Any = None) -> Initializer:
    """An initializer of matrices whose columns (or rows, if these are fewer) are orthonormal.

    Args:
      scale: a factor.
      column_axis: the dimension of the columns; the other dimensions together are the rows.
      dtype: the element type, unless another is given later; by default the default float.

    Returns:
      An initializer.

    Raises:
      ValueError: when the initializer is called: the shape has fewer than 2 dimensions.

    Source: Saxe, McClelland, Ganguli, arXiv:1312.6120.

    Example:
      >>> from dovetail import random
      >>> from dovetail.nn import initializers
      >>> q = initializers.orthogonal()(random.key(0), (3, 2))
      >>> bool(dnp.allclose(q.T @ q, np.eye(2), atol=1e-5))
      True
    """
    default = dtype

    @sharded("orthogonal")
    def init(key: Any, shape: Shape, dtype: Any = default) -> Array:
        element = element_type(dtype, "orthogonal")
        if len(shape) < 2:
            raise value_error(
                f"orthogonal: the shape must have at least 2 dimensions, got: {tuple(shape)}"
            )
        if 0 in shape:
            return dnp.zeros(shape, element)
        place = canonical_axis(column_axis, len(shape))
        columns = shape[place]
        others = tuple(n for i, n in enumerate(shape) if i != place)
        matrix = random.orthogonal(key, math.prod(others), (), element, columns)
        turned = dnp.moveaxis(dnp.reshape(matrix, (*others, columns)), -1, place)
        return dnp.asarray(scale, element) * turned

    return init


def delta_orthogonal(scale: Any = 1.0, column_axis: int = -1, dtype: Any = None) -> Initializer:
    """An initializer of convolutions in 1 to 3 dimensions that are `orthogonal` at their centre.

    Args:
      scale: a factor.
      column_axis: as for `orthogonal`.
      dtype: the element type, unless another is given later; by default the default float.

    Returns:
      An initializer of shapes (*sizes, inputs, outputs).

    Raises:
      ValueError: when the initializer is called: there are not 3 to 5 dimensions, or more inputs
        than outputs.

    Source: Xiao et al., Dynamical isometry and a mean field theory of CNNs, arXiv:1806.05393.

    Example:
      >>> from dovetail import random
      >>> from dovetail.nn import initializers
      >>> weights = initializers.delta_orthogonal()(random.key(0), (3, 2, 2))
      >>> bool(dnp.allclose(weights[1] @ weights[1].T, np.eye(2), atol=1e-5))
      True
    """
    default = dtype

    @sharded("delta_orthogonal")
    def init(key: Any, shape: Shape, dtype: Any = default) -> Array:
        element = element_type(dtype, "delta_orthogonal")
        if not 3 <= len(shape) <= 5:
            raise value_error(
                f"delta_orthogonal: the shape must have 3 to 5 dimensions, got: {tuple(shape)}"
            )
        if shape[-1] < shape[-2]:
            raise value_error(
                "delta_orthogonal: there must be at least as many outputs as inputs, got: "
                f"{shape[-1]} and {shape[-2]}"
            )
        matrix = orthogonal(scale, column_axis, element)(key, shape[-2:])
        centre = tuple((n - 1) // 2 for n in shape[:-2])
        return dnp.zeros(shape, element).at[centre].set(matrix)

    return init
