"""Determinants and powers of matrices, and products of several."""

from __future__ import annotations

import itertools
import operator
from collections.abc import Sequence
from typing import Any

from dovetail import lax, ops
from dovetail.arrays.array import Array
from dovetail.base.dtypes import KINDS
from dovetail.base.errors import type_error, value_error
from dovetail.lax.linalg import factorizations
from dovetail.lax.linalg.operands import identity, natively, square
from dovetail.numpy.diagonals import diagonal
from dovetail.numpy.linalg.equations import inv
from dovetail.numpy.linalg.results import SlogdetResult
from dovetail.numpy.products import matmul
from dovetail.numpy.promotion import filled, inexact
from dovetail.numpy.reductions import prod
from dovetail.ops.operands import ArrayLike, as_operand
from dovetail.symbolic.solve import expected_shape


def det(a: ArrayLike) -> Array:
    """Determinants.

    Args:
      a: square matrices, of shape (…, n, n).

    Returns:
      An inexact array, of shape (…). Its derivative is correct for singular matrices too.

    Raises:
      ValueError: the matrices are not square.

    Example:
      >>> det(np.float32([[1, 2], [3, 4]]))
      Array(-2., dtype=float32)
    """
    array = square("det", inexact("det", a))
    if array.shape[-1] == 2:
        return array[..., 0, 0] * array[..., 1, 1] - array[..., 0, 1] * array[..., 1, 0]
    if array.shape[-1] == 3:
        # Along the first row, and its minors cyclically.
        terms = [
            array[..., 0, i]
            * (array[..., 1, j] * array[..., 2, k] - array[..., 1, k] * array[..., 2, j])
            for i, j, k in ((0, 1, 2), (1, 2, 0), (2, 0, 1))
        ]
        return terms[0] + terms[1] + terms[2]
    return natively(ops.det, array)


def slogdet(a: ArrayLike, *, method: str | None = None) -> SlogdetResult:
    """Determinants as sign or phase and logarithm of the magnitude, which does not overflow.

    Args:
      a: square matrices, of shape (…, n, n).
      method: `lu`, or `qr` for real matrices; None is `lu`.

    Returns:
      A named tuple (sign, logabsdet) of shape (…): inexact and real. (0, -inf) for singular
      matrices.

    Raises:
      ValueError: the matrices are not square, or there is no such method.
      NotImplementedError: `qr` for complex matrices.

    Example:
      >>> slogdet(np.float32([[0, 2], [3, 0]])).sign
      Array(-1., dtype=float32)
    """
    array = square("slogdet", inexact("slogdet", a))
    if method not in (None, "lu", "qr"):
        raise value_error(f"slogdet: method must be None, 'lu' or 'qr', got: {method!r}")
    if method != "qr":
        return SlogdetResult(*natively(_by_lu, array))
    if KINDS[array.dtype] == "c":
        raise NotImplementedError("slogdet: method 'qr' is for real matrices; use 'lu'")
    q, r = factorizations.qr(array)
    values = diagonal(r, axis1=-2, axis2=-1)
    sign = _sign_of_rotation(q) * _sign_of_product(values)
    size = abs(values)
    return SlogdetResult(
        *_or_singular(values, sign, lax.reduce_sum(lax.log(size), (size.ndim - 1,)))
    )


def _by_lu(a: Array) -> tuple[Array, Array]:
    packed, pivots, permutation = ops.lu(a)
    values, log = diagonal(packed, axis1=-2, axis2=-1), ops.lu_log_det(a, packed, permutation)
    sign = _sign_of_exchanges(pivots, values)
    if KINDS[a.dtype] != "c":
        return _or_singular(values, sign * _sign_of_product(values), log)
    turn = lax.imag(log)
    return _or_singular(values, sign * lax.complex(lax.cos(turn), lax.sin(turn)), lax.real(log))


def _or_singular(values: Array, sign: Array, log: Array) -> tuple[Array, Array]:
    """The sign and the logarithm, replaced by 0 and -inf if one of the values is 0."""
    is_zero = lax.reduce_or(values == 0, (values.ndim - 1,))
    return (
        lax.select(is_zero, filled(sign, 0), sign),
        lax.select(is_zero, filled(log, -float("inf")), log),
    )


def _sign_of_product(values: Array) -> Array:
    return prod(lax.select(values < 0, filled(values, -1), filled(values, 1)), axis=-1)


