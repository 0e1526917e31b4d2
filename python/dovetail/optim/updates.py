"""Functions of whole trees of parameters and updates."""

from __future__ import annotations

from typing import Any

import dovetail.numpy as dnp
from dovetail.arrays.array import Array
from dovetail.optim.transformation import Tree, square
from dovetail.trees import functions


def apply_updates(params: Tree, updates: Tree) -> Tree:
    """The sum of parameters and updates, in the parameters' types.

    Args:
      params: a tree of arrays.
      updates: a tree of the same structure; None stands for no change.

    Returns:
      A tree like the parameters.

    Example:
      >>> from dovetail import optim
      >>> optim.apply_updates({"w": dnp.ones(2)}, {"w": dnp.array([0.5, -1])})
      {'w': Array([1.5, 0. ], dtype=float32)}
    """

    def added(update: Any, param: Any) -> Any:
        if update is None or param is None:
            return param
        array = dnp.asarray(param)
        return dnp.astype(array + update, array.dtype)

    return functions.map(added, updates, params, is_leaf=lambda x: x is None)


def incremental_update(new_tensors: Tree, old_tensors: Tree, step_size: Any) -> Tree:
    """step_size * new + (1 - step_size) * old: a moving average of parameters.

    Args:
      new_tensors, old_tensors: trees of arrays of one structure.
      step_size: the weight of the new ones.

    Returns:
      A tree of that structure.

    Source: Polyak, Juditsky, Acceleration of stochastic approximation by averaging, 1992.

    Example:
      >>> from dovetail import optim
      >>> optim.incremental_update(dnp.ones(2), dnp.zeros(2), 0.25)
      Array([0.25, 0.25], dtype=float32)
    """
    return functions.map(
        lambda new, old: step_size * new + (1 - step_size) * old, new_tensors, old_tensors
    )


def global_norm(updates: Tree) -> Array:
    """The Euclidean norm of all elements of a tree.

    Args:
      updates: a tree of arrays.

    Returns:
      A real array of rank 0.

    Example:
      >>> from dovetail import optim
      >>> optim.global_norm({"a": dnp.array([3.0]), "b": dnp.array(4.0)})
      Array(5., dtype=float32)
    """
    return dnp.sqrt(sum((dnp.sum(square(x)) for x in functions.leaves(updates)), dnp.float32(0)))
