"""Loops with a condition, and loops that count."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from dovetail.arrays.array import Array
from dovetail.base import config, dtypes
from dovetail.base.errors import ConcretizationTypeError, type_error, value_error
from dovetail.lax import basics as lax
from dovetail.lax.control.bodies import check_callable, joined, known, one_module
from dovetail.lax.control.carry import Carry
from dovetail.lax.control.scan import Loop, stated_steps
from dovetail.ops.operands import ArrayLike
from dovetail.tracing.arguments import LeafNames, as_operand, name_of, results_of
from dovetail.tracing.functions import TracedFunction, apply, trace
from dovetail.tracing.trace import Operand, Tracer
from dovetail.trees.pytree import flatten, map_leaves
from dovetail.trees.treedef import public


def while_loop(
    cond_fun: Callable[[Any], Any],
    body_fun: Callable[[Any], Any],
    init_val: Any,
    *,
    max_steps: int | None = None,
) -> Any:
    """Apply a function repeatedly while a condition holds.

    Args:
      cond_fun: takes the carry, returns a bool array of rank 0.
      body_fun: takes the carry, returns the next one, of the same structure, shapes and element
        types.
      init_val: the first carry, a tree of arrays.
      max_steps: the loop ends after this many iterations in any case; the residuals of a
        reverse-mode derivative then have a fixed size.

    Returns:
      The first carry for which the condition does not hold.

    Raises:
      TypeError: the condition is not a bool of rank 0, or the body returns a carry of other types;
        the message compares it with the one taken, leaf by leaf.
      ValueError: `max_steps` is negative.

    Example:
      >>> lax.while_loop(lambda x: x < 100, lambda x: 2 * x, 3)
      Array(192, dtype=int32, weak_type=True)
    """
    check_callable("lax.while_loop: cond_fun", cond_fun)
    check_callable("lax.while_loop: body_fun", body_fun)
    if max_steps is not None:
        return _bounded(cond_fun, body_fun, init_val, _bound(max_steps))
    return _while_loop(cond_fun, body_fun, init_val, {})


def _bounded(cond_fun: Any, body_fun: Any, init_val: Any, most: int) -> Any:
    """The loop with an iteration count in its carry."""

    def cond(carry: tuple[Any, Any]) -> Any:
        return lax.bitwise_and(carry[0] < most, cond_fun(carry[1]))

    def body(carry: tuple[Any, Any]) -> Any:
        return carry[0] + 1, body_fun(carry[1])

    for replacement, original in ((cond, cond_fun), (body, body_fun)):
        replacement.__name__ = name_of(original)
    start = np.int32(0), init_val
    return _while_loop(cond, body, start, {"max_steps": most})[1]


def _while_loop(cond_fun: Any, body_fun: Any, init_val: Any, attributes: dict[str, Any]) -> Any:
    if config.snapshot().disable_jit:
        try:
            return _in_python(cond_fun, body_fun, init_val)
        except ConcretizationTypeError:
            # The condition depends on an unknown value: emit a loop op.
            pass
    carry = Carry("while_loop", body_fun, (init_val,), 0, init_val)

    def step(*tracers: Tracer) -> tuple[list[Operand], None]:
        return carry.returned(body_fun(carry.tree(tracers))), None

    with one_module():
        body = carry.traced(step)
        cond = _condition(cond_fun, carry)
    return carry.tree(_loop("while_loop", cond, body, carry.leaves, attributes))


def _loop(
    what: str,
    cond: TracedFunction,
    body: TracedFunction,
    carries: list[Operand],
    attributes: dict[str, Any],
) -> list[Operand]:
    captured = joined((cond, body), len(carries))
    outs = apply(
        "while",
        (cond, body),
        [*carries, *captured],
        body.avals,
        operandSegmentSizes=(len(carries), len(captured)),
        **attributes,
    )
    if cond.uses is not None and body.uses is not None:
        cond.uses.followed_by(body.uses).repeated(what, len(carries)).apply(carries, outs)
    return outs


def _bound(max_steps: Any) -> int:
    try:
        bound = operator.index(max_steps)
    except TypeError:
        raise type_error(f"while_loop: max_steps must be an int, got: {max_steps!r}") from None
    if bound < 0:
        raise value_error(f"while_loop: max_steps must not be negative, got: {bound}")
    return bound


def _condition(cond_fun: Callable[[Any], Any], carry: Carry) -> TracedFunction:
    """The condition of a loop with that carry."""
    name = name_of(cond_fun)

    def python(*tracers: Tracer) -> tuple[list[Operand], None]:
        leaves, spec = flatten(cond_fun(carry.tree(tracers)))
        if not spec.is_leaf():
            raise type_error(
                "while_loop: cond_fun must return a boolean scalar, but got pytree "
                f"{public(spec)}. It is `{name}`, which must return one array"
            )
        (out,) = results_of(cond_fun, leaves)
        if out.shape or out.dtype != np.bool_:
            raise type_error(
                "while_loop: cond_fun must return a boolean scalar, but got output type(s) "
                f"[ShapedArray({out.aval})]. It is `{name}`: compare, or reduce with "
                "dovetail.numpy.any or all"
            )
        return [out], None

    names = LeafNames(cond_fun, (carry.tree(carry.leaves),))
    avals = [leaf.aval for leaf in carry.leaves]
    # No derivative of a condition is taken.
    return trace(python, avals, names, "while_loop", name, order=0, refs="taken")


def _in_python(cond_fun: Any, body_fun: Any, init: Any) -> Any:
    """The loop in Python, for debugging."""
    carry = map_leaves(lambda leaf: as_operand(leaf, "the carry"), init)
    while cond_fun(carry):
        carry = map_leaves(lambda leaf: as_operand(leaf, "the carry"), body_fun(carry))
    return carry


def fori_loop(
    lower: ArrayLike,
    upper: ArrayLike,
    body_fun: Callable[[Any, Any], Any],
    init_val: Any,
    *,
    unroll: int | bool | None = None,
) -> Any:
    """Apply a function for each integer from `lower` up to, and excluding, `upper`.

    Args:
      lower, upper: integers of rank 0 and of one type. If their values are known, the loop has a
        fixed number of iterations.
      body_fun: takes (integer, carry), returns the next carry, of the same structure, shapes and
        element types.
      init_val: the first carry, a tree of arrays.
      unroll: the number of steps per iteration of the compiled loop, if their number is fixed; True
        or 0 for all of them.

    Returns:
      The last carry; `init_val` if `upper` is not above `lower`.

    Raises:
      TypeError: the types of the bounds differ, or the body returns a carry of other types; the
        message compares it with the one taken, leaf by leaf.
      ValueError: `unroll` is given and the number of steps is not fixed, or it is negative.

    Example:
      >>> lax.fori_loop(1, 5, lambda i, product: i * product, 1)
      Array(24, dtype=int32, weak_type=True)
    """
    check_callable("lax.fori_loop: body_fun", body_fun)
    bounds = as_operand(lower, "lower"), as_operand(upper, "upper")
    dtype = _counter_type(*bounds)
    carry = Carry("fori_loop", body_fun, (0, init_val), 1, init_val)

    def step(i: Tracer, *tracers: Tracer) -> tuple[list[Operand], None]:
        return [i + 1, *carry.returned(body_fun(i, carry.tree(tracers)))], None

    first, last = map(known, bounds)
    if first is not None and last is not None:
        start, length = int(first), max(int(last) - int(first), 0)
        stated = stated_steps(unroll or False, length)
        if config.snapshot().disable_jit:
            for i in range(start, start + length):
                init_val = body_fun(i, init_val)
            return init_val
        counter = as_operand(start, "lower")
        traced = carry.traced(step, [counter.aval], [counter])
        loop = Loop("fori_loop", traced, 1 + len(carry.leaves), length, reverse=False)
        return carry.tree(loop.run([counter, *carry.leaves], [], stated)[1:])
    if unroll is not None and unroll is not False and unroll != 1:
        raise value_error(
            "Can only use `unroll` in `fori_loop` if the loop bounds are statically known, got: "
            f"unroll={unroll!r}; leave it out"
        )
    start, stop = (lax.convert_element_type(x, dtype) if x.dtype != dtype else x for x in bounds)
    with one_module():
        body = carry.traced(step, [start.aval], [start])
        below = trace(
            lambda i, *tracers: ([lax.lt(i, stop)], None),
            [start.aval, *(leaf.aval for leaf in carry.leaves)],
            carry.names,
            "fori_loop",
            "below",
            refs="taken",
        )
    return carry.tree(_loop("fori_loop", below, body, [start, *carry.leaves], {})[1:])


def for_grid(length: int, body_fun: Callable[[Any], None], has_ends: bool = True) -> None:
    """Apply a function that reads and writes references for each integer below `length`.

    Calls that do not depend on each other are computed at once. If the first and last calls begin
    and end something (`has_ends`), they may be taken out of the loop for this.
    """
    counter = as_operand(np.int32(0), "counter")
    carry = Carry("fori_loop", body_fun, (0, None), 1, None)

    def step(i: Tracer) -> tuple[list[Operand], None]:
        body_fun(i)
        return [i + 1], None

    traced = carry.traced(step, [counter.aval])
    Loop("fori_loop", traced, 1, length, reverse=False, grid=has_ends).run([counter], [])


def _counter_type(lower: Array, upper: Array) -> np.dtype:
    """The element type of the counter."""
    for what, bound in (("lower", lower), ("upper", upper)):
        if bound.shape:
            raise type_error(f"fori_loop: {what} must have rank 0, got: {bound.aval}")
    if lower.dtype == upper.dtype:
        return lower.dtype
    # Python ints take the type of the other bound.
    kinds = dtypes.kind(lower.dtype) + dtypes.kind(upper.dtype)
    if kinds == "ii" and lower.weak_type != upper.weak_type:
        return upper.dtype if lower.weak_type else lower.dtype
    raise type_error(
        "lower and upper arguments to fori_loop must have equal types, got: "
        f"{lower.dtype.name} and {upper.dtype.name}; convert one with x.astype(...)"
    )
