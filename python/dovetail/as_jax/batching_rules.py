"""Batching rules of primitives that treat all elements of arrays alike."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dovetail import numpy as dnp
from dovetail.transforms.primitives import Primitive, batchers


def broadcast(x: Any, sz: int, axis: int) -> Any:
    """A batch of `sz` copies of `x` along `axis`."""
    return dnp.repeat(dnp.expand_dims(x, axis), sz, axis)


def bdim_at_front(x: Any, bdim: int | None, size: int) -> Any:
    """A batch, with the batched dimension first."""
    return broadcast(x, size, 0) if bdim is None else dnp.moveaxis(x, bdim, 0)


def moveaxis(x: Any, src: int, dst: int) -> Any:
    """`x` with a dimension moved."""
    return x if src == dst else dnp.moveaxis(x, src, dst)


def _places(primitive: Primitive, out: Any, place: int) -> Any:
    return [place] * len(out) if primitive.multiple_results else place


def defvectorized(prim: Primitive) -> None:
    """Register that a primitive computes each element from those at the same place.

    Args:
      prim: its arguments all have the same shape.
    """

    def batch(args: Sequence[Any], dims: Sequence[int | None], **params: Any) -> Any:
        out = prim.bind(*args, **params)
        return out, _places(prim, out, next(dim for dim in dims if dim is not None))

    batchers[prim] = batch


def defbroadcasting(prim: Primitive) -> None:
    """Register that a primitive broadcasts its arguments, and computes each element from those at
    the same place.
    """

    def batch(args: Sequence[Any], dims: Sequence[int | None], **params: Any) -> Any:
        ranks = [dnp.ndim(x) - (dim is not None) for x, dim in zip(args, dims, strict=True)]
        rank = max(ranks)
        aligned = []
        for x, dim, own in zip(args, dims, ranks, strict=True):
            x = dnp.expand_dims(x, 0) if dim is None else dnp.moveaxis(x, dim, 0)
            aligned.append(dnp.expand_dims(x, tuple(range(1, 1 + rank - own))))
        out = prim.bind(*aligned, **params)
        return out, _places(prim, out, 0)

    batchers[prim] = batch


def defreducer(prim: Primitive) -> None:
    """Register that a primitive reduces the dimensions of its argument that its parameter `axes`
    lists.
    """

    def batch(args: Sequence[Any], dims: Sequence[Any], axes: Any, **params: Any) -> Any:
        (x,), (dim,) = args, dims
        x = dnp.moveaxis(x, dim, 0)
        out = prim.bind(x, axes=tuple(axis + 1 for axis in axes), **params)
        return out, _places(prim, out, 0)

    batchers[prim] = batch
