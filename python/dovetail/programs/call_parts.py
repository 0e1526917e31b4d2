"""Parts of calls of jitted functions: leaves, their places, and results."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from dovetail import _core
from dovetail.arrays.array import ArrayMethods
from dovetail.arrays.descriptions import ShapeDtypeStruct
from dovetail.placement.shardings import Place, Sharding, incompatible
from dovetail.tracing.functions import TracedFunction
from dovetail.tracing.references import Ref, described_ref
from dovetail.tracing.trace import Operand, Tracer
from dovetail.trees.pytree import flatten


def pinned(out: Any) -> Any:
    """A result of a whole program, where the sharding in its type states."""
    if type(out) is not Tracer or out._trace.parent is not None:
        return out
    sharding = out.aval.explicit
    if sharding is None or not sharding.mesh.explicit_axes:
        return out
    return out._trace.reshard(out, sharding, bool(sharding.mesh.auto_axes))


def sharding_of(operand: Operand) -> Sharding | None:
    """The sharding that an operand is committed to, if any."""
    place = operand._place
    return None if place is None or not place.is_committed else place.sharding


def final_place(name: str, place: Place | None, traced: TracedFunction) -> Place | None:
    """Where a program runs: constraints in the function decide, then its arguments."""
    wanted = traced.place
    if wanted is None:
        return place
    if place is not None and place.is_committed and not place.has_devices_of(wanted):
        raise incompatible(
            f"arguments of {name} with {place.shown} and constraints within it with {wanted.shown}"
        )
    return wanted


def extracted(traced: TracedFunction) -> Any:
    """A separate module for a function that was traced within another trace."""
    function = traced.function
    attributes = {"callee": function}
    return _core.wrap("call", attributes, function.inputs, function.outputs)


@functools.cache
def flat_spec(count: int) -> Any:
    """The structure of that many arrays as positional arguments."""
    return flatten(((0,) * count, {}))[1]


def is_odd(value: Any) -> bool:
    """Whether converting the value may fail, so that a message needs its name."""
    return not isinstance(value, (ArrayMethods, float)) and type(value) is not np.ndarray


def described_leaf(leaf: Any) -> Any:
    """A description instead of any other object that has a shape and an element type, and a
    reference instead of a description of one.
    """
    if isinstance(leaf, ShapeDtypeStruct) and leaf.is_ref:
        return described_ref(leaf)
    if isinstance(leaf, (ArrayMethods, Ref, ShapeDtypeStruct, np.ndarray, np.generic)):
        return leaf
    if not (hasattr(leaf, "shape") and hasattr(leaf, "dtype")):
        return leaf
    return ShapeDtypeStruct(leaf.shape, leaf.dtype)
