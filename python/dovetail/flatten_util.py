"""Trees of arrays as one vector, under JAX's module name."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from dovetail import lax
from dovetail import numpy as dnp
from dovetail.arrays.array import Array
from dovetail.base import dtypes
from dovetail.base.errors import type_error, value_error
from dovetail.trees.pytree import flatten, unflatten

__all__ = ["ravel_pytree"]


def ravel_pytree(pytree: Any) -> tuple[Array, Unravel]:
    """The elements of all leaves as one vector, and the function that restores the tree.

    Args:
      pytree: a tree of arrays and numbers.

    Returns:
      (vector, unravel): the vector has the element type that the leaves promote to, float32 without
      leaves; `unravel` takes a vector of this size and type.

    Example:
      >>> from dovetail import flatten_util
      >>> vector, unravel = flatten_util.ravel_pytree({"a": dnp.ones(2), "b": 3.0})
      >>> vector, float(unravel(2 * vector)["b"])
      (Array([1., 1., 3.], dtype=float32), 6.0)
    """
    leaves, spec = flatten(pytree)
    if not leaves:
        return dnp.zeros(0, np.float32), Unravel(spec, (), (), np.dtype(np.float32))
    kinds = [dtypes.dtype_and_weakness(leaf) for leaf in leaves]
    dtype = dtypes.promote(*kinds)[0]
    shapes = tuple(np.shape(leaf) for leaf in leaves)
    rows = [dnp.ravel(lax.convert_element_type(leaf, dtype)) for leaf in leaves]
    own = tuple(kind for kind, _ in kinds)
    return dnp.concatenate(rows), Unravel(spec, shapes, own, dtype)


class Unravel:
    """Makes a tree from a vector; two such functions for trees of the same leaves are equal.

    Args:
      spec: the tree's structure.
      shapes: those of its leaves.
      own: their element types.
      dtype: the element type of the vector.
    """

    def __init__(
        self,
        spec: Any,
        shapes: Sequence[tuple[int, ...]],
        own: Sequence[np.dtype],
        dtype: np.dtype,
    ) -> None:
        self._key = spec, tuple(shapes), tuple(own), dtype

    def __call__(self, flat: Any) -> Any:
        """The tree of the elements of a vector.

        Args:
          flat: a vector of the total size of the leaves; its element type must be that to which
            they promote, unless they all have that type.

        Raises:
          ValueError: it has another size.
          TypeError: it has another element type, and the leaves have several.
        """
        spec, shapes, own, dtype = self._key
        sizes = [math.prod(shape) for shape in shapes]
        if np.shape(flat) != (sum(sizes),):
            raise value_error(
                f"unravel: the vector must have shape ({sum(sizes)},), got: {np.shape(flat)}"
            )
        given = dtypes.dtype_and_weakness(flat)[0]
        is_mixed = any(kind != dtype for kind in own)
        if is_mixed and given != dtype:
            raise type_error(
                f"unravel: given a vector of dtype {given.name}, but expected dtype {dtype.name}, "
                f"which the leaves promote to; use astype({dtype.name!r})"
            )
        ends = [0, *itertools.accumulate(sizes)]
        leaves = []
        for start, stop, shape, kind in zip(ends[:-1], ends[1:], shapes, own, strict=True):
            part = lax.reshape(lax.slice_in_dim(flat, start, stop), shape)
            leaves.append(_as(part, kind) if is_mixed else part)
        return unflatten(spec, leaves)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Unravel) and self._key == other._key

    def __hash__(self) -> int:
        return hash(self._key)


def _as(part: Array, dtype: np.dtype) -> Array:
    """Elements in the type of their leaf; real leaves take the real parts of a complex vector."""
    if dtypes.kind(part.dtype) == "c" and dtypes.kind(dtype) != "c":
        part = lax.real(part)
    return lax.convert_element_type(part, dtype)
