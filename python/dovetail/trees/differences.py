"""Structures as text, and descriptions of the differences between two trees, or the arrays of one
tree.
"""

from __future__ import annotations

import collections
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

import optree

if TYPE_CHECKING:
    from dovetail.arrays.shaped_array import ShapedArray

_DICTS = (dict, collections.OrderedDict, collections.defaultdict)


# Which property of two nodes differs, and the consequence.
_SO = {
    "different types": "their Python types differ",
    "different lengths of tuple": "the lengths do not match",
    "different lengths of list": "the lengths do not match",
    "different numbers of pytree children": "the numbers of children do not match",
    "different pytree metadata": "the pytree node metadata does not match",
    "dtype": "the dtypes do not match",
    "shape": "the shapes do not match",
    "sharding": "the shardings do not match",
    "dtype and shape": "the dtypes do not match, and the shapes do not match",
}


def node_data(cls: type, data: Any) -> Any:
    """The data of a node in addition to its children, in JAX's form; `data` is optree's."""
    if cls is collections.OrderedDict:
        return tuple(data)
    return (data[0], tuple(data[1])) if cls is collections.defaultdict else data


def topmost(spec: Any) -> tuple[type, Any] | None:
    """The class of a structure's topmost node, and its auxiliary data; None for a leaf."""
    level = spec.one_level()
    if level is None:
        return None
    cls, data = level.walk([None] * level.num_leaves, lambda cls, data, _: (cls, data))
    return cls, node_data(cls, data)


def written(spec: Any) -> str:
    """A structure as text, with `*` for each leaf."""
    return spec.walk(["*"] * spec.num_leaves, _written)


def _written(cls: type, data: Any, children: tuple[str, ...]) -> str:
    """A node as text; `children` are those of its children."""
    inner = ", ".join(children)
    if cls is type(None):
        return "None"
    if cls is tuple:
        return f"({inner},)" if len(children) == 1 else f"({inner})"
    if cls is dict:
        return f"{{{', '.join(f'{k!r}: {c}' for k, c in zip(data, children, strict=True))}}}"
    if cls is list:
        return f"[{inner}]"
    if data is cls:
        return f"CustomNode(namedtuple[{cls.__name__}], [{inner}])"
    return f"CustomNode({cls.__name__}[{node_data(cls, data)}], [{inner}])"


class Difference(NamedTuple):
    """A place where two trees differ, and the subtree of each there; `kind` is the property that
    differs, `keys` are the keys that only one of two dictionaries has.
    """

    path: str
    first: str
    second: str
    kind: str = ""
    keys: tuple[Any, ...] = ()

    @property
    def key_sets(self) -> str:
        """The keys that only one dictionary has, as a clause; empty if there are none."""
        unlike = ", ".join(map(repr, self.keys))
        return f", with the symmetric difference of key sets: {{{unlike}}}" if unlike else ""

    @property
    def consequence(self) -> str:
        """The mismatch, as a clause."""
        return _SO[self.kind] + self.key_sets


def structure_differences(
    first: Any, second: Any, path: str, is_prefix: bool = False
) -> Iterator[Difference]:
    """The topmost places where two structures differ.

    Args:
      first, second: the structures.
      path: the name of the whole.
      is_prefix: whether a leaf of the first stands for any subtree of the second.
    """
    if first == second or (is_prefix and first.is_leaf()):
        return
    kind = _kind(first, second)
    if kind and is_prefix and first.type in _DICTS and second.type in _DICTS:
        # In a prefix, dictionary classes are interchangeable.
        kind = "" if first.entries() == second.entries() else kind
    if kind:
        one, other = _node(first, kind), _node(second, kind)
        if one == other:
            one, other = written(first), written(second)
        yield Difference(path, one, other, kind, _keys(first, second))
        return
    for a, b, step in zip(
        first.children(), second.children(), first.one_level().accessors(), strict=True
    ):
        yield from structure_differences(a, b, step.codify(path), is_prefix)


def _kind(first: Any, second: Any) -> str:
    """The property in which the topmost nodes of two structures differ; empty if only their
    children do.
    """
    if first.type is not second.type or first.is_leaf() != second.is_leaf():
        return "different types"
    if first.num_children == second.num_children:
        same = first.is_leaf() or first.one_level() == second.one_level()
        return "" if same else "different pytree metadata"
    if first.type in (tuple, list):
        return f"different lengths of {first.type.__name__}"
    return "different numbers of pytree children"


def _node(spec: Any, kind: str) -> str:
    """The topmost node of a structure, in JAX's words, with the property that differs."""
    if spec.is_leaf():
        return "a pytree leaf"
    if spec.type is type(None):
        return "None"
    count = spec.num_children
    if kind.startswith("different lengths"):
        return f"a {spec.type.__name__} of length {count}"
    if kind == "different numbers of pytree children":
        return f"a {spec.type} with {count} child{'' if count == 1 else 'ren'}"
    if kind == "different pytree metadata":
        _, metadata = topmost(spec) or ("", None)
        metadata = tuple(metadata) if isinstance(metadata, list) else metadata
        return f"a {spec.type} with pytree metadata {metadata}"
    return f"a {spec.type}"


