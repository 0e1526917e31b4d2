"""The general contraction of two arrays."""

from __future__ import annotations

import functools
import math
from typing import Any, NamedTuple

import ml_dtypes
import numpy as np

from dovetail.base.dtypes import KINDS, SMALL_INTS, complex64, complex128, float32, float64, int8
from dovetail.reference.conversions import convert
from dovetail.reference.op import Call, count, op, product_rate
from dovetail.reference.reductions import wider_type

Array = np.ndarray[Any, Any]
Dims = tuple[int, ...]

# Types that BLAS multiplies natively.
NATIVE = frozenset((float32, float64, complex64, complex128))
# Below this many multiplications NumPy's integer loops beat BLAS and the conversions around it.
_FEW = 4096
# The length of sums up to which BLAS, which uses few accumulators, is accurate.
BLOCK = 1024


def _cost_of_product(call: Call) -> float:
    depth = count([call.operands[0][dim] for dim in call.attributes["lhs_contract"]])
    return count(call.results[0]) * depth * product_rate(call.elements[0])


@op("dot_general", cost=_cost_of_product)
def dot_general(
    lhs: Array,
    rhs: Array,
    *,
    lhs_batch: Dims,
    rhs_batch: Dims,
    lhs_contract: Dims,
    rhs_contract: Dims,
    element: np.dtype | None = None,
) -> Array:
    """Products summed in `element`, or in the operands' type; narrow floats in float32."""
    target = lhs.dtype if element is None else element
    shape = None
    if is_matmul(lhs, rhs, lhs_batch, lhs_contract):
        x = lhs if lhs_contract[0] == lhs.ndim - 1 else lhs.T
        y = rhs if rhs_contract[0] == 0 else rhs.T
    else:
        dims = lhs_contract, rhs_contract, lhs_batch, rhs_batch
        x_way, y_way, shape = as_matrices(lhs.shape, rhs.shape, *dims)
        x = lhs.transpose(x_way.order).reshape(x_way.shape)
        y = rhs.transpose(y_way.order).reshape(y_way.shape)
    if target in NATIVE and x.dtype == y.dtype == target:
        result = product(x, y)
        return result if shape is None else result.reshape(shape)
    compute = _compute_type(x, y, target)
    x, y = (convert(convert(a, dtype=target), dtype=compute) for a in (x, y))
    result = product(x, y)
    if shape is not None:
        result = result.reshape(shape)
    if compute == float64 and KINDS[target] in "iu":
        # Integers below 2^53; values too large for `target` wrap.
        result = result.astype(np.int64)
    return convert(result, dtype=target)


def product(x: Array, y: Array) -> Array:
    """The product of matrices. Long sums are split into blocks, which are added in a wider type."""
    size = x.shape[-1]
    if size <= BLOCK or KINDS[x.dtype] not in "fc":
        return np.matmul(x, y)
    total: Any = 0
    for start in range(0, size, BLOCK):
        block = slice(start, start + BLOCK)
        part = np.matmul(x[..., block], y[block] if y.ndim == 1 else y[..., block, :])
        total = np.add(total, part, dtype=wider_type(x.dtype, size))
    return np.asarray(total).astype(x.dtype)


def is_matmul(lhs: Array, rhs: Array, batch: Dims, contract: Dims) -> bool:
    """True if matmul contracts the operands, or their transposes, directly."""
    return not batch and len(contract) == 1 and lhs.ndim <= 2 and rhs.ndim <= 2


class _Way(NamedTuple):
    """The conversion of an operand to a batch of matrices."""

    order: Dims
    shape: Dims


# Eager calls ask again and again.
@functools.lru_cache(1024)
def as_matrices(
    lhs: Dims, rhs: Dims, lhs_contract: Dims, rhs_contract: Dims, lhs_batch: Dims, rhs_batch: Dims
) -> tuple[_Way, _Way, Dims]:
    """The conversions of operands for matmul, with each kind of dimensions merged into one, and the
    result's shape.
    """
    lhs_free = tuple(i for i in range(len(lhs)) if i not in lhs_batch and i not in lhs_contract)
    rhs_free = tuple(i for i in range(len(rhs)) if i not in rhs_batch and i not in rhs_contract)
    batch = [lhs[i] for i in lhs_batch]
    rows = [lhs[i] for i in lhs_free]
    columns = [rhs[i] for i in rhs_free]
    m, n, k = map(math.prod, (rows, columns, [lhs[i] for i in lhs_contract]))
    return (
        _Way((*lhs_batch, *lhs_free, *lhs_contract), (*batch, m, k)),
        _Way((*rhs_batch, *rhs_contract, *rhs_free), (*batch, k, n)),
        (*batch, *rows, *columns),
    )


def _compute_type(x: Array, y: Array, element: np.dtype) -> np.dtype:
    kind = KINDS[element]
    if kind == "f":
        return float32 if element.itemsize < 4 else element
    if kind == "c":
        return element
    k = x.shape[-1]
    if x.size * y.shape[-1] > _FEW and k << (_bits(x, element) + _bits(y, element)) <= 2**53:
        return float64
    return int8 if element in SMALL_INTS else element


def _bits(x: Array, element: np.dtype) -> int:
    """The bits of `x` after conversion to integers of type `element`."""
    width = ml_dtypes.iinfo(element).bits
    return min(width, ml_dtypes.iinfo(x.dtype).bits) if KINDS[x.dtype] in "iu" else width
