"""Functions that should be compiled to one kernel."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import dovetail as dt
from dovetail.base.errors import value_error
from dovetail.tree_util import tree_leaves

__all__ = ["fused"]


def fused(*, out_spaces: Sequence[Any]) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Ask for a function to be compiled to one kernel.

    It states an intention: the compiler decides what it fuses, and computes the same values in any
    case. Arrays are in the only memory that a device has here.

    Args:
      out_spaces: the memory of each result.

    Returns:
      A decorator.

    Raises:
      ValueError: when the function is called: it has another number of results.

    Example:
      >>> from dovetail.experimental.fused import fused
      >>> @fused(out_spaces=(dt.memory.Space.Device,) * 2)
      ... def both(x, y):
      ...     return x + y, x * y
      >>> both(2, 3)
      (Array(5, dtype=int32, weak_type=True), Array(6, dtype=int32, weak_type=True))
    """

    def wrap(f: Callable[..., Any]) -> Callable[..., Any]:
        compiled = dt.jit(f)

        @functools.wraps(f)
        def wrapped(*args: Any) -> Any:
            outs = compiled(*args)
            count = len(tree_leaves(outs))
            if count != len(out_spaces):
                raise value_error(
                    f"fused: out_spaces must have one entry for each of {count} results, got: "
                    f"{out_spaces}"
                )
            return outs

        return wrapped

    return wrap
