"""What kernels for TPUs state in addition, and mean on all devices, under JAX's names."""

from __future__ import annotations

from enum import Enum
from typing import Any

from dovetail import numpy as dnp
from dovetail.arrays.descriptions import ShapeDtypeStruct
from dovetail.base.errors import value_error
from dovetail.experimental.pallas.compiler_params import CompilerParams as CompilerParams
from dovetail.experimental.pallas.memories import TpuMemorySpace as MemorySpace
from dovetail.experimental.pallas.prefetch import PrefetchScalarGridSpec as PrefetchScalarGridSpec
from dovetail.experimental.pallas.triton import load as load
from dovetail.experimental.pallas.triton import store as store

CMEM, HBM, SMEM, VMEM = MemorySpace.CMEM, MemorySpace.HBM, MemorySpace.SMEM, MemorySpace.VMEM
SEMAPHORE, VMEM_SHARED = MemorySpace.SEMAPHORE, MemorySpace.VMEM_SHARED


class GridDimensionSemantics(Enum):
    """What `dimension_semantics` says of a dimension of a grid; all but one mean parallel.

    Example:
      >>> from dovetail.experimental.pallas import tpu as pltpu
      >>> params = pltpu.CompilerParams(dimension_semantics=(pltpu.PARALLEL, pltpu.ARBITRARY))
    """

    PARALLEL = "parallel"
    CORE_PARALLEL = "core_parallel"
    SUBCORE_PARALLEL = "subcore_parallel"
    ARBITRARY = "arbitrary"


PARALLEL, ARBITRARY = GridDimensionSemantics.PARALLEL, GridDimensionSemantics.ARBITRARY
CORE_PARALLEL = GridDimensionSemantics.CORE_PARALLEL
SUBCORE_PARALLEL = GridDimensionSemantics.SUBCORE_PARALLEL


class InterpretParams:
    """As `interpret` of a `pallas_call`: the same as True.

    Args:
      options: accepted, without effect.

    Example:
      >>> from dovetail.experimental.pallas import tpu as pltpu
      >>> params = pltpu.InterpretParams(detect_races=True)
    """

    def __init__(self, **options: Any) -> None:
        self.__dict__.update(options)


class SemaphoreType(Enum):
    """What a copy is waited for by; as scratch, an array that nothing depends on.

    Example:
      >>> from dovetail.experimental.pallas import tpu as pltpu
      >>> pltpu.SemaphoreType.DMA((2,)).shape
      (2,)
    """

    DMA = "dma"

    @property
    def shape(self) -> tuple[int, ...]:
        """That of one."""
        return ()

    @property
    def dtype(self) -> Any:
        """The element type of scratch."""
        return dnp.dtype("int32")

    def __call__(self, shape: Any) -> ShapeDtypeStruct:
        """The scratch of several."""
        return ShapeDtypeStruct(tuple(shape), self.dtype)


class AsyncCopyDescriptor:
    """A copy from one reference to another, which happens when it starts.

    Args:
      src_ref, dst_ref: the references, or windows of them.

    Example:
      >>> import dovetail as dt
      >>> from dovetail.experimental.pallas import tpu as pltpu
      >>> a, b = dt.new_ref(1.0), dt.new_ref(2.0)
      >>> copy = pltpu.make_async_copy(a, b, None)
      >>> copy.start(); copy.wait()
      >>> b[...]
      Array(1., dtype=float32)
    """

    def __init__(self, src_ref: Any, dst_ref: Any) -> None:
        self._from, self._to = src_ref, dst_ref

    def start(self, priority: int = 0, *, add: bool = False) -> None:
        """Copy, or add. `priority` has no effect."""
        if add:
            self._to[...] += self._from[...]
        else:
            self._to[...] = self._from[...]

    def wait(self) -> None:
        """Nothing: a copy that has started is complete."""


def make_async_copy(src_ref: Any, dst_ref: Any, sem: Any) -> AsyncCopyDescriptor:
    """A copy that `start` makes, and `wait` waits for.

    Args:
      src_ref, dst_ref: references of one shape and dtype, or windows of them.
      sem: accepted, without effect.

    Returns:
      The copy.

    Example:
      >>> import dovetail as dt
      >>> from dovetail.experimental.pallas import tpu as pltpu
      >>> copy = pltpu.make_async_copy(dt.new_ref(1.0), dt.new_ref(2.0), None)
    """
    return AsyncCopyDescriptor(src_ref, dst_ref)


