"""Samples of continuous distributions, computed by formulas from uniform or normal numbers."""

from __future__ import annotations

from typing import Any

import numpy as np

from dovetail import lax
from dovetail import numpy as dnp
from dovetail.arrays.array import Array
from dovetail.base import dtypes
from dovetail.base.documentation import documented
from dovetail.ops.operands import ArrayLike
from dovetail.random.docstrings import SAMPLER, parametrized
from dovetail.random.normal import normal_of
from dovetail.random.sampler import (
    KeyLike,
    Shape,
    as_floats,
    element_type,
    sampler,
    shape_with,
    sizes_of,
    split_keys,
    spread,
)
from dovetail.random.uniform import signs, uniform_of, unit

# Without parameters -------------------------------------------------------------------------------


def exponential_of(key: Any, shape: tuple[int, ...], dtype: np.dtype) -> Array:
    """Exponential numbers; see `exponential`."""
    return lax.neg(lax.log1p(lax.neg(unit(key, shape, dtype))))


@sampler
@documented(SAMPLER)
def exponential(
    key: KeyLike, shape: Shape = (), dtype: Any = None, *, out_sharding: Any = None
) -> Array:
    """Exponential numbers, of density exp(-x) for x >= 0.

    Example:
      >>> from dovetail import random
      >>> random.exponential(random.key(0), (2,))
      Array([2.950128 , 3.8434246], dtype=float32)
    """
    element = element_type("exponential", dtype)
    return exponential_of(key, sizes_of("exponential", shape), element)


@sampler
@documented(SAMPLER)
def cauchy(
    key: KeyLike, shape: Shape = (), dtype: Any = None, *, out_sharding: Any = None
) -> Array:
    """Cauchy numbers, of density 1 / (pi (1 + x^2)).

    Example:
      >>> from dovetail import random
      >>> random.cauchy(random.key(0), (2,))
      Array([ 6.0274944, 14.837895 ], dtype=float32)
    """
    element = element_type("cauchy", dtype)
    least = np.asarray(dtypes.finfo(element).eps, element)
    u = uniform_of(key, sizes_of("cauchy", shape), element, least, 1.0)
    return lax.tan(lax.mul(lax.sub(u, np.array(0.5, element)), np.array(np.pi, element)))


@sampler
@documented(SAMPLER)
def laplace(
    key: KeyLike, shape: Shape = (), dtype: Any = None, *, out_sharding: Any = None
) -> Array:
    """Laplace numbers, of density exp(-|x|) / 2.

    Example:
      >>> from dovetail import random
      >>> random.laplace(random.key(0), (2,))
      Array([-2.2569816, -3.1502788], dtype=float32)
    """
    element = element_type("laplace", dtype)
    least = np.asarray(-1.0 + float(dtypes.finfo(element).epsneg), element)
    u = uniform_of(key, sizes_of("laplace", shape), element, least, 1.0)
    return lax.mul(lax.sign(u), lax.log1p(lax.neg(lax.abs(u))))


@sampler
@documented(SAMPLER)
def logistic(
    key: KeyLike, shape: Shape = (), dtype: Any = None, *, out_sharding: Any = None
) -> Array:
    """Logistic numbers, of density exp(-x) / (1 + exp(-x))^2.

    Example:
      >>> from dovetail import random
      >>> random.logistic(random.key(0), (2,))
      Array([2.896376 , 3.8217716], dtype=float32)
    """
    element = element_type("logistic", dtype)
    least = np.asarray(dtypes.finfo(element).tiny, element)
    x = uniform_of(key, sizes_of("logistic", shape), element, least, 1.0)
    return lax.sub(lax.log(x), lax.log1p(lax.neg(x)))


@sampler
@documented(SAMPLER)
def maxwell(
    key: KeyLike, shape: Shape = (), dtype: Any = None, *, out_sharding: Any = None
) -> Array:
    """Maxwell numbers: lengths of vectors of three normal numbers.

    Example:
      >>> from dovetail import random
      >>> random.maxwell(random.key(0), (2,)).shape
      (2,)
    """
    element = element_type("maxwell", dtype)
    return _maxwell(key, sizes_of("maxwell", shape), element)


def _maxwell(key: Any, shape: tuple[int, ...], dtype: np.dtype) -> Array:
    x = normal_of(key, (*shape, 3), dtype)
    return lax.sqrt(lax.reduce_sum(lax.mul(x, x), (len(shape),)))


# With parameters ----------------------------------------------------------------------------------


@sampler
@documented(SAMPLER)
def double_sided_maxwell(
    key: KeyLike, loc: ArrayLike, scale: ArrayLike, shape: Shape = (), dtype: Any = None
) -> Array:
    """Maxwell numbers of either sign, times a scale, plus a location.

    Args:
      loc, scale: floats whose shapes broadcast together.
      shape: the dimensions of the result before those of the parameters; by default the shape of
        the parameters once more.

    Example:
      >>> from dovetail import random
      >>> random.double_sided_maxwell(random.key(0), 0.0, 1.0, (2,)).shape
      (2,)
    """
    element = element_type("double_sided_maxwell", dtype)
    parameters = lax.broadcast_shapes(np.shape(loc), np.shape(scale))
    sizes = (*(sizes_of("double_sided_maxwell", shape) or parameters), *parameters)
    first, second = split_keys(key)
    return signs(second, sizes, element) * _maxwell(first, sizes, element) * scale + loc


