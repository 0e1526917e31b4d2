"""`jax.experimental.pjit`: `jit`, by its former name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from dovetail import jit


def pjit(
    fun: Callable[..., Any], in_shardings: Any = None, out_shardings: Any = None, **options: Any
) -> Any:
    """`jit(fun, …)`, whose shardings may be positional.

    Args:
      fun: the function.
      in_shardings, out_shardings, options: as for `jit`.

    Returns:
      The jitted function.

    Example:
      >>> from dovetail.as_jax.deprecated.pjit import pjit
      >>> float(pjit(lambda x: x + 1)(2.0))
      3.0
    """
    return jit(fun, in_shardings=in_shardings, out_shardings=out_shardings, **options)
