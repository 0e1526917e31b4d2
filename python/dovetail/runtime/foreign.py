"""Functions of native libraries that compiled programs call: their registry, calls and failures."""

from __future__ import annotations

import ctypes
import functools
import math
import os
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from . import plugins
from .dtypes import DTYPE_OF_NAME
from .foreign_types import CArray

# The stages of XLA's handlers, in the order of their numbers.
STAGES = ("instantiate", "prepare", "initialize", "execute")
# Kinds of functions, by the library's numbers.
KINDS = ("xla", "c")

_REASON_SIZE = 4096

# XLA's numbers of element types, as in the compiler; other types have none.
_TYPES = {
    "bool": 1,
    "int8": 2,
    "int16": 3,
    "int32": 4,
    "int64": 5,
    "uint8": 6,
    "uint16": 7,
    "uint32": 8,
    "uint64": 9,
    "float16": 10,
    "float32": 11,
    "float64": 12,
    "complex64": 15,
    "bfloat16": 16,
    "complex128": 18,
    "float8_e5m2": 19,
    "float8_e4m3fn": 20,
    "int4": 21,
    "uint4": 22,
    "float8_e4m3b11fnuz": 23,
    "float8_e5m2fnuz": 24,
    "float8_e4m3fnuz": 25,
    "int2": 26,
    "uint2": 27,
    "float8_e4m3": 28,
    "float8_e3m4": 29,
    "float4_e2m1fn": 32,
    "float8_e8m0fnu": 33,
}
_TYPE_OF_DTYPE = {dtype: _TYPES.get(name, 0) for name, dtype in DTYPE_OF_NAME.items()}


class TargetError(RuntimeError):
    """A foreign function failed, or is missing."""

    __module__ = "dovetail.runtime"


class Target(NamedTuple):
    """A function under its name.

    Attributes:
      name: the name by which programs call it.
      kind: "xla" for a handler of XLA's FFI, "c" for a function of `dovetail/ffi.h`.
      addresses: by stage, "execute" for a function in C.
      owner: keeps the function alive.
    """

    name: str
    kind: str
    addresses: Mapping[str, int]
    owner: Any = None


class Symbols(NamedTuple):
    """Where another process finds a function.

    Attributes:
      kind: as in `Target`.
      library: the file name of the library, empty if the function is in none.
      symbols: the names of its functions by stage.
    """

    kind: str
    library: str
    symbols: Mapping[str, str]


_targets: dict[str, Target] = {}


@functools.cache
def _functions() -> ctypes.CDLL:
    """The library's functions; calls give Python's lock away."""
    library = ctypes.CDLL(plugins.path(plugins.FOREIGN))
    pointer, text, integer = ctypes.c_void_p, ctypes.c_char_p, ctypes.c_int
    reason = (text, integer)
    for name, result, arguments in (
        ("register", integer, (text, integer, pointer, *reason)),
        ("load", integer, (text, *reason)),
        ("is_registered", integer, (text,)),
        ("register_type", integer, (text, pointer, pointer, *reason)),
        ("take_programs", integer, (pointer, integer)),
        ("destroy_program", None, (pointer,)),
        ("take_failure", integer, (pointer, pointer, *reason, *reason)),
        ("create_instance", pointer, (text, text, ctypes.c_int64, *reason)),
        ("call_instance", integer, (pointer, pointer, integer, integer, *reason)),
        ("destroy_instance", None, (pointer,)),
    ):
        function = getattr(library, f"dovetail_ffi_{name}")
        function.restype, function.argtypes = result, arguments
    return library


def _reason() -> Any:
    return ctypes.create_string_buffer(_REASON_SIZE)


def _text(reason: Any) -> str:
    return reason.value.decode(errors="replace")


# Registration -------------------------------------------------------------------------------------


