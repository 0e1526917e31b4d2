"""Sums of products."""

from __future__ import annotations

from typing import Any

import numpy as np

from dovetail.tracing.tracer import bind

# An Array or a Tracer.
Operand = Any
Dims = tuple[int, ...]


def dot_general(
    lhs: Operand,
    rhs: Operand,
    lhs_batch: Dims,
    rhs_batch: Dims,
    lhs_contract: Dims,
    rhs_contract: Dims,
    element: np.dtype | None = None,
) -> Operand:
    stated: dict[str, Any] = {} if element is None else {"element": element}
    return bind(
        "dot_general",
        lhs,
        rhs,
        lhs_batch=lhs_batch,
        rhs_batch=rhs_batch,
        lhs_contract=lhs_contract,
        rhs_contract=rhs_contract,
        **stated,
    )


def conv(
    lhs: Operand,
    rhs: Operand,
    lhs_dims: Dims,
    rhs_dims: Dims,
    ans_dims: Dims,
    windows: Dims,
    strides: Dims,
    dilations: Dims,
    element: np.dtype | None = None,
) -> Operand:
    stated: dict[str, Any] = {} if element is None else {"element": element}
    return bind(
        "conv",
        lhs,
        rhs,
        lhs_dims=lhs_dims,
        rhs_dims=rhs_dims,
        ans_dims=ans_dims,
        windows=windows,
        strides=strides,
        dilations=dilations,
        **stated,
    )
