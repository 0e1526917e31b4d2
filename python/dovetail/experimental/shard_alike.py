"""Values that are to have the same sharding."""

from __future__ import annotations

from typing import Any, TypeVar

from dovetail.base.errors import value_error
from dovetail.tree_util import tree_flatten

T = TypeVar("T")

__all__ = ["shard_alike"]


def shard_alike(x: T, y: T) -> tuple[T, T]:
    """Two trees of arrays that should be sharded alike.

    It states an intention: the compiler, which finds the shardings of all arrays, is not bound to
    it, and computes the same values in any case.

    Args:
      x: a tree of arrays.
      y: a tree of the same structure, whose arrays have the same shapes.

    Returns:
      Both.

    Raises:
      ValueError: the trees, or the shapes, differ.

    Example:
      >>> from dovetail.experimental.shard_alike import shard_alike
      >>> shard_alike(dnp.arange(2), dnp.ones(2))
      (Array([0, 1], dtype=int32), Array([1., 1.], dtype=float32))
    """
    (leaves, spec), (others, other_spec) = tree_flatten(x), tree_flatten(y)
    if spec != other_spec:
        raise value_error(
            "shard_alike: Trees should be equal; give two of the same structure, got: "
            f"{spec} and {other_spec}"
        )
    shapes: list[Any] = [[getattr(leaf, "shape", ()) for leaf in each] for each in (leaves, others)]
    if shapes[0] != shapes[1]:
        raise value_error(
            "shard_alike: The leaves shapes of `x` and `y` should match; reshape one of them, got: "
            f"{shapes[0]} and {shapes[1]}"
        )
    return x, y