def register(target: Target) -> None:
    """Register a function in this process.

    Raises:
      ValueError: the name has another function, or the handler is of a version that is not known.
    """
    if not target.name or "\0" in target.name:
        raise ValueError(f"a target must have a name, got: {target.name!r}")
    if target.kind == "c":
        addresses = [target.addresses["execute"]]
    else:
        addresses = [target.addresses.get(stage) for stage in STAGES]
    functions, reason = (ctypes.c_void_p * len(addresses))(*addresses), _reason()
    kind = KINDS.index(target.kind)
    if _functions().dovetail_ffi_register(
        target.name.encode(), kind, functions, reason, _REASON_SIZE
    ):
        raise ValueError(
            f"the target `{target.name}` cannot be registered, got: {_text(reason)}; "
            "use another name"
        )
    _targets.setdefault(target.name, target)


def register_type(name: str, type_id: int, type_info: int | None) -> None:
    """Register a type of states.

    Args:
      name: its name.
      type_id, type_info: the addresses of its id, which is set if it is 0, and its description.

    Raises:
      ValueError: the name has another id.
    """
    reason = _reason()
    if _functions().dovetail_ffi_register_type(
        name.encode(), type_id, type_info, reason, _REASON_SIZE
    ):
        raise ValueError(f"the type `{name}` cannot be registered, got: {_text(reason)}")


def is_registered(name: str) -> bool:
    """Whether a function has the name."""
    return name in _targets or bool(_functions().dovetail_ffi_is_registered(name.encode()))


def names() -> list[str]:
    """The names of the functions that this process has registered."""
    return list(_targets)


class _Place(ctypes.Structure):
    """`Dl_info` of the C library."""

    _fields_ = (
        ("file", ctypes.c_char_p),
        ("base", ctypes.c_void_p),
        ("symbol", ctypes.c_char_p),
        ("address", ctypes.c_void_p),
    )


def symbols_of(name: str) -> Symbols:
    """Where another process finds a registered function."""
    target = _targets.get(name)
    if target is None:
        return Symbols("c", "", {})
    find = ctypes.CDLL(None).dladdr
    find.argtypes = (ctypes.c_void_p, ctypes.POINTER(_Place))
    library, found = "", {}
    for stage, address in target.addresses.items():
        place = _Place()
        # The nearest symbol before an address is another function's, if it is not at it.
        if find(address, ctypes.byref(place)) and place.address == address and place.symbol:
            library, found[stage] = os.path.basename(os.fsdecode(place.file)), place.symbol.decode()
    return Symbols(target.kind, library, found)


def load(
    needed: Mapping[str, Symbols], libraries: Sequence[str | os.PathLike[str]], file: str
) -> None:
    """Register the functions that a file needs, as far as this process does not have them.

    Args:
      needed: where they are, by name.
      libraries: the paths of the libraries to search.
      file: names the file in messages.

    Raises:
      ValueError: a library cannot be loaded, or a function is in none of them.
    """
    opened = []
    for path in libraries:
        try:
            opened.append(ctypes.CDLL(os.fspath(path)))
        except OSError as error:
            raise ValueError(f"{file} needs a library that can be loaded, got: {error}") from error
    for name, symbols in needed.items():
        if is_registered(name):
            continue
        wanted = dict(symbols.symbols) or {"execute": name}
        for library in opened:
            addresses = {
                stage: ctypes.cast(getattr(library, symbol), ctypes.c_void_p).value or 0
                for stage, symbol in wanted.items()
                if hasattr(library, symbol)
            }
            if len(addresses) == len(wanted):
                register(Target(name, symbols.kind, addresses, library))
                break
        else:
            looked = ", ".join(os.fspath(path) for path in libraries) or "no libraries"
            origin = f" of {symbols.library}" if symbols.library else ""
            raise ValueError(
                f"{file} needs the target `{name}`, the symbol {', '.join(wanted.values())}"
                f"{origin}, got: {looked}; pass its library, libraries=[…], or register it by "
                "dovetail.ffi"
            )


