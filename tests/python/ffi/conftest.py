"""The functions that the tests of this folder call."""

from __future__ import annotations

import ctypes
from pathlib import Path

import pytest

from dovetail import ffi
from support.native_libraries import library

FOLDER = Path(__file__).parent
NAMES = (
    *("scale", "times_rows", "shapes", "increment", "aligned", "count", "observe", "fails"),
    *("returns_seven", "crashes", "attributes", "nothing", "places"),
)


@pytest.fixture(scope="session")
def functions() -> ctypes.CDLL:
    """The library of functions in C, all of which are registered under their names."""
    loaded = ctypes.CDLL(str(library(FOLDER / "functions.c")))
    for name in NAMES:
        ffi.register_c_function(name, getattr(loaded, name))
    return loaded
