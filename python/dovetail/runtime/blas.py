"""Linear algebra of compiled programs, by the BLAS and LAPACK that SciPy has."""

from __future__ import annotations

import ctypes
import functools
import importlib.machinery
import importlib.util
from pathlib import Path
from typing import Any

from . import plugins

# As in cpp/blas/Routines.h, with the modules of SciPy that have them; for each type of elements.
_ROUTINES = {
    "gemm": "cython_blas",
    "gemv": "cython_blas",
    "trsm": "cython_blas",
    "potrf": "cython_lapack",
    "getrf": "cython_lapack",
}
_TYPES = "sdcz"
# The names that builds of OpenBLAS have for functions of the number of its threads.
_THREADS = [
    f"{prefix}openblas_{{}}_num_threads{suffix}"
    for prefix in ("scipy_", "")
    for suffix in ("", "64_")
]
# The functions that programs import, as in cpp/blas/Call.h.
_FUNCTIONS = [
    f"dovetail_{name}".encode()
    for name in ("product", "cholesky", "lu", "triangular_solve", "lu_solve")
]


def is_called_by(vmfb: bytes) -> bool:
    """Whether a module file for this machine calls the library of linear algebra."""
    return any(name in vmfb for name in _FUNCTIONS)


@functools.cache
def load() -> None:
    """Give the routines to the library; before a program runs that calls it."""
    found = [
        _address(_extension(module).__pyx_capi__[type_ + name])
        for type_ in _TYPES
        for name, module in _ROUTINES.items()
    ]
    addresses = (ctypes.c_void_p * len(found))(*found)
    library = ctypes.CDLL(plugins.path(plugins.LINEAR_ALGEBRA))
    library.dovetail_blas_set_routines(addresses, *_thread_functions())


def environment() -> dict[str, str]:
    """Environment variables that name the BLAS, for tools that run programs without Python; empty
    if its file is not known.
    """
    function, _ = _thread_functions()
    address = 0 if function is None else function.value or 0
    maps = Path("/proc/self/maps")
    for line in maps.read_text().splitlines() if maps.exists() else ():
        bounds, *_, file = line.split()
        begin, end = (int(bound, 16) for bound in bounds.split("-"))
        if begin <= address < end:
            return {"DOVETAIL_BLAS": file}
    return {}


def _thread_functions() -> tuple[Any, Any]:
    """The functions that get and set how many threads the BLAS uses; None where it has none."""
    # Finds the functions of the libraries that this one needs, too.
    library = ctypes.CDLL(_extension("cython_blas").__file__)
    for name in _THREADS:
        get, set_ = (getattr(library, name.format(verb), None) for verb in ("get", "set"))
        if get is not None and set_ is not None:
            return ctypes.cast(get, ctypes.c_void_p), ctypes.cast(set_, ctypes.c_void_p)
    return None, None


@functools.cache
def _extension(module: str) -> Any:
    """SciPy's module of pointers to routines, by itself: importing all of `scipy.linalg` takes
    twenty times as long.
    """
    name = f"scipy.linalg.{module}"
    scipy = importlib.util.find_spec("scipy")
    for folder in [] if scipy is None else scipy.submodule_search_locations or []:
        for suffix in importlib.machinery.EXTENSION_SUFFIXES:
            file = Path(folder, "linalg", f"{module}{suffix}")
            if file.exists():
                spec = importlib.util.spec_from_file_location(name, file)
                assert spec is not None
                assert spec.loader is not None
                loaded = importlib.util.module_from_spec(spec)
                spec.loader.exec_module(loaded)
                return loaded
    return importlib.import_module(name)


def _address(capsule: Any) -> int:
    """The pointer in a capsule, whose name is the type of the function."""
    interface = ctypes.pythonapi
    interface.PyCapsule_GetName.restype = ctypes.c_char_p
    interface.PyCapsule_GetName.argtypes = [ctypes.py_object]
    interface.PyCapsule_GetPointer.restype = ctypes.c_void_p
    interface.PyCapsule_GetPointer.argtypes = [ctypes.py_object, ctypes.c_char_p]
    return interface.PyCapsule_GetPointer(capsule, interface.PyCapsule_GetName(capsule))
