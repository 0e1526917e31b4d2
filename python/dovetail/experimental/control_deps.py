"""The order in which a compiler should compute values."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

__all__ = ["control_dep", "schedule"]


def control_dep(src: Any, dst: Any) -> tuple[()]:
    """State that a value should be computed before another one.

    It states an intention: the compiler orders work by what it needs, and computes the same values
    in any case.

    Args:
      src: the first value.
      dst: the second one.

    Example:
      >>> from dovetail.experimental.control_deps import control_dep
      >>> x = dnp.ones(2)
      >>> control_dep(dnp.sin(x), dnp.cos(x))
      ()
    """
    del src, dst
    return ()


def schedule(ops: Sequence[Any]) -> None:
    """State that values should be computed in this order, as `control_dep` does for two.

    Args:
      ops: the values.

    Example:
      >>> from dovetail.experimental.control_deps import schedule
      >>> x = dnp.ones(2)
      >>> schedule([dnp.sin(x), dnp.cos(x), x + 1])
    """
    for src, dst in itertools.pairwise(ops):
        control_dep(src, dst)
