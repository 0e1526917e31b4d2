"""The cost of kernels."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, NamedTuple

from dovetail import tree
from dovetail.arrays.descriptions import ShapeDtypeStruct
from dovetail.programs.jit import jit


class CostEstimate(NamedTuple):
    """The cost of a kernel, which is accepted and has no effect.

    Attributes:
      flops, transcendentals: the number of operations.
      bytes_accessed: the number of bytes read and written.
      remote_bytes_transferred: the number of bytes exchanged with other devices.

    Example:
      >>> from dovetail.experimental import pallas as pl
      >>> pl.CostEstimate(flops=1000, transcendentals=0, bytes_accessed=256).flops
      1000
    """

    flops: int
    transcendentals: int
    bytes_accessed: int
    remote_bytes_transferred: int = 0


def estimate_cost(fun: Callable[..., Any], *args: Any, **kwargs: Any) -> CostEstimate:
    """The number of operations of a function, and of bytes that it reads and writes.

    Args:
      fun: a function of arrays.
      args: its arguments, or `ShapeDtypeStruct`s in place of arrays.
      kwargs: further arguments, which are not arrays.

    Returns:
      The cost, by `Lowered.cost_analysis`.

    Example:
      >>> import dovetail as dt
      >>> from dovetail.experimental import pallas as pl
      >>> x = dt.ShapeDtypeStruct((4, 4), "float32")
      >>> pl.estimate_cost(lambda x: x @ x, x).flops
      128
    """
    shapes = tree.map(lambda x: ShapeDtypeStruct(x.shape, x.dtype), args)
    cost = jit(functools.partial(fun, **kwargs)).lower(*shapes).cost_analysis()
    return CostEstimate(
        int(cost["flops"]), int(cost["transcendentals"]), int(cost["bytes accessed"])
    )
