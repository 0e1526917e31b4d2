"""Element types: which ones exist, which ones are in use, and their limits."""

from __future__ import annotations

import functools
from collections.abc import Iterable
from typing import Any, Literal, overload

import ml_dtypes
import numpy as np

from dovetail.base import config
from dovetail.base.errors import float0_error, type_error, value_error, warn

bool_ = np.dtype("bool")
int2 = np.dtype(ml_dtypes.int2)
int4 = np.dtype(ml_dtypes.int4)
int8 = np.dtype("int8")
int16 = np.dtype("int16")
int32 = np.dtype("int32")
int64 = np.dtype("int64")
uint2 = np.dtype(ml_dtypes.uint2)
uint4 = np.dtype(ml_dtypes.uint4)
uint8 = np.dtype("uint8")
uint16 = np.dtype("uint16")
uint32 = np.dtype("uint32")
uint64 = np.dtype("uint64")
float4_e2m1fn = np.dtype(ml_dtypes.float4_e2m1fn)
float6_e2m3fn = np.dtype(ml_dtypes.float6_e2m3fn)
float6_e3m2fn = np.dtype(ml_dtypes.float6_e3m2fn)
float8_e3m4 = np.dtype(ml_dtypes.float8_e3m4)
float8_e4m3 = np.dtype(ml_dtypes.float8_e4m3)
float8_e4m3b11fnuz = np.dtype(ml_dtypes.float8_e4m3b11fnuz)
float8_e8m0fnu = np.dtype(ml_dtypes.float8_e8m0fnu)
float8_e4m3fn = np.dtype(ml_dtypes.float8_e4m3fn)
float8_e5m2 = np.dtype(ml_dtypes.float8_e5m2)
float8_e4m3fnuz = np.dtype(ml_dtypes.float8_e4m3fnuz)
float8_e5m2fnuz = np.dtype(ml_dtypes.float8_e5m2fnuz)
bfloat16 = np.dtype(ml_dtypes.bfloat16)
float16 = np.dtype("float16")
float32 = np.dtype("float32")
float64 = np.dtype("float64")
complex64 = np.dtype("complex64")
complex128 = np.dtype("complex128")
# The type of derivatives with respect to integers: it has no bytes.
float0 = np.dtype([("float0", np.void, 0)])

# Floats of 8 bits or less, which do not promote implicitly.
SMALL_FLOATS = (
    float4_e2m1fn,
    float6_e2m3fn,
    float6_e3m2fn,
    float8_e3m4,
    float8_e4m3,
    float8_e4m3b11fnuz,
    float8_e4m3fn,
    float8_e4m3fnuz,
    float8_e5m2,
    float8_e5m2fnuz,
    float8_e8m0fnu,
)
# Integers of 2 and 4 bits, which do not promote implicitly either. On the host each takes a byte.
SMALL_INTS = (int2, uint2, int4, uint4)


class _Kinds(dict[np.dtype, str]):
    def __missing__(self, dtype: np.dtype) -> str:
        raise float0_error() if dtype == float0 else KeyError(dtype)


# NumPy's own `kind` says "V" for the types of ml_dtypes.
KINDS = _Kinds(
    {bool_: "b"}
    | dict.fromkeys((int2, int4, int8, int16, int32, int64), "i")
    | dict.fromkeys((uint2, uint4, uint8, uint16, uint32, uint64), "u")
    | dict.fromkeys((*SMALL_FLOATS, bfloat16, float16, float32, float64), "f")
    | dict.fromkeys((complex64, complex128), "c")
)

TRUNCATED = {int64: int32, uint64: uint32, float64: float32, complex128: complex64}
_REAL_OF = {complex64: float32, complex128: float64}
_COMPLEX_OF = {float64: complex128, int64: complex128, uint64: complex128}

# Python's scalar types and the types of their values.
PYTHON = {bool: bool_, int: int64, float: float64, complex: complex128}

DTypeLike = Any


def kind(dtype: np.dtype) -> str:
    """The kind of an element type, as a letter.

    Args:
      dtype: an element type.

    Returns:
      One of "b", "i", "u", "f", "c": bool, signed, unsigned, float, complex.

    Raises:
      KeyError: it is not an element type.

    Example:
      >>> kind(bfloat16)
      'f'
    """
    return KINDS[dtype]


def is_inexact(dtype: np.dtype) -> bool:
    """True for float and complex types.

    Args:
      dtype: an element type.

    Returns:
      A bool.

    Raises:
      KeyError: it is not an element type.

    Example:
      >>> is_inexact(bfloat16), is_inexact(int32)
      (True, False)
    """
    return KINDS[dtype] in "fc"


def is_integer(dtype: np.dtype) -> bool:
    """True for signed and unsigned integer types.

    Args:
      dtype: an element type.

    Returns:
      A bool.

    Raises:
      KeyError: it is not an element type.

    Example:
      >>> is_integer(int32), is_integer(bool_)
      (True, False)
    """
    return KINDS[dtype] in "iu"


