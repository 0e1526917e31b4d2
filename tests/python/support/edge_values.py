"""Numbers at the ends of the ranges of element types, around zero, and without a value."""

from __future__ import annotations

import math

import numpy as np

from dovetail.base import dtypes

INTEGERS = [t for t in dtypes.KINDS if dtypes.KINDS[t] in "iu"]
FLOATS = [dtypes.bfloat16, dtypes.float16, dtypes.float32, dtypes.float64]


def edges(dtype: np.dtype) -> np.ndarray:
    """Integers, or bools, at the ends of a type's range and around zero."""
    if dtype == np.bool_:
        return np.array([False, True])
    low, high = (dtypes.limit(dtype, greatest) for greatest in (False, True))
    values = {low, low + 1, low // 2, -3, -2, -1, 0, 1, 2, 3, high // 2, high - 1, high}
    inside = sorted(v for v in values if low <= v <= high)
    return np.array(inside, np.int64 if low < 0 else np.uint64).astype(dtype)


def special(dtype: np.dtype) -> np.ndarray:
    """Floats with signs and fractions, without end or value, and at the ends of integer types."""
    values = [0.0, -0.0, 0.5, -0.5, 1.0, -1.0, 1.5, 2.5, -2.5, 3.0, -7.0, 100.0, math.inf]
    values += [
        s * 2.0**n + d for n in (7, 8, 15, 16, 31, 32, 63, 64) for s in (1, -1) for d in (0, 1)
    ]
    values += [-math.inf, math.nan]
    if dtypes.kind(dtype) == "c":
        return np.array([complex(v, w) for v in values[:12] for w in (0.0, -2.0)], dtype)
    with np.errstate(all="ignore"):
        result = np.array(values).astype(dtype)
    return result[np.isfinite(result.astype(float)) | ~np.isfinite(values)]


def pairs(dtype: np.dtype) -> tuple[np.ndarray, np.ndarray]:
    values = edges(dtype)
    x, y = (a.reshape(-1) for a in np.meshgrid(values, values))
    return x, y
