"""The immutable array of known elements."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator
from typing import Any

import numpy as np

from dovetail import _core
from dovetail.arrays.methods import ArrayMethods as ArrayMethods
from dovetail.arrays.shaped_array import ShapedArray as ShapedArray
from dovetail.arrays.shards import Shards, is_on_host, moved
from dovetail.base import config
from dovetail.base.errors import type_error, value_error
from dovetail.base.locations import here
from dovetail.placement import devices, platforms, shardings
from dovetail.placement.devices import Device
from dovetail.placement.layouts import Format, Layout
from dovetail.placement.shardings import Place, Shard, Sharding, SingleDeviceSharding
from dovetail.placement.transfer_guards import check
from dovetail.placement.type_shardings import type_sharding


class _ArrayType(type):
    """Metaclass that makes `isinstance(x, Array)` hold for tracers and key arrays, so that code
    that checks for arrays can be traced.
    """

    def __instancecheck__(cls, instance: Any) -> bool:
        return isinstance(instance, ArrayMethods) or hasattr(type(instance), "is_key_array")


class Array(_core.ArrayStorage, ArrayMethods, metaclass=_ArrayType):
    """An immutable array whose elements are known: on the host as a NumPy array, in a buffer of the
    runtime, or in parts on several devices.

    A buffer has `shape`, `dtype`, `device`, `block_until_ready()`, and converts with
    `numpy.asarray`.

    Args:
      data: the NumPy array, the buffer or the `Shards`, of any shape and a dtype that
        `dtypes.as_dtype` knows.
      weak_type: whether the element type yields to those of other operands.
      place: the devices that the array is on and whether it must stay there; None for the first
        one, where it need not stay. What is on the host otherwise is moved when a program there
        needs it; then it is divided into shards, too.

    Raises:
      TypeError: the data is none of these.

    Example:
      >>> x = dnp.zeros(3)
      >>> isinstance(x, Array), x.shape, x + 0.5
      (True, (3,), Array([0.5, 0.5, 0.5], dtype=float32))
    """

    # `_keys`: with `debug_key_reuse`, which of the random keys with these words were consumed.
    __slots__ = ("__weakref__", "_keys")

    def __init__(self, data: Any, weak_type: bool = False, place: Place | None = None) -> None:
        self._data = data
        self._place = place
        self._host = None
        if type(data) is np.ndarray:
            self._host = data
        elif isinstance(data, (np.generic, np.ndarray)):
            self._data = self._host = np.asarray(data)
        elif not hasattr(data, "dtype"):
            raise type_error(
                f"Array: data must be a NumPy array or a buffer, got: {data!r}; "
                "dovetail.numpy.asarray makes arrays of numbers and lists"
            )
        self.weak_type = weak_type

    def _value(self) -> np.ndarray:
        value = self._host
        if value is None:
            if config.snapshot().guards and not is_on_host(self._data):
                check("device-to-host", self.aval)
            value = self._host = np.asarray(self._data)
        return value

    @property
    def buffer(self) -> Any:
        """The elements as one NumPy array or runtime buffer; those of shards are gathered."""
        return self._value() if type(self._data) is Shards else self._data

    @property
    def aval(self) -> ShapedArray:
        """Shape, element type, weakness, and the sharding over explicit axes of a mesh."""
        place = self._place
        if place is None or not place.is_explicit:
            return ShapedArray(self.shape, self.dtype, self.weak_type)
        sharding = type_sharding(place.sharding, self.ndim)
        return ShapedArray(self.shape, self.dtype, self.weak_type, sharding)

    def with_weakness(self, weak_type: bool) -> Array:
        """The same elements, with a weak type or not."""
        return Array(self._data, weak_type, self._place)

    def move_to(self, buffer: Any) -> Any:
        """Keep the elements in a buffer that has a copy of them, unless they are in shards; the
        buffer is returned.
        """
        if type(self._data) is not Shards:
            self._data = buffer
            self._host = None
        return buffer

    @property
    def shape(self) -> tuple[int, ...]:  # type: ignore[override]
        """The sizes of the dimensions."""
        return self._data.shape

    @property
    def dtype(self) -> np.dtype:  # type: ignore[override]
        """The element type."""
        return self._data.dtype

    # The elements and where they are --------------------------------------------------------------

    @property
    def device(self) -> Any:
        """The device that holds the elements; if there are several, the sharding."""
        if self._place is not None:
            sharding = self._place.sharding
            return self._place.device if sharding.num_devices == 1 else sharding
        if self._data is self._host:
            return platforms.first()
        # The host's drivers share its memory.
        device = self._data.device
        return platforms.first() if device.on_host else devices.device_named(device.name)

    @property
    def sharding(self) -> Sharding:
        """Over which devices the elements are spread, and how."""
        return SingleDeviceSharding(self.device) if self._place is None else self._place.sharding

    @property
    def format(self) -> Format:
        """The layout of the elements in memory, which is row-major, and the sharding.

        Example:
          >>> dnp.zeros((2, 3)).format.layout.major_to_minor
          (0, 1)
        """
        return Format(Layout(tuple(range(self.ndim))), self.sharding)

    def devices(self) -> set[Device]:
        """The devices that hold elements."""
        return self.sharding.device_set

    @property
    def is_fully_replicated(self) -> bool:
        """True if every device holds all elements."""
        return self.sharding.is_fully_replicated

    @property
    def is_fully_addressable(self) -> bool:
        """True if this process can address all shards."""
        return self.sharding.is_fully_addressable

    def _committed_to(self, sharding: Sharding, copy: bool = False) -> Array:
        place = shardings.place_of(sharding)
        if self._place is place and not copy:
            return self
        sharding.check_compatible_aval(self.shape)
        if self.sharding._device_assignment != sharding._device_assignment:
            check("device-to-device", self.aval)
        return Array(moved(self._data, sharding, copy), self.weak_type, place)

    @property
    def committed(self) -> bool:
        """True if the array is committed to its device."""
        return self._place is not None and self._place.is_committed

    _committed = committed

    @property
    def addressable_shards(self) -> list[Shard]:
        """The shards on the devices of this process."""
        self._check_alive()
        found = shardings.addressable_blocks(self.sharding, self.shape)
        return [
            Shard(block.device, block.index, block.replica_id, self._on_device(number))
            for number, block in enumerate(found)
        ]

    @property
    def global_shards(self) -> list[Shard]:
        """The shards on all devices; those of other processes have no data."""
        local = {shard.device: shard for shard in self.addressable_shards}
        found = shardings.blocks(self.sharding, self.shape)
        return [
            local.get(block.device) or Shard(block.device, block.index, block.replica_id, None)
            for block in found
        ]

    def addressable_data(self, index: int) -> Array:
        """The data of shard `index` of `addressable_shards`."""
        self._check_alive()
        return self._on_device(0 if self.is_fully_replicated else index)

    def _on_device(self, number: int) -> Array:
        """The part of the array on one of its sharding's devices in this process."""
        sharding = self.sharding
        if type(sharding) is SingleDeviceSharding and number == 0:
            return self
        device = sharding._addressable_device_assignment[number]
        if type(self._data) is not Shards:
            # Not in parts yet if it was computed as a whole.
            self._data = moved(self._data, sharding)
        data = self._data.part(number) if type(self._data) is Shards else self._data
        return Array(data, self.weak_type, shardings.place_on(device, True))

    def _check_alive(self) -> None:
        if self.is_deleted():
            self._value()

    def block_until_ready(self) -> Array:
        """Wait until the elements are computed; returns the array."""
        if self._data is not self._host:
            self._data.block_until_ready()
        return self

    def is_ready(self) -> bool:
        """True once the elements are computed; calls return only then, so always."""
        return not self.is_deleted()

    def copy_to_host_async(self) -> None:
        """Start copying the elements to where NumPy can read them."""
        self._value()

    def on_device_size_in_bytes(self) -> int:
        """The bytes that the elements take on all devices."""
        sharding = self.sharding
        size = math.prod(sharding.shard_shape(self.shape))
        return size * self.itemsize * sharding.num_devices

    def unsafe_buffer_pointer(self) -> int:
        """The address of the first element, for as long as the array lives."""
        if self.sharding.num_devices > 1:
            raise value_error(
                "unsafe_buffer_pointer() is supported only for unsharded arrays, got: an array "
                f"with {self.sharding}; take it of addressable_data(i)"
            )
        return self._value().ctypes.data

    def __dlpack__(self, **kwargs: Any) -> Any:
        if self.sharding.num_devices > 1:
            raise BufferError(
                "to_dlpack can only pack a dlpack tensor from an array on a singular device, but "
                f"an array with a Sharding over {self.sharding.num_devices} devices was provided, "
                f"{here()}; move it to one with dovetail.device_put"
            )
        return super().__dlpack__(**kwargs)

    def __dlpack_device__(self) -> tuple[int, int]:
        if self.sharding.num_devices > 1:
            raise BufferError(
                "__dlpack__ only supported for unsharded arrays, got: one over "
                f"{self.sharding.num_devices} devices {here()}"
            )
        return super().__dlpack_device__()

    def delete(self) -> None:
        """Free the elements now, unless something else shares them; the array can no longer be
        used.
        """
        self._data = _Deleted(self.aval)
        self._host = None

    def is_deleted(self) -> bool:
        """True after `delete`."""
        return type(self._data) is _Deleted

    # Python's protocols ---------------------------------------------------------------------------

    def __iter__(self) -> Iterator[Array]:
        if not self.shape:
            return super().__iter__()
        weak, place = self.weak_type, self._place
        if type(self._data) is Shards:
            # The elements have come to the host, where rows need not stay.
            place = config.snapshot().place
        return (Array(row, weak, place and place.of_results()) for row in self._value())

    def __repr__(self) -> str:
        if self.is_deleted():
            return f"Array(deleted, {self.aval})"
        # Like NumPy: the element type goes on its own line if the last one is full.
        suffix = f"dtype={self.dtype.name}" + (", weak_type=True" if self.weak_type else "") + ")"
        prefix, width = "Array(", np.get_printoptions()["linewidth"]
        if not self._has_values():
            return f"{prefix}shape={self.shape}, {suffix}"
        if self.size == 0:
            body = f"[], shape={self.shape}"
        else:
            body = np.array2string(self._value(), width, separator=", ", prefix=prefix, suffix=",")
        last = len(body) - body.rfind("\n") + 1
        space = " " if last + len(suffix) + 1 <= width else "\n" + " " * len(prefix)
        return f"{prefix}{body},{space}{suffix}"

    def __str__(self) -> str:
        return str(self._value()) if self._has_values() else repr(self)

    def _repr_html_(self) -> str:
        from dovetail.arrays import markup  # lazy

        return markup.of_array(self)

    def _has_values(self) -> bool:
        """True if this process has all elements."""
        return self.is_fully_addressable or self.is_fully_replicated

    def clone(self) -> Array:
        """Another array with the same elements, in the same memory."""
        return Array(self._data, self.weak_type, self._place)

    def copy(self) -> Array:
        """A new array with the same elements, in memory of its own on the same device."""
        return Array(self._data.copy(), self.weak_type, self._place)

    def __copy__(self) -> Array:
        return self.copy()

    def __deepcopy__(self, memo: dict[int, Any]) -> Array:
        return self.copy()

    def __reduce__(self) -> tuple[Any, ...]:
        return Array, (np.array(self._value()), self.weak_type)

    if sys.version_info >= (3, 12):

        def __buffer__(self, flags: int) -> memoryview:
            return memoryview(self.__array__())


class _Deleted:
    """Stands for the elements of a deleted array."""

    def __init__(self, aval: ShapedArray) -> None:
        self.aval = aval
        self.shape = aval.shape
        self.dtype = aval.dtype

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        raise RuntimeError(
            "Array has been deleted: it must not be used after delete(), or after a call that it "
            f"was donated to, got: one of {self.aval}"
        )

    @property
    def device(self) -> Any:
        """None: asking for it is an error."""
        return self.__array__()

    def copy(self) -> Any:
        """None: an error."""
        return self.__array__()

    def block_until_ready(self) -> None:
        """Nothing to wait for: an error."""
        self.__array__()