@sampler
@documented(SAMPLER)
def weibull_min(
    key: KeyLike, scale: ArrayLike, concentration: ArrayLike, shape: Shape = (), dtype: Any = None
) -> Array:
    """Weibull numbers, of density (c/s) (x/s)^(c-1) exp(-(x/s)^c) for x >= 0.

    Args:
      scale: the s, positive.
      concentration: the c, positive.
      shape: the shape of the uniform numbers that are drawn; the parameters broadcast with it.

    Example:
      >>> from dovetail import random
      >>> random.weibull_min(random.key(0), 1.0, 1.0, (2,))
      Array([2.950128 , 3.8434246], dtype=float32)
    """
    element = element_type("weibull_min", dtype)
    e = exponential_of(key, sizes_of("weibull_min", shape), element)
    return dnp.power(e, dnp.divide(1.0, concentration)) * scale


@sampler
@documented(parametrized("`b`"))
def pareto(
    key: KeyLike,
    b: ArrayLike,
    shape: Shape | None = None,
    dtype: Any = None,
    *,
    out_sharding: Any = None,
) -> Array:
    """Pareto numbers, of density b / x^(b+1) for x >= 1.

    Args:
      b: positive floats.

    Example:
      >>> from dovetail import random
      >>> random.pareto(random.key(0), 2.0, (2,))
      Array([4.371..., 6.832...], dtype=float32)
    """
    element = element_type("pareto", dtype)
    (b,) = as_floats("pareto", element, b)
    sizes = shape_with("pareto", shape, b.shape)
    return lax.exp(lax.div(exponential_of(key, sizes, element), spread(b, sizes)))


@sampler
@documented(parametrized("`scale`"))
def rayleigh(
    key: KeyLike,
    scale: ArrayLike,
    shape: Shape | None = None,
    dtype: Any = None,
    *,
    out_sharding: Any = None,
) -> Array:
    """Rayleigh numbers, of density x/s^2 exp(-x^2 / (2 s^2)) for x >= 0.

    Args:
      scale: the s, positive floats.

    Example:
      >>> from dovetail import random
      >>> random.rayleigh(random.key(0), 2.0, (2,))
      Array([0.655..., 0.416...], dtype=float32)
    """
    element = element_type("rayleigh", dtype)
    (scale,) = as_floats("rayleigh", element, scale)
    sizes = shape_with("rayleigh", shape, scale.shape)
    squares = lax.mul(lax.log(unit(key, sizes, element)), np.array(-2, element))
    return lax.mul(spread(scale, sizes), lax.sqrt(squares))


@sampler
@documented(parametrized("`mean`"))
def wald(
    key: KeyLike,
    mean: ArrayLike,
    shape: Shape | None = None,
    dtype: Any = None,
    *,
    out_sharding: Any = None,
) -> Array:
    """Wald (inverse Gaussian) numbers, of density sqrt(1 / (2 pi x^3)) exp(-(x-m)^2 / (2 m^2 x)).

    Uses the method of Michael, Schucany and Haas (1976).

    Args:
      mean: the m, positive floats.

    Example:
      >>> from dovetail import random
      >>> random.wald(random.key(0), 2.0, (2,)).shape
      (2,)
    """
    element = element_type("wald", dtype)
    (mean,) = as_floats("wald", element, mean)
    sizes = shape_with("wald", shape, mean.shape)
    first, second = split_keys(key)
    mean = spread(mean, sizes)
    y = lax.square(normal_of(first, sizes, element))
    z = unit(second, sizes, element)
    squared = lax.square(mean)
    root = lax.sqrt(4 * mean * y + squared * lax.square(y))
    x = mean + squared * y / 2 - mean / 2 * root
    return lax.select(lax.le(z, mean / (mean + x)), x, squared / x)


@sampler
@documented(parametrized("the parameters"))
def triangular(
    key: KeyLike,
    left: ArrayLike,
    mode: ArrayLike,
    right: ArrayLike,
    shape: Shape | None = None,
    dtype: Any = None,
    *,
    out_sharding: Any = None,
) -> Array:
    """Triangular numbers, whose density rises from `left` to `mode` and falls to `right`.

    Args:
      left, mode, right: floats.

    Example:
      >>> from dovetail import random
      >>> random.triangular(random.key(0), 0.0, 1.0, 2.0, (2,))
      Array([1.676..., 1.793...], dtype=float32)
    """
    element = element_type("triangular", dtype)
    parameters = as_floats("triangular", element, left, mode, right)
    sizes = shape_with("triangular", shape, *(x.shape for x in parameters))
    low, top, high = (spread(x, sizes) for x in parameters)
    u = unit(key, sizes, element)
    rising = low + lax.sqrt(u * (high - low) * (top - low))
    falling = high - lax.sqrt((1 - u) * (high - low) * (high - top))
    return lax.select(lax.lt(u, (top - low) / (high - low)), rising, falling)
