"""Initial values whose variance depends on the sizes of layers."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

import dovetail.numpy as dnp
from dovetail import random
from dovetail.arrays.array import Array
from dovetail.base import dtypes
from dovetail.base.documentation import documented
from dovetail.base.errors import value_error
from dovetail.nn.initializers.protocol import Initializer, Shape, element_type, sharded
from dovetail.ops.operands import canonical_axis

_SCALED = """
    Args:
      in_axis, out_axis, batch_axis, dtype: as for `variance_scaling`.

    Returns:
      An initializer.
"""

Axes = int | Sequence[int]

# Standard deviations of truncated standard normal distributions: real numbers in [-2, 2], and
# complex numbers of magnitude up to 2.
_TRUNCATED_DEVIATION = 0.87962566103423978
_TRUNCATED_COMPLEX_DEVIATION = 0.95311164380491208


def _product(shape: Shape, axes: Axes) -> int:
    axes = (axes,) if isinstance(axes, int) else axes
    return math.prod(shape[canonical_axis(axis, len(shape))] for axis in axes)


def _fans(shape: Shape, in_axis: Axes, out_axis: Axes, batch_axis: Axes) -> tuple[float, float]:
    """Fan-in and fan-out of weights of a shape."""
    if in_axis == -2 and len(shape) <= 1:
        raise value_error(
            f"Can't compute input and output sizes of a {len(shape)}-dimensional weights tensor "
            "with default in_axis. Must be at least 2D or specify in_axis explicitly."
        )
    inputs, outputs = _product(shape, in_axis), _product(shape, out_axis)
    receptive = math.prod(shape) / inputs / outputs / _product(shape, batch_axis)
    return inputs * receptive, outputs * receptive


def _complex_of(radius: Array, key: Any, shape: Shape, dtype: np.dtype) -> Array:
    """Complex numbers of given magnitudes, with uniform directions."""
    angle = random.uniform(key, shape, dtypes.to_real_dtype(dtype)).astype(dtype)
    return radius.astype(dtype) * dnp.exp(1j * (2 * math.pi * angle))


def complex_uniform(key: Any, shape: Shape, dtype: np.dtype) -> Array:
    """Complex numbers of variance 1, uniform in a disk."""
    of_radius, of_angle = random.split(key)
    draw = random.uniform(of_radius, shape, dtypes.to_real_dtype(dtype))
    return _complex_of(dnp.sqrt(2 * draw), of_angle, shape, dtype)


def complex_truncated_normal(key: Any, upper: float, shape: Shape, dtype: np.dtype) -> Array:
    """Normal complex numbers of magnitudes up to `upper`, of variance 1 if there were no bound."""
    of_radius, of_angle = random.split(key)
    draw = random.uniform(of_radius, shape, dtypes.to_real_dtype(dtype)).astype(dtype)
    # The square of the magnitude is exponential.
    squares = -dnp.log(1 - (1 - dnp.exp(dnp.asarray(-(upper**2), dtype))) * draw)
    return _complex_of(dnp.sqrt(squares), of_angle, shape, dtype)


def _unit_variance(distribution: str, key: Any, shape: Shape, dtype: np.dtype) -> Array:
    """A sample of mean 0 and variance 1, or 1/3 for uniform real numbers."""
    is_real = dtypes.KINDS[dtype] != "c"
    if distribution == "normal":
        return random.normal(key, shape, dtype)
    if is_real and distribution == "uniform":
        return random.uniform(key, shape, dtype, -1)
    if is_real:
        return random.truncated_normal(key, -2, 2, shape, dtype)
    if distribution == "uniform":
        return complex_uniform(key, shape, dtype)
    return complex_truncated_normal(key, 2, shape, dtype)


@documented(_SCALED)
def variance_scaling(
    scale: Any,
    mode: str,
    distribution: str,
    in_axis: Axes = -2,
    out_axis: Axes = -1,
    batch_axis: Axes = (),
    dtype: Any = None,
) -> Initializer:
    """An initializer of mean 0, whose variance is `scale` divided by the size of the layer.

    Args:
      scale: a positive number.
      mode: the size: "fan_in", the number of inputs per output; "fan_out", the number of outputs
        per input; "fan_avg" and "fan_geo_avg", the arithmetic and geometric means of the two.
      distribution: "truncated_normal", "normal" or "uniform".
      in_axis, out_axis: the dimensions of inputs and outputs; the others, except those of the
        batch, belong to the receptive field of a convolution.
      batch_axis: dimensions along which layers are independent.
      dtype: the element type, unless another is given later; by default the default float.

    Raises:
      ValueError: there is no such mode or distribution; or, when the initializer is called, the
        shape has too few dimensions.

    Example:
      >>> from dovetail import random
      >>> from dovetail.nn import initializers
      >>> init = initializers.variance_scaling(2.0, "fan_in", "normal")
      >>> bool(abs(init(random.key(0), (100, 200)).var() * 100 - 2) < 0.1)
      True
    """
    modes = {
        "fan_in": lambda fan_in, fan_out: fan_in,
        "fan_out": lambda fan_in, fan_out: fan_out,
        "fan_avg": lambda fan_in, fan_out: (fan_in + fan_out) / 2,
        "fan_geo_avg": lambda fan_in, fan_out: (fan_in * fan_out) ** 0.5,
    }
    distributions = ("truncated_normal", "normal", "uniform")
    for what, value, known in (
        ("mode", mode, modes),
        ("distribution", distribution, distributions),
    ):
        if value not in known:
            raise value_error(
                f"variance_scaling: {what} must be one of {', '.join(known)}, got: {value!r}"
            )
    default = dtype

    @sharded("variance_scaling")
    def init(key: Any, shape: Shape, dtype: Any = default) -> Array:
        element = element_type(dtype, "variance_scaling")
        size = modes[mode](*_fans(shape, in_axis, out_axis, batch_axis))
        variance = dnp.asarray(scale / size, element)
        is_real = dtypes.KINDS[element] != "c"
        if distribution == "uniform" and is_real:
            deviation = dnp.sqrt(3 * variance)
        else:
            deviation = dnp.sqrt(variance)
        if distribution == "truncated_normal":
            whole = _TRUNCATED_DEVIATION if is_real else _TRUNCATED_COMPLEX_DEVIATION
            deviation = deviation / dnp.asarray(whole, element)
        return _unit_variance(distribution, key, tuple(shape), element) * deviation

    return init


@documented(_SCALED)
def glorot_uniform(
    in_axis: Axes = -2, out_axis: Axes = -1, batch_axis: Axes = (), dtype: Any = None
) -> Initializer:
    """`variance_scaling` of 1 over the mean of inputs and outputs, uniform.

    Source: Glorot, Bengio, Understanding the difficulty of training deep networks, 2010.

    Example:
      >>> from dovetail import random
      >>> from dovetail.nn import initializers
      >>> initializers.glorot_uniform()(random.key(0), (2, 3)).shape
      (2, 3)
    """
    return variance_scaling(1.0, "fan_avg", "uniform", in_axis, out_axis, batch_axis, dtype)


@documented(_SCALED)
def glorot_normal(
    in_axis: Axes = -2, out_axis: Axes = -1, batch_axis: Axes = (), dtype: Any = None
) -> Initializer:
    """`variance_scaling` of 1 over the mean of inputs and outputs, normal and truncated.

    Source: Glorot, Bengio, Understanding the difficulty of training deep networks, 2010.

    Example:
      >>> from dovetail import random
      >>> from dovetail.nn import initializers
      >>> initializers.glorot_normal()(random.key(0), (2, 3)).shape
      (2, 3)
    """
    return variance_scaling(
        1.0, "fan_avg", "truncated_normal", in_axis, out_axis, batch_axis, dtype
    )


@documented(_SCALED)
def lecun_uniform(
    in_axis: Axes = -2, out_axis: Axes = -1, batch_axis: Axes = (), dtype: Any = None
) -> Initializer:
    """`variance_scaling` of 1 over the inputs, uniform.

    Source: LeCun, Bottou, Orr, Müller, Efficient backprop, 1998.

    Example:
      >>> from dovetail import random
      >>> from dovetail.nn import initializers
      >>> initializers.lecun_uniform()(random.key(0), (2, 3)).shape
      (2, 3)
    """
    return variance_scaling(1.0, "fan_in", "uniform", in_axis, out_axis, batch_axis, dtype)


@documented(_SCALED)
def lecun_normal(
    in_axis: Axes = -2, out_axis: Axes = -1, batch_axis: Axes = (), dtype: Any = None
) -> Initializer:
    """`variance_scaling` of 1 over the inputs, normal and truncated.

    Source: LeCun, Bottou, Orr, Müller, Efficient backprop, 1998.

    Example:
      >>> from dovetail import random
      >>> from dovetail.nn import initializers
      >>> initializers.lecun_normal()(random.key(0), (2, 3)).shape
      (2, 3)
    """
    return variance_scaling(1.0, "fan_in", "truncated_normal", in_axis, out_axis, batch_axis, dtype)


@documented(_SCALED)
def he_uniform(
    in_axis: Axes = -2, out_axis: Axes = -1, batch_axis: Axes = (), dtype: Any = None
) -> Initializer:
    """`variance_scaling` of 2 over the inputs, uniform.

    Source: He, Zhang, Ren, Sun, arXiv:1502.01852.

    Example:
      >>> from dovetail import random
      >>> from dovetail.nn import initializers
      >>> initializers.he_uniform()(random.key(0), (2, 3)).shape
      (2, 3)
    """
    return variance_scaling(2.0, "fan_in", "uniform", in_axis, out_axis, batch_axis, dtype)


@documented(_SCALED)
def he_normal(
    in_axis: Axes = -2, out_axis: Axes = -1, batch_axis: Axes = (), dtype: Any = None
) -> Initializer:
    """`variance_scaling` of 2 over the inputs, normal and truncated.

    Source: He, Zhang, Ren, Sun, arXiv:1502.01852.

    Example:
      >>> from dovetail import random
      >>> from dovetail.nn import initializers
      >>> initializers.he_normal()(random.key(0), (2, 3)).shape
      (2, 3)
    """
    return variance_scaling(2.0, "fan_in", "truncated_normal", in_axis, out_axis, batch_axis, dtype)


xavier_uniform, xavier_normal = glorot_uniform, glorot_normal
kaiming_uniform, kaiming_normal = he_uniform, he_normal
