"""Operands for the op table: ordinary values away from kinks and poles, and special values."""

from __future__ import annotations

import math
from collections.abc import Callable

import ml_dtypes
import numpy as np

from dovetail import dtypes
from dovetail.reference import FUNCTIONS

Shape = tuple[int, ...]
Sampler = Callable[[np.random.Generator, Shape], np.ndarray]


def between(low: float, high: float) -> Sampler:
    """Uniform in an interval."""
    return lambda rng, shape: np.asarray(rng.uniform(low, high, shape))


def around(low: float, high: float) -> Sampler:
    """Numbers of either sign, with a magnitude in an interval."""

    def sample(rng: np.random.Generator, shape: Shape) -> np.ndarray:
        return np.asarray(rng.uniform(low, high, shape) * rng.choice([-1.0, 1.0], shape))

    return sample


def spaced(offset: float = 0.0, step: float = 0.75) -> Sampler:
    """Distinct values, multiples of `step` plus `offset`; those of two offsets do not coincide."""

    def sample(rng: np.random.Generator, shape: Shape) -> np.ndarray:
        size = math.prod(shape)
        return (rng.permutation(size) - size // 2).reshape(shape) * step + offset

    return sample


class Listed:
    """These integers in order, repeatedly; unlike other samplers, also for integer types."""

    def __init__(self, *values: int) -> None:
        self.values = np.array(values)

    def __call__(self, rng: np.random.Generator, shape: Shape) -> np.ndarray:
        """The first of them."""
        return np.resize(self.values, shape)


def with_zeros(sample: Sampler) -> Sampler:
    """The same, with a few zeros."""

    def mixed(rng: np.random.Generator, shape: Shape) -> np.ndarray:
        return np.where(rng.uniform(size=shape) < 0.3, 0.0, sample(rng, shape))

    return mixed


def convert(x: np.ndarray, dtype: np.dtype) -> np.ndarray:
    """`x` as elements of another type."""
    return FUNCTIONS["convert"](x, dtype=dtype)


def draw(rng: np.random.Generator, sample: Sampler, dtype: np.dtype, shape: Shape) -> np.ndarray:
    """Ordinary values of one operand. Integers and bools have no kinks: they are any small ones."""
    kind = dtypes.kind(dtype)
    if kind == "b":
        return np.asarray(rng.integers(0, 2, shape)).astype(bool)
    if isinstance(sample, Listed):
        return convert(sample(rng, shape), dtype)
    if kind in "iu":
        low, high = (
            max(-9, int(ml_dtypes.iinfo(dtype).min)),
            min(9, int(ml_dtypes.iinfo(dtype).max)),
        )
        return convert(np.asarray(rng.integers(low, high + 1, shape)), dtype)
    if kind == "c":
        return (sample(rng, shape) + 1j * sample(rng, shape)).astype(dtype)
    return convert(sample(rng, shape), dtype)


def special(dtype: np.dtype, subnormal: bool) -> np.ndarray:
    """Values at which functions are prone to errors."""
    kind = dtypes.kind(dtype)
    if kind == "b":
        return np.array([False, True])
    if kind in "iu":
        info = ml_dtypes.iinfo(dtype)
        least, greatest = int(info.min), int(info.max)
        near = {least, least + 1, greatest - 1, greatest, -1, 0, 1, 2, 3, info.bits, info.bits - 1}
        return np.array([v for v in sorted(near) if least <= v <= greatest], dtype)
    if kind == "c":
        # Oracles disagree on which part of a complex result is infinite or NaN.
        return np.zeros(0, dtype)
    info = ml_dtypes.finfo(dtype)
    magnitudes = [info.tiny, info.eps, 0.5, 1.0, 1.5, 2.0, info.max]
    if subnormal:
        magnitudes.append(info.smallest_subnormal)
    ordinary = [float(m) * sign for m in magnitudes for sign in (1, -1)]
    return convert(np.array([0.0, -0.0, *ordinary, np.inf, -np.inf, np.nan]), dtype)


def special_tuples(types: tuple[np.dtype, ...], subnormal: bool) -> tuple[np.ndarray, ...]:
    """All combinations of special values, one flat array for each operand."""
    values = [special(t, subnormal) for t in types]
    grids = np.meshgrid(*(np.arange(v.size) for v in values), indexing="ij")
    return tuple(v[grid.ravel()] for v, grid in zip(values, grids, strict=True))
