"""Ops that compute each element from the elements at the same place."""

from __future__ import annotations

from typing import Any

from dovetail.tracing.tracer import bind

# An Array or a Tracer.
Operand = Any

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


def hypot(x: Operand, y: Operand) -> Operand:
    return bind("hypot", x, y)


def logaddexp(x: Operand, y: Operand) -> Operand:
    return bind("logaddexp", x, y)


def logaddexp2(x: Operand, y: Operand) -> Operand:
    return bind("logaddexp2", x, y)


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


def floor_div(x: Operand, y: Operand) -> Operand:
    return bind("floor_div", x, y)


def floor_rem(x: Operand, y: Operand) -> Operand:
    return bind("floor_rem", x, y)


def max(x: Operand, y: Operand) -> Operand:
    return bind("max", x, y)


def min(x: Operand, y: Operand) -> Operand:
    return bind("min", x, y)


def nextafter(x: Operand, y: Operand) -> Operand:
    return bind("nextafter", x, y)


def copysign(x: Operand, y: Operand) -> Operand:
    return bind("copysign", x, y)


def heaviside(x: Operand, y: Operand) -> Operand:
    return bind("heaviside", x, y)


def exponent(x: Operand) -> Operand:
    return bind("exponent", x)


def ldexp(x: Operand, k: Operand) -> Operand:
    return bind("ldexp", x, k, weak_type=x.weak_type)


def floor(x: Operand) -> Operand:
    return bind("floor", x)


def ceil(x: Operand) -> Operand:
    return bind("ceil", x)


def trunc(x: Operand) -> Operand:
    return bind("trunc", x)


def fraction(x: Operand) -> Operand:
    return bind("fraction", x)


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


def reduce_precision(x: Operand, exponent_bits: int, mantissa_bits: int) -> Operand:
    return bind("reduce_precision", x, exponent_bits=exponent_bits, mantissa_bits=mantissa_bits)


def clamp(lo: Operand, x: Operand, hi: Operand) -> Operand:
    return bind("clamp", lo, x, hi)
