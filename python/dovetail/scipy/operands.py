"""Argument conversion and shared formulas for this package's functions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from dovetail import ops
from dovetail.arrays.array import Array
from dovetail.base import dtypes
from dovetail.base.errors import type_error
from dovetail.numpy.promotion import filled, promote_and_broadcast
from dovetail.transforms.custom_derivatives import SymbolicZero, custom_jvp, zero_from_primal
from dovetail.trees.pytree import map_leaves

# A numerator and a denominator, from the constant term on.
Rational = tuple[Sequence[float], Sequence[float]]


def inexacts(name: str, *xs: Any) -> list[Array]:
    """Operands of one inexact type and one shape."""
    return promote_and_broadcast(name, *xs, to=dtypes.to_inexact_dtype)


def reals(name: str, *xs: Any) -> list[Array]:
    """Like `inexacts`, but complex operands are rejected."""
    arrays = inexacts(name, *xs)
    if dtypes.KINDS[arrays[0].dtype] == "c":
        raise type_error(
            f"{name}: the element type must be real, got: {arrays[0].dtype.name}; take x.real first"
        )
    return arrays


def pointwise(name: str, function: Callable[..., Any], *xs: Any) -> Any:
    """A function of floats, called with promoted and broadcast floats no narrower than float32."""
    arrays = reals(name, *xs)
    dtype, weak = arrays[0].dtype, arrays[0].weak_type
    if dtype.itemsize >= 4:
        return function(*arrays)
    result = function(*(ops.convert(x, dtypes.float32) for x in arrays))
    if isinstance(result, tuple):
        return tuple(ops.convert(part, dtype, weak) for part in result)
    return ops.convert(result, dtype, weak)


def polynomial(coefficients: Sequence[float], x: Array) -> Array:
    """A polynomial with the constant term first, by Horner's rule."""
    result = filled(x, coefficients[-1])
    for c in reversed(coefficients[:-1]):
        result = result * x + c
    return result


def rational(table: Rational, x: Array) -> Array:
    """A quotient of polynomials."""
    top = polynomial(table[0], x)
    return top / polynomial(table[1], x) if len(table[1]) > 1 else top


def at_least(x: Array, bound: float) -> Array:
    """The larger of `x` and a number."""
    return ops.max(x, filled(x, bound))


def at_most(x: Array, bound: float) -> Array:
    """The smaller of `x` and a number."""
    return ops.min(x, filled(x, bound))


def is_whole(x: Array) -> Array:
    """True for each float that is an integer."""
    return ops.floor(x) == x


def sin_pi(x: Array) -> Array:
    """sin(pi x), exact at integers."""
    nearest = ops.round_even(x)
    value = ops.sin((x - nearest) * 3.141592653589793)
    return ops.select(is_whole(nearest / 2), value, -value)


def with_derivatives(*partial: Callable[..., Any]) -> Callable[[Callable[..., Any]], Any]:
    """A decorator that gives a function of floats its partial derivatives.

    Args:
      partial: for each operand, a function of the result and all operands, which returns the
        derivative of the result, or of each of its parts. Derivatives by constants are not
        computed.
    """

    def decorated(function: Callable[..., Any]) -> Any:
        result = custom_jvp(function)

        def rule(primals: Any, tangents: Any) -> Any:
            value = result(*primals)
            terms = [
                _scaled(derivative(value, *primals), t)
                for derivative, t in zip(partial, tangents, strict=True)
                if not isinstance(t, SymbolicZero)
            ]
            if not terms:
                return value, map_leaves(zero_from_primal, value)
            if isinstance(value, tuple):
                return value, tuple(sum(parts) for parts in zip(*terms, strict=True))
            return value, sum(terms)

        result.defjvp(rule, symbolic_zeros=True)
        return result

    return decorated


def _scaled(derivative: Any, tangent: Array) -> Any:
    if isinstance(derivative, tuple):
        return tuple(part * tangent for part in derivative)
    return derivative * tangent
