"""What annotations call arrays and element types, by JAX's module name."""

from __future__ import annotations

from typing import Any

from dovetail.ops.operands import ArrayLike

__all__ = ["ArrayLike", "DTypeLike"]

# A NumPy data type, its name, a scalar type of Python, NumPy or `dovetail.numpy`.
DTypeLike = Any
