"""DLPack capsules from NumPy arrays, and NumPy arrays from capsules, including ml_dtypes' element
types.

NumPy makes and reads the capsules. It does not know the types of ml_dtypes: it sees their bytes as
unsigned integers, and the type code is written into the capsule, or read from it, here. Layouts and
codes are those of `dlpack.h`, versions 0.8 and 1.1.
"""

from __future__ import annotations

import ctypes
from typing import Any

import ml_dtypes
import numpy as np

from . import ending

_CPU = 1
# Memory that the host can read directly: plain, and pinned for CUDA and ROCm.
_ON_HOST = (_CPU, 3, 11)
# Names for messages, by DLDeviceType.
_PLATFORMS = {2: "cuda", 4: "opencl", 7: "vulkan", 8: "metal", 10: "rocm", 13: "cuda", 14: "oneapi"}

_UINT = 1
# DLDataTypeCode of the types that NumPy lacks.
_CODES = {
    np.dtype(ml_dtypes.bfloat16): 4,
    np.dtype(ml_dtypes.float8_e3m4): 7,
    np.dtype(ml_dtypes.float8_e4m3): 8,
    np.dtype(ml_dtypes.float8_e4m3b11fnuz): 9,
    np.dtype(ml_dtypes.float8_e4m3fn): 10,
    np.dtype(ml_dtypes.float8_e4m3fnuz): 11,
    np.dtype(ml_dtypes.float8_e5m2): 12,
    np.dtype(ml_dtypes.float8_e5m2fnuz): 13,
    np.dtype(ml_dtypes.float8_e8m0fnu): 14,
}
_DTYPES = {(code, 8 * dtype.itemsize): dtype for dtype, code in _CODES.items()}

# The offset of the DLDataType (code and bits, a byte each) from the start of the managed tensor: in
# DLTensor after data, device and ndim, and before that, if it is versioned, version, manager
# context, deleter and flags.
_TYPE_OFFSETS = {b"dltensor": 20, b"dltensor_versioned": 32 + 20}

_name = ctypes.pythonapi.PyCapsule_GetName
_name.restype, _name.argtypes = ctypes.c_char_p, [ctypes.py_object]
_pointer = ctypes.pythonapi.PyCapsule_GetPointer
_pointer.restype, _pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]


def is_supported(dtype: np.dtype) -> bool:
    """True if arrays of an element type can be exchanged."""
    return dtype in _CODES or (dtype.kind in "biufc" and dtype.isbuiltin == 1)


def capsule(
    value: np.ndarray,
    stream: Any = None,
    max_version: tuple[int, int] | None = None,
    dl_device: tuple[int, int] | None = None,
    copy: bool | None = None,
) -> Any:
    """A DLPack capsule of a NumPy array, as returned by `__dlpack__`.

    Args:
      value: the array; the consumer of the capsule keeps it alive.
      stream: None; no computation is pending.
      max_version: the newest version that the consumer supports. Versions before 1.0 have no flag
        for read-only memory: such a consumer gets a copy of a read-only array.
      dl_device: None or the CPU.
      copy: whether to copy; None copies if necessary. A consumer that requires False must not write
        to the memory.

    Raises:
      BufferError: the request cannot be met.
    """
    if stream is not None:
        raise BufferError(f"stream must be None for an array on the CPU, got: {stream!r}")
    if dl_device is not None and tuple(map(int, dl_device)) != (_CPU, 0):
        raise BufferError(
            f"dl_device must be the CPU, (1, 0), got: {dl_device!r}; move the tensor afterwards"
        )
    if not is_supported(value.dtype):
        raise BufferError(
            f"DLPack has no element type for {value.dtype.name}; convert the array with astype"
        )
    knows_read_only = max_version is not None and max_version[0] >= 1
    if not (knows_read_only or value.flags.writeable):
        # In the usual order: not every consumer has strides.
        value, copy = _writable(value) if copy is False else np.array(value, order="C"), None
    code = _CODES.get(value.dtype)
    if code is not None:
        value = value.view(f"u{value.dtype.itemsize}")
    result = value.__dlpack__(max_version=max_version, copy=copy)
    # NumPy does not destroy capsules that are left when the interpreter exits.
    ending.in_silence()
    if code is not None:
        _type_of(result)[0] = code
    return result


def _writable(value: np.ndarray) -> np.ndarray:
    """The same memory without the read-only mark."""
    low, high = np.lib.array_utils.byte_bounds(value)
    memory: Any = (ctypes.c_byte * (high - low)).from_address(low)
    memory.owner = value
    offset = value.ctypes.data - low
    return np.ndarray(value.shape, value.dtype, memory, offset, value.strides)


def _type_of(capsule: Any) -> Any:
    """The two bytes in a capsule that hold code and width of its element type."""
    name = _name(capsule)
    return (ctypes.c_uint8 * 2).from_address(_pointer(capsule, name) + _TYPE_OFFSETS[name])


class _Producer:
    """Another library's array, with types that NumPy lacks as unsigned integers.

    Attributes:
      dtype: the type that was replaced, None if there was none.
    """

    def __init__(self, external: Any) -> None:
        self.external = external
        self.dtype: np.dtype | None = None

    def __dlpack_device__(self) -> tuple[int, int]:
        return _CPU, 0

    def __dlpack__(self, **options: Any) -> Any:
        result = self.external.__dlpack__(**options)
        if _name(result) not in _TYPE_OFFSETS:
            raise BufferError(f"__dlpack__ must return a new DLPack capsule, got: {result!r}")
        element = _type_of(result)
        self.dtype = _DTYPES.get((element[0], element[1]))
        if self.dtype is not None:
            element[0] = _UINT
        return result


def imported(external: Any, copy: bool | None = None) -> np.ndarray:
    """The elements of an array that has `__dlpack__` and `__dlpack_device__`.

    Args:
      external: the array. Memory that the host can read is shared; other memory is copied to the
        host.
      copy: True to copy in any case, False to reject arrays that must be copied.

    Raises:
      BufferError: a copy is necessary, and `copy` is False; the other library cannot copy the
        memory of a device to the host; or NumPy cannot read the tensor.
    """
    if getattr(getattr(external, "dtype", None), "as_numpy_dtype", None) is object:
        # TensorFlow ends the process instead.
        raise BufferError(
            f"DLPack has no element type for {external.dtype!r}; encode the elements as numbers"
        )
    kind, number = map(int, external.__dlpack_device__())
    producer = _Producer(external)
    if kind in _ON_HOST:
        options: dict[str, Any] = {} if copy is None else {"copy": copy}
        return _read(producer, options)
    where = f"{_PLATFORMS.get(kind, f'a device of type {kind}')}:{number}"
    if copy is False:
        raise BufferError(f"memory of {where} must be copied to the host, got: copy=False")
    try:
        return _read(producer, {"device": "cpu"})
    except Exception as error:
        # Without its driver, the library fails with an error of its own; before DLPack 1.0, it
        # knows no such request, and its capsule is of the device's memory, which NumPy refuses.
        raise BufferError(
            f"{type(external).__name__} must be able to copy its elements from {where} to the "
            f"host, got: {type(error).__name__}: {error}; copy them there first, as x.get() of "
            "CuPy and x.cpu() of PyTorch do"
        ) from error


def _read(producer: _Producer, options: dict[str, Any]) -> np.ndarray:
    try:
        value = np.from_dlpack(producer, **options)
    except RuntimeError as error:
        raise BufferError(f"NumPy must be able to read a DLPack tensor, got: {error}") from error
    return value if producer.dtype is None else value.view(producer.dtype)
