"""Annotations for arrays and element types, under JAX's module name."""

from __future__ import annotations

from typing import Any

from dovetail.ops.operands import ArrayLike

__all__ = ["ArrayLike", "DTypeLike"]

# A NumPy data type, its name, a scalar type of Python, NumPy or `dovetail.numpy`.
DTypeLike = Any
