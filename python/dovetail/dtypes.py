"""Element types: which there are, how they promote (the lattice with weak types), and what they are
asked about."""

from __future__ import annotations

import functools
from typing import Any, Literal, overload

import ml_dtypes
import numpy as np

from dovetail import config

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

# Of 8 bits or less: these do not promote implicitly.
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
# Of 2 and 4 bits: neither do these. On the host each fills a byte.
SMALL_INTS = (int2, uint2, int4, uint4)

# NumPy's own `kind` says "V" for the types of ml_dtypes.
KINDS: dict[np.dtype, str] = (
    {bool_: "b"}
    | dict.fromkeys((int2, int4, int8, int16, int32, int64), "i")
    | dict.fromkeys((uint2, uint4, uint8, uint16, uint32, uint64), "u")
    | dict.fromkeys((*SMALL_FLOATS, bfloat16, float16, float32, float64), "f")
    | dict.fromkeys((complex64, complex128), "c")
)

_TRUNCATED = {int64: int32, uint64: uint32, float64: float32, complex128: complex64}
_REAL_OF = {complex64: float32, complex128: float64}
_COMPLEX_OF = {float64: complex128, int64: complex128, uint64: complex128}

# Python's scalar types and the types their values get.
_PYTHON = {bool: bool_, int: int64, float: float64, complex: complex128}

DTypeLike = Any


class TypePromotionError(ValueError):
    """Two element types have no common one that is safe to take without being asked."""


def kind(dtype: np.dtype) -> str:
    """One of "b", "i", "u", "f", "c"."""
    return KINDS[dtype]


def is_inexact(dtype: np.dtype) -> bool:
    """Whether values of this type are rounded: float or complex."""
    return KINDS[dtype] in "fc"


# Canonicalisation ---------------------------------------------------------------------------------


def as_dtype(dtype: DTypeLike) -> np.dtype:
    """The NumPy dtype that a name, class or dtype means; TypeError if arrays cannot have it."""
    result = np.dtype(dtype)
    if result not in KINDS and result != float0:
        # Its modules need this one.
        from dovetail.errors import type_error

        raise type_error(
            "an array's element type must be bool, integer, float or complex, got "
            f"{result.name!r}; convert the data to numbers first"
        )
    return result


def canonicalize_dtype(dtype: DTypeLike) -> np.dtype:
    """The dtype in use for `dtype`: 64-bit ones become 32-bit unless `enable_x64` is on.

    >>> canonicalize_dtype("int64")
    dtype('int32')
    """
    result = as_dtype(dtype)
    if result in _TRUNCATED and not config.enable_x64.value:
        return _TRUNCATED[result]
    return result


@overload
def requested(dtype: DTypeLike, name: str) -> np.dtype: ...
@overload
def requested(dtype: DTypeLike, name: str, default: np.dtype) -> np.dtype: ...
def requested(dtype: DTypeLike, name: str, default: np.dtype | None = None) -> np.dtype:
    """The canonical dtype of a user's `dtype=` argument to the function `name`; warns if it is
    truncated.
    """
    if dtype is None and default is not None:
        return canonicalize_dtype(default)
    asked = as_dtype(dtype)
    result = canonicalize_dtype(asked)
    # `float` and `int` ask for "the default float", not for 64 bits.
    if result != asked and not (isinstance(dtype, type) and dtype in _PYTHON):
        # Its modules need this one.
        from dovetail.errors import warn

        warn(
            f"Explicitly requested dtype {asked.name} requested in {name} is not available, and "
            f"will be truncated to dtype {result.name}. To enable more dtypes, set the enable_x64 "
            "configuration option or the DOVETAIL_ENABLE_X64 shell environment variable.",
            stacklevel=4,
        )
    return result


def default_dtype(of: Literal["i", "u", "f", "c"]) -> np.dtype:
    """The type a kind of number has when nothing else is said."""
    wide = {"i": int64, "u": uint64, "f": float64, "c": complex128}[of]
    return canonicalize_dtype(wide)


