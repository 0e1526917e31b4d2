"""Metadata for XLA on parts of a program."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

__all__ = ["set_xla_metadata"]


def set_xla_metadata(x: Any = None, **metadata: Any) -> Any:
    """A value, or what is computed in a `with` block or a decorated function, with XLA's metadata.

    This compiler drops them.

    Args:
      x: a value; without it, a context manager is returned, which decorates functions, too.
      **metadata: the metadata.

    Returns:
      The value, or the context manager.

    Example:
      >>> from dovetail.experimental.xla_metadata import set_xla_metadata
      >>> with set_xla_metadata(kind="first"):
      ...     dnp.arange(3) * 2
      Array([0, 2, 4], dtype=int32)
    """
    return _Metadata() if x is None else x


class _Metadata:
    """Metadata that are dropped."""

    def __enter__(self) -> None: ...

    def __exit__(self, *_: object) -> None: ...

    def __call__(self, f: Callable[..., Any]) -> Callable[..., Any]:
        return f
