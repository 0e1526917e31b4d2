"""States of optimizers: the values kept for each parameter, flattened and unflattened."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

from dovetail.base.errors import type_error
from dovetail.trees import pytree, util
from dovetail.trees.treedef import public

Params = Any
State = Any
# Functions of one parameter: init(x), update(step, gradient, state), get_params(state).
Rules = tuple[Callable[..., Any], Callable[..., Any], Callable[..., Any]]


@dataclass(frozen=True)
class OptimizerState:
    """The states of all parameters.

    Attributes:
      packed_state: for each parameter, the list of leaves of its state.
      tree_def: the structure of the parameters.
      subtree_defs: for each parameter, the structure of its state.

    Example:
      >>> from dovetail.example_libraries import optimizers
      >>> state = optimizers.momentum(0.1, 0.9).init_fn([dnp.ones(2)])
      >>> len(state.packed_state[0])
      2
    """

    packed_state: Any
    tree_def: Any
    subtree_defs: Any

    def __iter__(self) -> Iterator[Any]:
        yield from (self.packed_state, self.tree_def, self.subtree_defs)


util.register_pytree_node(
    OptimizerState,
    lambda state: ((state.packed_state,), (state.tree_def, state.subtree_defs)),
    lambda defs, children: OptimizerState(children[0], *defs),
)


class Optimizer(NamedTuple):
    """Three functions of trees.

    Attributes:
      init_fn: takes parameters, returns the state.
      update_fn: takes the number of the step, gradients and the state, returns the next state.
      params_fn: takes the state, returns parameters.

    Example:
      >>> from dovetail.example_libraries import optimizers
      >>> init, update, params = optimizers.sgd(0.5)
      >>> params(update(0, dnp.ones(1), init(dnp.ones(1))))
      Array([0.5], dtype=float32)
    """

    init_fn: Callable[[Params], OptimizerState]
    update_fn: Callable[[Any, Params, OptimizerState], OptimizerState]
    params_fn: Callable[[OptimizerState], Params]


def _states(state: OptimizerState) -> list[State]:
    return [
        pytree.unflatten(spec, leaves)
        for spec, leaves in zip(state.subtree_defs, state.packed_state, strict=True)
    ]


def _packed(states: list[State], spec: Any) -> OptimizerState:
    parts = [pytree.flatten(state) for state in states]
    return OptimizerState([leaves for leaves, _ in parts], spec, tuple(s for _, s in parts))


def optimizer(opt_maker: Callable[..., Rules]) -> Callable[..., Optimizer]:
    """An optimizer of trees, made from one for a single array.

    Args:
      opt_maker: returns (init, update, get_params): init(x) is the state for a parameter,
        update(step, gradient, state) the next state, get_params(state) the parameter.

    Returns:
      A function with the same parameters, which returns an `Optimizer`.

    Raises:
      TypeError: in a step: gradients do not have the parameters' structure, or a state changes its
        own.

    Example:
      >>> from dovetail.example_libraries import optimizers
      >>> @optimizers.optimizer
      ... def signs(size):
      ...     return lambda x: x, lambda i, g, x: x - size * dnp.sign(g), lambda x: x
      >>> init, update, params = signs(0.5)
      >>> params(update(0, {"w": dnp.ones(1)}, init({"w": dnp.ones(1)})))
      {'w': Array([0.5], dtype=float32)}
    """

    @functools.wraps(opt_maker)
    def made(*args: Any, **kwargs: Any) -> Optimizer:
        init, update, get_params = opt_maker(*args, **kwargs)

        def tree_init(x0_tree: Params) -> OptimizerState:
            leaves, spec = pytree.flatten(x0_tree)
            return _packed([init(x) for x in leaves], spec)

        def tree_update(i: Any, grad_tree: Params, opt_state: OptimizerState) -> OptimizerState:
            gradients, spec = pytree.flatten(grad_tree)
            if spec != opt_state.tree_def:
                raise type_error(
                    f"{opt_maker.__name__}: gradients must have the parameters' structure "
                    f"{public(opt_state.tree_def)}, got: {public(spec)}"
                )
            states = zip(gradients, _states(opt_state), strict=True)
            result = _packed([update(i, g, state) for g, state in states], spec)
            for before, after in zip(opt_state.subtree_defs, result.subtree_defs, strict=True):
                if before != after:
                    raise type_error(
                        f"{opt_maker.__name__}: a step must keep the state's structure "
                        f"{public(before)}, got: {public(after)}"
                    )
            return result

        def tree_params(opt_state: OptimizerState) -> Params:
            params = [get_params(state) for state in _states(opt_state)]
            return pytree.unflatten(opt_state.tree_def, params)

        return Optimizer(tree_init, tree_update, tree_params)

    return made


# States as trees ----------------------------------------------------------------------------------


class JoinPoint:
    """The place of a state in a tree of parameters.

    Args:
      subtree: the state.

    Example:
      >>> from dovetail.example_libraries import optimizers
      >>> list(optimizers.JoinPoint(1.0))
      [1.0]
    """

    def __init__(self, subtree: Any) -> None:
        self.subtree = subtree

    def __iter__(self) -> Iterator[Any]:
        yield self.subtree


def unpack_optimizer_state(opt_state: OptimizerState) -> Any:
    """A state as a tree of the parameters' structure, with a `JoinPoint` for each parameter.

    Args:
      opt_state: the state.

    Returns:
      A tree, for example to save.

    Example:
      >>> from dovetail.example_libraries import optimizers
      >>> state = optimizers.momentum(0.1, 0.9).init_fn({"w": dnp.ones(1)})
      >>> optimizers.unpack_optimizer_state(state)["w"].subtree
      (Array([1.], dtype=float32), Array([0.], dtype=float32))
    """
    marks = [JoinPoint(state) for state in _states(opt_state)]
    return pytree.unflatten(opt_state.tree_def, marks)


def pack_optimizer_state(marked_pytree: Any) -> OptimizerState:
    """The inverse of `unpack_optimizer_state`.

    Args:
      marked_pytree: a tree of `JoinPoint`s.

    Returns:
      A state.

    Raises:
      TypeError: a leaf is something else.

    Example:
      >>> from dovetail.example_libraries import optimizers
      >>> init, update, params = optimizers.momentum(0.1, 0.9)
      >>> unpacked = optimizers.unpack_optimizer_state(init({"w": dnp.ones(1)}))
      >>> params(optimizers.pack_optimizer_state(unpacked))
      {'w': Array([1.], dtype=float32)}
    """
    marks, spec = pytree.flatten(marked_pytree)
    for mark in marks:
        if not isinstance(mark, JoinPoint):
            raise type_error(
                f"pack_optimizer_state: leaves must be JoinPoints, got: {type(mark).__name__}"
            )
    return _packed([mark.subtree for mark in marks], spec)
