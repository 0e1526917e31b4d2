"""Nodes of pytrees that state a shape, which `vmap` adapts: inside, they lack the batch."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from dovetail.trees.pytree import count_leaves, flatten, unflatten


class BatchedNode(NamedTuple):
    """How a class of nodes is adapted.

    Attributes:
      element: maps (node, axis) to the node without the batch, which its leaves lack already.
      batch: maps (node, size, axis) to the node with the batch, which its leaves have later.
    """

    element: Callable[[Any, int], Any]
    batch: Callable[[Any, int, int], Any]


_NODES: dict[type, BatchedNode] = {}


def register_batched_node(
    cls: type, element: Callable[[Any, int], Any], batch: Callable[[Any, int, int], Any]
) -> None:
    """Have `vmap` adapt the instances of a class of nodes.

    Args:
      cls: the class, a node of pytrees.
      element: maps (node, axis) to the node without the batch, which its leaves lack already.
      batch: maps (node, size, axis) to the node with the batch, which its leaves have later.
    """
    _NODES[cls] = BatchedNode(element, batch)


def elements(tree: Any, axes: Sequence[Any]) -> Any:
    """A tree whose leaves lack the batch, with nodes adapted.

    Args:
      tree: the tree.
      axes: where the batch of each leaf was; None for those without.
    """
    return _adapted(tree, axes, lambda node, axis: _NODES[type(node)].element(node, axis))


def batches(tree: Any, axes: Sequence[Any], size: int) -> Any:
    """A tree whose leaves will have the batch, with nodes adapted.

    Args:
      tree: the tree.
      axes: where the batch of each leaf will be; None for those without.
      size: the size of the batch.
    """
    return _adapted(tree, axes, lambda node, axis: _NODES[type(node)].batch(node, size, axis))


def _adapted(tree: Any, axes: Sequence[Any], adapt: Callable[[Any, int], Any]) -> Any:
    if not _NODES:
        return tree
    parts, spec = flatten(tree, is_leaf=lambda part: type(part) in _NODES)
    if not any(type(part) in _NODES for part in parts):
        return tree
    made, place = [], 0
    for part in parts:
        axis = axes[place] if place < len(axes) else None
        place += count_leaves(part)
        made.append(adapt(part, axis) if type(part) in _NODES and axis is not None else part)
    return unflatten(spec, made)