def to_inexact_dtype(dtype: np.dtype) -> np.dtype:
    """`dtype` if it is float or complex, else float64 for 64-bit integers and float32 for the
    others.
    """
    if KINDS[dtype] in "fc":
        return dtype
    return float64 if dtype.itemsize == 8 else float32


def to_numeric_dtype(dtype: np.dtype) -> np.dtype:
    """`dtype`, or int32 for bool."""
    return int32 if dtype == bool_ else dtype


def to_complex_dtype(dtype: np.dtype) -> np.dtype:
    """The complex type with parts that hold `dtype`."""
    if KINDS[dtype] == "c":
        return dtype
    return canonicalize_dtype(_COMPLEX_OF.get(dtype, complex64))


def to_real_dtype(dtype: np.dtype) -> np.dtype:
    """The type of the parts of a complex type; any other type as it is."""
    return _REAL_OF.get(dtype, dtype)


# Promotion ----------------------------------------------------------------------------------------

# Each type, and the types one step above it. A star marks a weak type, that of Python scalars.
_STEPS: dict[str, tuple[str, ...]] = {
    "bool": ("int*",),
    "int*": ("uint8", "int8", *(t.name for t in SMALL_INTS)),
    **{t.name: () for t in SMALL_INTS},
    "uint8": ("int16", "uint16"),
    "uint16": ("int32", "uint32"),
    "uint32": ("int64", "uint64"),
    "uint64": ("float*",),
    "int8": ("int16",),
    "int16": ("int32",),
    "int32": ("int64",),
    "int64": ("float*",),
    "float*": ("bfloat16", "float16", "complex*", *(t.name for t in SMALL_FLOATS)),
    **{t.name: () for t in SMALL_FLOATS},
    "bfloat16": ("float32",),
    "float16": ("float32",),
    "float32": ("float64", "complex64"),
    "float64": ("complex128",),
    "complex*": ("complex64",),
    "complex64": ("complex128",),
    "complex128": (),
}

_WEAK_NODE = {"b": "bool", "i": "int*", "u": "int*", "f": "float*", "c": "complex*"}
_WEAK_DTYPE = {"int*": int64, "float*": float64, "complex*": complex128}


@functools.cache
def _above(node: str) -> frozenset[str]:
    """The node and all that it promotes to."""
    return frozenset({node}).union(*map(_above, _STEPS[node]))


@functools.cache
def _join(nodes: frozenset[str]) -> str:
    """The least node above all of `nodes`."""
    common = frozenset.intersection(*map(_above, nodes))
    for node in common:
        if _above(node) == common:
            return node
    names = ", ".join(sorted(nodes))
    is_float = bool(nodes & {t.name for t in SMALL_FLOATS})
    small = "floats of 8 bits or less" if is_float else "integers of 2 and 4 bits"
    raise TypePromotionError(
        f"element types must have a common type to promote to, got {names}; {small} do not promote "
        "implicitly: convert explicitly, for example with "
        f"x.astype({'float32' if is_float else 'int32'!r})"
    )


def _node(dtype: np.dtype, weak: bool) -> str:
    return _WEAK_NODE[KINDS[dtype]] if weak else dtype.name


def _dtype_of_node(node: str) -> np.dtype:
    return _WEAK_DTYPE[node] if node in _WEAK_DTYPE else np.dtype(node)


@functools.cache
def _promote(pairs: tuple[tuple[np.dtype, bool], ...], strict: bool) -> tuple[np.dtype, bool]:
    first = pairs[0][0]
    all_weak = all(weak for _, weak in pairs)
    if all(dtype == first for dtype, _ in pairs) and not (all_weak and strict):
        return first, all_weak and first != bool_
    if all_weak and not strict:
        # Joined as if strong: weak float16 with weak int32 stays float16.
        return _dtype_of_node(_join(frozenset(dtype.name for dtype, _ in pairs))), True
    nodes = frozenset(_node(dtype, weak) for dtype, weak in pairs)
    if strict:
        _check_strict(pairs, nodes)
    node = _join(nodes)
    return _dtype_of_node(node), node in _WEAK_DTYPE