# Canonicalization ---------------------------------------------------------------------------------


def as_dtype(dtype: DTypeLike) -> np.dtype:
    """The NumPy dtype that a name, class or dtype denotes.

    Args:
      dtype: a name such as "float32", a class such as `float`, or a dtype.

    Returns:
      The dtype, not truncated.

    Raises:
      TypeError: arrays cannot have it.

    Example:
      >>> as_dtype("int64")
      dtype('int64')
    """
    try:
        result = np.dtype(dtype)
    except ValueError:
        # Of an array whose element type is another library's.
        named = getattr(dtype, "dtype", dtype)
        raise type_error(
            f"an element type must be one of NumPy or ml_dtypes, got: {named!r}, that of a "
            f"{type(dtype).__name__}; make an array of it with dovetail.numpy.asarray"
        ) from None
    if not result.isnative:
        result = result.newbyteorder("=")
    if result not in KINDS and result != float0:
        raise type_error(
            "an array's element type must be bool, integer, float or complex, got: "
            f"{result.name!r}; convert the data to numbers first"
        )
    return result


class extended(np.generic):
    """The class of element types unknown to NumPy, for `issubdtype`; it has no values.

    Example:
      >>> from dovetail import dtypes
      >>> dtypes.issubdtype(np.float32, extended)
      False
    """


class prng_key(extended):
    """The class of the element types of random keys, for `issubdtype`; it has no values.

    Example:
      >>> from dovetail import dtypes, random
      >>> dtypes.issubdtype(random.key(0).dtype, prng_key)
      True
    """


def canonicalize_dtype(dtype: Any, allow_extended_dtype: bool = False) -> Any:
    """The dtype in use for `dtype`: 64-bit types become 32-bit unless `enable_x64` is on.

    Args:
      dtype: a name, a class or a dtype.
      allow_extended_dtype: whether it may be the element type of keys, which is returned as it is.

    Returns:
      The dtype; complex128 becomes complex64.

    Raises:
      TypeError: arrays cannot have it.

    Example:
      >>> canonicalize_dtype("int64")
      dtype('int32')
    """
    if isinstance(getattr(dtype, "type", None), type) and issubclass(dtype.type, extended):
        if allow_extended_dtype:
            return dtype
        raise ValueError(
            "canonicalize_dtype: dtype must not be an extended one unless allow_extended_dtype is "
            f"set, got: {dtype}"
        )
    result = as_dtype(dtype)
    if result in TRUNCATED and not config.enable_x64.value:
        return TRUNCATED[result]
    return result


@overload
def requested(dtype: DTypeLike, name: str) -> np.dtype: ...
@overload
def requested(dtype: DTypeLike, name: str, default: np.dtype) -> np.dtype: ...
def requested(dtype: DTypeLike, name: str, default: np.dtype | None = None) -> np.dtype:
    """The canonical dtype for a user's `dtype=` argument.

    If it would be truncated, the setting `explicit_x64_dtypes` determines whether this is a warning
    or an error, or whether the type is used as requested.

    Args:
      dtype: the argument; None for `default`, if there is one. The classes `int`, `float` and
        `complex` imply no width, and are truncated silently.
      name: the function's name, for the warning.
      default: the dtype that None stands for.

    Returns:
      The dtype.

    Raises:
      TypeError: arrays cannot have it.
      ValueError: it would be truncated, and the setting makes this an error.

    Example:
      >>> requested(float, "zeros"), requested(None, "zeros", int32)
      (dtype('float32'), dtype('int32'))
    """
    if dtype is None and default is not None:
        return canonicalize_dtype(default)
    asked = as_dtype(dtype)
    result = canonicalize_dtype(asked)
    # `float` and `int` mean "the default float", not 64 bits.
    if result == asked or (isinstance(dtype, type) and dtype in PYTHON):
        return result
    mode = config.explicit_x64_dtypes.value
    if mode == "allow":
        return asked
    if mode == "error":
        raise value_error(
            f"Explicitly requested dtype {asked.name} requested in {name} is not available; ask "
            f"for {result.name}, set enable_x64, or set explicit_x64_dtypes to 'allow' or 'warn'"
        )
    warn(
        f"Explicitly requested dtype {asked.name} requested in {name} is not available, and "
        f"will be truncated to dtype {result.name}. To enable more dtypes, set the enable_x64 "
        "configuration option or the DOVETAIL_ENABLE_X64 shell environment variable.",
        stacklevel=4,
    )
    return result


def default_dtype(of: Literal["i", "u", "f", "c"]) -> np.dtype:
    """The default type of a kind of number.

    Args:
      of: "i", "u", "f" or "c": signed, unsigned, float or complex.

    Returns:
      The dtype of 64 bits (complex: 128) with `enable_x64`, of half as many without.

    Example:
      >>> default_dtype("f")
      dtype('float32')
    """
    wide = {"i": int64, "u": uint64, "f": float64, "c": complex128}[of]
    return canonicalize_dtype(wide)


