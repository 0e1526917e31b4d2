"""Discrete Fourier transforms along one dimension."""

from __future__ import annotations

from typing import Any

from dovetail.tracing.tracer import bind

# An Array or a Tracer.
Operand = Any


def fft(x: Operand, dimension: int, length: int, inverse: bool = False) -> Operand:
    return bind("fft", x, dimension=dimension, length=length, inverse=inverse)


def rfft(x: Operand, dimension: int, length: int) -> Operand:
    return bind("rfft", x, dimension=dimension, length=length)


def irfft(x: Operand, dimension: int, length: int) -> Operand:
    return bind("irfft", x, dimension=dimension, length=length)
