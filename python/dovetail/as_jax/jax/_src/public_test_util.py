"""`jax._src.public_test_util`: checks of derivatives, and of values."""

from __future__ import annotations

from typing import Any

import numpy as np

from dovetail.test_util import *  # noqa: F403
from dovetail.tree_util import tree_map


def check_close(
    xs: Any, ys: Any, atol: float | None = None, rtol: float | None = None, err_msg: str = ""
) -> None:
    """Check that the arrays of two trees are close.

    Args:
      xs, ys: trees of the same structure.
      atol, rtol: the greatest differences, absolute and relative; by default 1e-6.
      err_msg: a text for the error.

    Raises:
      AssertionError: some are not.
    """
    bounds = {"atol": 1e-6 if atol is None else atol, "rtol": 1e-6 if rtol is None else rtol}
    tree_map(lambda x, y: np.testing.assert_allclose(x, y, **bounds, err_msg=err_msg), xs, ys)
