"""Meshes: devices in a grid whose axes have names."""

from __future__ import annotations

import enum
import math
import threading
from collections import OrderedDict
from collections.abc import Hashable, Mapping, Sequence
from contextlib import ContextDecorator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from dovetail.base import config, deprecations
from dovetail.base.errors import type_error, value_error
from dovetail.base.setting import Option, Override
from dovetail.placement.devices import Device


class AxisType(enum.Enum):
    """Who decides how arrays are sharded over an axis of a mesh.

    Attributes:
      Auto: the compiler.
      Explicit: the types of arrays state it.
      Manual: the program is written for one device.

    Example:
      >>> list(AxisType)
      [Auto, Explicit, Manual]
    """

    Auto = enum.auto()
    Explicit = enum.auto()
    Manual = enum.auto()

    def __repr__(self) -> str:
        return self.name


class NamedAxes:
    """Axes with a name, a size and a type each: what `Mesh` and `AbstractMesh` have in common."""

    axis_sizes: tuple[int, ...]
    axis_names: tuple[Any, ...]
    axis_types: tuple[AxisType, ...]

    @property
    def size(self) -> int:
        """The number of devices."""
        return math.prod(self.axis_sizes) if self.axis_sizes else 0

    @property
    def empty(self) -> bool:
        """True if there are no devices."""
        return self.size == 0

    @property
    def shape_tuple(self) -> tuple[tuple[Any, int], ...]:
        """The name and the size of each axis."""
        return tuple(zip(self.axis_names, self.axis_sizes, strict=True))

    @cached_property
    def shape(self) -> Mapping[Any, int]:
        """The size of each axis, by name."""
        return OrderedDict(self.shape_tuple)

    @cached_property
    def type_of(self) -> Mapping[Any, AxisType]:
        """The type of each axis, by name."""
        return dict(zip(self.axis_names, self.axis_types, strict=True))

    def _of_type(self, kind: AxisType) -> tuple[Any, ...]:
        return tuple(name for name, other in self.type_of.items() if other is kind)

    @property
    def auto_axes(self) -> tuple[Any, ...]:
        """The names of the axes of type `Auto`."""
        return self._of_type(AxisType.Auto)

    @property
    def explicit_axes(self) -> tuple[Any, ...]:
        """The names of the axes of type `Explicit`."""
        return self._of_type(AxisType.Explicit)

    @property
    def manual_axes(self) -> tuple[Any, ...]:
        """The names of the axes of type `Manual`."""
        return self._of_type(AxisType.Manual)

    @property
    def are_all_axes_auto(self) -> bool:
        """True if there are axes, all of type `Auto`."""
        return {*self.axis_types} == {AxisType.Auto}

    @property
    def are_all_axes_explicit(self) -> bool:
        """True if there are axes, all of type `Explicit`."""
        return {*self.axis_types} == {AxisType.Explicit}

    @property
    def are_all_axes_manual(self) -> bool:
        """True if there are axes, all of type `Manual`."""
        return {*self.axis_types} == {AxisType.Manual}


@dataclass(frozen=True)
class AbstractDevice:
    """The kind of a mesh's devices.

    Args:
      device_kind: their model.
      num_cores: how many cores each has, where that is known.
      platform: their platform.

    Example:
      >>> AbstractDevice("cpu", None, "cpu")
      AbstractDevice(device_kind=cpu, num_cores=None, platform=cpu)
    """

    device_kind: str
    num_cores: int | None
    platform: str

    def __str__(self) -> str:
        return (
            f"device_kind={self.device_kind}, num_cores={self.num_cores}, platform={self.platform}"
        )

    def __repr__(self) -> str:
        return f"AbstractDevice({self})"


