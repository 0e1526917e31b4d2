"""The ops of the dialect as functions: operands already of one shape and element type, nothing
promoted or broadcast.

`dovetail.lax` is the layer that validates, `dovetail.numpy` the one that promotes and broadcasts.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from dovetail.tracer import bind, bind_all

# An Array or a Tracer.
Operand = Any
Dims = tuple[int, ...]

# Elementary functions -----------------------------------------------------------------------------


def exp(x: Operand) -> Operand:
    return bind("exp", x)


def exp2(x: Operand) -> Operand:
    return bind("exp2", x)


def expm1(x: Operand) -> Operand:
    return bind("expm1", x)


def log(x: Operand) -> Operand:
    return bind("log", x)


def log1p(x: Operand) -> Operand:
    return bind("log1p", x)


def sqrt(x: Operand) -> Operand:
    return bind("sqrt", x)


def rsqrt(x: Operand) -> Operand:
    return bind("rsqrt", x)


def cbrt(x: Operand) -> Operand:
    return bind("cbrt", x)


def sin(x: Operand) -> Operand:
    return bind("sin", x)


def cos(x: Operand) -> Operand:
    return bind("cos", x)


def tan(x: Operand) -> Operand:
    return bind("tan", x)


def asin(x: Operand) -> Operand:
    return bind("asin", x)


def acos(x: Operand) -> Operand:
    return bind("acos", x)


def atan(x: Operand) -> Operand:
    return bind("atan", x)


def sinh(x: Operand) -> Operand:
    return bind("sinh", x)


def cosh(x: Operand) -> Operand:
    return bind("cosh", x)


def tanh(x: Operand) -> Operand:
    return bind("tanh", x)


def asinh(x: Operand) -> Operand:
    return bind("asinh", x)


def acosh(x: Operand) -> Operand:
    return bind("acosh", x)


def atanh(x: Operand) -> Operand:
    return bind("atanh", x)


def logistic(x: Operand) -> Operand:
    return bind("logistic", x)


def erf(x: Operand) -> Operand:
    return bind("erf", x)


def erfc(x: Operand) -> Operand:
    return bind("erfc", x)


def pow(x: Operand, y: Operand) -> Operand:
    return bind("pow", x, y)


def atan2(x: Operand, y: Operand) -> Operand:
    return bind("atan2", x, y)


def integer_pow(x: Operand, exponent: int) -> Operand:
    return bind("integer_pow", x, exponent=exponent)


# Special functions --------------------------------------------------------------------------------


def lgamma(x: Operand) -> Operand:
    return bind("lgamma", x)


def digamma(x: Operand) -> Operand:
    return bind("digamma", x)


def erf_inv(x: Operand) -> Operand:
    return bind("erf_inv", x)


def bessel_i0e(x: Operand) -> Operand:
    return bind("bessel_i0e", x)


def bessel_i1e(x: Operand) -> Operand:
    return bind("bessel_i1e", x)


def polygamma(n: Operand, x: Operand) -> Operand:
    return bind("polygamma", n, x)


def zeta(s: Operand, q: Operand) -> Operand:
    return bind("zeta", s, q)


def igamma(a: Operand, x: Operand) -> Operand:
    return bind("igamma", a, x)


def igammac(a: Operand, x: Operand) -> Operand:
    return bind("igammac", a, x)


def random_gamma_grad(a: Operand, x: Operand) -> Operand:
    return bind("random_gamma_grad", a, x)


def betainc(a: Operand, b: Operand, x: Operand) -> Operand:
    return bind("betainc", a, b, x)


# Arithmetic ---------------------------------------------------------------------------------------


def abs(x: Operand) -> Operand:
    return bind("abs", x)


def sign(x: Operand) -> Operand:
    return bind("sign", x)


def neg(x: Operand) -> Operand:
    return bind("neg", x)


def add(x: Operand, y: Operand) -> Operand:
    return bind("add", x, y)


def sub(x: Operand, y: Operand) -> Operand:
    return bind("sub", x, y)


def mul(x: Operand, y: Operand) -> Operand:
    return bind("mul", x, y)


def div(x: Operand, y: Operand) -> Operand:
    return bind("div", x, y)


def rem(x: Operand, y: Operand) -> Operand:
    return bind("rem", x, y)


def max(x: Operand, y: Operand) -> Operand:
    return bind("max", x, y)


def min(x: Operand, y: Operand) -> Operand:
    return bind("min", x, y)


def nextafter(x: Operand, y: Operand) -> Operand:
    return bind("nextafter", x, y)


def floor(x: Operand) -> Operand:
    return bind("floor", x)


def ceil(x: Operand) -> Operand:
    return bind("ceil", x)


def round_even(x: Operand) -> Operand:
    return bind("round_even", x)


def round_away(x: Operand) -> Operand:
    return bind("round_away", x)


# Complex parts ------------------------------------------------------------------------------------


def real(x: Operand) -> Operand:
    return bind("real", x)


def imag(x: Operand) -> Operand:
    return bind("imag", x)


def conj(x: Operand) -> Operand:
    return bind("conj", x)


def complex(x: Operand, y: Operand) -> Operand:
    return bind("complex", x, y)


# Bits and predicates ------------------------------------------------------------------------------


def not_(x: Operand) -> Operand:
    return bind("not", x)


def and_(x: Operand, y: Operand) -> Operand:
    return bind("and", x, y)


def or_(x: Operand, y: Operand) -> Operand:
    return bind("or", x, y)


def xor(x: Operand, y: Operand) -> Operand:
    return bind("xor", x, y)


def shift_left(x: Operand, y: Operand) -> Operand:
    return bind("shift_left", x, y)


def shift_right_arithmetic(x: Operand, y: Operand) -> Operand:
    return bind("shift_right_arithmetic", x, y)


def shift_right_logical(x: Operand, y: Operand) -> Operand:
    return bind("shift_right_logical", x, y)


def population_count(x: Operand) -> Operand:
    return bind("population_count", x)


def count_leading_zeros(x: Operand) -> Operand:
    return bind("count_leading_zeros", x)


def is_finite(x: Operand) -> Operand:
    return bind("is_finite", x, weak_type=False)


def compare(x: Operand, y: Operand, direction: str) -> Operand:
    return bind("compare", x, y, weak_type=False, direction=direction)


def select(p: Operand, x: Operand, y: Operand) -> Operand:
    return bind("select", p, x, y, weak_type=x.weak_type and y.weak_type)


def clamp(lo: Operand, x: Operand, hi: Operand) -> Operand:
    return bind("clamp", lo, x, hi)


# Conversions --------------------------------------------------------------------------------------


def convert(x: Operand, dtype: np.dtype, weak_type: bool = False) -> Operand:
    return bind("convert", x, dtype=dtype, weak_type=weak_type)


def bitcast(x: Operand, dtype: np.dtype) -> Operand:
    return bind("bitcast", x, dtype=dtype, weak_type=False)


def stop_gradient(x: Operand) -> Operand:
    return bind("stop_gradient", x)


# Creation and shape -------------------------------------------------------------------------------


def iota(dtype: np.dtype, shape: Dims, dimension: int) -> Operand:
    return bind("iota", shape=shape, dtype=dtype, weak_type=False, dimension=dimension)


def reshape(x: Operand, shape: Dims) -> Operand:
    return bind("reshape", x, shape=shape)


def broadcast(x: Operand, shape: Dims, dims: Dims) -> Operand:
    return bind("broadcast", x, shape=shape, dims=dims)


def slice(x: Operand, starts: Dims, strides: Dims, shape: Dims) -> Operand:
    return bind("slice", x, shape=shape, starts=starts, strides=strides)


def pad(x: Operand, value: Operand, low: Dims, interior: Dims, shape: Dims) -> Operand:
    return bind("pad", x, value, shape=shape, weak_type=x.weak_type, low=low, interior=interior)


def transpose(x: Operand, permutation: Dims) -> Operand:
    return bind("transpose", x, permutation=permutation)


def reverse(x: Operand, dims: Dims) -> Operand:
    return bind("reverse", x, dims=dims)


def concatenate(xs: Sequence[Operand], dimension: int) -> Operand:
    return bind("concatenate", *xs, dimension=dimension)


# Reductions and contractions ----------------------------------------------------------------------


def reduce_sum(x: Operand, dims: Dims) -> Operand:
    return bind("reduce_sum", x, dims=dims)


def reduce_prod(x: Operand, dims: Dims) -> Operand:
    return bind("reduce_prod", x, dims=dims)


def reduce_max(x: Operand, dims: Dims) -> Operand:
    return bind("reduce_max", x, dims=dims)


def reduce_min(x: Operand, dims: Dims) -> Operand:
    return bind("reduce_min", x, dims=dims)


def reduce_and(x: Operand, dims: Dims) -> Operand:
    return bind("reduce_and", x, dims=dims)


def reduce_or(x: Operand, dims: Dims) -> Operand:
    return bind("reduce_or", x, dims=dims)


def reduce_xor(x: Operand, dims: Dims) -> Operand:
    return bind("reduce_xor", x, dims=dims)


def cumsum(x: Operand, dimension: int, reverse: bool = False) -> Operand:
    return bind("cumsum", x, dimension=dimension, reverse=reverse)


def cumprod(x: Operand, dimension: int, reverse: bool = False) -> Operand:
    return bind("cumprod", x, dimension=dimension, reverse=reverse)


def cummax(x: Operand, dimension: int, reverse: bool = False) -> Operand:
    return bind("cummax", x, dimension=dimension, reverse=reverse)


def cummin(x: Operand, dimension: int, reverse: bool = False) -> Operand:
    return bind("cummin", x, dimension=dimension, reverse=reverse)


def cumlogsumexp(x: Operand, dimension: int, reverse: bool = False) -> Operand:
    return bind("cumlogsumexp", x, dimension=dimension, reverse=reverse)


def linear_recurrence(
    factor: Operand, x: Operand, dimension: int, reverse: bool = False
) -> Operand:
    return bind("linear_recurrence", factor, x, dimension=dimension, reverse=reverse)


def sort(xs: Sequence[Operand], dimension: int, num_keys: int) -> list[Operand]:
    return bind_all("sort", *xs, dimension=dimension, num_keys=num_keys)


def argmax(x: Operand, dimension: int, dtype: np.dtype) -> Operand:
    return bind("argmax", x, dtype=dtype, weak_type=False, dimension=dimension)


def argmin(x: Operand, dimension: int, dtype: np.dtype) -> Operand:
    return bind("argmin", x, dtype=dtype, weak_type=False, dimension=dimension)


# Windows at places known at run time --------------------------------------------------------------


def gather(x: Operand, indices: Operand, dims: Dims, window: Dims) -> Operand:
    return bind("gather", x, indices, weak_type=x.weak_type, dims=dims, window=window)


def scatter(
    x: Operand, indices: Operand, updates: Operand, dims: Dims, window: Dims, unique: bool = False
) -> Operand:
    return _scatter("scatter", x, indices, updates, dims, window, unique)


def scatter_add(
    x: Operand, indices: Operand, updates: Operand, dims: Dims, window: Dims, unique: bool = False
) -> Operand:
    return _scatter("scatter_add", x, indices, updates, dims, window, unique)


def scatter_mul(
    x: Operand, indices: Operand, updates: Operand, dims: Dims, window: Dims, unique: bool = False
) -> Operand:
    return _scatter("scatter_mul", x, indices, updates, dims, window, unique)


def scatter_min(
    x: Operand, indices: Operand, updates: Operand, dims: Dims, window: Dims, unique: bool = False
) -> Operand:
    return _scatter("scatter_min", x, indices, updates, dims, window, unique)


def scatter_max(
    x: Operand, indices: Operand, updates: Operand, dims: Dims, window: Dims, unique: bool = False
) -> Operand:
    return _scatter("scatter_max", x, indices, updates, dims, window, unique)


def _scatter(
    name: str,
    x: Operand,
    indices: Operand,
    updates: Operand,
    dims: Dims,
    window: Dims,
    unique: bool,
) -> Operand:
    attributes: dict[str, Any] = {"dims": dims, "window": window}
    if unique:
        attributes["unique"] = True
    return bind(name, x, indices, updates, weak_type=x.weak_type, **attributes)


def dot_general(
    lhs: Operand,
    rhs: Operand,
    lhs_batch: Dims,
    rhs_batch: Dims,
    lhs_contract: Dims,
    rhs_contract: Dims,
    element: np.dtype | None = None,
) -> Operand:
    stated: dict[str, Any] = {} if element is None else {"element": element}
    return bind(
        "dot_general",
        lhs,
        rhs,
        lhs_batch=lhs_batch,
        rhs_batch=rhs_batch,
        lhs_contract=lhs_contract,
        rhs_contract=rhs_contract,
        **stated,
    )
