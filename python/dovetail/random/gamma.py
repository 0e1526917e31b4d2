"""Samples of the gamma distribution, and of those derived from it."""

from __future__ import annotations

import math
import operator
from typing import Any

import numpy as np

from dovetail import lax
from dovetail import numpy as dnp
from dovetail.arrays.array import Array
from dovetail.base import dtypes
from dovetail.base.documentation import documented
from dovetail.base.errors import value_error
from dovetail.ops.operands import ArrayLike, as_operand
from dovetail.random.continuous import exponential_of
from dovetail.random.docstrings import SAMPLER, parametrized
from dovetail.random.keys import KeyArray
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
from dovetail.random.uniform import signs, unit
from dovetail.tracing.composed import composed
from dovetail.transforms import batching, custom_derivatives

# One number ---------------------------------------------------------------------------------------


def _one_gamma(key: KeyArray, alpha: Array, log_space: bool) -> Array:
    """A gamma number by rejection (Marsaglia and Tsang, 2000), or its logarithm."""
    dtype = alpha.dtype

    def number(value: float) -> Any:
        return np.array(value, dtype)

    # Below 1, a number for alpha + 1 is drawn, times a power of a uniform one.
    is_large = lax.ge(alpha, number(1))
    d = lax.sub(lax.select(is_large, alpha, alpha + number(1)), number(1 / 3))
    c = lax.div(number(1 / 3), lax.sqrt(d))

    def rejected(state: Any) -> Array:
        _, x, v, u = state
        squeezed = lax.ge(u, number(1) - number(0.0331) * (x * x))
        bound = x * number(0.5) + d * ((number(1) - v) + lax.log(v))
        return squeezed & lax.ge(lax.log(u), bound)

    def positive_cube(state: Any) -> Any:
        key, _, _ = state
        key, subkey = split_keys(key)
        x = normal_of(subkey, (), dtype)
        return key, x, number(1) + x * c

    def step(state: Any) -> Any:
        key, key_x, key_u = split_keys(state[0], 3)
        start = (key_x, *_constants(dtype, 0, -1))
        _, x, v = lax.while_loop(lambda s: lax.le(s[2], number(0)), positive_cube, start)
        return key, x * x, v * v * v, unit(key_u, (), dtype)

    key, subkey = split_keys(key)
    v = lax.while_loop(rejected, step, (key, *_constants(dtype, 0, 1, 2)))[2]
    if log_space:
        logs = lax.neg(exponential_of(subkey, (), dtype))
        is_zero = is_large | lax.eq(logs, number(0))
        boost = lax.select(is_zero, lax.full_like(logs, 0), logs * lax.div(number(1), alpha))
        return lax.log(d) + lax.log(v) + boost
    samples = number(1) - unit(subkey, (), dtype)
    power = lax.pow(samples, lax.div(number(1), alpha))
    return d * v * lax.select(is_large, lax.full_like(power, 1), power)


def _constants(dtype: np.dtype, *values: float) -> list[Array]:
    return [lax.full((), np.array(value, dtype)) for value in values]


def _gamma_gradient(sample: Array, alpha: Array, log_space: bool) -> Array:
    """The derivative by alpha of the number at a fixed quantile of the distribution."""
    if not log_space:
        return lax.random_gamma_grad(alpha, sample)
    numbers = lax.exp(sample)
    tiny = np.asarray(dtypes.finfo(sample.dtype).tiny, sample.dtype)
    numbers = lax.select(
        lax.eq(numbers, np.zeros((), sample.dtype)), lax.full_like(numbers, tiny), numbers
    )
    return lax.random_gamma_grad(alpha, numbers) / numbers


def gamma_of(key: Any, alpha: Array, log_space: bool = False) -> Array:
    """Gamma numbers, or their logarithms, of an array of parameters; see `gamma`."""
    return _random_gamma(key, alpha, log_space=log_space) if alpha.size else alpha


@composed("random_gamma")
def _random_gamma(key: Any, alpha: Array, *, log_space: bool) -> Array:
    generator, shape = key._generator, alpha.shape

    @custom_derivatives.custom_jvp
    def gamma(data: Array, alpha: Array) -> Array:
        keys = generator.split(data, (math.prod(shape),))

        def one(words: Array, parameter: Array) -> Array:
            return _one_gamma(KeyArray(generator, words), parameter, log_space)

        return lax.reshape(batching.vmap(one)(keys, lax.reshape(alpha, (alpha.size,))), shape)

    def derivative(primals: Any, tangents: Any) -> Any:
        sample = gamma(*primals)
        return sample, tangents[1] * _gamma_gradient(sample, primals[1], log_space)

    gamma.defjvp(derivative)
    return gamma(key._data, alpha)


