"""Hints for a compiler that Dovetail's does not need."""

from __future__ import annotations

import enum


class Inline(enum.Enum):
    """Where the calls of a jitted function are replaced by its body: a value of `jit`'s `inline`.

    All have the same meaning here: the compiler decides.

    Example:
      >>> import dovetail as dt
      >>> dt.jit(lambda x: 2 * x, inline=dt.Inline.JAX_EARLY)(3)
      Array(6, dtype=int32, weak_type=True)
    """

    JAX_EARLY = "jax_early"
    JAX_LATE = "jax_late"
    XLA_EARLY = "xla_early"
    XLA_LATE = "xla_late"
    AUTO = "auto"


class CompilerEffortLevel(enum.Enum):
    """How much XLA optimizes: a value of JAX's settings `optimization_level` and the like.

    Example:
      >>> CompilerEffortLevel("O2")
      <CompilerEffortLevel.O2: 29>
    """

    UNKNOWN = 0
    O0 = 9
    O1 = 19
    O2 = 29
    O3 = 39

    @classmethod
    def _missing_(cls, value: object) -> CompilerEffortLevel | None:
        return cls.__members__.get(value) if isinstance(value, str) else None
