"""Grids of which index maps read arguments."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from dovetail.base.errors import value_error
from dovetail.experimental.pallas.specs import GridSpec, no_block_spec


@dataclass(frozen=True, init=False)
class PrefetchScalarGridSpec(GridSpec):
    """A grid of which index maps read numbers that are arguments, such as where blocks are not 0.

    The first arguments have no blocks: the kernel, and each index map after the place of the
    program, get references to all of them, which are read only. A place that an index map returns
    and that no block has is the nearest one.

    Args:
      num_scalar_prefetch: the number of these arguments.
      grid, in_specs, out_specs, scratch_shapes: those of `GridSpec`, for the other arguments.

    Raises:
      ValueError: num_scalar_prefetch is not an integer of 0 or more, or in_specs is no sequence.

    Example:
      >>> import dovetail as dt, dovetail.numpy as dnp
      >>> from dovetail.experimental import pallas as pl
      >>> from dovetail.experimental.pallas import tpu as pltpu
      >>> def copy(rows_ref, x_ref, o_ref):
      ...     o_ref[...] = x_ref[...]
      >>> spec = pltpu.PrefetchScalarGridSpec(
      ...     num_scalar_prefetch=1, grid=3,
      ...     in_specs=[pl.BlockSpec((None, 2), lambda i, rows: (rows[i], 0))],
      ...     out_specs=pl.BlockSpec((None, 2), lambda i, rows: (i, 0)),
      ... )
      >>> f = pl.pallas_call(copy, dt.ShapeDtypeStruct((3, 2), "int32"), grid_spec=spec)
      >>> f(dnp.array([1, 1, 0]), dnp.array([[1, 2], [3, 4]]))
      Array([[3, 4],
             [3, 4],
             [1, 2]], dtype=int32)
    """

    num_scalar_prefetch: int = 0

    def __init__(
        self,
        num_scalar_prefetch: int,
        grid: Any = (),
        in_specs: Any = no_block_spec,
        out_specs: Any = no_block_spec,
        scratch_shapes: Any = (),
    ) -> None:
        super().__init__(grid, in_specs, out_specs, scratch_shapes)
        if not isinstance(num_scalar_prefetch, (int, np.integer)) or num_scalar_prefetch < 0:
            raise value_error(
                "PrefetchScalarGridSpec: num_scalar_prefetch must be an integer, 0 or more, got: "
                f"{num_scalar_prefetch!r}"
            )
        object.__setattr__(self, "num_scalar_prefetch", int(num_scalar_prefetch))
