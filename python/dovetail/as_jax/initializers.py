"""`jax._src.nn.initializers`: initial values of weights, and complex samples."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dovetail.arrays.array import Array
from dovetail.base import dtypes
from dovetail.nn.initializers import *  # noqa: F403
from dovetail.nn.initializers import scaling


def _complex_uniform(key: Any, shape: Sequence[int], dtype: Any) -> Array:
    return scaling.complex_uniform(key, tuple(shape), _complex(dtype))


def _complex_truncated_normal(key: Any, upper: Any, shape: Sequence[int], dtype: Any) -> Array:
    return scaling.complex_truncated_normal(key, upper, tuple(shape), _complex(dtype))


def _complex(dtype: Any) -> Any:
    return dtypes.to_complex_dtype(dtypes.canonicalize_dtype(dtype))
