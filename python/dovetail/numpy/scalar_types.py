"""`float32`, `int8`, …: names of element types, which also make arrays of them."""

from __future__ import annotations

from typing import Any

import numpy as np

from dovetail.arrays.array import Array
from dovetail.base import config, dtypes
from dovetail.numpy.creation import asarray

# The docstring of each type.
_DOCUMENTATION = """Element type {name}; called with data it makes an array of that type.

Args:
  x: an array, a number, or nested sequences of numbers, of any shape.

Returns:
  An array of that shape and of dtype {name}{truncated}.

Example:
  {example}
  '{name}'
"""
_EXAMPLE = ">>> dnp.{name}([0, 1]).dtype.name"
_EXAMPLE_64 = """>>> from dovetail import enable_x64
  >>> with enable_x64(True):
  ...     dnp.{name}([0, 1]).dtype.name"""


class ScalarType(type):
    """An element type: a class, calling which with data makes an array. Types that programs derive
    from it are other names of it.

    Args:
      name: the type's name.
      bases, namespace: those of a derived class.

    >>> ScalarType("float32")(1.5)
    Array(1.5, dtype=float32)
    """

    dtype: np.dtype[Any]

    def __new__(
        cls, name: str, bases: tuple[type, ...] = (), namespace: dict[str, Any] | None = None
    ) -> ScalarType:
        """A type of that name, or one derived from `bases`."""
        return super().__new__(
            cls, name, bases, _attributes(name) if namespace is None else namespace
        )

    def __init__(
        self, name: str, bases: tuple[type, ...] = (), namespace: dict[str, Any] | None = None
    ) -> None:
        super().__init__(name, bases, namespace or {})

    def __call__(self, x: Any) -> Array:
        """An array of the data `x`."""
        return asarray(x, self.dtype)

    def __eq__(self, other: Any) -> bool:
        if isinstance(other, ScalarType):
            return self.dtype == other.dtype
        if not isinstance(other, (np.dtype, type, str)):
            return False
        try:
            return self.dtype == np.dtype(other)
        except (TypeError, ValueError):
            return False

    def __hash__(self) -> int:
        return hash(self.dtype.type)

    def __instancecheck__(self, instance: Any) -> bool:
        """True if `instance` is a NumPy scalar of this type."""
        return isinstance(instance, self.dtype.type)

    def __repr__(self) -> str:
        return f"{self.__module__}.{self.__qualname__}"


def _attributes(name: str) -> dict[str, Any]:
    """The attributes of an element type."""
    truncated, example = "", _EXAMPLE
    with config.enable_x64(False):
        narrow = dtypes.canonicalize_dtype(name).name
    if narrow != name:
        truncated, example = f"; without `enable_x64`, {narrow}, with a warning", _EXAMPLE_64
    dtype = dtypes.as_dtype(name)
    return {
        # NumPy reads either of both.
        "dtype": dtype,
        "__numpy_dtype__": dtype,
        "__module__": "dovetail.numpy",
        "__doc__": _DOCUMENTATION.format(
            name=name, truncated=truncated, example=example.format(name=name)
        ),
    }


bool_ = ScalarType("bool")
int2 = ScalarType("int2")
int4 = ScalarType("int4")
int8 = ScalarType("int8")
int16 = ScalarType("int16")
int32 = ScalarType("int32")
int64 = ScalarType("int64")
uint2 = ScalarType("uint2")
uint4 = ScalarType("uint4")
uint8 = ScalarType("uint8")
uint16 = ScalarType("uint16")
uint32 = ScalarType("uint32")
uint64 = ScalarType("uint64")
float4_e2m1fn = ScalarType("float4_e2m1fn")
float6_e2m3fn = ScalarType("float6_e2m3fn")
float6_e3m2fn = ScalarType("float6_e3m2fn")
float8_e3m4 = ScalarType("float8_e3m4")
float8_e4m3 = ScalarType("float8_e4m3")
float8_e4m3b11fnuz = ScalarType("float8_e4m3b11fnuz")
float8_e4m3fn = ScalarType("float8_e4m3fn")
float8_e4m3fnuz = ScalarType("float8_e4m3fnuz")
float8_e5m2 = ScalarType("float8_e5m2")
float8_e5m2fnuz = ScalarType("float8_e5m2fnuz")
float8_e8m0fnu = ScalarType("float8_e8m0fnu")
bfloat16 = ScalarType("bfloat16")
float16 = ScalarType("float16")
float32 = single = ScalarType("float32")
float64 = double = ScalarType("float64")
complex64 = csingle = ScalarType("complex64")
complex128 = cdouble = ScalarType("complex128")

# NumPy's names for the widest types, which are narrowed without enable_x64.
int_, uint, float_, complex_ = int64, uint64, float64, complex128

# Examples that are not a function's or a class's own.
__test__ = {t.__name__: t.__doc__ for t in list(vars().values()) if isinstance(t, ScalarType)}
