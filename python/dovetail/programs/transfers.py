"""Transfers of arrays to devices and back to the host."""

from __future__ import annotations

from typing import Any

import numpy as np

from dovetail.arrays.array import Array
from dovetail.base.errors import value_error
from dovetail.ops.operands import as_operand
from dovetail.placement import platforms
from dovetail.placement.devices import Device
from dovetail.placement.shardings import Sharding
from dovetail.placement.transfer_guards import explicit
from dovetail.trees.pytree import broadcast_prefix, flatten, map_leaves, unflatten


def put(x: Any, device: Any, copy: bool = False) -> Any:
    """An array, committed to a device; a tracer unchanged, since a program runs on one device.

    Args:
      x: the array.
      device: a device, a sharding, or a string such as "cpu".
      copy: whether the result must have memory of its own.
    """
    return x._committed_to(platforms.device_meant(device), copy)


def beside(x: Any, other: Any) -> Any:
    """An array, committed to the device of another array if that one is committed."""
    return put(x, other.device) if type(other) is Array and other.committed else x


def device_put(
    x: Any, device: Any = None, *, src: Any = None, donate: Any = False, may_alias: Any = None
) -> Any:
    """The tree with its leaves as arrays on a device, committed to it: computations with them run
    there.

    Args:
      x: a tree of arrays, NumPy arrays and numbers.
      device: a device, a sharding, a string such as "cpu:1", or a tree of these that is a prefix of
        `x`; None leaves arrays where they are, and puts other leaves on the default device,
        uncommitted.
      src: accepted for compatibility with JAX.
      donate: whether the given arrays are no longer needed, or a tree of this; has no effect.
      may_alias: False to have the results in separate memory, or a tree of this. NumPy arrays are
        always copied.

    Returns:
      The same tree of arrays. In a traced program they stay where the program runs.

    Raises:
      ValueError: there is no such device, or `donate` and `may_alias` are both true.

    Example:
      >>> import dovetail as dt
      >>> x = dt.device_put({"x": 1.5}, dt.devices()[0])["x"]
      >>> x, x.device, x.committed
      (Array(1.5, dtype=float32, weak_type=True), CpuDevice(id=0), True)
    """
    leaves, spec = flatten(x)
    wanted = _for_each(device, x, "device")
    aliases = _for_each(may_alias, x, "may_alias")
    for given, alias in zip(_for_each(donate, x, "donate"), aliases, strict=True):
        if given and alias:
            raise value_error(
                "device_put: may_alias and donate cannot be True at the same time. got: both; "
                "donate lets go of the array, which an alias would keep"
            )
    with explicit():
        results = []
        for leaf, where, alias in zip(leaves, wanted, aliases, strict=True):
            array, copy = as_operand("device_put", leaf), alias is False
            if where is not None:
                array = put(array, _checked(where), copy)
            elif copy and type(array) is Array:
                array = array.copy()
            results.append(array)
        return unflatten(spec, results)


def _for_each(given: Any, tree: Any, what: str) -> list[Any]:
    """One entry for each leaf of a tree, of one value or of a prefix of the tree."""
    if isinstance(given, (bool, str, Device, Sharding)) or given is None:
        return [given] * len(flatten(tree)[0])
    return broadcast_prefix(given, tree, f"device_put {what}")


def _checked(device: Any) -> Any:
    if isinstance(device, (Device, Sharding, str)):
        return device
    raise value_error(
        "device_put: device must be a device, a sharding, a text such as 'cpu:1', None, or a tree "
        f"of these, got: {device!r}"
    )


def device_get(x: Any) -> Any:
    """The tree with its arrays as NumPy arrays.

    Args:
      x: a tree of arrays; other leaves are unchanged.

    Returns:
      The same tree of NumPy arrays, of the leaves' shapes and dtypes.

    Example:
      >>> import dovetail as dt, dovetail.numpy as dnp
      >>> dt.device_get({"x": dnp.arange(3)})
      {'x': array([0, 1, 2], dtype=int32)}
    """
    with explicit():
        return map_leaves(lambda leaf: np.asarray(leaf) if hasattr(leaf, "__array__") else leaf, x)


def copy_to_host_async(x: Any) -> Any:
    """Start copying the arrays of a tree to the host, for a later `device_get`.

    Args:
      x: a tree; leaves without a method of this name are ignored.

    Returns:
      The tree itself.

    Example:
      >>> import dovetail as dt, dovetail.numpy as dnp
      >>> dt.copy_to_host_async({"x": dnp.arange(3)})
      {'x': Array([0, 1, 2], dtype=int32)}
    """
    for leaf in flatten(x)[0]:
        if hasattr(leaf, "copy_to_host_async"):
            leaf.copy_to_host_async()
    return x
