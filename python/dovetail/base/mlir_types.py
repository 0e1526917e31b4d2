"""Element types, array types and constants, in the form that the compiler uses."""

from __future__ import annotations

import ml_dtypes
import numpy as np

# A shape and the name of an element type.
Type = tuple[tuple[int, ...], str]

_DTYPES: dict[str, np.dtype] = {}
_NAMES: dict[np.dtype, str] = {}


def dtype_named(name: str) -> np.dtype:
    """The NumPy dtype of an element type's name."""
    dtype = _DTYPES.get(name)
    if dtype is None:
        scalar = getattr(ml_dtypes, name, None)
        dtype = _DTYPES[name] = np.dtype(name if scalar is None else scalar)
    return dtype


def dtype_name(dtype: np.dtype) -> str:
    """The name of a NumPy dtype, which NumPy itself recomputes each time."""
    name = _NAMES.get(dtype)
    if name is None:
        name = _NAMES[dtype] = dtype.name
    return name


def encode_array(value: np.ndarray) -> tuple[bytes, str, tuple[int, ...]]:
    """An array as a constant for the compiler."""
    return value.tobytes(), dtype_name(value.dtype), value.shape
