"""Gradient transformations that wrap others: for parts of the parameters, and with changing
settings.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any, NamedTuple

import dovetail.numpy as dnp
from dovetail.arrays.array import Array
from dovetail.base.errors import type_error, value_error
from dovetail.optim.transformation import (
    GradientTransformation,
    MaskedNode,
    Tree,
    check,
    count,
    following,
)
from dovetail.trees import functions


class MaskedState(NamedTuple):
    """The state of the transformation that is applied to some parameters.

    Example:
      >>> from dovetail import optim
      >>> optim.masked(optim.scale(2.0), True).init(dnp.zeros(2))._fields
      ('inner_state',)
    """

    inner_state: Any


class PartitionState(NamedTuple):
    """The states of transformations, by label.

    Example:
      >>> from dovetail import optim
      >>> optim.multi_transform({"all": optim.scale(2.0)}, "all").init(dnp.zeros(2))._fields
      ('inner_states',)
    """

    inner_states: Mapping[Hashable, Any]


class InjectHyperparamsState(NamedTuple):
    """The number of steps taken, the settings, and the state of the transformation.

    Example:
      >>> from dovetail import optim
      >>> optim.inject_hyperparams(optim.sgd)(0.1).init(dnp.zeros(2))._fields
      ('count', 'hyperparams', 'inner_state')
    """

    count: Array  # pyright: ignore[reportIncompatibleMethodOverride]
    hyperparams: dict[str, Any]
    inner_state: Any


def _kept(mask: Tree, values: Tree) -> Tree:
    """The values where the mask is true; the mask's tree is a prefix of theirs."""
    return functions.map(lambda m, value: value if m else MaskedNode(), mask, values)


def masked(inner: GradientTransformation, mask: Any) -> GradientTransformation:
    """Transform the selected updates; the others stay unchanged.

    Args:
      inner: the transformation.
      mask: a tree of bools that is a prefix of the parameters' tree, or a function that returns it
        for the parameters.

    Returns:
      A gradient transformation.

    Example:
      >>> from dovetail import optim
      >>> some = optim.masked(optim.scale(2.0), {"w": True, "b": False})
      >>> params = {"w": dnp.ones(1), "b": dnp.ones(1)}
      >>> some.update(params, some.init(params))[0]
      {'w': Array([2.], dtype=float32), 'b': Array([1.], dtype=float32)}
    """
    check(inner, "masked: inner")

    def of(values: Tree) -> Tree:
        return mask(values) if callable(mask) else mask

    def init(params: Tree) -> MaskedState:
        return MaskedState(inner.init(_kept(of(params), params)))

    def update(updates: Tree, state: MaskedState, params: Tree = None, **extra: Any) -> Any:
        chosen = of(updates)
        some = None if params is None else _kept(chosen, params)
        changed, following_ = inner.update(_kept(chosen, updates), state.inner_state, some, **extra)
        result = functions.map(lambda m, new, old: new if m else old, chosen, changed, updates)
        return result, MaskedState(following_)

    return GradientTransformation(init, update)


def multi_transform(
    transforms: Mapping[Hashable, GradientTransformation], param_labels: Any
) -> GradientTransformation:
    """Different transformations for different parameters.

    Args:
      transforms: the transformations, by label.
      param_labels: a tree of labels that is a prefix of the parameters' tree, or a function that
        returns it for the parameters.

    Returns:
      A gradient transformation.

    Raises:
      ValueError: there is a label without a transformation.

    Example:
      >>> from dovetail import optim
      >>> parts = {"fast": optim.sgd(1.0), "none": optim.set_to_zero()}
      >>> both = optim.multi_transform(parts, {"w": "fast", "b": "none"})
      >>> params = {"w": dnp.ones(1), "b": dnp.ones(1)}
      >>> both.update(params, both.init(params))[0]
      {'w': Array([-1.], dtype=float32), 'b': Array([0.], dtype=float32)}
    """
    for label, transformation in transforms.items():
        check(transformation, f"multi_transform: {label!r}")

    def labels_of(values: Tree) -> Tree:
        labels = param_labels(values) if callable(param_labels) else param_labels
        unknown = sorted({str(x) for x in functions.leaves(labels) if x not in transforms})
        if unknown:
            raise value_error(
                f"multi_transform: labels must be of {', '.join(map(str, transforms))}, got: "
                f"{', '.join(unknown)}"
            )
        return labels

    def part(label: Hashable) -> GradientTransformation:
        def mask(values: Tree) -> Tree:
            return functions.map(lambda other: other == label, labels_of(values))

        return masked(transforms[label], mask)

    def init(params: Tree) -> PartitionState:
        return PartitionState({label: part(label).init(params) for label in transforms})

    def update(updates: Tree, state: PartitionState, params: Tree = None, **extra: Any) -> Any:
        states = {}
        for label in transforms:
            before = state.inner_states[label]
            updates, states[label] = part(label).update(updates, before, params, **extra)
        return updates, PartitionState(states)

    return GradientTransformation(init, update)


def inject_hyperparams(
    inner_factory: Callable[..., GradientTransformation], static_args: Sequence[str] = ()
) -> Callable[..., GradientTransformation]:
    """A function like `inner_factory`, whose numbers become part of the state.

    There they can be read, and changed between steps without compiling a step again. Functions of
    the number of steps are evaluated at each step.

    Args:
      inner_factory: makes a transformation, such as `adam`.
      static_args: names of arguments that stay as they are.

    Returns:
      A function with the same parameters.

    Raises:
      TypeError: there is no argument of such a name.

    Example:
      >>> from dovetail import optim
      >>> sgd = optim.inject_hyperparams(optim.sgd)(learning_rate=0.5)
      >>> state = sgd.init(dnp.ones(1))
      >>> state.hyperparams["learning_rate"]
      Array(0.5, dtype=float32)
    """
    signature = inspect.signature(inner_factory)
    for name in static_args:
        if name not in signature.parameters:
            raise type_error(
                f"inject_hyperparams: static_args must be of {', '.join(signature.parameters)}, "
                f"got: {name!r}"
            )

    @functools.wraps(inner_factory)
    def factory(*args: Any, **kwargs: Any) -> GradientTransformation:
        bound = signature.bind(*args, **kwargs)
        bound.apply_defaults()
        given = {k: v for k, v in bound.arguments.items() if k not in static_args}
        schedules = {k: v for k, v in given.items() if callable(v)}
        numbers = {k: v for k, v in given.items() if _is_number(v)}
        fixed = {k: v for k, v in bound.arguments.items() if k not in {*schedules, *numbers}}

        def settings(steps: Array, values: Mapping[str, Any]) -> dict[str, Any]:
            computed = {k: dnp.asarray(f(steps), float) for k, f in schedules.items()}
            return {**values, **computed}

        def made(values: Mapping[str, Any]) -> GradientTransformation:
            return inner_factory(**fixed, **values)

        def init(params: Tree) -> InjectHyperparamsState:
            steps = count()
            values = settings(steps, {k: dnp.asarray(v, float) for k, v in numbers.items()})
            return InjectHyperparamsState(steps, values, made(values).init(params))

        def update(updates: Tree, state: Any, params: Tree = None, **extra: Any) -> Any:
            values = settings(state.count, state.hyperparams)
            updates, inner = made(values).update(updates, state.inner_state, params, **extra)
            return updates, InjectHyperparamsState(following(state.count), values, inner)

        return GradientTransformation(init, update)

    return factory


def _is_number(value: Any) -> bool:
    is_array = hasattr(value, "dtype") and getattr(value, "ndim", None) == 0
    return type(value) in (int, float) or is_array
