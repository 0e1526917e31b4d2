"""Tangents and cotangents that a user passes, of arrays and of references."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from dovetail import ops
from dovetail.arrays.shaped_array import ShapedArray
from dovetail.base import dtypes
from dovetail.base.errors import MismatchError
from dovetail.base.locations import here
from dovetail.tracing.arguments import Selected, as_operand, name_of
from dovetail.tracing.functions import TracedFunction
from dovetail.tracing.references import Ref, check_references
from dovetail.tracing.trace import Operand
from dovetail.trees.differences import where_unlike
from dovetail.trees.float0 import set_float0_aside_as
from dovetail.trees.pytree import flatten

# Beginnings of messages about mismatched tangents, of `jvp` and of the functions that `linearize`
# returns.
_PROBLEMS = {
    "jvp": "jvp called with different primal and tangent shapes or dtypes: ",
    "linearize": "linearized function called on tangent values inconsistent with the original "
    "primal values: ",
}


def tangent_operands(
    selected: Selected, tangents: Any, transform: str
) -> tuple[list[Operand], dict[int, Ref]]:
    """A tangent for each selected leaf that has one.

    Args:
      selected: the primals.
      tangents: the tangents' tree.
      transform: the transform that takes them, `jvp` or `linearize`.

    Returns:
      The tangents, and the references that hold those of references, by positions among the leaves.

    Raises:
      MismatchError: structure, shape or dtype differ from those of the primals.
      TypeError: the tangent of a reference is none, or that of something else is one.
      ValueError: it occurs twice, or is itself a primal.
    """
    values, spec = set_float0_aside_as(selected.spec, *flatten(tangents))
    if spec != selected.spec:
        unlike = where_unlike(selected.spec, spec, "arguments", ("the primals", "the tangents"))
        raise MismatchError(
            f"primal and tangent arguments to {transform} must have the same tree structure, got: "
            f"{unlike} {here()}"
        )
    problem = _PROBLEMS[transform]
    operands, refs = [], {}
    for i, (value, leaf) in enumerate(zip(values, selected.leaves, strict=True)):
        if dtypes.is_inexact(leaf.dtype):
            what = f"the tangent of {selected.names.at(i)}"
            if type(leaf) is Ref:
                refs[i] = value = _tangent_ref(value, leaf, what)
            held = value._read() if type(leaf) is Ref else value
            operands.append(as_direction(held, held_type(leaf), what, problem))
        elif getattr(value, "dtype", None) != dtypes.float0:
            raise MismatchError(
                f"{problem}the tangent of {selected.names.at(i)}, which is {leaf.aval}, must have "
                f"dtype float0, got: {value!r} {here()}; pass numpy.zeros(shape, "
                "dovetail.dtypes.float0)"
            )
    names = [*selected.names, *(f"the tangent of {selected.names[i]}" for i in refs)]
    check_references(
        transform, name_of(selected.names.function), [*selected.leaves, *refs.values()], names, ()
    )
    return operands, refs


def _tangent_ref(value: Any, leaf: Ref, what: str) -> Ref:
    if type(value) is not Ref:
        raise TypeError(
            f"{what}, which is a reference, must be a reference, too, got: {value!r} {here()}; use "
            "new_ref"
        )
    if value.dtype != leaf.dtype:
        raise MismatchError(
            f"{what} must be a reference to elements of type {leaf.dtype.name}, got: {value.aval} "
            f"{here()}"
        )
    return value


def as_direction(value: Any, aval: ShapedArray, what: str, problem: str) -> Operand:
    """A tangent or cotangent for a value of that type; Python numbers that it can hold take its
    dtype.

    Args:
      value: the tangent or cotangent.
      aval: the type.
      what: its name in messages.
      problem: the beginning of messages.

    Raises:
      MismatchError: shape or dtype differ.
    """
    operand = as_operand(value, what)
    is_lossy = dtypes.kind(operand.dtype) == "c" and dtypes.kind(aval.dtype) != "c"
    is_number = operand.weak_type and operand.dtype != aval.dtype and not is_lossy
    if is_number and operand.shape == aval.shape:
        operand = ops.convert(operand, aval.dtype)
    if operand.shape != aval.shape or operand.dtype != aval.dtype:
        raise MismatchError(
            f"{problem}{what} must be {aval}, got: {operand.aval} {here()}; use reshape, or "
            f"astype({aval.dtype.name!r})"
        )
    return operand


def lost_tangents(traced: TracedFunction, count: int) -> dict[int, Ref]:
    """The results of a function that references from outside hold at its end, with these: their
    tangents would be lost, if they have any.

    Args:
      traced: the function.
      count: the number of its arguments, which references closed over follow.
    """
    first = len(traced.avals) - len(traced.echoed) - len(traced.written)
    return {
        first + i: traced.captured[position - count]
        for i, position in enumerate(traced.written)
        if position >= count and dtypes.is_inexact(traced.avals[first + i].dtype)
    }


def refuse_lost(transform: str, name: str, lost: Mapping[int, Ref], active: Sequence[bool]) -> None:
    """Raise an error if a tangent is lost.

    Args:
      transform, name: what is applied, to which function.
      lost: those that would be.
      active: for each result of the function, whether it has one.

    Raises:
      ValueError: a result has one.
    """
    for result, ref in lost.items():
        if active[result]:
            raise ValueError(
                f"{transform}: `{name}` must not write a value that has a tangent to a reference "
                f"from outside of it, which has none, got: {ref.description()} {here()}. Move the "
                "array reference to be an argument, with another reference as its tangent, or "
                "write lax.stop_gradient(value)"
            )


def held_type(leaf: Operand) -> ShapedArray:
    """The type of a leaf, or of what a reference holds."""
    return leaf.aval.inner_aval if type(leaf) is Ref else leaf.aval
