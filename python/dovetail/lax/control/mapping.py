"""`map` and `sequential_vmap`: a function applied to one element of a batch after the other."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from dovetail.base.errors import type_error, value_error
from dovetail.lax import basics as lax
from dovetail.lax.control.bodies import check_callable
from dovetail.lax.control.scan import scan
from dovetail.symbolic.size import is_symbolic_dim
from dovetail.tracing.arguments import Function
from dovetail.tracing.trace import Operand
from dovetail.transforms.batching import vmap
from dovetail.transforms.custom_batching import custom_vmap
from dovetail.trees.functions import map as map_trees
from dovetail.trees.pytree import flatten, map_leaves, unflatten


def map(f: Callable[[Any], Any], xs: Any, *, batch_size: int | None = None) -> Any:
    """Apply a function to each element along the leading dimension, one after the other.

    Args:
      f: takes a tree of arrays, returns one.
      xs: a tree of arrays whose leading dimensions are equal.
      batch_size: the number of elements computed at once, by `vmap`; 0 for all of them.

    Returns:
      The results, stacked along a new leading dimension.

    Raises:
      TypeError: `f` is not a function, or `batch_size` is not an int.
      ValueError: lengths differ, there is no array, or `batch_size` is negative.

    Example:
      >>> lax.map(lambda x: x * x, dnp.array([1, 2, 3]))
      Array([1, 4, 9], dtype=int32)
    """
    check_callable("lax.map: f", f)
    if batch_size is None:
        return scan(lambda _, x: ((), f(x)), (), xs)[1]
    size = _checked(batch_size)
    lengths = {np.shape(x)[0] for x in flatten(xs)[0] if np.shape(x)}
    length = lengths.pop() if len(lengths) == 1 else 0
    whole, rest = divmod(length, size) if size else (0, length)
    is_symbolic = is_symbolic_dim(length)
    if size == 0 or (not is_symbolic and whole == 0):
        return vmap(f)(xs)
    batched = vmap(f)
    blocks = map_leaves(
        lambda x: lax.reshape(
            lax.slice_in_dim(x, 0, whole * size), (whole, size, *np.shape(x)[1:])
        ),
        xs,
    )
    ys = scan(lambda _, x: ((), batched(x)), (), blocks)[1]
    ys = map_leaves(lambda y: lax.reshape(y, (whole * size, *y.shape[2:])), ys)
    if rest == 0:
        return ys
    tail = batched(map_leaves(lambda x: lax.slice_in_dim(x, whole * size, length), xs))
    return map_trees(lambda y, end: lax.concatenate([y, end], 0), ys, tail)


def _checked(batch_size: Any) -> int:
    try:
        size = operator.index(batch_size)
    except TypeError:
        raise type_error(f"map: batch_size must be an int, got: {batch_size!r}") from None
    if size < 0:
        raise value_error(f"map: batch_size must not be negative, got: {size}")
    return size


def sequential_vmap(f: Function) -> custom_vmap:
    """A function that `vmap` calls for one element of the batch after the other.

    Args:
      f: takes and returns trees of arrays.

    Returns:
      The function with a rule that is `lax.map`.

    Example:
      >>> import dovetail as dt
      >>> f = dt.custom_batching.sequential_vmap(lambda x: dnp.cumsum(x)[-1])
      >>> dt.vmap(f)(dnp.arange(6.0).reshape(3, 2))
      Array([1., 5., 9.], dtype=float32)
    """
    mapped = custom_vmap(f)

    @mapped.def_vmap
    def rule(axis_size: int, in_batched: list[Any], *args: Any) -> tuple[Any, Any]:
        leaves, spec = flatten(args)
        batched = flatten(in_batched)[0]

        def one(elements: list[Operand]) -> Any:
            given = iter(elements)
            whole = [
                next(given) if is_batched else leaf
                for leaf, is_batched in zip(leaves, batched, strict=True)
            ]
            return mapped(*unflatten(spec, whole))

        out = map(
            one, [leaf for leaf, is_batched in zip(leaves, batched, strict=True) if is_batched]
        )
        return out, map_leaves(lambda _: True, out)

    return mapped
