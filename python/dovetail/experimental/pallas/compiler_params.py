"""What a kernel tells a compiler."""

from __future__ import annotations

from typing import Any


class CompilerParams:
    """The `compiler_params` of a `pallas_call`, of which only one is looked at.

    Args:
      dimension_semantics: "parallel" or "arbitrary" for each dimension of the grid.
      others: what only concerns other compilers, such as `vmem_limit_bytes` and `num_warps`.

    Example:
      >>> from dovetail.experimental.pallas import tpu as pltpu
      >>> pltpu.CompilerParams(dimension_semantics=("parallel", "arbitrary")).dimension_semantics
      ('parallel', 'arbitrary')
    """

    def __init__(self, *, dimension_semantics: Any = None, **others: Any) -> None:
        self.dimension_semantics = dimension_semantics
        self.__dict__.update(others)