def _keys(first: Any, second: Any) -> tuple[Any, ...]:
    """The keys that only one of two dictionaries has."""
    if first.type not in _DICTS or second.type not in _DICTS:
        return ()
    unlike = [key for key in first.entries() if key not in second.entries()]
    return *unlike, *(key for key in second.entries() if key not in first.entries())


def where_unlike(first: Any, second: Any, path: str, owners: tuple[str, str]) -> str:
    """Where two structures that should be equal differ, for a message.

    Args:
      first, second: the structures.
      path: the name of the whole.
      owners: what they belong to: `the primals`.
    """
    return listed(
        [
            f"{d.first} of {owners[0]} and {d.second} of {owners[1]} for `{d.path}`{d.key_sets}"
            for d in structure_differences(first, second, path)
        ]
    )


def no_prefix(prefix: Any, whole: Any, path: str) -> list[str]:
    """Why a tree is not a prefix of another, one place per paragraph; empty if it is one.

    Args:
      prefix, whole: their structures.
      path: the name of the whole prefix.
    """
    return [
        f"pytree structure error: {d.kind} at key path\n    {d.path}\n"
        f"where the prefix has {d.first}, and the tree {d.second}"
        + (f", so the symmetric difference on key sets is\n    {_joined(d.keys)}" if d.keys else "")
        for d in structure_differences(prefix, whole, path, is_prefix=True)
    ]


def _joined(keys: tuple[Any, ...]) -> str:
    return " ".join(map(str, keys))


def first_mismatch(prefix: Any, tree: Any) -> str:
    """The first mismatch between a prefix and a tree, in JAX's phrase; empty if there is none.

    Args:
      prefix: the structure of the prefix.
      tree: the tree.
    """
    level = prefix.one_level()
    if level is None:
        return ""
    try:
        below = level.flatten_up_to(tree)
    except ValueError:
        return _mismatch(level, tree)
    found = map(first_mismatch, prefix.children(), below)
    return next(filter(None, found), "")


def _mismatch(level: Any, tree: Any) -> str:
    """Why a tree does not have the topmost node that a structure of one level requires."""
    cls, count, shown = level.type, level.num_children, _shown(tree)
    if cls is type(None):
        return f"Expected None, got {shown}."
    if cls in _DICTS and isinstance(tree, _DICTS):
        nodes: Any = dict(tree)
        present = optree.tree_flatten_one_level(nodes)[1]
        return f"Dict key mismatch; expected keys: {level.entries()}; present keys: {present}."
    is_named = level.kind is optree.PyTreeKind.NAMEDTUPLE
    name = "named tuple" if is_named else cls.__name__
    if cls in (tuple, list, dict) or is_named:
        if not (optree.is_namedtuple(tree) if is_named else type(tree) is cls):
            return f"Expected {name}, got {shown}."
        if len(tree) != count:
            return (
                f"{name.capitalize()} arity mismatch: {len(tree)} != {count}; "
                f"{name.split()[-1]}: {shown}."
            )
        return f"Named tuple type mismatch: expected type: {cls}, tuple: {shown}."
    if type(tree) is not cls:
        return f"Custom node type mismatch: expected type: {cls}, value: {shown}."
    other = optree.tree_structure(
        tree, lambda node: node is not tree, none_is_leaf=True, namespace=level.namespace
    )
    if other.num_children != count:
        return f"Custom type arity mismatch: {other.num_children} != {count}; value: {shown}."
    (_, one), (_, two) = topmost(level) or ("", None), topmost(other) or ("", None)
    return f"Mismatch custom node data: {one!r} != {two!r}; value: {shown}."


def _shown(tree: Any) -> str:
    """A tree as text, cut where it is long."""
    text = repr(tree)
    return text if len(text) <= 400 else f"{text[:400]}..."


def type_differences(
    paths: Iterable[str], first: Iterable[ShapedArray], second: Iterable[ShapedArray]
) -> list[Difference]:
    """Where arrays differ in shape or element type."""
    return [
        Difference(path, str(a), str(b), _type_kind(a, b))
        for path, a, b in zip(paths, first, second, strict=True)
        if a.shape != b.shape or a.dtype != b.dtype or _spec(a) != _spec(b)
    ]


def _spec(aval: ShapedArray) -> tuple[Any, ...]:
    """The explicit axes over which each dimension is sharded."""
    return (None,) * aval.ndim if aval.explicit is None else aval.explicit.spec.partitions


def _type_kind(first: ShapedArray, second: ShapedArray) -> str:
    differs = first.dtype != second.dtype, first.shape != second.shape
    kinds = {(True, True): "dtype and shape", (True, False): "dtype", (False, True): "shape"}
    return kinds.get(differs, "sharding")


def itemized(sentences: list[str]) -> str:
    """A single sentence by itself, several as list items."""
    if len(sentences) == 1:
        is_article = sentences[0].startswith("the ")
        return f"{'T' if is_article else sentences[0][0]}{sentences[0][1:]}.\n"
    return ";\n".join(f"  * {sentence}" for sentence in sentences) + ".\n"


def listed(lines: list[str]) -> str:
    """A single line unchanged; several lines, one below the other."""
    return lines[0] if len(lines) == 1 else "".join(f"\n  {line}" for line in lines) + "\n"
