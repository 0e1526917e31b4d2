"""Gradient transformations: the interface, and combinators."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import dovetail.numpy as dnp
from dovetail.arrays.array import Array
from dovetail.base import dtypes
from dovetail.base.errors import type_error, value_error
from dovetail.trees import functions

Tree = Any
# A number, or a function of the number of steps taken.
Schedule = Callable[[Any], Any]
ScalarOrSchedule = Any


class GradientTransformation(NamedTuple):
    """A pair of functions that turn gradients into updates of parameters.

    Attributes:
      init: takes the parameters, returns the state before the first step.
      update: takes gradients (or another transformation's updates), the state and, optionally, the
        parameters; returns updates of the same structure and the next state.

    Example:
      >>> from dovetail import optim
      >>> halving = optim.GradientTransformation(
      ...     lambda params: (), lambda updates, state, params=None: (updates / 2, state))
      >>> halving.update(dnp.float32(3), halving.init(0.0))
      (Array(1.5, dtype=float32), ())
    """

    init: Callable[[Tree], Any]
    update: Callable[..., tuple[Tree, Any]]


class EmptyState(NamedTuple):
    """The state of a transformation that has none.

    Example:
      >>> from dovetail import optim
      >>> optim.identity().init(0.0)
      EmptyState()
    """


class MaskedNode(NamedTuple):
    """The placeholder in a state for a parameter that is masked out.

    Example:
      >>> from dovetail import tree
      >>> from dovetail.optim import MaskedNode
      >>> tree.leaves([1, MaskedNode()])
      [1]
    """


def stateless(f: Callable[[Tree, Tree], Tree]) -> GradientTransformation:
    """The transformation given by a function of updates and parameters.

    Args:
      f: takes updates and parameters (or None), returns updates.

    Returns:
      A gradient transformation.

    Example:
      >>> from dovetail import optim
      >>> signs = optim.stateless(lambda updates, params: dnp.sign(updates))
      >>> signs.update(dnp.float32(-3), signs.init(0.0))[0]
      Array(-1., dtype=float32)
    """

    def init(params: Tree) -> EmptyState:
        del params
        return EmptyState()

    def update(
        updates: Tree, state: EmptyState, params: Tree = None, **extra: Any
    ) -> tuple[Tree, EmptyState]:
        del extra
        return f(updates, params), state

    return GradientTransformation(init, update)


def identity() -> GradientTransformation:
    """The transformation that changes nothing.

    Returns:
      A gradient transformation.

    Example:
      >>> from dovetail import optim
      >>> optim.identity().update(3.0, optim.EmptyState())
      (3.0, EmptyState())
    """
    return stateless(lambda updates, params: updates)


def set_to_zero() -> GradientTransformation:
    """Set updates to zero, so that parameters stay unchanged.

    Returns:
      A gradient transformation.

    Example:
      >>> from dovetail import optim
      >>> optim.set_to_zero().update(dnp.ones(2), optim.EmptyState())[0]
      Array([0., 0.], dtype=float32)
    """
    return stateless(lambda updates, params: functions.map(dnp.zeros_like, updates))


def chain(*transformations: GradientTransformation) -> GradientTransformation:
    """Transformations applied one after the other.

    Args:
      transformations: the first gets the gradients.

    Returns:
      A gradient transformation, whose state is the tuple of their states.

    Raises:
      TypeError: one of them is not a transformation.

    Example:
      >>> from dovetail import optim
      >>> both = optim.chain(optim.clip(1.0), optim.scale(-0.1))
      >>> both.update(dnp.float32(5), both.init(0.0))[0]
      Array(-0.1, dtype=float32)
    """
    for number, transformation in enumerate(transformations):
        check(transformation, f"chain: argument {number}")

    def init(params: Tree) -> tuple[Any, ...]:
        return tuple(t.init(params) for t in transformations)

    def update(
        updates: Tree, state: tuple[Any, ...], params: Tree = None, **extra: Any
    ) -> tuple[Tree, tuple[Any, ...]]:
        if len(state) != len(transformations):
            raise value_error(
                f"chain: the state must be of {len(transformations)} transformations, got: "
                f"{len(state)}; make it with init"
            )
        following = []
        for transformation, part in zip(transformations, state, strict=True):
            updates, part = transformation.update(updates, part, params, **extra)
            following.append(part)
        return updates, tuple(following)

    return GradientTransformation(init, update)


def check(transformation: Any, what: str) -> None:
    """Reject objects without the two functions."""
    if not (hasattr(transformation, "init") and hasattr(transformation, "update")):
        raise type_error(
            f"{what} must be a GradientTransformation, got: {type(transformation).__name__}"
        )


# Shared parts -------------------------------------------------------------------------------------


def needed(params: Tree, name: str) -> Tree:
    """The parameters, for a transformation that depends on them."""
    if params is None:
        raise value_error(
            f"{name}: update needs the parameters; call update(gradients, state, params)"
        )
    return params


def zeros_like(params: Tree, dtype: Any = None) -> Tree:
    """A tree of zeros."""
    return functions.map(lambda p: dnp.zeros_like(p, dtype), params)


def count() -> Array:
    """The number of steps taken before the first."""
    return dnp.zeros((), dtypes.int32)


def following(steps: Array) -> Array:
    """One more step; the largest number is not exceeded."""
    return dnp.where(steps < dtypes.iinfo(dtypes.int32).max, steps + 1, steps)


def square(x: Any) -> Array:
    """The square of the magnitude, also of complex numbers."""
    return dnp.real(x * dnp.conj(x)) if dnp.iscomplexobj(x) else dnp.square(x)


def moving(average: Tree, new: Tree, decay: Any) -> Tree:
    """decay * average + (1 - decay) * new."""
    return functions.map(lambda a, x: decay * a + (1 - decay) * x, average, new)


def stored(new: Tree, old: Tree) -> Tree:
    """A part of a state in the types that it had."""
    return functions.map(lambda x, o: dnp.astype(x, o.dtype), new, old)


def unbiased(average: Tree, decay: Any, steps: Array) -> Tree:
    """A moving average that began with 0, divided by the sum of its weights."""
    weights = -dnp.expm1(steps * logarithm(decay))
    return functions.map(lambda a: a / dnp.astype(weights, dnp.real(a).dtype), average)


def logarithm(decay: Any) -> Any:
    """log(decay), of a Python number in double precision: 1 - decay is often small."""
    if type(decay) in (int, float):
        return math.log(decay) if decay else -math.inf
    return dnp.log(decay)
