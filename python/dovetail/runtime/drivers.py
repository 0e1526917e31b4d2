"""IREE's drivers, made with the flags that they need."""

from __future__ import annotations

import ctypes
import functools
from typing import Any

import iree.runtime as ireert

from . import plugins

DRIVERS = ("local-task", "local-sync", "cuda", "hip", "vulkan", "metal")


def get(name: str) -> Any:
    """IREE's driver of a name, one of `DRIVERS`: the same object on every call.

    All drivers come from here, since a driver reads its flags once, when it is made.

    Raises:
      Exception: this machine has no such driver; IREE's status codes come as many types.
    """
    if name == "vulkan":
        _prepare_vulkan()
    return ireert.get_driver(name)


@functools.cache
def _prepare_vulkan() -> None:
    # IREE 3.13 replays a program's commands on the buffers of an earlier call.
    ireert.flags.parse_flags("--vulkan_cached_bda_replay_instances=0")
    # It signals semaphores out of order, too. If there is no loader to mend, IREE says so.
    try:
        file = plugins.path(plugins.VULKAN)
        find = ctypes.CDLL(file).vkGetInstanceProcAddr
    except OSError:
        return
    find.restype = ctypes.c_void_p
    if find(None, b"vkCreateInstance"):
        ireert.flags.parse_flags(f"--vulkan_libvulkan_search_path={file}")