# Gamma numbers ------------------------------------------------------------------------------------


def _gamma(name: str, key: Any, a: Any, shape: Any, dtype: Any, log_space: bool) -> Array:
    element = element_type(name, dtype)
    alpha = lax.convert_element_type(a, element)
    return gamma_of(key, spread(alpha, shape_with(name, shape, alpha.shape)), log_space)


@sampler
@documented(parametrized("`a`"))
def gamma(
    key: KeyLike,
    a: ArrayLike,
    shape: Shape | None = None,
    dtype: Any = None,
    *,
    out_sharding: Any = None,
) -> Array:
    """Gamma numbers, of density x^(a-1) exp(-x) / gamma(a) for x >= 0.

    They are differentiable by `a`, at a fixed quantile of the distribution. For small `a` they
    underflow: see `loggamma`.

    Args:
      a: positive floats.
      dtype: a float type.

    Example:
      >>> from dovetail import random
      >>> random.gamma(random.key(0), 2.0, (3,)).shape
      (3,)
    """
    return _gamma("gamma", key, a, shape, dtype, False)


@sampler
@documented(parametrized("`a`"))
def loggamma(
    key: KeyLike,
    a: ArrayLike,
    shape: Shape | None = None,
    dtype: Any = None,
    *,
    out_sharding: Any = None,
) -> Array:
    """Logarithms of gamma numbers, accurate even where these underflow.

    Args:
      a: positive floats.
      dtype: a float type.

    Example:
      >>> from dovetail import random
      >>> dnp.isfinite(random.loggamma(random.key(0), 1e-3))
      Array(True, dtype=bool)
    """
    return _gamma("loggamma", key, a, shape, dtype, True)


# Distributions derived from gamma samples ---------------------------------------------------------


@sampler
@documented(parametrized("the parameters"))
def beta(
    key: KeyLike,
    a: ArrayLike,
    b: ArrayLike,
    shape: Shape | None = None,
    dtype: Any = None,
    *,
    out_sharding: Any = None,
) -> Array:
    """Beta numbers, of density proportional to x^(a-1) (1-x)^(b-1) for 0 <= x <= 1.

    Args:
      a, b: positive floats.

    Example:
      >>> from dovetail import random
      >>> random.beta(random.key(0), 2.0, 3.0, (3,)).shape
      (3,)
    """
    element = element_type("beta", dtype)
    parameters = as_floats("beta", element, a, b)
    sizes = shape_with("beta", shape, *(x.shape for x in parameters))
    x, y = (
        gamma_of(subkey, spread(parameter, sizes), True)
        for subkey, parameter in zip(split_keys(key), parameters, strict=True)
    )
    most = lax.max(x, y)
    x, y = lax.exp(x - most), lax.exp(y - most)
    return x / (x + y)


@sampler
def dirichlet(
    key: KeyLike,
    alpha: ArrayLike,
    shape: Shape | None = None,
    dtype: Any = None,
    *,
    out_sharding: Any = None,
) -> Array:
    """Dirichlet vectors, of density proportional to the product of x_i^(alpha_i - 1).

    Args:
      key: a key.
      alpha: positive floats, f[..., n].
      shape: the shape of the result without n, by default that of `alpha` without n, which
        broadcasts to it.
      dtype: a float type.

    Returns:
      An array of `dtype`, [*shape, n], which sums to 1 along the last dimension.

    Raises:
      ValueError: `dtype` is not a float type, `alpha` has rank 0 or does not broadcast to `shape`.

    Example:
      >>> from dovetail import random
      >>> random.dirichlet(random.key(0), dnp.ones(3)).shape
      (3,)
    """
    element = element_type("dirichlet", dtype)
    parameters = lax.convert_element_type(alpha, element)
    if parameters.ndim < 1:
        raise value_error("dirichlet: alpha must have rank 1 or more, got: rank 0")
    sizes = shape_with("dirichlet", shape, parameters.shape[:-1])
    sizes = (*sizes, parameters.shape[-1])
    logs = gamma_of(key, spread(parameters, sizes), True)
    most = lax.stop_gradient(dnp.max(logs, -1, keepdims=True, initial=-np.inf))
    numbers = lax.exp(logs - most)
    return numbers / dnp.sum(numbers, -1, keepdims=True)


