"""Enabled platforms, the default device, and the devices that strings and shardings refer to."""

from __future__ import annotations

import functools
from typing import Any

from dovetail.base import config
from dovetail.base.errors import value_error
from dovetail.base.locations import here
from dovetail.base.setting import Option
from dovetail.placement.devices import PLATFORMS, Device, devices_of, local_devices_of
from dovetail.placement.mesh_contexts import context_mesh, get_abstract_mesh
from dovetail.placement.meshes import Mesh
from dovetail.placement.named_sharding import NamedSharding
from dovetail.placement.partition_spec import P
from dovetail.placement.shardings import (
    Place,
    Sharding,
    SingleDeviceSharding,
    place_of,
    place_on,
)
from dovetail.placement.type_shardings import on_context

# One name for several platforms, as in JAX.
_ALIASES = {"gpu": ("cuda", "rocm")}


@functools.cache
def allowed() -> tuple[str, ...]:
    """The platforms that may be used, the first of which has the default devices."""
    names = config.platforms.use()
    chosen = PLATFORMS
    if names:
        chosen = tuple(name for part in names.split(",") for name in _meant(part.strip().lower()))
    first = config.platform_name.use()
    if first:
        wanted = [name for name in _meant(first.lower()) if name in chosen]
        if not wanted:
            raise RuntimeError(
                f"platform_name must be one of platforms, {', '.join(chosen)}, got: {first!r}"
            )
        chosen = (*wanted, *(name for name in chosen if name not in wanted))
    return chosen


def _meant(name: str) -> tuple[str, ...]:
    if name not in PLATFORMS and name not in _ALIASES:
        raise RuntimeError(
            f"a platform must be one of {', '.join((*PLATFORMS, *_ALIASES))}, got: {name!r}"
        )
    return _ALIASES.get(name, (name,))


def devices(backend: str | None = None) -> tuple[Device, ...]:
    """The devices of a platform, by default of the first one that may be used.

    Raises:
      RuntimeError: there is no such platform, or it has no devices.

    >>> devices("cpu")
    (CpuDevice(id=0),)
    """
    if backend is None:
        return devices_of(allowed()[0])
    problems = []
    for name in _meant(backend):
        if name not in allowed():
            problems.append(
                f"platform must be one of {', '.join(allowed())}, as the setting `platforms` says, "
                f"got: {name!r}"
            )
            continue
        try:
            return devices_of(name)
        except RuntimeError as error:
            problems.append(str(error))
    raise RuntimeError("; ".join(problems))


@functools.cache
def first() -> Device:
    """The device of arrays that are not placed explicitly."""
    return first_of(None)


def first_of(backend: str | None) -> Device:
    """The first device of a platform in this process.

    Raises:
      RuntimeError: there is no such platform, or it has no devices.
    """
    return local_devices_of(devices(backend)[0].platform)[0]


def default() -> Device:
    """The device of arrays that are made here and not committed to one."""
    place = config.snapshot().place
    return first() if place is None else place.device


def as_default(value: Any) -> Any:
    """Validate a value of the setting `default_device`: a device, or the name of a platform."""
    if not isinstance(value, Device) and value not in (*PLATFORMS, *_ALIASES):
        raise ValueError(
            "default_device must be a device, such as dovetail.devices('cpu')[0], the name of a "
            f"platform, {', '.join((*PLATFORMS, *_ALIASES))}, or None, got: {value!r}"
        )
    return value


def device_meant(value: Any) -> Device:
    """The device that a `Device`, a sharding or a text such as "cpu" or "cpu:0" means.

    Raises:
      ValueError: there is no such device.

    >>> device_meant("cpu")
    CpuDevice(id=0)
    """
    if isinstance(value, Sharding):
        if value.num_devices != 1:
            raise value_error(f"sharding must be on a single device, got: {value!r}")
        [value] = value._device_assignment
    platform, number, is_any = "", 0, False
    if isinstance(value, Device):
        platform, number = value.platform, value.id
    elif isinstance(value, str):
        platform, colon, digits = value.partition(":")
        is_any = not colon
        number = int(digits) if digits.isdecimal() else -1
    problem = ""
    if platform in PLATFORMS or platform in _ALIASES:
        try:
            found = devices(platform)
            if is_any:
                return first_of(platform)
            chosen = [device for device in found if device.id == number]
            if chosen:
                return chosen[0]
        except RuntimeError as error:
            problem = f" ({error})"
    known = ", ".join(map(str, devices()))
    raise value_error(
        f"device must be one of {known}, or of those that dovetail.devices(platform) lists, got: "
        f"{value!r}{problem}"
    )


def no_mesh(api: str, argument: str, spec: P) -> RuntimeError:
    """The error that an argument of a function is a partition spec, but there is no mesh."""
    return RuntimeError(
        f"{api} requires a non-empty mesh in context if you are passing `PartitionSpec`s to "
        f"{argument}, got: {spec} {here()}; use `dovetail.set_mesh`, or a `NamedSharding`"
    )


def sharding_meant(value: Any, name: str) -> Sharding:
    """The sharding that a sharding, a partition spec, a device or a text such as "cpu:0" means.

    Args:
      value: any of these.
      name: of the function that was given it, for messages.

    Raises:
      ValueError: there is no such device, a partition spec is given without a mesh, or the sharding
        is on no devices in particular.
      RuntimeError: a partition spec is given without a mesh, to an argument that the name states.

    >>> sharding_meant("cpu", "device_put")
    SingleDeviceSharding(device=CpuDevice(id=0), memory_kind=device)
    """
    if isinstance(value, P):
        mesh = context_mesh()
        api, _, argument = name.partition(" ")
        if mesh.empty and argument:
            raise no_mesh(api, argument, value)
        if mesh.empty:
            raise value_error(
                "Please set a mesh via `dovetail.set_mesh` if a PartitionSpec is passed to "
                f"{name}, got: {value}"
            )
        value = NamedSharding(mesh, value)
    if isinstance(value, NamedSharding):
        value = on_context(value)
    if isinstance(value, SingleDeviceSharding):
        return SingleDeviceSharding(device_meant(value), value.memory_kind)
    if not isinstance(value, Sharding):
        return SingleDeviceSharding(device_meant(value))
    if not value._device_assignment:
        raise value_error(f"{name}: a sharding must have devices, got: {value}")
    return value


def place_meant(sharding: Sharding | None) -> Place | None:
    """The place of arrays that are committed to a sharding; None if it is on no devices in
    particular.
    """
    if isinstance(sharding, NamedSharding) and not isinstance(sharding.mesh, Mesh):
        return None
    return None if sharding is None else place_of(sharding_meant(sharding, "sharding"))


def _as_default_device(value: Any) -> Any:
    return None if value is None else as_default(value)


default_device: Option[Any] = Option(
    "default_device",
    None,
    "The device of arrays and programs that are not committed to one; None for the first.",
    check=_as_default_device,
    accepts='a `Device`, the name of a platform such as "cpu", or None',
    example="cpu",
)


def _default_place() -> Any:
    mesh = context_mesh()
    if not mesh.empty:
        # Within `use_abstract_mesh`, the same devices have axes of other names and types.
        axes = get_abstract_mesh()
        if axes.size == mesh.size and not axes.manual_axes:
            mesh = Mesh(mesh.devices.reshape(axes.axis_sizes), axes.axis_names, axes.axis_types)
        return place_of(NamedSharding(mesh, P()))
    if default_device.value is None:
        return None
    return place_on(device_meant(default_device.value), False)


config.default_place = _default_place
config.trace_for(default_device)
