"""Registration of functions of native libraries."""

from __future__ import annotations

import ctypes
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from dovetail.base.errors import type_error, value_error
from dovetail.runtime import foreign

# The number of dimensions that are no batch, by the names of targets that devices may call on parts
# of one.
core_ndims: dict[str, int] = {}

_name = ctypes.pythonapi.PyCapsule_GetName
_name.restype, _name.argtypes = ctypes.c_char_p, [ctypes.py_object]
_pointer = ctypes.pythonapi.PyCapsule_GetPointer
_pointer.restype, _pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
_new = ctypes.pythonapi.PyCapsule_New
_new.restype = ctypes.py_object
_new.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]


def pycapsule(funcptr: Any) -> Any:
    """Wrap a function of a library in a capsule, for `register_ffi_target`.

    Args:
      funcptr: the function, as ctypes gives it.

    Returns:
      A `PyCapsule` with its address.

    Example:
      >>> import ctypes
      >>> from dovetail import ffi
      >>> type(ffi.pycapsule(ctypes.CDLL(None).abs)).__name__
      'PyCapsule'
    """
    return _new(ctypes.cast(funcptr, ctypes.c_void_p).value, None, None)


def _address(value: Any, what: str) -> int:
    """The address in a capsule."""
    if type(value).__name__ != "PyCapsule":
        raise type_error(
            f"{what} must be a PyCapsule, which ffi.pycapsule makes of a function of ctypes, got: "
            f"{value!r}"
        )
    return _pointer(value, _name(value))


def register_ffi_target(
    name: str, fn: Any, platform: str = "cpu", api_version: int = 1, **kwargs: Any
) -> None:
    """Register a handler of XLA's FFI, which `ffi_call` calls.

    A handler that was compiled for JAX can be registered as it is. It runs on the CPU: handlers for
    other platforms are ignored.

    Args:
      name: the name for `ffi_call`.
      fn: a `PyCapsule` with the handler, or a dict of them by stage: "instantiate", "prepare",
        "initialize" and "execute".
      platform: the platform that the handler is for.
      api_version: 1.
      kwargs: accepted for compatibility with JAX; traits of handlers do not matter on the CPU.

    Raises:
      TypeError: `fn` is neither a capsule nor a dict of them.
      ValueError: the name has another function, or the handler was compiled for a later version of
        the interface, or for the untyped one.

    Example:
      >>> import ctypes
      >>> from dovetail import ffi
      >>> def register(path):
      ...     library = ctypes.CDLL(path)
      ...     ffi.register_ffi_target("rms_norm", ffi.pycapsule(library.RmsNorm))
    """
    if api_version != 1:
        raise value_error(
            f"register_ffi_target: api_version must be 1, the typed interface, got: {api_version}; "
            "register a function of the untyped one as register_c_function describes"
        )
    stages = fn if isinstance(fn, Mapping) else {"execute": fn}
    unknown = stages.keys() - set(foreign.STAGES)
    if unknown or "execute" not in stages:
        raise value_error(
            f"register_ffi_target: fn must have the stage 'execute', and of {foreign.STAGES} those "
            f"that it needs, got: {sorted(stages)}"
        )
    addresses = {
        stage: _address(capsule, f"register_ffi_target: the {stage} function of {name!r}")
        for stage, capsule in stages.items()
    }
    if platform.lower() in ("cpu", "host"):
        foreign.register(foreign.Target(name, "xla", addresses, dict(stages)))


def register_c_function(name: str, function: Any) -> None:
    """Register a function with the signature that `dovetail/ffi.h` states.

    Args:
      name: the name for `ffi_call`.
      function: a function that ctypes has loaded or, as `CFunction`, made of a Python function; a
        pointer of cffi; a function of Numba's `cfunc`; or an address. It is kept alive.

    Raises:
      TypeError: `function` is none of these.
      ValueError: the name has another function.

    Example:
      >>> import ctypes
      >>> import numpy as np
      >>> import dovetail as dt
      >>> from dovetail import ffi
      >>> @ffi.CFunction
      ... def twice(arrays, sizes, call):
      ...     x, y = (ctypes.cast(arrays[i], ctypes.POINTER(ctypes.c_float)) for i in (0, 1))
      ...     for i in range(sizes[0]):
      ...         y[i] = 2 * x[i]
      ...     return 0
      >>> ffi.register_c_function("twice", twice)
      >>> x = np.ones(3, np.float32)
      >>> dt.jit(ffi.ffi_call("twice", dt.ShapeDtypeStruct((3,), np.float32)))(x)
      Array([2., 2., 2.], dtype=float32)
    """
    foreign.register(foreign.Target(name, "c", {"execute": _function_address(function)}, function))


