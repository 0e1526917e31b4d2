"""Classes whose instances are nodes of pytrees."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import Any, TypeVar

from dovetail.trees.paths import GetAttrKey, KeyEntry, NamedChild
from dovetail.trees.pytree import register_node

T = TypeVar("T")


def register_pytree_node(
    nodetype: type[T],
    flatten_func: Callable[[T], tuple[Iterable[Any], Hashable]],
    unflatten_func: Callable[[Any, Any], T],
    flatten_with_keys_func: Callable[[T], Any] | None = None,
) -> None:
    """Register a class whose instances are nodes of pytrees.

    Args:
      nodetype: the class.
      flatten_func: maps an instance to (children, auxiliary data).
      unflatten_func: maps (auxiliary data, children) to an instance.
      flatten_with_keys_func: maps an instance to ((key, child) pairs, auxiliary data), as for
        `register_pytree_with_keys`; then used instead of `flatten_func`.

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
    if flatten_with_keys_func is not None:
        register_pytree_with_keys(nodetype, flatten_with_keys_func, unflatten_func)
    else:
        register_node(nodetype, flatten_func, unflatten_func)


def register_dataclass(
    nodetype: type[T],
    data_fields: Sequence[str] | None = None,
    meta_fields: Sequence[str] | None = None,
    drop_fields: Sequence[str] = (),
) -> type[T]:
    """Register a dataclass whose instances are nodes of pytrees.

    Args:
      nodetype: the dataclass, or a class whose constructor takes these fields as keywords.
      data_fields: the fields that are subtrees; by default all without `metadata={"static": True}`.
      meta_fields: the fields that are part of the structure.
      drop_fields: fields of a dataclass that are neither, and keep their default values.

    Returns:
      The class.

    Raises:
      TypeError: `nodetype` is not a dataclass and fields are not given, or only one kind of them.
      ValueError: fields of the dataclass are missing, unknown, or in both kinds.

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
        raise TypeError(
            "register_dataclass: data_fields and meta_fields must both be specified when either is "
            f"specified. Got data_fields={data_fields!r} meta_fields={meta_fields!r}."
        )
    if data_fields is None or meta_fields is None:
        if not dataclasses.is_dataclass(nodetype):
            raise TypeError(
                "register_dataclass: data_fields and meta_fields are required when nodetype is not "
                f"a dataclass. Got nodetype={nodetype!r}."
            )
        fields = [f for f in dataclasses.fields(nodetype) if f.init]  # type: ignore[arg-type]
        meta_fields = [f.name for f in fields if f.metadata.get("static", False)]
        data_fields = [f.name for f in fields if f.name not in meta_fields]
        meta_fields = [name for name in meta_fields if name not in drop_fields]
        data_fields = [name for name in data_fields if name not in drop_fields]
    data, meta = tuple(data_fields), tuple(meta_fields)
    _check_fields(nodetype, data, meta, drop_fields)

    def flatten(node: T) -> tuple[Iterable[tuple[GetAttrKey, Any]], Hashable]:
        children = [(GetAttrKey(name), getattr(node, name)) for name in data]
        return children, tuple(getattr(node, name) for name in meta)

    def unflatten(aux: tuple[Any, ...], children: Iterable[Any]) -> T:
        return nodetype(
            **dict(zip(meta, aux, strict=True)), **dict(zip(data, children, strict=True))
        )

    register_pytree_with_keys(nodetype, flatten, unflatten)
    return nodetype


def register_pytree_node_class(cls: type[T]) -> type[T]:
    """Register a class with `tree_flatten(self)` and `tree_unflatten(cls, aux, children)` as nodes.

    Args:
      cls: the class; `tree_flatten` returns (children, auxiliary data); the latter is hashable.

    Returns:
      The class.

    Raises:
      ValueError: the class is registered already.

    Example:
      >>> from dovetail import tree_util
      >>> @tree_util.register_pytree_node_class
      ... class Pair:
      ...     def __init__(self, a, b):
      ...         self.a, self.b = a, b
      ...     def tree_flatten(self):
      ...         return (self.a, self.b), None
      ...     @classmethod
      ...     def tree_unflatten(cls, aux, children):
      ...         return cls(*children)
      >>> tree_util.tree_leaves(Pair(1, [2, 3]))
      [1, 2, 3]
    """
    register_pytree_node(cls, lambda node: node.tree_flatten(), cls.tree_unflatten)  # type: ignore[attr-defined]
    return cls


def register_pytree_with_keys(
    nodetype: type[T],
    flatten_with_keys: Callable[[T], tuple[Iterable[tuple[KeyEntry, Any]], Hashable]],
    unflatten_func: Callable[[Any, Any], T],
    flatten_func: Callable[[T], tuple[Iterable[Any], Hashable]] | None = None,
) -> None:
    """Register a class whose instances are nodes of pytrees, with keys that name the children in
    paths.

    Args:
      nodetype: the class.
      flatten_with_keys: maps an instance to ((key, child) pairs, auxiliary data).
      unflatten_func: maps (auxiliary data, children) to an instance.
      flatten_func: accepted for compatibility with JAX; keys and children come from one call.

    Example:
      >>> from dovetail import tree_util
      >>> class Pair:
      ...     def __init__(self, a, b):
      ...         self.a, self.b = a, b
      >>> key = tree_util.GetAttrKey
      >>> tree_util.register_pytree_with_keys(
      ...     Pair, lambda p: (((key("a"), p.a), (key("b"), p.b)), None), lambda _, c: Pair(*c))
      >>> [(path, _), _] = tree_util.tree_leaves_with_path({"pair": Pair(1, 2)})
      >>> tree_util.keystr(path)
      "['pair'].a"
    """

    def flatten(node: T) -> tuple[tuple[Any, ...], Hashable, tuple[Any, ...]]:
        pairs, aux = flatten_with_keys(node)
        keys, children = zip(*pairs, strict=True) if (pairs := tuple(pairs)) else ((), ())
        return children, aux, keys

    register_node(nodetype, flatten, unflatten_func, NamedChild)


def register_pytree_with_keys_class(cls: type[T]) -> type[T]:
    """Register a class with `tree_flatten_with_keys(self)` and `tree_unflatten(cls, aux, children)`
    as nodes.

    Args:
      cls: the class; `tree_flatten_with_keys` returns ((key, child) pairs, auxiliary data); the
        latter is hashable.

    Returns:
      The class.

    Raises:
      ValueError: the class is registered already.

    Example:
      >>> from dovetail import tree_util
      >>> @tree_util.register_pytree_with_keys_class
      ... class Box:
      ...     def __init__(self, content):
      ...         self.content = content
      ...     def tree_flatten_with_keys(self):
      ...         return ((tree_util.GetAttrKey("content"), self.content),), None
      ...     @classmethod
      ...     def tree_unflatten(cls, aux, children):
      ...         return cls(*children)
      >>> [(path, _)] = tree_util.tree_leaves_with_path(Box(5))
      >>> tree_util.keystr(path)
      '.content'
    """
    register_pytree_with_keys(
        cls,
        lambda node: node.tree_flatten_with_keys(),  # type: ignore[attr-defined]
        cls.tree_unflatten,  # type: ignore[attr-defined]
    )
    return cls


def register_static(cls: type[T]) -> type[T]:
    """Register a class whose instances are nodes without children: part of the structure.

    Args:
      cls: the class, whose instances are hashable.

    Returns:
      The class.

    Raises:
      ValueError: the class is registered already.

    Example:
      >>> from dovetail import tree_util
      >>> @tree_util.register_static
      ... class Mode(str):
      ...     pass
      >>> tree_util.tree_leaves([1, Mode("fast")])
      [1]
    """
    register_pytree_node(cls, lambda node: ((), node), lambda node, _: node)
    return cls


def _check_fields(
    nodetype: type, data: Sequence[str], meta: Sequence[str], drop: Sequence[str]
) -> None:
    """Reject fields other than those that the constructor takes."""
    name = f"register_dataclass of {nodetype.__name__}: data_fields and meta_fields"
    both = {*data} & {*meta}
    if both:
        raise ValueError(f"{name} must not overlap. Overlapping fields: {both}.")
    if not dataclasses.is_dataclass(nodetype):
        return
    fields = {f.name for f in dataclasses.fields(nodetype) if f.init}
    missing, unknown = fields - {*data, *meta, *drop}, {*data, *meta} - fields
    if missing:
        raise ValueError(
            f"{name} must include all dataclass fields, but for those in drop_fields. Missing "
            f"fields: {missing}."
        )
    if unknown:
        raise ValueError(
            f"{name} must include all dataclass fields, which are {', '.join(sorted(fields))}, and "
            f"no others. Unexpected fields: {unknown}."
        )