@dataclass(frozen=True, init=False, repr=False)
class AbstractMesh(NamedAxes):
    """The axes of a mesh without its devices.

    Args:
      axis_sizes: the size of each axis.
      axis_names: the names of the axes.
      axis_types: their types, by default all `AxisType.Auto`.
      abstract_device: the kind of the devices, if it is known.

    Raises:
      TypeError: the types are not of `AxisType`.
      ValueError: there are not as many names, sizes and types, or two axes have one name.

    Example:
      >>> AbstractMesh((4, 2), ("data", "model"))
      AbstractMesh('data': 4, 'model': 2, axis_types=(Auto, Auto))
    """

    axis_sizes: tuple[int, ...]
    axis_names: tuple[Any, ...]
    axis_types: tuple[AxisType, ...]
    abstract_device: AbstractDevice | None

    def __init__(
        self,
        axis_sizes: Sequence[int],
        axis_names: str | Sequence[Hashable],
        axis_types: AxisType | tuple[AxisType, ...] | None = None,
        *,
        abstract_device: AbstractDevice | None = None,
    ) -> None:
        names = _as_names(axis_names, "AbstractMesh")
        sizes = tuple(axis_sizes)
        if len(sizes) != len(names):
            raise value_error(
                "AbstractMesh: there must be as many axis_sizes as axis_names, got: "
                f"{sizes} and {names}"
            )
        set_field = object.__setattr__
        set_field(self, "axis_sizes", sizes)
        set_field(self, "axis_names", names)
        set_field(self, "axis_types", _as_types(axis_types, names, "AbstractMesh"))
        set_field(self, "abstract_device", abstract_device)

    @property
    def abstract_mesh(self) -> AbstractMesh:
        """The mesh itself."""
        return self

    def update(
        self,
        axis_sizes: Sequence[int] | None = None,
        axis_names: Sequence[Hashable] | None = None,
        axis_types: AxisType | tuple[AxisType, ...] | None = None,
        **kwargs: Any,
    ) -> AbstractMesh:
        """A copy with other sizes, names, types or `abstract_device`."""
        return AbstractMesh(
            self.axis_sizes if axis_sizes is None else axis_sizes,
            self.axis_names if axis_names is None else axis_names,
            self.axis_types if axis_types is None else axis_types,
            **{"abstract_device": self.abstract_device} | kwargs,
        )

    def update_axis_types(self, name_to_type: Mapping[Any, AxisType]) -> AbstractMesh:
        """A copy in which some axes have other types."""
        return self.update(axis_types=tuple({**self.type_of, **name_to_type}.values()))

    def __repr__(self) -> str:
        axes = ", ".join(f"{name!r}: {size}" for name, size in self.shape_tuple) or "()"
        device = "" if self.abstract_device is None else f", {self.abstract_device}"
        return f"AbstractMesh({axes}, axis_types={self.axis_types}{device})"

    def __reduce__(self) -> tuple[Any, ...]:
        return _unpickled_abstract, (*self._fields, self.abstract_device)

    @property
    def _fields(self) -> tuple[Any, ...]:
        return self.axis_sizes, self.axis_names, self.axis_types

    def __getattr__(self, name: str) -> Any:
        if name in ("devices", "device_ids", "is_multi_process", "local_devices", "local_mesh"):
            raise value_error(f"AbstractMesh does not implement {name}, got: {self}; use a `Mesh`")
        raise AttributeError(f"'AbstractMesh' object has no attribute {name!r}")


def _unpickled_abstract(sizes: Any, names: Any, types: Any, device: Any) -> AbstractMesh:
    return AbstractMesh(sizes, names, types, abstract_device=device)


class Mesh(NamedAxes, ContextDecorator):
    """Devices in a grid whose axes have names.

    Args:
      devices: the devices, an array of as many dimensions as there are axes.
      axis_names: the names of the axes.
      axis_types: their types, by default all `AxisType.Auto`.

    Raises:
      TypeError: something else than devices, or the types are not of `AxisType`.
      ValueError: there are not as many dimensions, names and types, two axes have one name, or a
        device is given twice.

    Example:
      >>> import dovetail as dt
      >>> mesh = Mesh(dt.devices()[:1], ("data",))
      >>> mesh, dict(mesh.shape), mesh.size
      (Mesh(axis_sizes=(1,), axis_names=('data',), axis_types=(Auto,)), {'data': 1}, 1)
    """

    devices: np.ndarray
    _size: int
    _key: tuple[Any, ...]
    _hash: int

    def __init__(
        self,
        devices: np.ndarray | Sequence[Any] | Device,
        axis_names: str | Sequence[Hashable],
        axis_types: AxisType | tuple[AxisType, ...] | None = None,
    ) -> None:
        grid = np.array(devices, dtype=object)
        names = _as_names(axis_names, "Mesh")
        if grid.ndim != len(names):
            raise value_error(
                "Mesh requires the ndim of its first argument (`devices`) to equal the length of "
                f"its second argument (`axis_names`), but got devices.ndim == {grid.ndim} and "
                f"len(axis_names) == {len(names)}"
            )
        is_empty = not names and grid[()] is None
        if not is_empty:
            _check_devices(grid)
        grid.flags.writeable = False
        known = {
            "devices": grid,
            "axis_names": names,
            "axis_types": _as_types(axis_types, names, "Mesh"),
            "axis_sizes": grid.shape,
            "_size": 0 if is_empty else grid.size,
        }
        self.__dict__.update(known)
        key = tuple(grid.flat), grid.shape, names, self.axis_types
        self.__dict__.update(_key=key, _hash=hash(key))

    @property
    def size(self) -> int:
        """The number of devices."""
        return self._size

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError(f"cannot assign to field {name!r}")

    def __eq__(self, other: object) -> bool:
        return self is other or (isinstance(other, Mesh) and self._key == other._key)

    def __hash__(self) -> int:
        return self._hash

    def __reduce__(self) -> tuple[Any, ...]:
        return Mesh, (self.devices, self.axis_names, self.axis_types)

    def __str__(self) -> str:
        if self.empty:
            return "Mesh()"
        axes = "".join(f"{name!r}: {size}, " for name, size in self.shape_tuple)
        return f"Mesh({axes}axis_types={self.axis_types})"

    def __repr__(self) -> str:
        if self.empty:
            return "Mesh(axis_sizes=(), axis_names=())"
        return (
            f"Mesh(axis_sizes={self.axis_sizes}, axis_names={self.axis_names}, "
            f"axis_types={self.axis_types})"
        )

    def update(
        self,
        devices: Any = None,
        axis_names: Sequence[Hashable] | None = None,
        axis_types: AxisType | tuple[AxisType, ...] | None = None,
    ) -> Mesh:
        """A copy with other devices, names or types."""
        return Mesh(
            self.devices if devices is None else devices,
            self.axis_names if axis_names is None else axis_names,
            self.axis_types if axis_types is None else axis_types,
        )

    @property
    def is_scalar(self) -> bool:
        """True if the mesh is one device, without axes."""
        return self.size == 1 and not self.axis_names

    @cached_property
    def abstract_mesh(self) -> AbstractMesh:
        """The axes without the devices."""
        if not self.axis_names:
            return EMPTY_ABSTRACT
        device = None
        if self.devices.size:
            first = self.devices.flat[0]
            device = AbstractDevice(first.device_kind, None, first.platform)
        return AbstractMesh(
            self.axis_sizes, self.axis_names, self.axis_types, abstract_device=device
        )

    # Devices --------------------------------------------------------------------------------------

    @cached_property
    def flat_devices(self) -> tuple[Device, ...]:
        """The devices, those along the last axis next to each other."""
        return () if self.empty else tuple(self.devices.flat)

    @property
    def device_ids(self) -> np.ndarray:
        """The numbers of the devices."""
        return np.array([d.id for d in self.flat_devices], int).reshape(self.axis_sizes)

    @property
    def local_devices(self) -> list[Device]:
        """The devices of this process."""
        return [d for d in self.flat_devices if d.process_index == d.client.process_index()]

    @cached_property
    def is_multi_process(self) -> bool:
        """True if some devices are those of other processes."""
        return len(self.local_devices) != self.size

    @cached_property
    def local_mesh(self) -> Mesh:
        """The mesh of this process's devices.

        Raises:
          ValueError: they are no block of the mesh.
        """
        if not self.is_multi_process:
            return self
        local = set(self.local_devices)
        is_local = np.array([d in local for d in self.flat_devices]).reshape(self.axis_sizes)
        block = tuple(
            slice(int(i.min()), int(i.max()) + 1) if i.size else slice(0)
            for i in np.nonzero(is_local)
        )
        if not is_local[block].all():
            raise value_error(
                "devices connected to a single host must form a contiguous subcube of the global "
                f"device mesh, got: those numbered {self.device_ids[is_local].tolist()} of {self}"
            )
        return Mesh(self.devices[block], self.axis_names, self.axis_types)

    # The deprecated context -----------------------------------------------------------------------

    def __enter__(self) -> Mesh:
        deprecations.MESH_CONTEXT.warn()
        scope = entered_mesh(self)
        scope.__enter__()
        _scopes.entered.append(scope)
        return self

    def __exit__(self, *error: object) -> bool:
        _scopes.entered.pop().__exit__(*error)
        return False


