"""Smooth activations: sigmoids, gates, and functions composed of them."""

from __future__ import annotations

import math

import numpy as np

import dovetail.numpy as dnp
from dovetail import lax
from dovetail.arrays.array import Array
from dovetail.base.documentation import documented
from dovetail.base.errors import value_error
from dovetail.nn.docstrings import ACTIVATION, INEXACT, NUMBERS
from dovetail.numpy.promotion import real_inexact
from dovetail.ops.operands import ArrayLike, as_operand, canonical_axis
from dovetail.transforms.custom_derivatives import custom_jvp


def identity(x: ArrayLike) -> Array:
    """x, as an array.

    Args:
      x: an array or scalar.

    Returns:
      An array of the same values.

    Example:
      >>> identity(np.float32([1, 2]))
      Array([1., 2.], dtype=float32)
    """
    return as_operand("identity", x)


@documented(INEXACT)
def sigmoid(x: ArrayLike) -> Array:
    """1 / (1 + exp(-x)).

    Example:
      >>> sigmoid(np.float32([-200, 0, 200]))
      Array([0. , 0.5, 1. ], dtype=float32)
    """
    return lax.logistic(x)


@documented(ACTIVATION)
def log_sigmoid(x: ArrayLike) -> Array:
    """log(`sigmoid`(x)), accurate even where `sigmoid`(x) is near 0 or 1.

    Example:
      >>> log_sigmoid(np.float32([-100, 0]))
      Array([-100.       ,   -0.6931472], dtype=float32)
    """
    return -softplus(-as_operand("log_sigmoid", x))


@documented(ACTIVATION, NUMBERS)
def softplus(x: ArrayLike) -> Array:
    """log(1 + exp(x)).

    Example:
      >>> softplus(np.float32([0, 100]))
      Array([  0.6931472, 100.       ], dtype=float32)
    """
    return dnp.logaddexp(x, 0)


@documented(ACTIVATION)
def squareplus(x: ArrayLike, b: ArrayLike = 4) -> Array:
    """(x + sqrt(x**2 + b)) / 2.

    Args:
      b: the smoothness: an array that broadcasts to the shape of `x`.

    Source: Barron, arXiv:2112.11687.

    Example:
      >>> squareplus(np.float32([0, 1.5]))
      Array([1., 2.], dtype=float32)
    """
    x = as_operand("squareplus", x)
    return (x + dnp.sqrt(dnp.square(x) + b)) / 2


@documented(ACTIVATION, NUMBERS)
def soft_sign(x: ArrayLike) -> Array:
    """x / (1 + |x|).

    Example:
      >>> soft_sign(np.float32([-1, 0, 3]))
      Array([-0.5 ,  0.  ,  0.75], dtype=float32)
    """
    x = as_operand("soft_sign", x)
    return x / (dnp.abs(x) + 1)


@documented(INEXACT)
def silu(x: ArrayLike) -> Array:
    """x * `sigmoid`(x), also called swish.

    Source: Hendrycks, Gimpel, arXiv:1606.08415; Ramachandran, Zoph, Le, arXiv:1710.05941.

    Example:
      >>> silu(np.float32([0, 100]))
      Array([  0., 100.], dtype=float32)
    """
    x = as_operand("silu", x)
    return x * sigmoid(x)


swish = silu


@documented(ACTIVATION, NUMBERS)
def mish(x: ArrayLike) -> Array:
    """x * tanh(`softplus`(x)).

    Source: Misra, arXiv:1908.08681.

    Example:
      >>> mish(np.float32([0, 100]))
      Array([  0., 100.], dtype=float32)
    """
    x = as_operand("mish", x)
    return x * dnp.tanh(softplus(x))


@documented(ACTIVATION)
def gelu(x: ArrayLike, approximate: bool = True) -> Array:
    """x times the probability that a standard normal number is less than x.

    Args:
      approximate: whether to use the paper's approximation of that probability by tanh.

    Source: Hendrycks, Gimpel, arXiv:1606.08415.

    Example:
      >>> gelu(np.float32([0, 10]))
      Array([ 0., 10.], dtype=float32)
    """
    x = real_inexact("gelu", x)
    if not approximate:
        root = np.asarray(math.sqrt(0.5), x.dtype)
        return (0.5 * x * lax.erfc(-x * root)).astype(x.dtype)
    factor = np.asarray(math.sqrt(2 / math.pi), x.dtype)
    return x * (0.5 * (1.0 + dnp.tanh(factor * (x + 0.044715 * x**3))))


def glu(x: ArrayLike, axis: int = -1) -> Array:
    """The first half of `x` along a dimension, times the `sigmoid` of the second.

    Args:
      x: an array of floats or complex numbers.
      axis: the dimension, of even size.

    Returns:
      An array of half the size.

    Raises:
      ValueError: the size is odd.

    Source: Dauphin, Fan, Auli, Grangier, arXiv:1612.08083.

    Example:
      >>> glu(np.float32([4, 6, 0, 0]))
      Array([2., 3.], dtype=float32)
    """
    x = as_operand("glu", x)
    dimension = canonical_axis(axis, x.ndim)
    if x.shape[dimension] % 2:
        raise value_error(
            f"glu: the size of dimension {dimension} must be even, got: {x.shape}; its first half "
            "is multiplied by a function of the second"
        )
    values, gates = dnp.split(x, 2, dimension)
    return values * sigmoid(gates)


@custom_jvp
@documented(ACTIVATION)
def log1mexp(x: ArrayLike) -> Array:
    """log(1 - exp(-x)), accurate for small and large x.

    Returns:
      An array of floats like `x`; NaN where `x` is negative.

    Source: Mächler, Accurately computing log(1 - exp(-|a|)), 2012.

    Example:
      >>> log1mexp(np.float32([0, 1e-10]))
      Array([     -inf, -23.02585], dtype=float32)
    """
    x = as_operand("log1mexp", x)
    near, far = dnp.log(-dnp.expm1(-x)), dnp.log1p(-dnp.exp(-x))
    return dnp.where(x < math.log(2.0), near, far)


log1mexp.defjvps(lambda t, _, x: t / dnp.expm1(x))
