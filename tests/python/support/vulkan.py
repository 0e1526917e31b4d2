"""A semaphore of Vulkan that the host signals, by ctypes: the few structures that it takes."""

from __future__ import annotations

import ctypes
from ctypes import (
    Structure,
    byref,
    c_float,
    c_int32,
    c_uint32,
    c_uint64,
    c_void_p,
    pointer,
)
from typing import Any

_FIRST_WITH_TIMELINES = (1 << 22) | (2 << 12)  # Vulkan 1.2


def _structure(kind: int, **fields: Any) -> Structure:
    """A structure of a kind (VkStructureType): its fields, and what `pNext` points to."""
    following = fields.pop("following", None)
    types = {int: c_uint64, type(None): c_void_p}
    values = {name: types[type(v)](v) if type(v) in types else v for name, v in fields.items()}
    layout = [("kind", c_int32), ("following", c_void_p)]
    layout += [(name, type(v)) for name, v in values.items()]
    made = type("Made", (Structure,), {"_fields_": layout})(kind, None, *values.values())
    if following is not None:
        made.following = ctypes.cast(byref(following), c_void_p)
    made.kept = (following, values)
    return made


class Timeline:
    """A timeline semaphore of the first device.

    Args:
      library: the file of a Vulkan loader.
    """

    def __init__(self, library: str) -> None:
        self._of_instance = ctypes.CDLL(library).vkGetInstanceProcAddr
        self._of_instance.restype = c_void_p
        self._instance = c_void_p()
        application = _structure(
            0, name=None, version=c_uint32(), engine=None, engine_version=c_uint32(),
            api=c_uint32(_FIRST_WITH_TIMELINES),
        )  # fmt: skip
        create = _structure(
            1, flags=c_uint32(), application=pointer(application), layers=c_uint32(),
            layer_names=None, extensions=c_uint32(), extension_names=None,
        )  # fmt: skip
        self._call("vkCreateInstance", byref(create), None, byref(self._instance))
        physical, count = c_void_p(), c_uint32(1)
        # Incomplete (5) if there are more than one.
        self._function("vkEnumeratePhysicalDevices")(self._instance, byref(count), byref(physical))
        priority = c_float(1)
        queue = _structure(
            2, flags=c_uint32(), family=c_uint32(), count=c_uint32(1), priorities=pointer(priority)
        )
        timelines = _structure(1000207000, enabled=c_uint32(1))
        create = _structure(
            3, flags=c_uint32(), queues=c_uint32(1), queue=pointer(queue), layers=c_uint32(),
            layer_names=None, extensions=c_uint32(), extension_names=None, features=None,
            following=timelines,
        )  # fmt: skip
        self._device = c_void_p()
        self._call("vkCreateDevice", physical, byref(create), None, byref(self._device))
        kind = _structure(1000207002, timeline=c_int32(1), initial=0)
        self._semaphore = c_uint64()
        create = _structure(9, flags=c_uint32(), following=kind)
        self._call("vkCreateSemaphore", self._device, byref(create), None, byref(self._semaphore))

    def signal(self, value: int) -> int:
        """Signals the semaphore; returns Vulkan's result, negative for errors."""
        info = _structure(1000207005, semaphore=self._semaphore, value=value)
        return self._of_device("vkSignalSemaphore")(self._device, byref(info))

    def value(self) -> int:
        """The semaphore's value."""
        value = c_uint64()
        get = self._of_device("vkGetSemaphoreCounterValue")
        assert get(self._device, self._semaphore, byref(value)) == 0
        return value.value

    def close(self) -> None:
        """Frees it, and its device."""
        self._of_device("vkDestroySemaphore")(self._device, self._semaphore, None)
        self._of_device("vkDestroyDevice")(self._device, None)
        self._function("vkDestroyInstance")(self._instance, None)

    def _call(self, name: str, *arguments: Any) -> None:
        result = self._function(name)(*arguments)
        assert result == 0, f"{name} returned {result}"

    def _function(self, name: str) -> Any:
        return ctypes.CFUNCTYPE(c_int32)(self._of_instance(self._instance, name.encode()))

    def _of_device(self, name: str) -> Any:
        # As IREE does: by the device's own table.
        get = ctypes.CFUNCTYPE(c_void_p)(self._of_instance(self._instance, b"vkGetDeviceProcAddr"))
        return ctypes.CFUNCTYPE(c_int32)(get(self._device, name.encode()))