# Calls of this process ----------------------------------------------------------------------------


class Instance:
    """A function with attributes, which Python calls on NumPy arrays.

    Args:
      name: the function's name.
      attributes: its attributes, encoded by the compiler.

    Raises:
      TargetError: there is no such function, or it cannot be instantiated.
    """

    def __init__(self, name: str, attributes: bytes) -> None:
        self.name = name
        reason = _reason()
        self._destroy = _functions().dovetail_ffi_destroy_instance
        self._handle = _functions().dovetail_ffi_create_instance(
            name.encode(), attributes, len(attributes), reason, _REASON_SIZE
        )
        if not self._handle:
            raise TargetError(failure_text(name, _text(reason)))

    def __del__(self) -> None:
        if handle := self.__dict__.get("_handle"):
            self._destroy(handle)

    def __call__(self, arguments: Sequence[np.ndarray], results: Sequence[np.ndarray]) -> None:
        """Write the results for contiguous arguments.

        Raises:
          TargetError: the function failed.
        """
        arrays = [*arguments, *results]
        described = (CArray * len(arrays))()
        for array, entry in zip(arrays, described, strict=True):
            entry.type = _TYPE_OF_DTYPE[array.dtype]
            entry.rank = array.ndim
            entry.sizes = (ctypes.c_int64 * array.ndim)(*array.shape)
            entry.data = array.ctypes.data if array.size else None
        reason = _reason()
        if _functions().dovetail_ffi_call_instance(
            self._handle, described, len(arguments), len(results), reason, _REASON_SIZE
        ):
            raise TargetError(failure_text(self.name, _text(reason)))


def aligned_empty(shape: tuple[int, ...], dtype: np.dtype) -> np.ndarray:
    """Memory for a result."""
    size = math.prod(shape) * dtype.itemsize
    raw = np.empty(size + 64, np.uint8)
    start = -raw.ctypes.data % 64
    return raw[start : start + size].view(dtype).reshape(shape)


def failure_text(name: str, reason: str) -> str:
    """The message of an error of a function."""
    return f"the target `{name}` failed: {reason}"


# Calls of compiled programs -----------------------------------------------------------------------


class Programs:
    """What the library keeps for the executables of a module that a thread has just loaded.

    It must outlive them.

    Attributes:
      origin: the lines in the user's program of the calls, and the name of the module's file.
    """

    def __init__(self, handles: Sequence[int]) -> None:
        self._handles = handles
        # When the interpreter exits, this module may end before its objects.
        self._destroy = _functions().dovetail_ffi_destroy_program
        self.origin: tuple[Sequence[str], str] = (), ""

    def __del__(self) -> None:
        for handle in self._handles:
            self._destroy(handle)

    def failure(self) -> TargetError | None:
        """The error of a call that has failed, preferably on this thread; None if there is none."""
        for handle in self._handles:
            site, target, message = ctypes.c_int64(), _reason(), _reason()
            found = _functions().dovetail_ffi_take_failure(
                handle, ctypes.byref(site), target, _REASON_SIZE, message, _REASON_SIZE
            )
            if found < 0:
                continue
            text = failure_text(_text(target), _text(message))
            lines, file = self.origin
            if site.value < len(lines):
                text += f", called at {lines[site.value]}"
            return TargetError(text + (f", in {file}" if file else ""))
        return None


@functools.cache
def _has_library() -> bool:
    try:
        plugins.path(plugins.FOREIGN)
    except FileNotFoundError:
        return False
    return True


_Handles = ctypes.c_void_p * 16


def take_programs() -> Programs | None:
    """What the calling thread has just loaded that calls foreign functions, None if nothing."""
    if not _has_library():
        return None
    taken: list[int] = []
    handles = _Handles()
    while count := _functions().dovetail_ffi_take_programs(handles, len(handles)):
        taken += [handle for handle in handles[:count] if handle]
    return Programs(taken) if taken else None
