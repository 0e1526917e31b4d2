"""Functions of pytrees, by JAX's long names, and registration of classes as nodes."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import Any, TypeVar

from optree import PyTreeSpec as PyTreeDef

from dovetail.pytree import register_node
from dovetail.tree import all as tree_all
from dovetail.tree import flatten as tree_flatten
from dovetail.tree import leaves as tree_leaves
from dovetail.tree import map as tree_map
from dovetail.tree import reduce as tree_reduce
from dovetail.tree import structure as tree_structure
from dovetail.tree import transpose as tree_transpose
from dovetail.tree import unflatten as tree_unflatten

__all__ = [
    "PyTreeDef",
    "register_dataclass",
    "register_pytree_node",
    "register_pytree_node_class",
    "tree_all",
    "tree_flatten",
    "tree_leaves",
    "tree_map",
    "tree_reduce",
    "tree_structure",
    "tree_transpose",
    "tree_unflatten",
]

T = TypeVar("T")


def register_pytree_node(
    nodetype: type[T],
    flatten_func: Callable[[T], tuple[Iterable[Any], Hashable]],
    unflatten_func: Callable[[Any, Any], T],
) -> None:
    """Let instances of a class be nodes of pytrees.

    Args:
      nodetype: the class.
      flatten_func: from an instance to (children, what else it consists of).
      unflatten_func: from (what else, children) to an instance.

    Raises:
      ValueError: the class is registered already.

    Example:
      >>> from dovetail import tree_util
      >>> class Pair:
      ...     def __init__(self, a, b):
      ...         self.a, self.b = a, b
      >>> tree_util.register_pytree_node(Pair, lambda p: ((p.a, p.b), None), lambda _, c: Pair(*c))
      >>> tree_util.tree_leaves(Pair(1, [2, 3]))
      [1, 2, 3]
    """
    register_node(nodetype, flatten_func, unflatten_func)


def register_pytree_node_class(cls: type[T]) -> type[T]:
    """Let a class with `tree_flatten(self)` and `tree_unflatten(cls, aux, children)` be a node."""
    register_pytree_node(cls, lambda node: node.tree_flatten(), cls.tree_unflatten)  # type: ignore[attr-defined]
    return cls


def register_dataclass(
    nodetype: type[T],
    data_fields: Sequence[str] | None = None,
    meta_fields: Sequence[str] | None = None,
) -> type[T]:
    """Let instances of a dataclass be nodes of pytrees.

    Args:
      nodetype: the dataclass.
      data_fields: the fields that are subtrees; by default all without `metadata={"static": True}`.
      meta_fields: the fields that are part of the structure.

    Example:
      >>> import dataclasses
      >>> from dovetail import tree_util
      >>> @tree_util.register_dataclass
      ... @dataclasses.dataclass
      ... class Layer:
      ...     weights: object
      ...     width: int = dataclasses.field(metadata={"static": True})
      >>> tree_util.tree_leaves(Layer([1, 2], 3))
      [1, 2]
    """
    if (data_fields is None) != (meta_fields is None):
        raise TypeError("data_fields and meta_fields must be given together, got: one of them")
    if data_fields is None or meta_fields is None:
        fields = [f for f in dataclasses.fields(nodetype) if f.init]  # type: ignore[arg-type]
        meta_fields = [f.name for f in fields if f.metadata.get("static", False)]
        data_fields = [f.name for f in fields if f.name not in meta_fields]
    data, meta = tuple(data_fields), tuple(meta_fields)

    def flatten(node: T) -> tuple[tuple[Any, ...], Hashable]:
        return tuple(getattr(node, name) for name in data), tuple(
            getattr(node, name) for name in meta
        )

    def unflatten(aux: tuple[Any, ...], children: Iterable[Any]) -> T:
        return nodetype(
            **dict(zip(meta, aux, strict=True)), **dict(zip(data, children, strict=True))
        )

    register_pytree_node(nodetype, flatten, unflatten)
    return nodetype
