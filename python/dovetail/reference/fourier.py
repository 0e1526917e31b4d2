"""Discrete Fourier transforms, in the precision of their operands."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from dovetail.reference.op import NS, Call, count, op

Array = np.ndarray[Any, Any]


def _cost(call: Call) -> float:
    size = max(count(call.operands[0]), count(call.results[0]))
    return 3 * NS * size * math.log2(size + 2)


@op("fft", cost=_cost)
def fft(x: Array, *, dimension: int, length: int, inverse: bool = False) -> Array:
    """The transform of complex numbers, or its inverse."""
    transform = np.fft.ifft if inverse else np.fft.fft
    return transform(x, length, dimension)


@op("rfft", cost=_cost)
def rfft(x: Array, *, dimension: int, length: int) -> Array:
    """The nonredundant half of a real signal's spectrum."""
    return np.fft.rfft(x, length, dimension)


@op("irfft", cost=_cost)
def irfft(x: Array, *, dimension: int, length: int) -> Array:
    """The real signal of a half spectrum."""
    return np.fft.irfft(x, length, dimension)
