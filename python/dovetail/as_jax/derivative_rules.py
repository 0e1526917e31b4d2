"""Derivative rules of primitives, made of simpler functions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce
from typing import Any

from dovetail.arrays.array import ShapedArray
from dovetail.transforms.custom_derivatives.symbolic import Zero as Zero
from dovetail.transforms.custom_derivatives.symbolic import instantiated, zero_from_primal
from dovetail.transforms.primitives import Primitive, UndefinedPrimal, jvps, transposes

Rule = Callable[..., Any]


def instantiate_zeros(tangent: Any) -> Any:
    """A tangent as an array, if it is a symbolic zero."""
    return tangent.instantiate() if type(tangent) is Zero else tangent


def zeros_like_aval(aval: ShapedArray) -> Any:
    """Zeros of a type."""
    return instantiated(aval)


def is_undefined_primal(x: Any) -> bool:
    """Whether a transpose rule computes the cotangent of `x`."""
    return type(x) is UndefinedPrimal


def add_tangents(x: Any, y: Any) -> Any:
    """The sum of two tangents, each of which may be a symbolic zero."""
    if type(x) is Zero:
        return y
    return x if type(y) is Zero else x + y


def defjvp(primitive: Primitive, *jvprules: Rule | None) -> None:
    """Register derivatives with respect to each argument.

    Args:
      primitive: a primitive with one result.
      jvprules: each takes the argument's tangent and all arguments; None for no derivative.

    Example:
      >>> import jax.numpy as jnp
      >>> from jax.extend.core import Primitive
      >>> from jax.interpreters import ad
      >>> square_p = Primitive("square")
      >>> ad.defjvp(square_p, lambda t, x: 2 * x * t)
    """
    defjvp2(
        primitive,
        *(
            rule and (lambda t, _, *args, _rule=rule, **kw: _rule(t, *args, **kw))
            for rule in jvprules
        ),
    )


def defjvp2(primitive: Primitive, *jvprules: Rule | None) -> None:
    """Register derivatives with respect to each argument, which may use the result.

    Args:
      primitive: a primitive with one result.
      jvprules: each takes the argument's tangent, the result and all arguments.
    """

    def jvp(primals: Sequence[Any], tangents: Sequence[Any], **params: Any) -> tuple[Any, Any]:
        out = primitive.bind(*primals, **params)
        terms = [
            rule(tangent, out, *primals, **params)
            for rule, tangent in zip(jvprules, tangents, strict=False)
            if rule is not None and type(tangent) is not Zero
        ]
        return out, reduce(add_tangents, terms, zero_from_primal(out))

    jvps[primitive] = jvp


def defjvp_zero(primitive: Primitive) -> None:
    """Register that a primitive with one result has derivative zero."""
    defjvp2(primitive)


def _of_linear(primitive: Primitive) -> Rule:
    """The derivative of a primitive that is linear in all arguments together."""

    def jvp(primals: Sequence[Any], tangents: Sequence[Any], **params: Any) -> tuple[Any, Any]:
        out = primitive.bind(*primals, **params)
        if all(type(tangent) is Zero for tangent in tangents):
            zeros = [zero_from_primal(x) for x in (out if primitive.multiple_results else [out])]
            return out, zeros if primitive.multiple_results else zeros[0]
        return out, primitive.bind(*map(instantiate_zeros, tangents), **params)

    return jvp


def deflinear(primitive: Primitive, transpose_rule: Rule) -> None:
    """Register that a primitive is linear in all arguments together.

    Args:
      primitive: the primitive.
      transpose_rule: takes the cotangent of the result; returns those of the arguments.
    """
    deflinear2(primitive, lambda cotangent, *_, **params: transpose_rule(cotangent, **params))


def deflinear2(primitive: Primitive, transpose_rule: Rule) -> None:
    """Register that a primitive is linear in all arguments together.

    Args:
      primitive: the primitive.
      transpose_rule: takes the cotangent of the result and the arguments, `UndefinedPrimal`s;
        returns their cotangents.
    """
    jvps[primitive] = _of_linear(primitive)

    def transpose(cotangent: Any, *args: Any, **params: Any) -> Any:
        if type(cotangent) is Zero:
            return [None] * len(args)
        return transpose_rule(cotangent, *args, **params)

    transposes[primitive] = transpose


def defbilinear(prim: Primitive, lhs_rule: Rule, rhs_rule: Rule) -> None:
    """Register that a primitive of two arguments is linear in each.

    Args:
      prim: the primitive.
      lhs_rule, rhs_rule: take the cotangent of the result and the arguments, one of which is an
        `UndefinedPrimal`; return its cotangent.
    """
    defjvp(
        prim,
        lambda t, x, y, **params: prim.bind(t, y, **params),
        lambda t, x, y, **params: prim.bind(x, t, **params),
    )

    def transpose(cotangent: Any, x: Any, y: Any, **params: Any) -> tuple[Any, Any]:
        if type(cotangent) is Zero:
            return None, None
        if is_undefined_primal(x):
            return lhs_rule(cotangent, x, y, **params), None
        return None, rhs_rule(cotangent, x, y, **params)

    transposes[prim] = transpose
