"""Linear algebra of compiled programs, by the BLAS and LAPACK that SciPy has."""

from __future__ import annotations

import ctypes
import functools
import importlib
import importlib.util
from pathlib import Path
from typing import Any, NamedTuple

from . import plugins

# As in cpp/blas/Routines.h, with the modules of SciPy that have them; for each type of elements.
_ROUTINES = {
    "gemm": "cython_blas",
    "gemv": "cython_blas",
    "trsm": "cython_blas",
    "potrf": "cython_lapack",
    "getrf": "cython_lapack",
    "geqrf": "cython_lapack",
    "orgqr": "cython_lapack",
    "gelqf": "cython_lapack",
    "orglq": "cython_lapack",
    "syevd": "cython_lapack",
    "gesdd": "cython_lapack",
}
# Those with other names for complex elements.
_COMPLEX = {"orgqr": "ungqr", "orglq": "unglq", "syevd": "heevd"}
_TYPES = "sdcz"
# The names of all, with the modules, type by type.
_NAMES = [
    (type_ + (_COMPLEX.get(name, name) if type_ in "cz" else name), module)
    for type_ in _TYPES
    for name, module in _ROUTINES.items()
]
# How names begin in builds of OpenBLAS.
_PREFIXES = ("scipy_", "")
# How the names of the functions begin that programs import, as in cpp/blas/Call.h.
_FUNCTIONS = b"dovetail_blas_"


class Routines(NamedTuple):
    """What the library of linear algebra calls.

    Attributes:
      addresses: of the routines, type by type.
      threads: the functions that get and set how many threads the BLAS uses; None where there are
        none.
      file: the path of the BLAS, where it is a library by itself.
    """

    addresses: list[int]
    threads: tuple[Any, Any]
    file: str | None


def is_called_by(vmfb: bytes) -> bool:
    """Whether a module file for this machine calls the library of linear algebra."""
    return _FUNCTIONS in vmfb


@functools.cache
def load() -> None:
    """Give the routines to the library; before a program runs that calls it."""
    routines = _routines()
    addresses = (ctypes.c_void_p * len(routines.addresses))(*routines.addresses)
    library = ctypes.CDLL(plugins.path(plugins.LINEAR_ALGEBRA))
    library.dovetail_blas_set_routines(addresses, *routines.threads)


def environment() -> dict[str, str]:
    """Environment variables that name the BLAS, for tools that run programs without Python; empty
    if its file is not known.
    """
    file = _routines().file
    return {} if file is None else {"DOVETAIL_BLAS": file}


@functools.cache
def _routines() -> Routines:
    return _of_library() or _of_modules()


def _of_library() -> Routines | None:
    """Those of the OpenBLAS that SciPy's wheels contain, which takes no time to load: importing
    `scipy.linalg` takes a tenth of a second.
    """
    scipy = importlib.util.find_spec("scipy")
    for folder in [] if scipy is None else scipy.submodule_search_locations or []:
        for file in sorted(Path(folder).parent.glob("scipy.libs/*openblas*.so*")):
            library = ctypes.CDLL(str(file))
            for prefix in _PREFIXES:
                # Those with 64-bit integers have other names.
                found = [_address_in(library, f"{prefix}{name}_") for name, _ in _NAMES]
                threads = [
                    _address_in(library, f"{prefix}openblas_{verb}_num_threads")
                    for verb in ("get", "set")
                ]
                if all(found) and all(threads):
                    get, set_ = map(ctypes.c_void_p, threads)
                    return Routines(found, (get, set_), str(file))
    return None


def _address_in(library: ctypes.CDLL, name: str) -> int:
    """The address of a function, or 0."""
    function = getattr(library, name, None)
    return 0 if function is None else ctypes.cast(function, ctypes.c_void_p).value or 0


def _of_modules() -> Routines:
    """Those that SciPy's modules have for other modules, whichever BLAS it is built with."""
    capsules = [
        importlib.import_module(f"scipy.linalg.{module}").__pyx_capi__[name]
        for name, module in _NAMES
    ]
    return Routines([*map(_address, capsules)], (None, None), None)


def _address(capsule: Any) -> int:
    """The pointer in a capsule, whose name is the type of the function."""
    interface = ctypes.pythonapi
    interface.PyCapsule_GetName.restype = ctypes.c_char_p
    interface.PyCapsule_GetName.argtypes = [ctypes.py_object]
    interface.PyCapsule_GetPointer.restype = ctypes.c_void_p
    interface.PyCapsule_GetPointer.argtypes = [ctypes.py_object, ctypes.c_char_p]
    return interface.PyCapsule_GetPointer(capsule, interface.PyCapsule_GetName(capsule))
