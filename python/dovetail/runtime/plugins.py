"""The package's libraries that IREE's runtime loads, to which compiled programs are bound."""

from __future__ import annotations

import functools
import sys
from pathlib import Path

import iree.runtime as ireert

COLLECTIVES = "libdovetail_collectives.so"
FOREIGN = "libdovetail_ffi.so"
LINEAR_ALGEBRA = "libdovetail_blas.so"
# In place of the Vulkan loader.
VULKAN = "libdovetail_vulkan.so"


@functools.cache
def path(name: str) -> str:
    """The path of a library, for `iree-run-module --executable_plugin` too.

    Raises:
      FileNotFoundError: the package was built without it.
    """
    # In an editable installation, built files are elsewhere.
    folders = list(sys.modules["dovetail"].__path__)
    for folder in folders:
        if (file := Path(folder, name)).exists():
            return str(file)
    raise FileNotFoundError(f"{name} must be in the package, got: none in {', '.join(folders)}")


@functools.cache
def register() -> None:
    """Let devices that are made from now on find the libraries that the package has."""
    for name in (COLLECTIVES, FOREIGN, LINEAR_ALGEBRA):
        try:
            file = path(name)
        except FileNotFoundError:
            continue
        ireert.flags.parse_flags(f"--executable_plugin={file}")
