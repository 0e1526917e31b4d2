"""Display and inspection of an array's sharding."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import Any

from dovetail.arrays.methods import ArrayMethods
from dovetail.base.errors import type_error
from dovetail.diagnostics.environment import devices
from dovetail.placement.shardings import Sharding, SingleDeviceSharding
from dovetail.tracing.trace import Tracer


def inspect_array_sharding(value: Any, *, callback: Callable[[Sharding], Any]) -> None:
    """Call a function with the sharding of an array, even of one that is traced.

    Args:
      value: the array.
      callback: takes a `Sharding`. If `value` is traced, it is called during tracing, with the
        default device, on which programs run if their arguments are not committed to another.

    Raises:
      TypeError: `value` is not an array.

    Example:
      >>> import dovetail as dt, dovetail.numpy as dnp
      >>> dt.debug.inspect_array_sharding(dnp.zeros(3), callback=print)
      SingleDeviceSharding(device=CpuDevice(id=0), memory_kind=device)
    """
    callback(_sharding_of(value))


def visualize_array_sharding(arr: Any, **kwargs: Any) -> None:
    """Print which device holds which part of an array with one or two dimensions.

    Args:
      arr: the array.
      kwargs: as for `visualize_sharding`.

    Raises:
      TypeError: `arr` is not an array.
      ValueError: it does not have one or two dimensions.

    Example:
      >>> import dovetail as dt, dovetail.numpy as dnp
      >>> dt.debug.visualize_array_sharding(dnp.zeros((4, 4)))
      ┌───────┐
      │ CPU 0 │
      └───────┘
    """
    visualize_sharding(arr.shape, _sharding_of(arr), **kwargs)


def visualize_sharding(shape: Sequence[int], sharding: Sharding, **kwargs: Any) -> None:
    """Print which device holds which part of an array of a shape with one or two dimensions.

    Args:
      shape: the array's.
      sharding: the array's sharding.
      kwargs: JAX's options for its picture, such as `use_color`; without effect.

    Raises:
      ValueError: there are not one or two dimensions.

    Example:
      >>> import dovetail as dt, dovetail.numpy as dnp
      >>> dt.debug.visualize_sharding((4,), dnp.zeros(4).sharding)
      ┌───────┐
      │ CPU 0 │
      └───────┘
    """
    if len(shape) not in (1, 2):
        raise ValueError(f"shape must have one or two dimensions, got: {tuple(shape)}")
    names = [f"{d.platform.upper()} {d.id}" for d in sorted(_devices(sharding), key=str)]
    label = f" {', '.join(names)} "
    line = "─" * len(label)
    sys.stdout.write(f"┌{line}┐\n│{label}│\n└{line}┘\n")


def _devices(sharding: Sharding) -> set[Any]:
    return getattr(sharding, "device_set", set())


def _sharding_of(value: Any) -> Sharding:
    if type(value) is Tracer:
        return SingleDeviceSharding(devices()[0])
    if not isinstance(value, ArrayMethods):
        raise type_error(f"value must be an array, got: {type(value).__name__}")
    return value.sharding
