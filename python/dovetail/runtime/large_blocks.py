"""Large blocks of memory: kept for the next program, where the C library would map them anew."""

from __future__ import annotations

import ctypes
import functools
import os
from typing import Any, NamedTuple

from iree.runtime import BufferUsage, MemoryType

from . import iree_internals, plugins


class Extent(NamedTuple):
    """The memory of large blocks, in bytes.

    Attributes:
      used: by arrays, and by programs that run.
      kept: by none, until the next needs it, or for about a second.
    """

    used: int
    kept: int


@functools.cache
def pool() -> bool:
    """Let IREE's runtime get blocks of at least 32 MiB from a pool, in this process.

    glibc gets each such block from the system, which zeroes and maps every page of it, and gives it
    back when it is freed: a loop over arrays of that size spends most of its time there. The pool
    keeps blocks for a second after their last use, at most as much memory as was in use at once,
    and asks for huge pages. Smaller blocks stay the C library's; if they are of arrays, which
    `learn` must have shown, they are not zeroed. The environment variable `DOVETAIL_POOL_MEMORY=0`
    turns it off.

    Returns:
      Whether there is a pool: on Linux, if IREE's library imports the functions that it replaces.
    """
    if os.environ.get("DOVETAIL_POOL_MEMORY", "1") == "0":
        return False
    try:
        library = _library()
    except FileNotFoundError:
        return False
    return bool(library.dovetail_memory_pool(os.fsencode(iree_internals.library())))


def learn(allocator: Any) -> None:
    """Show the pool where IREE asks for the memory of arrays, by making one with an allocator."""
    if not pool():
        return
    size = 1 << 20
    kind = int(MemoryType.DEVICE_LOCAL | MemoryType.HOST_VISIBLE)
    _library().dovetail_memory_learn(size)
    allocator.allocate_buffer(kind, int(BufferUsage.DEFAULT), size)
    # Nothing else is taken for an array if that one did not need new memory.
    _library().dovetail_memory_learn(0)


def extent() -> Extent:
    """The large blocks that the pool has.

    >>> extent()._fields
    ('used', 'kept')
    """
    used, kept = ctypes.c_size_t(), ctypes.c_size_t()
    _library().dovetail_memory_extent(ctypes.byref(used), ctypes.byref(kept))
    return Extent(used.value, kept.value)


@functools.cache
def _library() -> ctypes.CDLL:
    library = ctypes.CDLL(plugins.path("libdovetail_memory.so"))
    library.dovetail_memory_pool.restype = ctypes.c_bool
    library.dovetail_memory_learn.argtypes = [ctypes.c_size_t]
    library.dovetail_memory_learn.restype = None
    return library