def _check_strict(pairs: tuple[tuple[np.dtype, bool], ...], nodes: frozenset[str]) -> None:
    """Strict promotion lets a weak scalar take the array's type, provided that the type can hold
    it.
    """
    strong = {dtype.name for dtype, weak in pairs if not weak}
    if not strong:
        return
    if len(strong) > 1 or any(strong & _above(n) != strong for n in nodes):
        raise TypePromotionError(
            "element types must be equal when numpy_dtype_promotion is 'strict', got "
            f"{', '.join(sorted(nodes))}; convert one with x.astype(...) or set "
            "numpy_dtype_promotion to 'standard'"
        )


def promote(*pairs: tuple[np.dtype, bool]) -> tuple[np.dtype, bool]:
    """The common canonical type, and whether it is weak, of `(dtype, weak_type)` pairs."""
    dtype, weak = _promote(pairs, config.numpy_dtype_promotion.value == "strict")
    return canonicalize_dtype(dtype), weak


def dtype_and_weakness(x: Any) -> tuple[np.dtype, bool]:
    """Canonical element type, and whether it is weak, of an array, a scalar, or a dtype."""
    weak = getattr(x, "weak_type", None)
    if weak is not None:
        return x.dtype, weak
    if type(x) in _PYTHON:
        return canonicalize_dtype(_PYTHON[type(x)]), type(x) is not bool
    if isinstance(x, type) and x in _PYTHON:
        return canonicalize_dtype(_PYTHON[x]), x is not bool
    if isinstance(x, (np.ndarray, np.generic)):
        return canonicalize_dtype(x.dtype), False
    if isinstance(x, (bool, int, float, complex)):
        return dtype_and_weakness(next(t for t in _PYTHON if isinstance(x, t)))
    return canonicalize_dtype(x), False


def dtype(x: Any) -> np.dtype:
    """The element type that an array or a scalar has here.

    >>> dtype(1.0)
    dtype('float32')
    """
    return dtype_and_weakness(x)[0]


def is_weakly_typed(x: Any) -> bool:
    """Whether `x` yields to the types of other operands, as Python scalars do."""
    return dtype_and_weakness(x)[1]


def result_type(*args: Any) -> np.dtype:
    """The element type that an operation on `args` (arrays, scalars or dtypes) computes in.

    >>> result_type("int8", 1.0)
    dtype('float32')
    >>> result_type(bfloat16, 1.0)
    dtype(bfloat16)
    """
    if not args:
        raise ValueError("result_type needs at least one array, scalar or dtype, got none")
    result, weak = promote(*map(dtype_and_weakness, args))
    return canonicalize_dtype(_WEAK_DTYPE[_WEAK_NODE[KINDS[result]]]) if weak else result


def promote_types(a: DTypeLike, b: DTypeLike) -> np.dtype:
    """The least type that both types promote to; `int`, `float` and `complex` stand for weak types.

    >>> promote_types("int8", "float16")
    dtype('float16')
    """
    pairs = []
    for t in (a, b):
        weak = isinstance(t, type) and t in (int, float, complex)
        pairs.append((_PYTHON[t] if weak else as_dtype(t), weak))
    dtype, weak = _promote(tuple(pairs), config.numpy_dtype_promotion.value == "strict")
    # 64-bit types that were asked for are not truncated, one that only arises is.
    wide = weak or any(given in _TRUNCATED for given, _ in pairs)
    return dtype if wide else canonicalize_dtype(dtype)


# Questions ----------------------------------------------------------------------------------------


class extended(np.generic):
    """The class of element types that NumPy has no idea of, for `issubdtype`; it has no values."""


_CLASSES = {"i": np.signedinteger, "u": np.unsignedinteger, "f": np.floating}
# NumPy files the types of ml_dtypes under `generic` only.
_CLASS_OF = {t.type: _CLASSES[kind] for t, kind in KINDS.items() if t.isbuiltin != 1}


