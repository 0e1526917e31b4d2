"""Where a part of a program is to be computed."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from dovetail.base.errors import type_error, value_error

__all__ = ["compute_on"]

_TYPES = ("device_host", "device", "tpu_sparsecore")


@contextlib.contextmanager
def compute_on(compute_type: str) -> Iterator[None]:
    """Mark what is computed in a `with` block as suited for a part of the device.

    It is a hint, which no target of this compiler follows: a program runs on one device as a
    whole, and computes the same values.

    Args:
      compute_type: "device_host", "device", "tpu_sparsecore", or "gpu_stream:" and a number.

    Raises:
      TypeError: it is no string.
      ValueError: it is another string.

    Example:
      >>> from dovetail.experimental.compute_on import compute_on
      >>> with compute_on("device_host"):
      ...     dnp.arange(3) * 2
      Array([0, 2, 4], dtype=int32)
    """
    if not isinstance(compute_type, str):
        raise type_error(
            "compute_on: `compute_on`'s compute_type argument must be a string, "
            f"got: {compute_type!r}"
        )
    if compute_type not in _TYPES and not compute_type.startswith("gpu_stream:"):
        raise value_error(
            f"compute_on: Invalid compute type; it must be one of {', '.join(_TYPES)} and "
            f"gpu_stream:#, got: {compute_type!r}"
        )
    yield
