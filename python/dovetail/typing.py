"""Annotations for arrays and element types, under JAX's module name."""

from __future__ import annotations

from typing import Any

import numpy as np

from dovetail.arrays.array import Array

__all__ = ["ArrayLike", "DTypeLike"]

# What functions accept as an array: no sequences. `isinstance` can tell.
ArrayLike = Array | np.ndarray | np.bool_ | np.number | bool | int | float | complex
# A NumPy data type, its name, a scalar type of Python, NumPy or `dovetail.numpy`.
DTypeLike = Any
