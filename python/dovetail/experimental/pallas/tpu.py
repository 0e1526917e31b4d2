"""What kernels for TPUs state in addition, and mean on all devices, under JAX's names."""

from __future__ import annotations

from typing import Any

from dovetail.arrays.descriptions import ShapeDtypeStruct
from dovetail.experimental.pallas.prefetch import PrefetchScalarGridSpec as PrefetchScalarGridSpec


class _Memory:
    """A kind of memory, which has no effect; called, it describes an array in it."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __call__(self, shape: Any, dtype: Any) -> ShapeDtypeStruct:
        return ShapeDtypeStruct(shape, dtype)

    def __repr__(self) -> str:
        return self._name


VMEM, SMEM = _Memory("VMEM"), _Memory("SMEM")


class CompilerParams:
    """The `compiler_params` of a `pallas_call`, of which only one is looked at.

    Args:
      dimension_semantics: "parallel" or "arbitrary" for each dimension of the grid.
      others: what only concerns TPUs, such as `vmem_limit_bytes`.

    Example:
      >>> from dovetail.experimental.pallas import tpu as pltpu
      >>> pltpu.CompilerParams(dimension_semantics=("parallel", "arbitrary")).dimension_semantics
      ('parallel', 'arbitrary')
    """

    def __init__(self, *, dimension_semantics: Any = None, **others: Any) -> None:
        self.dimension_semantics = dimension_semantics
        self.__dict__.update(others)


__all__ = ["SMEM", "VMEM", "CompilerParams", "PrefetchScalarGridSpec"]
