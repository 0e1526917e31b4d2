"""Rows of the op table for Fourier transforms."""

from __future__ import annotations

from typing import Any

import numpy as np

from dovetail import dtypes
from support.op_row import COMPLEX, WIDE, Case, Row
from support.op_samplers import between

Array = np.ndarray[Any, Any]
ROWS: list[Row] = []

# (shape of the signals, dimension): lengths with one step, several, odd factors, and large prime
# factors; the dimension last and not; few and many rows.
_SIGNALS = (
    ((1,), 0),
    ((2, 1), 0),
    ((5,), 0),
    ((8, 3), 0),
    ((3, 12), 1),
    ((2, 15, 20), 1),
    ((40, 16), 1),
    ((96,), 0),
    ((2, 37), 1),
    ((38, 2), 0),
    ((3, 0, 4), 2),
    ((360,), 0),
)


def _matrix(length: int) -> Array:
    """exp(-2 pi i j k / length) as long doubles."""
    # Angles up to a right angle, whose sines are accurate.
    turns = np.outer(np.arange(length), np.arange(length)) % length
    quarters, rest = np.divmod(4 * turns, length)
    angle = 2 * np.arctan(np.longdouble(1)) * rest / length
    w = np.empty(turns.shape, np.clongdouble)
    w.real, w.imag = np.cos(angle), -np.sin(angle)
    return np.array([1, -1j, -1, 1j], np.clongdouble)[quarters] * w


def _along(matrix: Array, x: Array, dimension: int) -> Array:
    return np.moveaxis(np.tensordot(x, matrix, (dimension, 1)), -1, dimension)


def _fft(x: Array, dimension: int, length: int, inverse: bool = False) -> Array:
    matrix = _matrix(length)
    return _along(matrix.conj() / length if inverse else matrix, x, dimension)


def _rfft(x: Array, dimension: int, length: int) -> Array:
    return _along(_matrix(length)[: length // 2 + 1], x, dimension)


def _irfft(x: Array, dimension: int, length: int) -> Array:
    # Each element except the ends also represents its conjugate.
    size = length // 2 + 1
    weights = np.full(size, np.longdouble(2)) / length
    weights[0] /= 2
    if length % 2 == 0:
        weights[-1] /= 2
    return _along(_matrix(length)[:, :size].conj() * weights, x, dimension).real


def _half(shape: tuple[int, ...], dimension: int) -> tuple[int, ...]:
    return (*shape[:dimension], shape[dimension] // 2 + 1, *shape[dimension + 1 :])


def _cases(half: bool = False, **attributes: Any) -> tuple[Case, ...]:
    return tuple(
        Case(
            {"dimension": dimension, "length": shape[dimension], **attributes},
            (_half(shape, dimension) if half else shape,),
        )
        for shape, dimension in _SIGNALS
    )


_REST: dict[str, Any] = {"pointwise": False, "ulps": 8, "normwise": True}
ROWS.append(
    Row("fft", COMPLEX, (between(-2, 2),), _fft, cases=_cases() + _cases(inverse=True), **_REST)
)
ROWS.append(
    Row(
        "rfft",
        WIDE,
        (between(-2, 2),),
        _rfft,
        cases=_cases(),
        result_type=lambda dtype, _: dtypes.to_complex_dtype(dtype),
        **_REST,
    )
)
ROWS.append(
    Row(
        "irfft",
        COMPLEX,
        (between(-2, 2),),
        _irfft,
        cases=_cases(half=True),
        result_type=lambda dtype, _: dtypes.to_real_dtype(dtype),
        **_REST,
    )
)
