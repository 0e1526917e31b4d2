"""Exchange of arrays with other libraries by DLPack."""

from __future__ import annotations

from typing import Any

from dovetail.arrays.array import Array, ArrayMethods
from dovetail.base import config, dtypes
from dovetail.base.errors import type_error
from dovetail.placement import platforms


def is_supported_dtype(dtype: Any) -> bool:
    """True if arrays of this element type can be exchanged.

    Args:
      dtype: an element type, or its name.

    Example:
      >>> import dovetail as dt
      >>> dt.dlpack.is_supported_dtype("bfloat16"), dt.dlpack.is_supported_dtype("int4")
      (True, False)
    """
    from dovetail.runtime import capsules  # lazy

    return capsules.is_supported(dtypes.as_dtype(dtype))


def from_dlpack(external_array: Any, device: Any = None, copy: bool | None = None) -> Array:
    """The elements of another library's array.

    Memory on the host with an element type that is in use is shared, so the other library must not
    write to it any more. Otherwise it is copied: memory of a GPU to the host, by the other library.

    Args:
      external_array: an array with `__dlpack__` and `__dlpack_device__`.
      device: the device of the result, which is committed to it; by default the default device.
      copy: True to always copy, False to raise an error if a copy is necessary.

    Raises:
      BufferError: a copy is necessary, and `copy` is False; or the other library cannot copy its
        memory to the host.

    >>> from_dlpack(np.float32([1, 2]))
    Array([1., 2.], dtype=float32)
    """
    if device is not None:
        if (
            copy is False
            and platforms.sharding_meant(device, "from_dlpack")._device_assignment[0].platform
            != "cpu"
        ):
            raise BufferError(
                f"memory of the host must be copied to a device, got: device={device!r} and "
                "copy=False"
            )
        return from_dlpack(external_array, None, copy).to_device(device)
    from dovetail.runtime import capsules  # lazy

    if isinstance(external_array, ArrayMethods):
        return external_array.copy() if copy else external_array  # type: ignore[return-value]
    if not (hasattr(external_array, "__dlpack__") and hasattr(external_array, "__dlpack_device__")):
        raise type_error(
            "from_dlpack: the argument must have __dlpack__ and __dlpack_device__, got: "
            f"{type(external_array).__name__}; make an array of it with dovetail.numpy.asarray"
        )
    value = capsules.imported(external_array, copy)
    dtype = dtypes.canonicalize_dtype(value.dtype)
    if dtype != value.dtype:
        if copy is False:
            raise BufferError(
                f"{value.dtype.name} becomes {dtype.name} while enable_x64 is off, which needs a "
                "copy, got: copy=False"
            )
        value = value.astype(dtype)
    return Array(value, place=config.snapshot().place)
