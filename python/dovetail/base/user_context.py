"""User-defined context values that, like settings, are part of the trace cache's key."""

from __future__ import annotations

import itertools
from typing import Any

from dovetail.base import config
from dovetail.base.setting import Option

_numbers = itertools.count()


def make_user_context(default_value: Any = None) -> UserContext:
    """A user-defined value on which the computations of jitted functions may depend.

    A jitted function is traced and compiled once for each value, as it is for each setting.

    Args:
      default_value: its value outside of `with` blocks; hashable.

    Returns:
      The context: `context(value)` is a context manager within which `context.value` is another.

    Example:
      >>> import dovetail as dt
      >>> scale = dt.make_user_context(1.0)
      >>> f = dt.jit(lambda x: scale.value * x)
      >>> with scale(10.0):
      ...     float(f(2.0))
      20.0
      >>> float(f(2.0))
      2.0
    """
    return UserContext(default_value)


class UserContext(Option[Any]):
    """The setting-like object that `make_user_context` returns.

    Args:
      default: the value outside of `with` blocks.

    Example:
      >>> UserContext("train").value
      'train'
    """

    def __init__(self, default: Any) -> None:
        super().__init__(
            f"user_context_{next(_numbers)}",
            _hashable(default),
            "A value of the user's own.",
            check=_hashable,
            accepts="a hashable value",
        )
        config.trace_for(self)

    def get_global(self) -> Any:
        """The value outside of `with` blocks."""
        return self._value

    def set_global(self, value: Any) -> None:
        """Change the value outside of `with` blocks, for all threads."""
        self.set(value)


def _hashable(value: Any) -> Any:
    """The value itself.

    Raises:
      TypeError: it is not hashable, so it cannot be part of the key of programs.
    """
    hash(value)
    return value
