"""How two trees, or the arrays of one tree, differ: in words for messages."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from dovetail.shaped import ShapedArray


class Difference(NamedTuple):
    """A place of two trees, and what each has there."""

    path: str
    first: str
    second: str


def structure_differences(first: Any, second: Any, path: str) -> Iterator[Difference]:
    """Where two structures part, the topmost places only.

    Args:
      first, second: the structures.
      path: what to call the whole.
    """
    if first == second:
        return
    one, other = _node(first), _node(second)
    if one != other or first.type is not second.type or first.is_leaf() or second.is_leaf():
        yield Difference(path, one, other)
        return
    below = list(
        zip(first.children(), second.children(), first.one_level().accessors(), strict=True)
    )
    if all(a == b for a, b, _ in below):
        yield Difference(path, str(first), str(second))
    for a, b, step in below:
        yield from structure_differences(a, b, step.codify(path))


def _node(spec: Any) -> str:
    """The topmost node of a structure, in words."""
    if spec.is_leaf():
        return "an array"
    if spec.type is type(None):
        return "None"
    if issubclass(spec.type, dict):
        keys = ", ".join(map(repr, spec.entries()))
        return f"a {spec.type.__name__} with " + (f"the keys {keys}" if keys else "no keys")
    return f"a {spec.type.__name__} of {spec.num_children}"


def type_differences(
    paths: Iterable[str], first: Iterable[ShapedArray], second: Iterable[ShapedArray]
) -> list[Difference]:
    """Where arrays differ in shape or element type."""
    return [
        Difference(path, str(a), str(b))
        for path, a, b in zip(paths, first, second, strict=True)
        if a.shape != b.shape or a.dtype != b.dtype
    ]


def listed(lines: list[str]) -> str:
    """One line as it is, several one below the other."""
    return lines[0] if len(lines) == 1 else "".join(f"\n  {line}" for line in lines) + "\n"
