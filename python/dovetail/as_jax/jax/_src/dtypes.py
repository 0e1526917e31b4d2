"""`jax._src.dtypes`: what `jax.dtypes` has, and classes of element types."""

from typing import Any

import numpy as np

from dovetail.base import dtypes as _dtypes
from dovetail.dtypes import *  # noqa: F403

DType = np.dtype
_FINITE = ("float8_e4m3b11fnuz", "float8_e4m3fn", "float8_e4m3fnuz", "float8_e5m2fnuz")


class ExtendedDType:
    """The base of element types that libraries define; no function accepts these."""


def supports_inf(dtype: Any) -> bool:
    """Whether an element type has infinity.

    Args:
      dtype: the element type.

    Example:
      >>> from dovetail.as_jax.jax._src import dtypes
      >>> dtypes.supports_inf("float32"), dtypes.supports_inf("int32")
      (True, False)
    """
    return np.dtype(dtype).name not in _FINITE and _dtypes.is_inexact(np.dtype(dtype))
