"""The undocumented parts of IREE's runtime that this package uses.

They hold for IREE 3.13; `tests/python/runtime/test_iree_internals.py` has a test for each, which
fails when another version changes it. Those of the compiler are in
`compiler/iree_compiler/native.py`.
"""

from __future__ import annotations

import contextlib
import functools
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from iree.runtime import HalBuffer, HalBufferView, VmRef, VmVariantList, _binding


def new_driver(name: str) -> Any:
    """Make a driver; `iree.runtime.get_driver` returns the one that IREE keeps."""
    return vars(_binding)["create_hal_driver"](name)


# Environment variables by which IREE knows that `mpiexec` started the process.
_MPI_VARIABLES = ("PMI_SIZE", "OMPI_COMM_WORLD_SIZE")


@contextlib.contextmanager
def without_mpi() -> Iterator[None]:
    """Hide `mpiexec` from IREE, which makes no devices then unless it finds an MPI library."""
    hidden = {name: os.environ.pop(name) for name in _MPI_VARIABLES if name in os.environ}
    try:
        yield
    finally:
        os.environ.update(hidden)


# Appends an argument. The type stub of `push_ref` requires a reference, but it also accepts a view.
push: Callable[[VmVariantList, VmRef | HalBufferView], None] = vars(VmVariantList)["push_ref"]
# The result of that number; its type is not checked until `VmRef.deref`.
get: Callable[[VmVariantList, int], Any] = VmVariantList.get_as_ref


def reference(memory: HalBuffer) -> VmRef:
    """The reference to a buffer, of which the type stub has none."""
    made: VmRef = vars(HalBuffer)["ref"].__get__(memory)
    return made


def copier(device: Any, memory_type: int, usage: int) -> Callable[..., Any]:
    """A function that copies a C-contiguous array to a device, given its element type, and returns
    a view.
    """
    # A partial object rather than a method: this halves the cost of a call in Python.
    return functools.partial(device.allocator.allocate_buffer_copy, memory_type, usage, device)


def library() -> str:
    """The path of the extension module that is IREE's runtime."""
    return str(vars(_binding)["__file__"])


def program(name: str) -> Path:
    """The path of one of the programs that are installed with the runtime."""
    import iree._runtime_libs as libraries

    return Path(str(libraries.__file__)).with_name(name)
