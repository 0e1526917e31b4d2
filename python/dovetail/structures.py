"""How two trees, or the arrays of one tree, differ: in words for messages."""

from __future__ import annotations

import collections
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from dovetail.shaped import ShapedArray

_DICTS = (dict, collections.OrderedDict, collections.defaultdict)


# What of two nodes differs, and what follows.
_SO = {
    "different types": "their Python types differ",
    "different lengths of tuple": "the lengths do not match",
    "different lengths of list": "the lengths do not match",
    "different numbers of pytree children": "the numbers of children do not match",
    "different pytree metadata": "the pytree node metadata does not match",
    "dtype": "the dtypes do not match",
    "shape": "the shapes do not match",
    "dtype and shape": "the dtypes do not match, and the shapes do not match",
}


class Difference(NamedTuple):
    """A place of two trees, and what each has there; `kind` says what of it differs, `keys` which
    keys only one of two dictionaries has.
    """

    path: str
    first: str
    second: str
    kind: str = ""
    keys: str = ""

    @property
    def consequence(self) -> str:
        """What of the two does not match, as a clause."""
        return _SO[self.kind] + self.keys


def structure_differences(
    first: Any, second: Any, path: str, is_prefix: bool = False
) -> Iterator[Difference]:
    """Where two structures part, the topmost places only.

    Args:
      first, second: the structures.
      path: what to call the whole.
      is_prefix: whether a leaf of the first stands for any subtree of the second.
    """
    if first == second or (is_prefix and first.is_leaf()):
        return
    kind = _kind(first, second)
    if kind and is_prefix and first.type in _DICTS and second.type in _DICTS:
        # In a prefix one class of dictionaries stands for another.
        kind = "" if first.entries() == second.entries() else kind
    if kind:
        one, other = _node(first, kind), _node(second, kind)
        if one == other:
            one, other = str(first), str(second)
        yield Difference(path, one, other, kind, _keys(first, second))
        return
    for a, b, step in zip(
        first.children(), second.children(), first.one_level().accessors(), strict=True
    ):
        yield from structure_differences(a, b, step.codify(path), is_prefix)


def _kind(first: Any, second: Any) -> str:
    """What of the topmost nodes of two structures differs; nothing if it is in what they hold."""
    if first.type is not second.type or first.is_leaf() != second.is_leaf():
        return "different types"
    if first.num_children == second.num_children:
        same = first.is_leaf() or first.one_level() == second.one_level()
        return "" if same else "different pytree metadata"
    if first.type in (tuple, list):
        return f"different lengths of {first.type.__name__}"
    return "different numbers of pytree children"


def _node(spec: Any, kind: str) -> str:
    """The topmost node of a structure, in JAX's words, with what of it differs."""
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
        metadata = tuple(spec.entries()) if spec.type in _DICTS else spec.one_level()
        return f"a {spec.type} with pytree metadata {metadata}"
    return f"a {spec.type}"


def _keys(first: Any, second: Any) -> str:
    if first.type not in _DICTS or second.type not in _DICTS:
        return ""
    unlike = [key for key in first.entries() if key not in second.entries()]
    unlike += [key for key in second.entries() if key not in first.entries()]
    return f", with the symmetric difference of key sets: {{{', '.join(map(repr, unlike))}}}"


def where_unlike(first: Any, second: Any, path: str, owners: tuple[str, str]) -> str:
    """Where two structures that should be equal part, for a message.

    Args:
      first, second: the structures.
      path: what to call the whole.
      owners: whose they are: `the primals`.
    """
    return listed(
        [
            f"{d.first} of {owners[0]} and {d.second} of {owners[1]} for `{d.path}`{d.keys}"
            for d in structure_differences(first, second, path)
        ]
    )


def no_prefix(prefix: Any, whole: Any, path: str) -> list[str]:
    """Why a tree is no prefix of another, each place in lines of its own; empty if it is one.

    Args:
      prefix, whole: their structures.
      path: what to call the whole prefix.
    """
    return [
        f"pytree structure error: {d.kind} at key path\n    {d.path}\n"
        f"where the prefix has {d.first}, and the tree {d.second}{d.keys}"
        for d in structure_differences(prefix, whole, path, is_prefix=True)
    ]


def type_differences(
    paths: Iterable[str], first: Iterable[ShapedArray], second: Iterable[ShapedArray]
) -> list[Difference]:
    """Where arrays differ in shape or element type."""
    return [
        Difference(path, str(a), str(b), _type_kind(a, b))
        for path, a, b in zip(paths, first, second, strict=True)
        if a.shape != b.shape or a.dtype != b.dtype
    ]


def _type_kind(first: ShapedArray, second: ShapedArray) -> str:
    differs = first.dtype != second.dtype, first.shape != second.shape
    return {(True, True): "dtype and shape", (True, False): "dtype"}.get(differs, "shape")


def itemized(sentences: list[str]) -> str:
    """One sentence by itself, several as the items of a list."""
    if len(sentences) == 1:
        is_article = sentences[0].startswith("the ")
        return f"{'T' if is_article else sentences[0][0]}{sentences[0][1:]}.\n"
    return ";\n".join(f"  * {sentence}" for sentence in sentences) + ".\n"


def listed(lines: list[str]) -> str:
    """One line as it is, several one below the other."""
    return lines[0] if len(lines) == 1 else "".join(f"\n  {line}" for line in lines) + "\n"
