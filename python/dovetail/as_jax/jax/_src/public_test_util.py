"""`jax._src.public_test_util`: checks of derivatives, and of values."""

from __future__ import annotations

from typing import Any

import numpy as np

from dovetail.base import dtypes
from dovetail.test_util import *  # noqa: F403
from dovetail.test_util import Tolerance, _bound
from dovetail.tree_util import tree_map

# By the bits of floats; complex numbers are twice as wide. Integers and bools are equal.
_TOLERANCES = {64: 1e-15, 32: 1e-6, 16: 1e-3, 8: 1e-1, 4: 1.0}


def check_close(
    xs: Any, ys: Any, atol: Tolerance = None, rtol: Tolerance = None, err_msg: str = ""
) -> None:
    """Check that the arrays of two trees have the same shapes, and are close.

    Args:
      xs, ys: trees of the same structure.
      atol, rtol: the greatest differences, absolute and relative, or those of each element type, as
        in `{"float32": 1e-5}`, times the number of elements; by default they depend on the type.
      err_msg: a text for the error.

    Raises:
      AssertionError: some are not.
    """
    tree_map(lambda x, y: _check_close(np.asarray(x), np.asarray(y), atol, rtol, err_msg), xs, ys)


def _check_close(x: np.ndarray, y: np.ndarray, atol: Any, rtol: Any, err_msg: str) -> None:
    assert x.shape == y.shape, f"arrays must have one shape, got: {x.shape} and {y.shape}"
    kinds = [dtypes.canonicalize_dtype(each.dtype, allow_extended_dtype=True) for each in (x, y)]
    bounds = {
        name: max(_bound(given, [kind], _default(kind)) for kind in kinds) * x.size
        for name, given in (("atol", atol), ("rtol", rtol))
    }
    if dtypes.float0 in kinds:
        np.testing.assert_array_equal(x, y, err_msg=err_msg)
    else:
        np.testing.assert_allclose(_wide(x), _wide(y), **bounds, err_msg=err_msg)


def _default(dtype: np.dtype) -> float:
    if dtypes.KINDS[dtype] not in "fc":
        return 0.0
    if dtype == dtypes.bfloat16:
        return 1e-2
    return _TOLERANCES[dtypes.finfo(dtypes.to_real_dtype(dtype)).bits]


def _wide(x: np.ndarray) -> np.ndarray:
    """In a type that NumPy compares: floats and integers of a few bits in wider ones."""
    if dtypes.KINDS[x.dtype] == "c" or x.dtype.kind in "bfiu":
        return x
    return x.astype(np.float32)