def _function_address(function: Any) -> int:
    if isinstance(function, int):
        return function
    if isinstance(function, ctypes._CFuncPtr):  # pyright: ignore[reportAttributeAccessIssue]
        return ctypes.cast(function, ctypes.c_void_p).value or 0
    if type(function).__module__ == "_cffi_backend":
        import cffi  # pyright: ignore[reportMissingImports]

        return int(cffi.FFI().cast("intptr_t", function))
    address = getattr(function, "address", None)
    if isinstance(address, int):
        return address
    raise type_error(
        "register_c_function: function must be a function of ctypes, cffi or Numba's cfunc, or an "
        f"address, got: {function!r}"
    )


def register_ffi_type(
    name: str, type_registration: Mapping[str, Any], platform: str = "cpu"
) -> None:
    """Register a type of states that handlers of XLA's FFI keep between stages.

    Args:
      name: the name of the type.
      type_registration: capsules: `type_id`, the address of the type's id, which is set, and
        `type_info`, that of its description, without which states are not destroyed.
      platform: types of other platforms than the CPU are ignored.

    Raises:
      ValueError: the name has another id.

    Example:
      >>> import ctypes
      >>> from dovetail import ffi
      >>> number = ctypes.c_int64(0)
      >>> ffi.register_ffi_type("counter", {"type_id": ffi.pycapsule(ctypes.byref(number))})
      >>> number.value != 0
      True
    """
    if platform.lower() not in ("cpu", "host"):
        return
    type_id = _address(type_registration["type_id"], "register_ffi_type: type_id")
    info = type_registration.get("type_info")
    type_info = None if info is None else _address(info, "register_ffi_type: type_info")
    foreign.register_type(name, type_id, type_info)


def register_ffi_type_id(name: str, obj: Any, platform: str = "cpu") -> None:
    """Not supported, as in JAX; use `register_ffi_type`.

    Args:
      name: the name of the type.
      obj: a capsule with its id.
      platform: the platform.

    Raises:
      ValueError: always.

    Example:
      >>> from dovetail import ffi
      >>> ffi.register_ffi_type_id("counter", None)
      Traceback (most recent call last):
      ...
      ValueError: register_ffi_type_id is not supported; ...
    """
    raise ValueError(
        "register_ffi_type_id is not supported; use register_ffi_type(name, {'type_id': …}), got: "
        f"{name!r}"
    )


def register_ffi_target_as_batch_partitionable(name: str, core_ndim: int = 1) -> None:
    """Let devices call a function on parts of a batch.

    Without it, a function is called once, on whole arrays. The batch are the leading dimensions
    that all arrays of a call have in common; of the array with most dimensions, the last
    `core_ndim` are none. What the function computes for one element of the batch must not depend on
    the others.

    Args:
      name: the name of the function.
      core_ndim: the number of dimensions that are no batch, 2 for a function of matrices.

    Raises:
      ValueError: `core_ndim` is negative.

    Example:
      >>> from dovetail import ffi
      >>> ffi.register_ffi_target_as_batch_partitionable("rms_norm")
    """
    if core_ndim < 0:
        raise value_error(
            "register_ffi_target_as_batch_partitionable: core_ndim must not be negative, got: "
            f"{core_ndim}"
        )
    core_ndims[name] = core_ndim


def include_dir() -> str:
    """The folder with the headers `dovetail/ffi.h` and `dovetail/xla_ffi.h`.

    Returns:
      Its path, for the compiler's option `-I`.

    Example:
      >>> import os
      >>> from dovetail import ffi
      >>> os.path.exists(os.path.join(ffi.include_dir(), "dovetail", "ffi.h"))
      True
    """
    return str(Path(__file__).resolve().parents[1] / "include")
