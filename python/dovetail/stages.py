"""The stages of a jitted function's program: `jit(f).trace(…)`, `.lower(…)`, `.compile()`."""

from __future__ import annotations

from typing import Any, Protocol, runtime_checkable

from dovetail.arrays.descriptions import ShapeDtypeStruct as OutInfo
from dovetail.programs.analysis import CompiledMemoryStats as CompiledMemoryStats
from dovetail.programs.stages import ArgInfo as ArgInfo
from dovetail.programs.stages import Compiled as Compiled
from dovetail.programs.stages import Lowered as Lowered
from dovetail.programs.stages import Traced as Traced

__all__ = [
    "ArgInfo",
    "Compiled",
    "CompiledMemoryStats",
    "Lowered",
    "OutInfo",
    "Traced",
    "Wrapped",
]


@runtime_checkable
class Wrapped(Protocol):
    """A function that can be traced, lowered and compiled ahead of its first call.

    Example:
      >>> import dovetail as dt
      >>> isinstance(dt.jit(lambda x: x), dt.stages.Wrapped)
      True
    """

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call the function."""
        ...

    def trace(self, *args: Any, **kwargs: Any) -> Traced:
        """Trace it for arguments of the given types."""
        ...

    def lower(self, *args: Any, **kwargs: Any) -> Lowered:
        """Trace and lower it for arguments of the given types."""
        ...
