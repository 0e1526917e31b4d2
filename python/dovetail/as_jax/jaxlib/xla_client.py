"""`jaxlib.xla_client`: devices, and what puts arrays on them."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from dovetail import Device as Device
from dovetail.arrays.array import Array
from dovetail.base.config import enable_x64
from dovetail.base.errors import value_error


class OpSharding:
    """How XLA shards an array: not at all."""


class GSPMDSharding:
    """Devices of an array.

    Args:
      devices: one.
      op_sharding: ignored.
    """

    def __init__(self, devices: Sequence[Any], op_sharding: Any = None, **options: Any) -> None:
        self.devices = tuple(devices)


def batched_device_put(
    aval: Any,
    sharding: Any,
    xs: Sequence[Any],
    devices: Sequence[Any],
    committed: bool = True,
    **options: Any,
) -> Array:
    """An array on a device.

    Args:
      aval: its type.
      sharding: ignored.
      xs: its value, alone in a list.
      devices: the device, alone in a list.
      committed, options: ignored.

    Raises:
      ValueError: there are several.
    """
    if len(xs) != 1 or len(devices) != 1:
        raise value_error(
            f"batched_device_put: there must be one device, got: {devices}; use jax.device_put"
        )
    with enable_x64(True):
        return Array(np.array(xs[0], aval.dtype))
