"""An array on a device: the result of a call, and an argument of later ones without a copy."""

from __future__ import annotations

import math
import sys
from typing import Any

import numpy as np
from iree.runtime import HalBuffer, HalBufferView, VmRef

from .capsules import capsule, imported
from .devices import Device, get_device
from .dtypes import ELEMENT_OF_DTYPE
from .iree_internals import reference


class Buffer:
    """An immutable array in a device's memory.

    It lives as long as anything refers to it or to its NumPy view. Passing it to a compiled
    function needs no copy on the device that made it.

    Args:
      ref: IREE's reference to the buffer view; None if there is none yet.
      dtype: the NumPy dtype of the elements.
      device: the device whose memory it is in.
      shared: whether something else may refer to the memory, so that no program may write to it.
      memory: IREE's reference to the memory, if there is no view yet, and
      shape: the size of each dimension in it.

    Example:
      >>> from dovetail import runtime
      >>> buffer = runtime.put(np.arange(3, dtype=np.int32))
      >>> buffer.shape, buffer.numpy()
      ((3,), array([0, 1, 2], dtype=int32))
    """

    # Attributes are released in the order of their names: a device after what is on it.
    __slots__ = (
        "__weakref__",
        "_dtype",
        "_host",
        "_memory",
        "_ref",
        "_shape",
        "_shared",
        "_view",
        "_where",
    )

    def __init__(
        self,
        ref: VmRef | None,
        dtype: np.dtype,
        device: Device,
        shared: bool = False,
        *,
        memory: VmRef | None = None,
        shape: tuple[int, ...] | None = None,
    ) -> None:
        self._ref = ref
        self._memory = memory
        self._dtype = dtype
        self._where = device
        self._shared = shared
        # Filled on first use: a result that only feeds the next call needs none of them.
        self._shape: tuple[int, ...] | None = shape
        self._view: HalBufferView | None = None
        self._host: np.ndarray | None = None

    @property
    def view(self) -> HalBufferView:
        """The IREE buffer view."""
        view = self._view
        if view is None:
            if self._ref is not None:
                view = self._ref.deref(HalBufferView)
            else:
                assert self._memory is not None
                assert self._shape is not None
                memory = self._memory.deref(HalBuffer)
                assert memory is not None
                view = HalBufferView(memory, self._shape, ELEMENT_OF_DTYPE[self._dtype])
            assert view is not None
            self._view = view
        return view

    @property
    def ref(self) -> VmRef:
        """IREE's reference to the view."""
        ref = self._ref
        if ref is None:
            ref = self._ref = self.view.ref
        return ref

    @property
    def memory(self) -> VmRef:
        """IREE's reference to the memory, for programs that take it without a view."""
        memory = self._memory
        if memory is None:
            memory = self._memory = reference(self.view.get_buffer())
        return memory

    @property
    def shape(self) -> tuple[int, ...]:
        """The size of each dimension."""
        shape = self._shape
        if shape is None:
            shape = self._shape = tuple(self.view.shape)
        return shape

    @property
    def dtype(self) -> np.dtype:
        """The NumPy dtype."""
        return self._dtype

    @property
    def ndim(self) -> int:
        """The number of dimensions."""
        return len(self.shape)

    @property
    def size(self) -> int:
        """The number of elements."""
        return math.prod(self.shape)

    @property
    def nbytes(self) -> int:
        """The number of bytes."""
        return self.size * self._dtype.itemsize

    @property
    def device(self) -> Device:
        """The device whose memory it is in."""
        return self._where

    @property
    def is_shared(self) -> bool:
        """True if a NumPy array or another buffer may alias the memory, apart from this buffer's
        own view: arrays that were made of that refer to it, or to the array that it is a view of.
        """
        if self._shared:
            return True
        view: Any = self._host
        # Those of the attribute, of this function, and of `getrefcount`.
        while type(view) is np.ndarray:
            if sys.getrefcount(view) > 3:
                return True
            view = view.base
        return False

    def numpy(self) -> np.ndarray:
        """Returns a read-only array over the buffer: a view on the CPU, otherwise one copy,
        made once.
        """
        host = self._host
        if host is None:
            shape = self.shape
            # `np.ndarray` would bypass the memoryview, and could be made writable again.
            memory = memoryview(self._where.fetch(self.view)).toreadonly()
            host = np.frombuffer(memory, self._dtype, math.prod(shape)).reshape(shape)
            self._host = host
        return host

    def copy(self) -> Buffer:
        """Returns a buffer with the same elements, in its own memory on the same device."""
        return Buffer(self._where.duplicate(self.view), self._dtype, self._where)

    def block_until_ready(self) -> Buffer:
        """Returns the buffer: a call returns only when its results are complete."""
        return self

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        return np.array(self.numpy(), dtype=dtype, copy=copy)

    def __dlpack_device__(self) -> tuple[int, int]:
        return self.numpy().__dlpack_device__()

    def __dlpack__(
        self,
        *,
        stream: Any = None,
        max_version: tuple[int, int] | None = None,
        dl_device: tuple[int, int] | None = None,
        copy: bool | None = None,
    ) -> Any:
        return capsule(self.numpy(), stream, max_version, dl_device, copy)

    def item(self) -> Any:
        """Returns the only element as a Python number."""
        return self.numpy().item()

    def __bool__(self) -> bool:
        return bool(self.numpy())

    def __int__(self) -> int:
        return int(self.numpy())

    def __float__(self) -> float:
        return float(self.numpy())

    def __getitem__(self, index: Any) -> Any:
        return self.numpy()[index]

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError("len() needs an array of rank 1 or more, got: rank 0")
        return self.shape[0]

    def __str__(self) -> str:
        return str(self.numpy())

    def __repr__(self) -> str:
        return f"Buffer(shape={self.shape}, dtype={self._dtype}, device={self._where.name!r})"


def as_host_array(value: Any) -> np.ndarray:
    """Returns a C-contiguous array of a dtype that devices support, without a copy if possible.

    Args:
      value: anything with `__array__` or `__dlpack__`, or that NumPy can make an array from.

    Raises:
      TypeError: the dtype is not supported.
    """
    if hasattr(value, "__dlpack__") and not hasattr(value, "__array__"):
        value = imported(value)
    array = np.asarray(value, order="C")
    if not array.dtype.isnative:
        array = array.astype(array.dtype.newbyteorder("="))
    if array.dtype not in ELEMENT_OF_DTYPE:
        names = ", ".join(dtype.name for dtype in ELEMENT_OF_DTYPE)
        raise TypeError(f"dtype must be one of {names}, got: {array.dtype}; convert the array")
    return array


def put(value: Any, device: str | Device = "local-task") -> Buffer:
    """Copies an array to a device, once, for use in many calls.

    Args:
      value: an array of any shape and a dtype that devices support, or anything that NumPy can make
        one from.
      device: a `Device`, or its name.

    Returns:
      The buffer, independent of `value`.

    Raises:
      TypeError: devices do not support the dtype.
      ValueError: there is no such device.

    Example:
      >>> from dovetail import runtime
      >>> runtime.put(np.zeros((2, 3), np.float32), "local-sync")
      Buffer(shape=(2, 3), dtype=float32, device='local-sync')
    """
    if not isinstance(device, Device):
        device = get_device(device)
    array = as_host_array(value)
    return Buffer(device.put(array, ELEMENT_OF_DTYPE[array.dtype]).ref, array.dtype, device)