def issubdtype(a: DTypeLike, b: DTypeLike) -> bool:
    """Whether type `a` is type `b` or belongs to class `b`, as `floating` or `integer`.

    >>> issubdtype(bfloat16, np.floating)
    True
    """
    is_class = [isinstance(t, type) and issubclass(t, np.generic) for t in (a, b)]
    a, b = (t if given else np.dtype(t).type for t, given in zip((a, b), is_class, strict=True))
    if a in _CLASS_OF:
        return b is a or issubclass(_CLASS_OF[a], b)
    return bool(np.issubdtype(a, b))


_ISDTYPE = {
    "bool": "b",
    "signed integer": "i",
    "unsigned integer": "u",
    "integral": "iu",
    "real floating": "f",
    "complex floating": "c",
    "numeric": "iufc",
}


def isdtype(dtype: DTypeLike, kind: DTypeLike | str | tuple[DTypeLike | str, ...]) -> bool:
    """Whether `dtype` is of the array API standard's `kind`, which is a name, a type, or a tuple of
    these.

    >>> isdtype(bfloat16, "real floating")
    True
    """
    asked = np.dtype(dtype)
    if isinstance(kind, tuple):
        return any(isdtype(asked, k) for k in kind)
    if isinstance(kind, str) and kind in _ISDTYPE:
        return KINDS.get(asked, "") in tuple(_ISDTYPE[kind])
    try:
        return asked == np.dtype(kind)
    except TypeError:
        # A misspelt name is a wrong value, anything else a wrong type.
        error = ValueError if isinstance(kind, str) else TypeError
        raise error(
            f"kind must be a dtype or one of {', '.join(map(repr, _ISDTYPE))}, got {kind!r}"
        ) from None


def can_cast(from_: DTypeLike, to: DTypeLike, casting: str = "safe") -> bool:
    """Whether values of type `from_` fit type `to` under NumPy's casting rule `casting`.

    >>> can_cast("int8", "int16")
    True
    """
    return np.can_cast(from_, to, casting)  # type: ignore[arg-type]


def finfo(dtype: DTypeLike) -> Any:
    """Machine limits of a float type.

    >>> finfo("float32").bits
    32
    """
    return ml_dtypes.finfo(dtype)


def iinfo(dtype: DTypeLike) -> Any:
    """Machine limits of an integer type.

    >>> int(iinfo("int8").max)
    127
    """
    return ml_dtypes.iinfo(dtype)


def itemsize_bits(dtype: DTypeLike) -> int:
    """The bits of an element: those that mean something, of bool 8.

    >>> itemsize_bits("int4")
    4
    """
    if dtype is None:
        raise ValueError("dtype must be an element type, got None")
    result = as_dtype(dtype)
    kind = KINDS.get(result)
    if kind in ("i", "u"):
        return ml_dtypes.iinfo(result).bits
    return ml_dtypes.finfo(result).bits if result in SMALL_FLOATS else 8 * result.itemsize


@functools.cache
def limit(dtype: np.dtype, greatest: bool) -> Any:
    """The greatest or the least value of a real type, infinite if it has infinities."""
    kind = KINDS[dtype]
    if kind == "b":
        return greatest
    info = ml_dtypes.finfo(dtype) if kind == "f" else ml_dtypes.iinfo(dtype)
    finite = info.max if greatest else info.min
    if kind != "f":
        return int(finite)
    infinity = float(np.array(np.inf if greatest else -np.inf).astype(dtype))
    return infinity if np.isinf(infinity) else float(finite)


def scalar_type_of(x: Any) -> type:
    """The Python type of the elements of an array, scalar or dtype.

    >>> scalar_type_of(bfloat16)
    <class 'float'>
    """
    return _SCALAR_TYPES[KINDS[dtype_and_weakness(x)[0]]]


_SCALAR_TYPES = {"b": bool, "i": int, "u": int, "f": float, "c": complex}
