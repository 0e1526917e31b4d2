"""Piecewise activations: relu and its variants."""

from __future__ import annotations

import dovetail.numpy as dnp
from dovetail import lax
from dovetail.arrays.array import Array
from dovetail.base.documentation import documented
from dovetail.nn.docstrings import ACTIVATION, INEXACT, NUMBERS
from dovetail.ops.operands import ArrayLike, as_operand
from dovetail.transforms.custom_derivatives import custom_jvp


@custom_jvp
@documented(INEXACT, NUMBERS)
def relu(x: ArrayLike) -> Array:
    """max(x, 0); its derivative at 0 is 0.

    Example:
      >>> relu(np.float32([-2, 0, 3]))
      Array([0., 0., 3.], dtype=float32)
    """
    return dnp.maximum(x, 0)


relu.defjvps(lambda t, _, x: dnp.where(x > 0, t, lax.full_like(t, 0)))


@custom_jvp
@documented(ACTIVATION)
def relu6(x: ArrayLike) -> Array:
    """min(max(x, 0), 6); its derivative at 0 and at 6 is 0.

    Args:
      x: an array or scalar of real numbers; integers become floats.

    Source: Krizhevsky, Convolutional deep belief networks on CIFAR-10, 2010.

    Example:
      >>> relu6(np.float32([-2, 3, 8]))
      Array([0., 3., 6.], dtype=float32)
    """
    return dnp.minimum(dnp.maximum(x, 0), 6.0)


relu6.defjvps(lambda t, _, x: dnp.where((x > 0) & (x < 6), t, lax.full_like(t, 0)))


@documented(ACTIVATION)
def leaky_relu(x: ArrayLike, negative_slope: ArrayLike = 1e-2) -> Array:
    """x where it is not negative, and `negative_slope` * x elsewhere.

    Args:
      negative_slope: an array that broadcasts to its shape.

    Source: Maas, Hannun, Ng, Rectifier nonlinearities improve neural network acoustic models, 2013.

    Example:
      >>> leaky_relu(np.float32([-2, 3]))
      Array([-0.02,  3.  ], dtype=float32)
    """
    x = as_operand("leaky_relu", x)
    return dnp.where(x >= 0, x, negative_slope * x)


@documented(ACTIVATION)
def elu(x: ArrayLike, alpha: ArrayLike = 1.0) -> Array:
    """x where it is positive, and `alpha` * (exp(x) - 1) elsewhere.

    Source: Clevert, Unterthiner, Hochreiter, arXiv:1511.07289.

    Example:
      >>> elu(np.float32([-100, 3]))
      Array([-1.,  3.], dtype=float32)
    """
    x = as_operand("elu", x)
    # expm1 of a large number would make the derivative 0 * inf.
    below = dnp.where(x > 0, 0.0, x)
    return dnp.where(x > 0, x, alpha * dnp.expm1(below))


@documented(ACTIVATION)
def celu(x: ArrayLike, alpha: ArrayLike = 1.0) -> Array:
    """max(x, 0) + `alpha` * (exp(min(x, 0) / `alpha`) - 1).

    Source: Barron, arXiv:1704.07483.

    Example:
      >>> celu(np.float32([-100, 3]), 2.0)
      Array([-2.,  3.], dtype=float32)
    """
    return dnp.maximum(x, 0.0) + alpha * dnp.expm1(dnp.minimum(x, 0.0) / alpha)


@documented(ACTIVATION)
def selu(x: ArrayLike) -> Array:
    """`elu` with the two constants for which layers keep mean 0 and variance 1.

    Source: Klambauer, Unterthiner, Mayr, Hochreiter, arXiv:1706.02515.

    Example:
      >>> selu(np.float32([0, 1]))
      Array([0.      , 1.050701], dtype=float32)
    """
    return 1.0507009873554805 * elu(x, 1.6732632423543772)


@documented(ACTIVATION)
def hard_tanh(x: ArrayLike) -> Array:
    """x between -1 and 1, and the nearer of these elsewhere.

    Returns:
      An array like `x`.

    Example:
      >>> hard_tanh(np.float32([-2, 0.5, 3]))
      Array([-1. ,  0.5,  1. ], dtype=float32)
    """
    x = as_operand("hard_tanh", x)
    return dnp.where(x > 1, 1, dnp.where(x < -1, -1, x))


@documented(ACTIVATION)
def hard_sigmoid(x: ArrayLike) -> Array:
    """`relu6`(x + 3) / 6.

    Example:
      >>> hard_sigmoid(np.float32([-4, 0, 4]))
      Array([0. , 0.5, 1. ], dtype=float32)
    """
    return relu6(as_operand("hard_sigmoid", x) + 3.0) / 6.0


@documented(ACTIVATION)
def hard_silu(x: ArrayLike) -> Array:
    """x * `hard_sigmoid`(x).

    Source: Howard et al., Searching for MobileNetV3, arXiv:1905.02244.

    Example:
      >>> hard_silu(np.float32([-4, 0, 4]))
      Array([-0.,  0.,  4.], dtype=float32)
    """
    x = as_operand("hard_silu", x)
    return x * hard_sigmoid(x)


hard_swish = hard_silu


@documented(ACTIVATION)
def sparse_plus(x: ArrayLike) -> Array:
    """0 below -1, x above 1, and the parabola ((x + 1) / 2)**2 that joins them smoothly.

    Source: Martins, Astudillo, From softmax to sparsemax, arXiv:1602.02068; this is the integral of
      `sparse_sigmoid`.

    Example:
      >>> sparse_plus(np.float32([-2, 0, 3]))
      Array([0.  , 0.25, 3.  ], dtype=float32)
    """
    x = as_operand("sparse_plus", x)
    return dnp.where(x <= -1.0, 0.0, dnp.where(x >= 1.0, x, (x + 1.0) ** 2 / 4))


@documented(ACTIVATION)
def sparse_sigmoid(x: ArrayLike) -> Array:
    """(x + 1) / 2 between 0 and 1, and the nearer of these elsewhere.

    Source: Martins, Astudillo, From softmax to sparsemax, arXiv:1602.02068: its form for two
      classes.

    Example:
      >>> sparse_sigmoid(np.float32([-2, 0, 3]))
      Array([0. , 0.5, 1. ], dtype=float32)
    """
    return 0.5 * dnp.clip(as_operand("sparse_sigmoid", x) + 1.0, 0.0, 2.0)