def async_copy(
    src_ref: Any, dst_ref: Any, sem: Any, *, priority: int = 0, add: bool = False
) -> AsyncCopyDescriptor:
    """A copy that has started.

    Args:
      src_ref, dst_ref, sem: those of `make_async_copy`.
      priority: accepted, without effect.
      add: whether to add instead.

    Returns:
      The copy.

    Example:
      >>> import dovetail as dt
      >>> from dovetail.experimental.pallas import tpu as pltpu
      >>> to = dt.new_ref(2.0)
      >>> pltpu.async_copy(dt.new_ref(1.0), to, None, add=True).wait()
      >>> to[...]
      Array(3., dtype=float32)
    """
    copy = AsyncCopyDescriptor(src_ref, dst_ref)
    copy.start(priority, add=add)
    return copy


def sync_copy(src_ref: Any, dst_ref: Any, *, add: bool = False) -> None:
    """Copy from one reference to another.

    Args:
      src_ref, dst_ref: references of one shape and dtype, or windows of them.
      add: whether to add instead.

    Example:
      >>> import dovetail as dt
      >>> from dovetail.experimental.pallas import tpu as pltpu
      >>> to = dt.new_ref(2.0)
      >>> pltpu.sync_copy(dt.new_ref(1.0), to)
      >>> to[...]
      Array(1., dtype=float32)
    """
    AsyncCopyDescriptor(src_ref, dst_ref).start(add=add)


def roll(
    x: Any, shift: Any, axis: int, *, stride: int | None = None, stride_axis: int | None = None
) -> Any:
    """`dovetail.numpy.roll`, which may differ from row to row.

    Args:
      x: an array.
      shift: by how many elements, 0 or more.
      axis: the dimension.
      stride: by how many more, for each index along `stride_axis`.
      stride_axis: another dimension.

    Returns:
      An array of the same shape and dtype.

    Raises:
      ValueError: a number is negative, or a dimension is out of range, alone, or twice the same.

    Example:
      >>> import dovetail.numpy as dnp
      >>> from dovetail.experimental.pallas import tpu as pltpu
      >>> pltpu.roll(dnp.arange(4), 1, 0)
      Array([3, 0, 1, 2], dtype=int32)
    """
    axes = (axis,) if stride_axis is None else (axis, stride_axis)
    if not all(0 <= each < x.ndim for each in axes) or len({*axes}) != len(axes):
        raise value_error(
            f"roll: axis and stride_axis must be two dimensions from 0 to {x.ndim - 1}, got: {axes}"
        )
    numbers = [each for each in (shift, stride) if isinstance(each, int)]
    if min(numbers, default=0) < 0 or (stride is None) != (stride_axis is None):
        raise value_error(
            "roll: shift and stride must be 0 or more, and stride have a stride_axis, got: "
            f"{shift} and {stride}"
        )
    if stride is None or stride_axis is None:
        return dnp.roll(x, shift, axis)

    def along(dimension: int) -> Any:
        shape = [x.shape[dimension] if i == dimension else 1 for i in range(x.ndim)]
        return dnp.arange(x.shape[dimension]).reshape(shape)

    places = (along(axis) - shift - stride * along(stride_axis)) % x.shape[axis]
    return dnp.take_along_axis(x, dnp.broadcast_to(places, x.shape), axis)


def with_memory_space_constraint(x: Any, memory_space: Any) -> Any:
    """The array, which is to be in some memory; that has no effect here.

    Args:
      x: an array.
      memory_space: the memory.

    Returns:
      The array.

    Example:
      >>> from dovetail.experimental.pallas import tpu as pltpu
      >>> pltpu.with_memory_space_constraint(2, pltpu.HBM)
      2
    """
    return x


__all__ = [
    "ARBITRARY",
    "CMEM",
    "CORE_PARALLEL",
    "HBM",
    "PARALLEL",
    "SEMAPHORE",
    "SMEM",
    "SUBCORE_PARALLEL",
    "VMEM",
    "VMEM_SHARED",
    "CompilerParams",
    "GridDimensionSemantics",
    "InterpretParams",
    "MemorySpace",
    "PrefetchScalarGridSpec",
    "SemaphoreType",
    "async_copy",
    "load",
    "make_async_copy",
    "roll",
    "store",
    "sync_copy",
    "with_memory_space_constraint",
]
