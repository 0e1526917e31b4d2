"""Kinds of memory, which have no effect here."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from typing import Any

from dovetail.arrays.descriptions import ShapeDtypeStruct


class _Memory(Enum):
    """A kind of memory; called, it describes an array in it."""

    def __call__(self, shape: Sequence[int], dtype: Any) -> ShapeDtypeStruct:
        return ShapeDtypeStruct(tuple(shape), dtype)

    def __str__(self) -> str:
        return self.value


class MemorySpace(_Memory):
    """Where a block or scratch is to be kept; it has no effect here.

    Example:
      >>> from dovetail.experimental import pallas as pl
      >>> pl.BlockSpec((4,), lambda i: (i,), memory_space=pl.MemorySpace.ANY).memory_space
      <MemorySpace.ANY: 'any'>
    """

    ANY = "any"
    DEFAULT = "default"
    ERROR = "error"
    INDEX = "index"
    KEY = "key"
    HOST = "host"


ANY, HOST = MemorySpace.ANY, MemorySpace.HOST


class TpuMemorySpace(_Memory):
    """The memories of TPUs; which of them a kernel names has no effect here.

    Called with a shape and an element type, one describes scratch.

    Example:
      >>> from dovetail.experimental.pallas import tpu as pltpu
      >>> pltpu.MemorySpace.VMEM((8, 128), "float32")
      ShapeDtypeStruct(shape=(8, 128), dtype=float32)
    """

    VMEM = "vmem"
    VMEM_SHARED = "vmem_shared"
    SMEM = "smem"
    CMEM = "cmem"
    SEMAPHORE = "semaphore_mem"
    HBM = "hbm"

    def __repr__(self) -> str:
        return self.name


TpuMemorySpace.__name__ = TpuMemorySpace.__qualname__ = "MemorySpace"
