"""Rules that are closures, and closures whose variables become arguments."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from dovetail.arrays.array import ShapedArray
from dovetail.arrays.descriptions import ShapeDtypeStruct
from dovetail.base import dtypes
from dovetail.base.errors import type_error
from dovetail.base.trace_stack import derivative_order
from dovetail.tracing import evaluation
from dovetail.tracing.arguments import Function, LeafNames, as_operand, name_of, results_of, wraps
from dovetail.tracing.functions import TracedFunction, call, trace
from dovetail.tracing.trace import Operand, Tracer
from dovetail.tracing.tracer import AnyTracer
from dovetail.transforms.custom_derivatives.calls import pair_of
from dovetail.transforms.custom_derivatives.reverse import custom_vjp
from dovetail.transforms.custom_derivatives.symbolic import instantiated, tangent_type
from dovetail.trees.float0 import is_float0
from dovetail.trees.pytree import flatten, register_node, unflatten
from dovetail.trees.treedef import public


class _Pull:
    """A rule of `custom_gradient`: its function, and the values that it closes over."""

    def __init__(self, captured: list[Operand], traced: TracedFunction) -> None:
        self.captured, self.traced = captured, traced


register_node(_Pull, lambda pull: (pull.captured, pull.traced), lambda t, c: _Pull(list(c), t))


def custom_gradient(fun: Function) -> Function:
    """A function that returns its own reverse-mode rule at each call.

    Args:
      fun: returns (result, rule); the rule takes a cotangent of the result, may close over anything
        that `fun` computes, and returns the argument's cotangent, or a tuple of those of several.

    Returns:
      The function of the result.

    Raises:
      TypeError: `fun` does not return a pair.

    Example:
      >>> import dovetail as dt
      >>> @dt.custom_gradient
      ... def f(x):
      ...     return x**2, lambda g: g * x
      >>> float(dt.grad(f)(3.0))
      3.0
    """
    what = "the result and its rule"
    label = f"The function {name_of(fun)} of custom_gradient"

    @wraps(fun)
    def wrapped(*args: Any, **kwargs: Any) -> Any:
        return pair_of(fun(*args, **kwargs), label, what)[0]

    def fwd(*args: Any, **kwargs: Any) -> tuple[Any, _Pull]:
        result, rule = pair_of(fun(*args, **kwargs), label, what)
        traced = _traced_rule(rule, result)
        return result, _Pull(traced.captured, traced)

    def bwd(pull: _Pull, cotangent: Any) -> Any:
        traced = pull.traced
        spec, count, kept = traced.extra
        leaves = [leaf for leaf in flatten(cotangent)[0] if not is_float0(leaf)]
        given = [leaf for leaf in leaves if dtypes.is_inexact(leaf.dtype)]
        outs = call(
            evaluation.Callee(traced.function, traced.place), [*given, *pull.captured], traced.avals
        )
        leaves: list[Any] = [None] * count
        for i, out in zip(kept, outs, strict=True):
            leaves[i] = out
        result = unflatten(spec, leaves)
        return result if isinstance(result, tuple) else (result,)

    fwd.__name__ = bwd.__name__ = name_of(fun)
    made = custom_vjp(wrapped)
    made.defvjp(fwd, bwd)
    return made


def _traced_rule(rule: Function, result: Any) -> TracedFunction:
    """The rule as a function of the results' cotangents, with the structure of its result and which
    leaves are not None.
    """
    values, spec = flatten(result)
    avals = [as_operand(value, "result").aval for value in values]

    def python(*tracers: Tracer) -> tuple[list[Operand], Any]:
        given = iter(tracers)
        cotangents = [
            next(given) if dtypes.is_inexact(aval.dtype) else instantiated(tangent_type(aval))
            for aval in avals
        ]
        leaves, out_spec = flatten(rule(unflatten(spec, cotangents)), _is_none)
        kept = [i for i, leaf in enumerate(leaves) if leaf is not None]
        return [as_operand(leaves[i], "cotangent") for i in kept], (out_spec, len(leaves), kept)

    differentiable = [aval for aval in avals if dtypes.is_inexact(aval.dtype)]
    names = ["a cotangent"] * len(differentiable)
    return trace(python, differentiable, names, "custom_gradient", name_of(rule))


def _is_none(node: Any) -> bool:
    return node is None


def closure_convert(fun: Function, *example_args: Any) -> tuple[Callable[..., Any], list[Any]]:
    """Convert a closure to a function that takes the captured values as arguments.

    A rule can then define the derivative with respect to these values, which is not possible for
    values that a function closes over.

    Args:
      fun: the closure.
      example_args: arguments of the types that it will be called with, or `ShapeDtypeStruct`s.

    Returns:
      (function of the arguments and of the values, list of the values): tracers of floats and
      complex numbers; the function still closes over others.

    Raises:
      TypeError: the function is called with arguments of another structure or other types.

    Example:
      >>> import dovetail as dt
      >>> def f(a):
      ...     converted, values = dt.closure_convert(lambda x: a * x, 2.0)
      ...     return converted(2.0, *values)
      >>> float(dt.grad(f)(3.0))
      2.0
    """
    values, spec = flatten(example_args)
    names = LeafNames(fun, example_args)
    avals = [
        value.aval if isinstance(value, ShapeDtypeStruct) else as_operand(value, names.at(i)).aval
        for i, value in enumerate(values)
    ]

    def python(*tracers: Tracer) -> tuple[list[Operand], Any]:
        leaves, out_spec = flatten(fun(*unflatten(spec, tracers)))
        return results_of(fun, leaves, out_spec), out_spec

    name = name_of(fun)
    order = derivative_order() + 1
    traced = trace(python, avals, names, "closure_convert", name, order=order)
    captured = traced.captured
    is_hoisted = [isinstance(x, AnyTracer) and dtypes.is_inexact(x.dtype) for x in captured]
    hoisted = [x for x, chosen in zip(captured, is_hoisted, strict=True) if chosen]
    callee = evaluation.Callee(traced.function, traced.place)

    @wraps(fun)
    def converted(*args: Any) -> Any:
        count = len(args) - len(hoisted)
        given, own_spec = flatten(args[:count] if count >= 0 else args)
        if own_spec != spec:
            raise type_error(
                "The inputs to the closure produced by closure_convert must have the structure of "
                f"the example, {public(spec)}, with {len(hoisted)} values after them, got: "
                f"{public(own_spec)} for `{name}`"
            )
        leaves = [as_operand(value, names.at(i)) for i, value in enumerate(given)]
        _check_types(leaves, avals, names)
        rest = iter(args[count:])
        closed = [
            as_operand(next(rest), "a value closed over") if chosen else x
            for x, chosen in zip(captured, is_hoisted, strict=True)
        ]
        outs = call(callee, [*leaves, *closed], traced.avals)
        if traced.uses is not None:
            traced.uses.apply(leaves, outs)
        return unflatten(traced.extra, outs)

    return converted, hoisted


def _check_types(leaves: list[Operand], avals: list[ShapedArray], names: LeafNames) -> None:
    for i, (leaf, aval) in enumerate(zip(leaves, avals, strict=True)):
        if leaf.shape != aval.shape or leaf.dtype != aval.dtype:
            raise type_error(
                f"{names.at(i)} must be {aval}, as in the example that closure_convert was given, "
                f"got: {leaf.aval}"
            )
