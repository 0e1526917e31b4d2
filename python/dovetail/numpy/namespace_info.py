"""The inspection API of the Python array API standard."""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np

from dovetail.base import config, dtypes
from dovetail.base.errors import value_error
from dovetail.placement import platforms
from dovetail.placement.devices import Device

__array_api_version__ = "2024.12"

# Each version includes the one before it.
SUPPORTED_VERSIONS = ("2021.12", "2022.12", "2023.12", __array_api_version__)

_STANDARD = (
    *("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"),
    *("float32", "float64", "complex64", "complex128"),
)


def array_namespace(api_version: str | None = None) -> Any:
    """The module with the functions of a version of the standard, as returned by
    `__array_namespace__`.

    >>> array_namespace("2023.12").__name__
    'dovetail.numpy'
    """
    if api_version is not None and api_version not in SUPPORTED_VERSIONS:
        raise value_error(
            f"api_version must be one of {', '.join(SUPPORTED_VERSIONS)}, got: {api_version!r}"
        )
    return importlib.import_module("dovetail.numpy")


class NamespaceInfo:
    """Capabilities, devices and element types, with the methods that the standard names."""

    def capabilities(self) -> dict[str, Any]:
        """Capabilities of this namespace. They hold for traced programs too; shapes that depend on
        values are available outside of traces only.

        >>> NamespaceInfo().capabilities()["boolean indexing"]
        False
        """
        return {"boolean indexing": False, "data-dependent shapes": False, "max dimensions": 64}

    def default_device(self) -> Device:
        """The device that new arrays are on.

        >>> str(NamespaceInfo().default_device())
        'cpu:0'
        """
        return platforms.default()

    def devices(self) -> list[Device]:
        """The devices that arrays can be on.

        >>> [str(device) for device in NamespaceInfo().devices()]
        ['cpu:0']
        """
        return list(platforms.devices())

    def default_dtypes(self, *, device: Any = None) -> dict[str, np.dtype]:
        """The element types of numbers when none is given.

        >>> NamespaceInfo().default_dtypes()["real floating"]
        dtype('float32')
        """
        _check(device)
        return {
            "real floating": dtypes.default_dtype("f"),
            "complex floating": dtypes.default_dtype("c"),
            "integral": dtypes.default_dtype("i"),
            "indexing": dtypes.default_dtype("i"),
        }

    def dtypes(self, *, device: Any = None, kind: Any = None) -> dict[str, np.dtype]:
        """The element types of the standard that can be used now, by name.

        Args:
          device: one of `devices()`, which all have the same types.
          kind: a kind that `isdtype` knows by name, or a tuple of kinds; None for all.

        >>> list(NamespaceInfo().dtypes(kind="real floating"))
        ['float32']
        """
        _check(device)
        kinds = kind if isinstance(kind, tuple) or kind is None else (kind,)
        usable = {name: np.dtype(name) for name in _STANDARD}
        return {
            name: dtype
            for name, dtype in usable.items()
            if (config.enable_x64.value or dtypes.canonicalize_dtype(dtype) == dtype)
            and (kinds is None or dtypes.isdtype(dtype, kinds))
        }


def _check(device: Any) -> None:
    if device is not None:
        platforms.device_meant(device)


def __array_namespace_info__() -> NamespaceInfo:
    """The inspection object of this namespace.

    >>> __array_namespace_info__().default_dtypes()["integral"]
    dtype('int32')
    """
    return NamespaceInfo()