def _sign_of_exchanges(pivots: Array, like: Array) -> Array:
    places = lax.broadcasted_iota(pivots.dtype, pivots.shape, pivots.ndim - 1)
    return prod(lax.select(pivots == places, filled(like, 1), filled(like, -1)), axis=-1)


def _sign_of_rotation(q: Array) -> Array:
    """The determinant of an orthogonal matrix, which has no derivative."""
    return lax.sign(natively(ops.det, lax.stop_gradient(q)))


def matrix_power(a: ArrayLike, n: int) -> Array:
    """Products of matrices with themselves.

    Args:
      a: square matrices, of shape (…, m, m).
      n: the number of factors; negative for the inverse.

    Returns:
      An array like a.

    Raises:
      TypeError: the matrices are not square, or n is not an integer.

    Example:
      >>> matrix_power(np.int32([[1, 1], [0, 1]]), 5)
      Array([[1, 5],
             [0, 1]], dtype=int32)
    """
    array = as_operand("matrix_power", a)
    if array.ndim < 2 or array.shape[-2] != array.shape[-1]:
        raise type_error(f"matrix_power: matrices must be square, got: shape {array.shape}")
    try:
        count = operator.index(n)
    except TypeError:
        raise type_error(
            f"matrix_power: the exponent must be an integer, got: {type(n).__name__}"
        ) from None
    if count == 0:
        return identity(array, array.shape[-1])
    if count < 0:
        array, count = inv(array), -count
    if count == 3:
        # One product fewer than by squares.
        return matmul(matmul(array, array), array)
    result: Array | None = None
    while True:
        count, bit = divmod(count, 2)
        if bit:
            result = array if result is None else matmul(result, array)
        if not count:
            assert result is not None
            return result
        array = matmul(array, array)


def multi_dot(arrays: Sequence[ArrayLike], *, precision: Any = None) -> Array:
    """The product of several matrices, in the order that takes the fewest multiplications.

    Args:
      arrays: two or more matrices; the first and the last may be vectors.
      precision: accepted; no target has a lower precision than float32 to choose.

    Returns:
      A matrix; a vector or a scalar if the first or the last is a vector, or both.

    Raises:
      ValueError: there are fewer than two, or shapes do not match.

    Example:
      >>> multi_dot([np.ones((2, 3)), np.ones((3, 4)), np.ones(4)])
      Array([12., 12.], dtype=float32)
    """
    operands = [as_operand("multi_dot", x, i) for i, x in enumerate(arrays)]
    shapes = [x.shape for x in operands]
    if len(operands) < 2:
        raise value_error(f"multi_dot: there must be two arrays or more, got: {len(operands)}")
    if any(len(s) not in (1, 2) for s in (shapes[0], shapes[-1])) or any(
        len(s) != 2 for s in shapes[1:-1]
    ):
        raise value_error(
            "multi_dot: arrays must be matrices, the first and the last also vectors, got: "
            f"{shapes}"
        )
    if any(s[-1] != t[0] for s, t in itertools.pairwise(shapes)):
        raise value_error(
            f"multi_dot: each array must have as many rows as the one before has "
            f"columns, got: shapes {shapes}"
        )
    sizes = [shapes[0][0] if len(shapes[0]) == 2 else 1, *(s[0] for s in shapes[1:])]
    sizes.append(shapes[-1][1] if len(shapes[-1]) == 2 else 1)
    splits = _best_splits(expected_shape(tuple(sizes)))

    def product(first: int, last: int) -> Array:
        if first == last:
            return operands[first]
        split = splits[first, last]
        return matmul(product(first, split), product(split + 1, last), precision=precision)

    return product(0, len(operands) - 1)


def _best_splits(sizes: Sequence[int]) -> dict[tuple[int, int], int]:
    """Where to split each run of matrices, number i being sizes[i] x sizes[i + 1] (Cormen and
    others, "Introduction to algorithms", section 15.2).
    """
    count = len(sizes) - 1
    costs = {(i, i): 0 for i in range(count)}
    splits: dict[tuple[int, int], int] = {}
    for length in range(2, count + 1):
        for first in range(count - length + 1):
            last = first + length - 1
            costs[first, last], splits[first, last] = min(
                (
                    costs[first, split]
                    + costs[split + 1, last]
                    + sizes[first] * sizes[split + 1] * sizes[last + 1],
                    split,
                )
                for split in range(first, last)
            )
    return splits
