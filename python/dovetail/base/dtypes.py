"""Element types: promotion (the lattice with weak types) and queries."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any, Literal, overload

import numpy as np

from dovetail.base import config
from dovetail.base.element_types import (  # noqa: F401
    KINDS,
    PYTHON,
    SMALL_FLOATS,
    SMALL_INTS,
    TRUNCATED,
    DTypeLike,
    as_dtype,
    bfloat16,
    bool_,
    canonicalize_dtype,
    complex64,
    complex128,
    default_dtype,
    dtype_of_sizes,
    extended,
    finfo,
    float0,
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
    float16,
    float32,
    float64,
    iinfo,
    int2,
    int4,
    int8,
    int16,
    int32,
    int64,
    is_inexact,
    is_integer,
    itemsize_bits,
    limit,
    prng_key,
    requested,
    to_complex_dtype,
    to_inexact_dtype,
    to_numeric_dtype,
    to_real_dtype,
    uint2,
    uint4,
    uint8,
    uint16,
    uint32,
    uint64,
)
from dovetail.base.element_types import kind as kind
from dovetail.base.errors import float0_error, type_error


class TypePromotionError(ValueError):
    """Two element types have no common type to which both convert safely without an explicit
    request.
    """


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
    """The node and everything that it promotes to."""
    return frozenset({node}).union(*map(_above, _STEPS[node]))


@functools.cache
def _join(nodes: frozenset[str]) -> str:
    """The least node above all of `nodes`."""
    common = frozenset.intersection(*map(_above, nodes))
    for node in common:
        if _above(node) == common:
            return node
    names = ", ".join(sorted(nodes))
    floats = sorted({f"{finfo(t).bits}-bit floats" for t in SMALL_FLOATS if t.name in nodes})
    small = " and ".join(floats) or "integers of 2 and 4 bits"
    raise TypePromotionError(
        f"Input dtypes {names} have no available implicit dtype promotion path. {small} do not "
        "support implicit promotion: convert explicitly, for example with "
        f"x.astype({'float32' if floats else 'int32'!r})"
    )


def _node(dtype: np.dtype, weak: bool) -> str:
    return _WEAK_NODE[KINDS[dtype]] if weak else dtype.name


def _dtype_of_node(node: str) -> np.dtype:
    return _WEAK_DTYPE[node] if node in _WEAK_DTYPE else np.dtype(node)


@functools.cache
def _promote(pairs: tuple[tuple[np.dtype, bool], ...], strict: bool) -> tuple[np.dtype, bool]:
    first = pairs[0][0]
    if any(dtype == float0 for dtype, _ in pairs):
        raise float0_error()
    all_weak = all(weak for _, weak in pairs)
    is_mixed = all_weak and strict and len(pairs) > 1
    if all(dtype == first for dtype, _ in pairs) and not is_mixed:
        return first, all_weak and first != bool_
    for dtype, _ in pairs:
        if dtype not in KINDS:
            others = ", ".join(str(d) for d, _ in pairs)
            raise type_error(f"{dtype} goes with no other element type, got: {others}")
    if all_weak and not strict:
        # Joined as if strong: weak float16 with weak int32 stays float16.
        return _dtype_of_node(_join(frozenset(dtype.name for dtype, _ in pairs))), True
    nodes = frozenset(_node(dtype, weak) for dtype, weak in pairs)
    if strict:
        _check_strict(pairs, nodes)
    node = _join(nodes)
    return _dtype_of_node(node), node in _WEAK_DTYPE


def _promoted(
    pairs: tuple[tuple[np.dtype, bool], ...], operands: Sequence[Any] | None
) -> tuple[np.dtype, bool]:
    """The common type; strict promotion applies to operands that the user passed."""
    if config.numpy_dtype_promotion.value != "strict":
        return _promote(pairs, False)
    try:
        return _promote(pairs, True)
    except TypePromotionError:
        from dovetail.base.strictness import is_of_user  # lazy

        if operands is not None and is_of_user(operands):
            raise
        return _promote(pairs, False)


def _check_strict(pairs: tuple[tuple[np.dtype, bool], ...], nodes: frozenset[str]) -> None:
    """Strict promotion lets a weak scalar take the array's type, provided that the type can hold
    it.
    """
    strong = {dtype.name for dtype, weak in pairs if not weak}
    if not strong:
        return
    if len(strong) > 1 or any(strong & _above(n) != strong for n in nodes):
        raise TypePromotionError(
            f"Input dtypes {', '.join(sorted(nodes))} have no available implicit dtype promotion "
            "path when numpy_dtype_promotion=strict; convert one with x.astype(...) or set "
            "numpy_dtype_promotion to 'standard'"
        )


def promote(
    *pairs: tuple[np.dtype, bool], operands: Sequence[Any] | None = None
) -> tuple[np.dtype, bool]:
    """The common type, and whether it is weak, of `(dtype, weak_type)` pairs.

    A 64-bit type of an array is kept; one that only results from promotion is truncated without
    `enable_x64`.

    Args:
      *pairs: at least one pair of an element type and a bool.
      operands: the operands with these types. Strict promotion applies if the user passed them.

    Returns:
      (dtype, bool).

    Raises:
      TypePromotionError: there is no common type that is safe without an explicit request.

    Example:
      >>> promote((int32, False), (float32, True))
      (dtype('float32'), True)
    """
    dtype, weak = _promoted(pairs, operands)
    if dtype not in TRUNCATED or any(given in TRUNCATED and not w for given, w in pairs):
        return dtype, weak
    return canonicalize_dtype(dtype), weak


def dtype_and_weakness(x: Any) -> tuple[np.dtype, bool]:
    """Canonical element type, and whether it is weak, of an array, a scalar, or a dtype.

    Args:
      x: an array, a tracer, a NumPy array, a number, or anything that denotes a dtype.

    Returns:
      (dtype, bool).

    Raises:
      TypeError: it is none of these.

    Example:
      >>> dtype_and_weakness(1.5), dtype_and_weakness(np.float32(1.5))
      ((dtype('float32'), True), (dtype('float32'), False))
    """
    weak = getattr(x, "weak_type", None)
    if weak is not None:
        return x.dtype, weak
    if type(x) in PYTHON:
        return canonicalize_dtype(PYTHON[type(x)]), type(x) is not bool
    if isinstance(x, type) and x in PYTHON:
        return canonicalize_dtype(PYTHON[x]), x is not bool
    if isinstance(x, (np.ndarray, np.generic)):
        return canonicalize_dtype(x.dtype), False
    if isinstance(x, (bool, int, float, complex)):
        return dtype_and_weakness(next(t for t in PYTHON if isinstance(x, t)))
    return canonicalize_dtype(x), False


def dtype(x: Any) -> np.dtype:
    """The element type of an array or a scalar under the current settings.

    Args:
      x: an array, a tracer, a NumPy array, a number, or anything that denotes a dtype.

    Returns:
      The canonical dtype.

    Raises:
      TypeError: it is none of these.
      ValueError: it is None, which NumPy would treat as float64.

    Example:
      >>> dtype(1.0)
      dtype('float32')
    """
    if x is None:
        raise ValueError(
            "Invalid argument to dtype: None, which is no array; canonicalize_dtype(float) is the "
            "default float type"
        )
    return dtype_and_weakness(x)[0]


def is_weakly_typed(x: Any) -> bool:
    """True if `x` is weakly typed: its type yields to those of other operands, as for Python
    scalars.

    Args:
      x: an array, a tracer, a NumPy array, a number, or anything that denotes a dtype.

    Returns:
      A bool.

    Raises:
      TypeError: it is none of these.

    Example:
      >>> is_weakly_typed(1.0), is_weakly_typed(np.ones(2))
      (True, False)
    """
    return dtype_and_weakness(x)[1]


@overload
def result_type(*args: Any, return_weak_type_flag: Literal[False] = False) -> np.dtype: ...
@overload
def result_type(*args: Any, return_weak_type_flag: Literal[True]) -> tuple[np.dtype, bool]: ...
def result_type(
    *args: Any, return_weak_type_flag: bool = False
) -> np.dtype | tuple[np.dtype, bool]:
    """The element type in which an operation on `args` computes.

    Args:
      *args: at least one array, scalar or dtype.
      return_weak_type_flag: whether to also return whether the result is weakly typed.

    Returns:
      The canonical dtype and, if requested, whether it is weak.

    Raises:
      ValueError: there are no arguments.
      TypePromotionError: there is no common type that is safe without an explicit request.

    Example:
      >>> result_type("int8", 1.0)
      dtype('float32')
      >>> result_type(bfloat16, 1.0)
      dtype(bfloat16)
    """
    if not args:
        raise ValueError("result_type needs at least one array, scalar or dtype, got: none")
    result, weak = promote(*map(dtype_and_weakness, args), operands=args)
    dtype = default_dtype(KINDS[result]) if weak else result  # type: ignore[arg-type]
    return (dtype, weak) if return_weak_type_flag else dtype


def promote_types(a: DTypeLike, b: DTypeLike) -> np.dtype:
    """The least type that both types promote to.

    Args:
      a, b: element types; `int`, `float` and `complex` stand for weak types.

    Returns:
      The dtype; requested 64-bit types are not truncated.

    Raises:
      TypePromotionError: there is no common type that is safe without an explicit request.

    Example:
      >>> promote_types("int8", "float16")
      dtype('float16')
    """
    pairs = []
    for t in (a, b):
        weak = isinstance(t, type) and t in (int, float, complex)
        pairs.append((PYTHON[t] if weak else as_dtype(t), weak))
    dtype, weak = _promoted(tuple(pairs), (a, b))
    # 64-bit types that were requested are not truncated; one that only results from promotion is.
    wide = weak or any(given in TRUNCATED for given, _ in pairs)
    return dtype if wide else canonicalize_dtype(dtype)


# Questions ----------------------------------------------------------------------------------------


_CLASSES = {"i": np.signedinteger, "u": np.unsignedinteger, "f": np.floating}
# NumPy classifies the types of ml_dtypes only as `generic`.
_CLASS_OF = {t.type: _CLASSES[kind] for t, kind in KINDS.items() if t.isbuiltin != 1}


def issubdtype(arg1: DTypeLike, arg2: DTypeLike) -> bool:
    """True if type `arg1` is type `arg2` or belongs to class `arg2`.

    Args:
      arg1: an element type, or a class of them.
      arg2: an element type, or a class of them, such as `numpy.floating` or `numpy.integer`.

    Returns:
      A bool.

    Example:
      >>> issubdtype(bfloat16, np.floating)
      True
    """
    is_class = [isinstance(t, type) and issubclass(t, np.generic) for t in (arg1, arg2)]
    # Extended types, which NumPy does not know, have their class as `type`, too.
    a, b = (
        t if given else getattr(t, "type", None) or np.dtype(t).type
        for t, given in zip((arg1, arg2), is_class, strict=True)
    )
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
    """True if `dtype` is of the array API standard's `kind`.

    Args:
      dtype: an element type.
      kind: an element type, "bool", "signed integer", "unsigned integer", "integral", "real
        floating", "complex floating", "numeric", or a tuple of these.

    Returns:
      A bool.

    Raises:
      ValueError: there is no kind of that name.
      TypeError: `kind` is none of these.

    Example:
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
        # A misspelled name is a wrong value, anything else a wrong type.
        error = ValueError if isinstance(kind, str) else TypeError
        raise error(
            f"kind must be a dtype or one of {', '.join(map(repr, _ISDTYPE))}, got: {kind!r}"
        ) from None


def can_cast(from_: DTypeLike, to: DTypeLike, casting: str = "safe") -> bool:
    """True if values of one type can be cast to another under NumPy's rules.

    Args:
      from_: an element type.
      to: an element type.
      casting: "no", "equiv", "safe", "same_kind" or "unsafe".

    Returns:
      A bool.

    Raises:
      ValueError: there is no such rule.

    Example:
      >>> can_cast("int8", "int16")
      True
    """
    return np.can_cast(from_, to, casting)  # type: ignore[arg-type]


def scalar_type_of(x: Any) -> type:
    """The Python type of the elements of an array, scalar or dtype.

    Args:
      x: an array, a tracer, a NumPy array, a number, or anything that denotes a dtype.

    Returns:
      `bool`, `int`, `float` or `complex`.

    Raises:
      TypeError: it is none of these.

    Example:
      >>> scalar_type_of(bfloat16)
      <class 'float'>
    """
    return _SCALAR_TYPES[KINDS[dtype_and_weakness(x)[0]]]


_SCALAR_TYPES = {"b": bool, "i": int, "u": int, "f": float, "c": complex}
