"""Collectives cannot be evaluated: no evaluation has all elements of their axes."""

from __future__ import annotations

from typing import Any, NoReturn

import numpy as np

from dovetail.base.locations import here
from dovetail.reference.op import op


class UnboundAxesError(ValueError):
    """An evaluation needs a collective over named axes that are not bound."""


@op(
    *("all_reduce_sum", "all_reduce_max", "all_reduce_min", "all_gather", "reduce_scatter"),
    *("all_to_all", "permute", "axis_index", "vary"),
)
def unbound(*operands: np.ndarray, axes: tuple[str, ...], **attributes: Any) -> NoReturn:
    """Any collective."""
    raise UnboundAxesError(
        f"axes must be bound by a vmap or a mesh that names them, got: {', '.join(axes)}, "
        f"{here()}; call the function where they are in scope"
    )