@sampler
@documented(parametrized("`df`"))
def chisquare(
    key: KeyLike,
    df: ArrayLike,
    shape: Shape | None = None,
    dtype: Any = None,
    *,
    out_sharding: Any = None,
) -> Array:
    """Chi-square numbers: sums of `df` squares of normal numbers.

    Args:
      df: positive floats.

    Example:
      >>> from dovetail import random
      >>> random.chisquare(random.key(0), 3.0, (3,)).shape
      (3,)
    """
    element = element_type("chisquare", dtype)
    (df,) = as_floats("chisquare", element, df)
    return _chisquare(key, spread(df, shape_with("chisquare", shape, df.shape)))


def _chisquare(key: Any, df: Array) -> Array:
    two = np.array(2, df.dtype)
    return lax.mul(lax.exp(gamma_of(key, lax.div(df, two), True)), two)


@sampler
@documented(parametrized("the parameters"))
def f(
    key: KeyLike,
    dfnum: ArrayLike,
    dfden: ArrayLike,
    shape: Shape | None = None,
    dtype: Any = None,
    *,
    out_sharding: Any = None,
) -> Array:
    """F numbers: ratios of two chi-square numbers, each divided by its degrees of freedom.

    Args:
      dfnum, dfden: positive floats, the degrees of freedom of numerator and denominator.

    Example:
      >>> from dovetail import random
      >>> random.f(random.key(0), 3.0, 4.0, (3,)).shape
      (3,)
    """
    element = element_type("f", dtype)
    parameters = as_floats("f", element, dfnum, dfden)
    sizes = shape_with("f", shape, *(x.shape for x in parameters))
    above, below = (spread(x, sizes) for x in parameters)
    key_below, key_above = split_keys(key)
    return (_chisquare(key_above, above) / above) / (_chisquare(key_below, below) / below)


@sampler
@documented(parametrized("`df`"))
def t(
    key: KeyLike,
    df: ArrayLike,
    shape: Shape | None = None,
    dtype: Any = None,
    *,
    out_sharding: Any = None,
) -> Array:
    """Student's t numbers.

    Args:
      df: positive floats, the degrees of freedom.

    Example:
      >>> from dovetail import random
      >>> random.t(random.key(0), 3.0, (3,)).shape
      (3,)
    """
    element = element_type("t", dtype)
    (df,) = as_floats("t", element, df)
    sizes = shape_with("t", shape, df.shape)
    first, second = split_keys(key)
    half = lax.div(spread(df, sizes), np.array(2, element))
    return normal_of(first, sizes, element) * lax.sqrt(half / gamma_of(second, half))


@sampler
@documented(SAMPLER)
def generalized_normal(
    key: KeyLike,
    p: ArrayLike,
    shape: Shape = (),
    dtype: Any = None,
    *,
    out_sharding: Any = None,
) -> Array:
    """Numbers of density proportional to exp(-|x|^p).

    Args:
      p: a positive float.

    Example:
      >>> from dovetail import random
      >>> random.generalized_normal(random.key(0), 1.0, (3,)).shape
      (3,)
    """
    element = element_type("generalized_normal", dtype)
    return _generalized_normal(key, p, sizes_of("generalized_normal", shape), element)


def _generalized_normal(key: Any, p: Any, shape: tuple[int, ...], dtype: np.dtype) -> Array:
    first, second = split_keys(key)
    exponent = dnp.divide(1, p)
    alpha = spread(lax.convert_element_type(exponent, dtype), shape)
    return signs(second, shape, dtype) * gamma_of(first, alpha) ** exponent


@sampler
@documented(SAMPLER)
def ball(
    key: KeyLike,
    d: int,
    p: ArrayLike = 2,
    shape: Shape = (),
    dtype: Any = None,
    *,
    out_sharding: Any = None,
) -> Array:
    """Points of the unit ball of the p-norm, uniformly distributed (Barthe et al., 2005).

    Args:
      d: the dimension of the ball.
      p: a positive float.
      shape: the shape of the array of points.

    Returns:
      An array of `dtype`, [*shape, d].

    Example:
      >>> from dovetail import random
      >>> random.ball(random.key(0), 3, shape=(2,)).shape
      (2, 3)
    """
    element = element_type("ball", dtype)
    sizes = sizes_of("ball", shape)
    first, second = split_keys(key)
    power = as_operand("ball", p)
    g = _generalized_normal(first, power, (*sizes, operator.index(d)), element)
    e = exponential_of(second, sizes, element)
    return g / (((dnp.abs(g) ** power).sum(-1) + e) ** (1 / power))[..., None]