def dtype_of_sizes(sizes: Iterable[Any]) -> np.dtype:
    """The type of indices into dimensions, for functions where JAX uses the narrowest type.

    Args:
      sizes: of the dimensions, known or symbolic.

    Returns:
      int32, or the default integer type if a size is unknown or needs more bits.

    Example:
      >>> dtype_of_sizes((3, 4))
      dtype('int32')
    """
    narrow = all(isinstance(size, (int, np.integer)) and size < 2**31 for size in sizes)
    return int32 if narrow else default_dtype("i")


def to_inexact_dtype(dtype: np.dtype) -> np.dtype:
    """The float or complex type that values of a type are converted to.

    Args:
      dtype: an element type.

    Returns:
      `dtype` if it is float or complex, else float64 for 64-bit integers and float32 for the
      others.

    Example:
      >>> to_inexact_dtype(int8), to_inexact_dtype(bfloat16)
      (dtype('float32'), dtype(bfloat16))
    """
    if KINDS[dtype] in "fc":
        return dtype
    return float64 if dtype.itemsize == 8 else float32


def to_numeric_dtype(dtype: np.dtype) -> np.dtype:
    """The type that values of a type are converted to where bool is not a numeric type.

    Args:
      dtype: an element type.

    Returns:
      `dtype`, or int32 for bool.

    Example:
      >>> to_numeric_dtype(bool_)
      dtype('int32')
    """
    return int32 if dtype == bool_ else dtype


def to_complex_dtype(dtype: np.dtype) -> np.dtype:
    """The complex type with parts that hold `dtype`.

    Args:
      dtype: an element type.

    Returns:
      `dtype` if it is complex, else complex128 for types of 64 bits, where `enable_x64` is on, and
      complex64 for the others.

    Example:
      >>> to_complex_dtype(float32)
      dtype('complex64')
    """
    if KINDS[dtype] == "c":
        return dtype
    return canonicalize_dtype(_COMPLEX_OF.get(dtype, complex64))


def to_real_dtype(dtype: np.dtype) -> np.dtype:
    """The type of the parts of a complex type.

    Args:
      dtype: an element type.

    Returns:
      float32 for complex64, float64 for complex128, any other type as it is.

    Example:
      >>> to_real_dtype(complex64), to_real_dtype(int8)
      (dtype('float32'), dtype('int8'))
    """
    return _REAL_OF.get(dtype, dtype)


# Limits -------------------------------------------------------------------------------------------


def finfo(dtype: DTypeLike) -> Any:
    """Machine limits of a float type.

    Args:
      dtype: a float or complex type.

    Returns:
      An object with the attributes of `numpy.finfo`.

    Raises:
      ValueError: it is neither.

    Example:
      >>> finfo("float32").bits
      32
    """
    return ml_dtypes.finfo(dtype)


def iinfo(int_type: DTypeLike) -> Any:
    """Machine limits of an integer type.

    Args:
      int_type: an integer type.

    Returns:
      An object with `min`, `max` and `bits`.

    Raises:
      ValueError: it is none.

    Example:
      >>> int(iinfo("int8").max)
      127
    """
    return ml_dtypes.iinfo(int_type)


def itemsize_bits(dtype: DTypeLike) -> int:
    """The number of significant bits of an element; 8 for bool.

    Args:
      dtype: a name, a class or a dtype.

    Returns:
      An int.

    Raises:
      ValueError: it is None.
      TypeError: arrays cannot have it.

    Example:
      >>> itemsize_bits("int4")
      4
    """
    if dtype is None:
        raise ValueError("dtype cannot be None; give an element type")
    result = as_dtype(dtype)
    kind = KINDS.get(result)
    if kind in ("i", "u"):
        return ml_dtypes.iinfo(result).bits
    return ml_dtypes.finfo(result).bits if result in SMALL_FLOATS else 8 * result.itemsize


@functools.cache
def limit(dtype: np.dtype, greatest: bool) -> Any:
    """The largest or the smallest value of a type, infinite if it has infinities.

    Args:
      dtype: bool, an integer type, a float type or a complex type.
      greatest: whether to return the largest.

    Returns:
      A bool, int or float.

    Example:
      >>> limit(int8, False), limit(float32, True)
      (-128, inf)
    """
    kind = KINDS[dtype]
    if kind == "b":
        return greatest
    if kind == "c":
        return np.inf if greatest else -np.inf
    info = ml_dtypes.finfo(dtype) if kind == "f" else ml_dtypes.iinfo(dtype)
    finite = info.max if greatest else info.min
    if kind != "f":
        return int(finite)
    infinity = float(np.array(np.inf if greatest else -np.inf).astype(dtype))
    return infinity if np.isinf(infinity) else float(finite)
