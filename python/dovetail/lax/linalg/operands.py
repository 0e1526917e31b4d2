"""Argument checks and conversions that the functions of this package share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from dovetail import ops
from dovetail.arrays.array import Array
from dovetail.base import dtypes
from dovetail.base.errors import type_error, value_error
from dovetail.lax import basics as lax
from dovetail.ops.operands import as_operand, broadcast_to, check_kind

# The element types of LAPACK.
_NATIVE = frozenset((dtypes.float32, dtypes.float64, dtypes.complex64, dtypes.complex128))


def matrices(name: str, x: Any, position: int = 0, rank: int = 2) -> Array:
    """A checked operand of floats or complex numbers, of this rank or a batch of such."""
    array = check_kind(name, as_operand(name, x, position), "fc")
    if array.ndim < rank:
        what = "matrices" if rank == 2 else "vectors"
        raise type_error(
            f"{name}: argument {position} must be {what}, of rank {rank} or more, got: shape "
            f"{array.shape}"
        )
    return array


def square(name: str, x: Any) -> Array:
    """A checked operand of square matrices."""
    array = matrices(name, x)
    if array.shape[-2] != array.shape[-1]:
        raise value_error(f"{name}: matrices must be square, got: shape {array.shape}")
    return array


def alike(name: str, *arrays: Array) -> None:
    """Reject operands of different element types."""
    first = arrays[0]
    for other in arrays[1:]:
        if other.dtype != first.dtype:
            raise type_error(
                f"{name}: element types must be equal, got: {first.dtype.name} and "
                f"{other.dtype.name}; convert one with x.astype(...)"
            )


def natively(compute: Callable[..., Any], *arrays: Array) -> Any:
    """Run `compute` in an element type that LAPACK supports: narrower floats are widened and
    results rounded.
    """
    dtype = arrays[0].dtype
    if dtype in _NATIVE:
        return compute(*arrays)

    def narrow(x: Array) -> Array:
        return ops.convert(x, dtype) if x.dtype == dtypes.float32 else x

    results = compute(*(ops.convert(x, dtypes.float32) for x in arrays))
    if isinstance(results, (list, tuple)):
        return [narrow(x) for x in results]
    return narrow(results)


def transposed(x: Array) -> Array:
    """The matrices with rows as columns."""
    return ops.transpose(x, (*range(x.ndim - 2), x.ndim - 1, x.ndim - 2))


def adjoint(x: Array) -> Array:
    """The conjugate transposes."""
    return transposed(conj(x))


def conj(x: Array) -> Array:
    """The conjugate; real arrays are returned unchanged."""
    return ops.conj(x) if dtypes.KINDS[x.dtype] == "c" else x


def hermitian(x: Array) -> Array:
    """The Hermitian parts."""
    return (x + adjoint(x)) / 2


def matmul(x: Array, y: Array) -> Array:
    """Products of matrices in one batch."""
    batch = tuple(range(x.ndim - 2))
    return ops.dot_general(x, y, batch, batch, (x.ndim - 1,), (x.ndim - 2,))


def identity(like: Array, rows: int, columns: int | None = None) -> Array:
    """1 on the diagonal of matrices in the batch of `like`."""
    shape = (rows, rows if columns is None else columns)
    # A constant costs nothing as part of a program, even if it is large.
    eye = lax.convert_element_type(
        lax.broadcasted_iota(dtypes.int32, shape, 0)
        == lax.broadcasted_iota(dtypes.int32, shape, 1),
        like.dtype,
    )
    return broadcast_to(eye, (*like.shape[:-2], *shape))


def part(x: Array, lower: bool, offset: int = 0) -> Array:
    """The elements on diagonal `offset` and below it, or above it; zero for others."""

    shape = x.shape[-2:]
    rows = lax.broadcasted_iota(dtypes.int32, shape, 0) + offset
    columns = lax.broadcasted_iota(dtypes.int32, shape, 1)
    mask = broadcast_to(rows >= columns if lower else rows <= columns, x.shape)
    return ops.select(mask, x, lax.full_like(x, 0))
