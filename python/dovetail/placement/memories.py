"""The memories of devices."""

from __future__ import annotations

import enum


class Space(enum.Enum):
    """A kind of memory, as a destination of `device_put`.

    Example:
      >>> import dovetail as dt
      >>> dt.device_put(1.0, dt.memory.Space.Device)
      Array(1., dtype=float32, weak_type=True)
    """

    Device = enum.auto()
    Host = enum.auto()
    Any = enum.auto()
