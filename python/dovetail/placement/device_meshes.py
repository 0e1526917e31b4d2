"""Arrangements of devices as the grid of a mesh."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np

from dovetail.base.errors import value_error
from dovetail.placement import platforms
from dovetail.placement.devices import Device
from dovetail.placement.meshes import AbstractMesh, AxisType, Mesh


def _as_sizes(sizes: Any, argument: str, function: str) -> tuple[int, ...]:
    """The sizes of a mesh's axes.

    Raises:
      ValueError: they are no ints, or less than 1.
    """
    try:
        found = tuple(map(int, sizes))
    except (TypeError, ValueError):
        found = (0,)
    if any(size < 1 for size in found):
        raise value_error(
            f"`{argument}` passed to `{function}` should be a sequence of ints of at least 1, got: "
            f"{sizes!r}"
        )
    return found


def make_mesh(
    axis_shapes: Sequence[int],
    axis_names: str | Sequence[Hashable],
    axis_types: AxisType | tuple[AxisType, ...] | None = None,
    *,
    devices: Sequence[Device] | None = None,
) -> Mesh:
    """A mesh of the first devices.

    Args:
      axis_shapes: the size of each axis.
      axis_names: the names of the axes.
      axis_types: their types, by default all `AxisType.Explicit`.
      devices: the devices to choose from, by default those of the default platform.

    Returns:
      A `Mesh`.

    Raises:
      ValueError: there are not enough devices, or not as many names, sizes and types.

    Example:
      >>> import dovetail as dt
      >>> dt.make_mesh((1,), ("data",))
      Mesh(axis_sizes=(1,), axis_names=('data',), axis_types=(Explicit,))
    """
    sizes = _as_sizes(axis_shapes, "axis_shapes", "make_mesh")
    known = platforms.devices() if devices is None else tuple(devices)
    count = math.prod(sizes)
    if count > len(known):
        raise value_error(
            f"Number of devices {len(known)} must be >= the product of mesh_shape {sizes}, got: "
            f"{count}; config.num_cpu_devices sets how many devices the CPU is, and "
            "distributed.initialize adds those of other processes"
        )
    grid = np.array(known[:count], dtype=object).reshape(sizes)
    types = (AxisType.Explicit,) * len(sizes) if axis_types is None else axis_types
    return Mesh(grid, axis_names, types)


def create_device_mesh(
    mesh_shape: Sequence[int],
    devices: Sequence[Device] | None = None,
    *,
    contiguous_submeshes: bool = False,
    allow_split_physical_axes: bool = False,
) -> np.ndarray:
    """Devices in a grid for a `Mesh`, in their order: those along the last axis are neighbors.

    Args:
      mesh_shape: the size of each axis.
      devices: the devices, by default those of the default platform.
      contiguous_submeshes, allow_split_physical_axes: without effect: they are about the network
        of TPUs.

    Returns:
      An array of devices of that shape.

    Raises:
      ValueError: there are more or fewer devices.

    Example:
      >>> import dovetail as dt
      >>> create_device_mesh((1, 1), dt.devices()[:1])
      array([[CpuDevice(id=0)]], dtype=object)
    """
    sizes = _as_sizes(mesh_shape, "mesh_shape", "create_device_mesh")
    known = platforms.devices() if devices is None else tuple(devices)
    if math.prod(sizes) != len(known):
        raise value_error(
            f"Number of devices {len(known)} must equal the product of mesh_shape {sizes}, got: "
            f"{math.prod(sizes)}"
        )
    return np.array(known, dtype=object).reshape(sizes)


def create_hybrid_device_mesh(
    mesh_shape: Sequence[int],
    dcn_mesh_shape: Sequence[int],
    devices: Sequence[Device] | None = None,
    *,
    process_is_granule: bool = False,
    should_sort_granules_by_key: bool = True,
    allow_split_physical_axes: bool = False,
) -> np.ndarray:
    """Devices in a grid for a `Mesh` over groups of devices with a slower network between them.

    Args:
      mesh_shape: the size of each axis within a group.
      dcn_mesh_shape: the size of each axis between groups.
      devices: the devices, by default those of the default platform.
      process_is_granule: True to take the devices of a process as a group; otherwise those with one
        `slice_index`, which only TPUs have.
      should_sort_granules_by_key: whether groups come in the order of their numbers, or as they
        first occur in `devices`.
      allow_split_physical_axes: without effect: it is about the network of TPUs.

    Returns:
      An array of devices, whose shape is the product of both, axis by axis.

    Raises:
      ValueError: devices belong to no group, or there are more or fewer groups, or devices in a
        group, than the shapes say.

    Example:
      >>> import dovetail as dt
      >>> create_hybrid_device_mesh((1, 1), (1, 1), dt.devices()[:1], process_is_granule=True)
      array([[CpuDevice(id=0)]], dtype=object)
    """
    inner = _as_sizes(mesh_shape, "mesh_shape", "create_hybrid_device_mesh")
    outer = _as_sizes(dcn_mesh_shape, "dcn_mesh_shape", "create_hybrid_device_mesh")
    if len(inner) != len(outer):
        raise value_error(
            f"mesh_shape and dcn_mesh_shape must have as many axes, got: {inner} and {outer}"
        )
    attribute = "process_index" if process_is_granule else "slice_index"
    groups: dict[int, list[Device]] = {}
    for device in platforms.devices() if devices is None else devices:
        if not hasattr(device, attribute):
            raise value_error(
                f"Device {device} does not have attribute {attribute}, which tells its group, got: "
                f"process_is_granule={process_is_granule}; True groups devices by process"
            )
        groups.setdefault(getattr(device, attribute), []).append(device)
    order = sorted(groups) if should_sort_granules_by_key else list(groups)
    if math.prod(outer) != len(order):
        raise value_error(
            f"Number of slices {len(order)} must equal the product of dcn_mesh_shape {outer}, got: "
            f"{math.prod(outer)}"
        )
    grids = np.stack([create_device_mesh(inner, groups[number]) for number in order])
    # The axes of both in turn, each pair merged into one.
    count = len(inner)
    grid = grids.reshape(outer + inner)
    grid = grid.transpose([axis for i in range(count) for axis in (i, count + i)])
    return grid.reshape([a * b for a, b in zip(outer, inner, strict=True)])


def with_devices(mesh: Mesh | AbstractMesh, devices: Sequence[Device]) -> Mesh:
    """The mesh of these axes over as many devices, in their order.

    >>> from dovetail.placement.devices import Device
    >>> with_devices(AbstractMesh((2,), ("x",)), [Device("cpu", 1), Device("cpu", 0)]).device_ids
    array([1, 0])
    """
    grid = np.empty(len(devices), object)
    grid[:] = devices
    return Mesh(grid.reshape(mesh.axis_sizes), mesh.axis_names, mesh.axis_types)
