"""Discrete Fourier transforms, in the precision of their operands."""

from __future__ import annotations

from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]


def fft(x: Array, *, dimension: int, length: int, inverse: bool = False) -> Array:
    """The transform of complex numbers, or its inverse."""
    transform = np.fft.ifft if inverse else np.fft.fft
    return transform(x, length, dimension)


def rfft(x: Array, *, dimension: int, length: int) -> Array:
    """The half of a real signal's spectrum that says what the other half is."""
    return np.fft.rfft(x, length, dimension)


def irfft(x: Array, *, dimension: int, length: int) -> Array:
    """The real signal of a half spectrum."""
    return np.fft.irfft(x, length, dimension)