class _Scopes(threading.local):
    """The `with mesh:` blocks that this thread is in."""

    def __init__(self) -> None:
        self.entered: list[Override] = []


_scopes = _Scopes()


def _as_mesh(value: Any) -> Any:
    if value is not None and not isinstance(value, NamedAxes):
        raise value_error(f"a mesh must be a `Mesh`, an `AbstractMesh` or None, got: {value!r}")
    return value


def mesh_setting(name: str, doc: str) -> Option[Any]:
    """A setting whose value is a mesh, and which traced programs depend on."""
    option: Option[Any] = Option(
        name, None, doc, check=_as_mesh, accepts="a mesh, or None", example=None
    )
    config.trace_for(option)
    return option


entered_mesh = mesh_setting("entered_mesh", "The mesh of the innermost `with mesh:`.")


# Arguments of meshes ------------------------------------------------------------------------------


def _as_names(names: Any, what: str) -> tuple[Any, ...]:
    found = (names,) if isinstance(names, str) else tuple(names)
    if None in found:
        raise value_error(f"{what} axis names cannot be None, got: {found}")
    if len({*found}) != len(found):
        raise value_error(f"{what} axis names must be distinct, got: {found}")
    return found


def _as_types(types: Any, names: tuple[Any, ...], what: str) -> tuple[AxisType, ...]:
    if types is None:
        return (AxisType.Auto,) * len(names)
    found = types if isinstance(types, tuple) else (types,)
    if not all(isinstance(kind, AxisType) for kind in found):
        raise type_error(
            f"axis_types passed to {what} must be of type `dovetail.sharding.AxisType`, got: "
            f"{found}"
        )
    if len(found) != len(names):
        raise value_error(
            "Number of axis names should match the number of axis_types, got: "
            f"axis_names={names} and axis_types={found}"
        )
    return found


def _check_devices(grid: np.ndarray) -> None:
    devices = list(grid.flat)
    for device in devices:
        if not isinstance(device, Device):
            raise type_error(f"Mesh: devices must be of dovetail.devices(), got: {device!r}")
    if len({*devices}) != len(devices):
        raise value_error(f"Mesh: devices must be distinct, got: {', '.join(map(str, devices))}")


EMPTY_ABSTRACT = AbstractMesh((), ())
EMPTY = Mesh(np.empty((), object), ())
