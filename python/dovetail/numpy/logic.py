"""Comparison, predicates and logic, element by element."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from dovetail import ops
from dovetail.arrays.array import Array
from dovetail.arrays.keys import is_keys
from dovetail.arrays.protocols import array_meant
from dovetail.base import dtypes
from dovetail.base.documentation import documented
from dovetail.numpy.bounds import compare_ordered
from dovetail.numpy.creation import asarray
from dovetail.numpy.docstrings import LOGICAL, PREDICATE, REAL
from dovetail.numpy.promotion import (
    filled,
    no_out,
    only_values,
    pair,
    promote_and_broadcast,
    with_dtype,
)
from dovetail.ops.operands import PYTHON_SCALARS, ArrayLike, as_operand, broadcast_to, unary
from dovetail.tracing.whole import whole_if_repeated

# Comparison ---------------------------------------------------------------------------------------


@documented(PREDICATE)
def equal(x: ArrayLike, y: ArrayLike, /) -> Array:
    """x == y.

    Example:
      >>> equal(1, 1.0)
      Array(True, dtype=bool)
    """
    if is_keys(x) and is_keys(y):
        return x == y  # type: ignore[return-value]
    return ops.compare(*pair("equal", x, y), "eq")


@documented(PREDICATE)
def not_equal(x: ArrayLike, y: ArrayLike, /) -> Array:
    """x != y.

    Example:
      >>> not_equal(1, 1.0)
      Array(False, dtype=bool)
    """
    if is_keys(x) and is_keys(y):
        return x != y  # type: ignore[return-value]
    return ops.compare(*pair("not_equal", x, y), "ne")


@documented(PREDICATE)
def less(x: ArrayLike, y: ArrayLike, /) -> Array:
    """x < y; complex numbers in lexicographic order.

    Example:
      >>> less(1, 2)
      Array(True, dtype=bool)
    """
    return _ordered("less", x, y, "lt")


@documented(PREDICATE)
def less_equal(x: ArrayLike, y: ArrayLike, /) -> Array:
    """x <= y; complex numbers in lexicographic order.

    Example:
      >>> less_equal(1, 2)
      Array(True, dtype=bool)
    """
    return _ordered("less_equal", x, y, "le")


@documented(PREDICATE)
def greater(x: ArrayLike, y: ArrayLike, /) -> Array:
    """x > y; complex numbers in lexicographic order.

    Example:
      >>> greater(1, 2)
      Array(False, dtype=bool)
    """
    return _ordered("greater", x, y, "gt")


@documented(PREDICATE)
def greater_equal(x: ArrayLike, y: ArrayLike, /) -> Array:
    """x >= y; complex numbers in lexicographic order.

    Example:
      >>> greater_equal(1, 2)
      Array(False, dtype=bool)
    """
    return _ordered("greater_equal", x, y, "ge")


def _ordered(name: str, x: ArrayLike, y: ArrayLike, direction: str) -> Array:
    return compare_ordered(*pair(name, x, y), direction)


@whole_if_repeated
@documented(PREDICATE)
def isclose(
    a: ArrayLike,
    b: ArrayLike,
    rtol: ArrayLike = 1e-5,
    atol: ArrayLike = 1e-8,
    equal_nan: bool = False,
) -> Array:
    """Test elementwise whether |a - b| <= atol + rtol * |b|. Equal infinities are close, and so are
    NaNs if `equal_nan`.

    Args:
      a, b: arrays or scalars, which are promoted and broadcast.
      rtol: the tolerance relative to b.
      atol: the absolute tolerance.
      equal_nan: whether NaN is close to NaN.

    Example:
      >>> isclose(1.0, 1.000001)
      Array(True, dtype=bool)
    """
    if dtypes.issubdtype(getattr(a, "dtype", None), dtypes.prng_key):
        return a == b  # type: ignore[return-value]
    x, y = promote_and_broadcast("isclose", a, b)
    if dtypes.KINDS[x.dtype] not in "fc":
        if dtypes.KINDS[x.dtype] == "b":
            return ops.compare(x, y, "eq")
        x, y = (with_dtype(v, dtypes.default_dtype("f")) for v in (x, y))
    real = dtypes.to_real_dtype(x.dtype)
    tolerance = with_dtype(atol, real) + with_dtype(rtol, real) * ops.abs(y)
    near = (ops.abs(ops.sub(x, y)) <= tolerance) & isfinite(x) & isfinite(y)
    result = near | ops.compare(x, y, "eq")
    return result | (isnan(x) & isnan(y)) if equal_nan else result


def allclose(
    a: ArrayLike,
    b: ArrayLike,
    rtol: ArrayLike = 1e-5,
    atol: ArrayLike = 1e-8,
    equal_nan: bool = False,
) -> Array:
    """Test whether all elements are close, as by `isclose`.

    Args:
      a, b: arrays or scalars, which are promoted and broadcast.
      rtol: the tolerance relative to b.
      atol: the absolute tolerance.
      equal_nan: whether NaN is close to NaN.

    Returns:
      A bool of rank 0.

    Example:
      >>> allclose(1.0, 1.000001)
      Array(True, dtype=bool)
    """
    return isclose(a, b, rtol, atol, equal_nan).all()


def array_equal(a1: Any, a2: Any, equal_nan: bool = False) -> Array:
    """Test whether shapes and all elements are equal; NaNs are equal if `equal_nan`.

    Args:
      a1, a2: arrays, scalars or nested lists of them.
      equal_nan: whether NaN equals NaN.

    Returns:
      A bool of rank 0.

    Example:
      >>> array_equal([1, 2], [1, 2])
      Array(True, dtype=bool)
    """
    x, y = (a if is_keys(a) else asarray(a) for a in (a1, a2))
    if x.shape != y.shape:
        return as_operand("array_equal", False)
    result = equal(x, y)
    return (result | (isnan(x) & isnan(y)) if equal_nan else result).all()


def array_equiv(a1: Any, a2: Any) -> Array:
    """Test whether the arrays broadcast together and are then equal.

    Args:
      a1, a2: arrays, scalars or nested lists of them.

    Returns:
      A bool of rank 0.

    Example:
      >>> array_equiv(1, [1, 1])
      Array(True, dtype=bool)
    """
    try:
        return equal(asarray(a1), asarray(a2)).all()
    except (TypeError, ValueError):
        return as_operand("array_equiv", False)


# Predicates ---------------------------------------------------------------------------------------


@documented(PREDICATE)
def isfinite(x: ArrayLike, /) -> Array:
    """Test elementwise for values that are neither infinite nor NaN.

    Args:
      x: an array or scalar of numbers.

    Example:
      >>> isfinite(1.0)
      Array(True, dtype=bool)
    """
    array = as_operand("isfinite", x)
    kind = dtypes.KINDS[array.dtype]
    if kind == "c":
        return ops.and_(ops.is_finite(ops.real(array)), ops.is_finite(ops.imag(array)))
    return ops.is_finite(array) if kind == "f" else _everywhere(array, True)


@documented(PREDICATE)
def isnan(x: ArrayLike, /) -> Array:
    """Test elementwise for NaN.

    Args:
      x: an array or scalar of numbers.

    Example:
      >>> isnan(1.0)
      Array(False, dtype=bool)
    """
    array = as_operand("isnan", x)
    return ops.compare(array, array, "ne")


@documented(PREDICATE)
def isinf(x: ArrayLike, /) -> Array:
    """Test elementwise for infinities, in either part of a complex number.

    Example:
      >>> isinf(1.0)
      Array(False, dtype=bool)
    """
    array = as_operand("isinf", x)
    kind = dtypes.KINDS[array.dtype]
    if kind == "c":
        return ops.or_(isinf(ops.real(array)), isinf(ops.imag(array)))
    if kind != "f":
        return _everywhere(array, False)
    return _equal_to_infinity(ops.abs(array), math.inf)


@documented(PREDICATE, REAL)
def isposinf(x: ArrayLike, /, out: None = None) -> Array:
    """Test real elements for positive infinity.

    Example:
      >>> isposinf(-np.inf)
      Array(False, dtype=bool)
    """
    return _is_infinity("isposinf", x, out, math.inf)


@documented(PREDICATE, REAL)
def isneginf(x: ArrayLike, /, out: None = None) -> Array:
    """Test real elements for negative infinity.

    Example:
      >>> isneginf(-np.inf)
      Array(True, dtype=bool)
    """
    return _is_infinity("isneginf", x, out, -math.inf)


def _is_infinity(name: str, x: ArrayLike, out: Any, value: float) -> Array:
    no_out(name, out)
    array = unary(name, x, "biuf")
    if dtypes.KINDS[array.dtype] != "f":
        return _everywhere(array, False)
    return _equal_to_infinity(array, value)


def _equal_to_infinity(array: Array, value: float) -> Array:
    # Types without infinity round it to a finite number, or to NaN.
    if not math.isinf(dtypes.limit(array.dtype, greatest=True)):
        return _everywhere(array, False)
    return ops.compare(array, filled(array, value), "eq")


@documented(PREDICATE)
def iscomplex(x: ArrayLike) -> Array:
    """Test elementwise for a nonzero imaginary part.

    Example:
      >>> iscomplex(1 + 2j)
      Array(True, dtype=bool)
    """
    array = as_operand("iscomplex", x)
    if dtypes.KINDS[array.dtype] != "c":
        return _everywhere(array, False)
    part = ops.imag(array)
    return ops.compare(part, filled(part, 0), "ne")


@documented(PREDICATE)
def isreal(x: ArrayLike) -> Array:
    """Test elementwise for a zero imaginary part.

    Example:
      >>> isreal(1 + 2j)
      Array(False, dtype=bool)
    """
    return ops.not_(iscomplex(x))


def _everywhere(x: Array, value: bool) -> Array:
    return broadcast_to(as_operand("", value), x.shape)


def iscomplexobj(x: Any) -> bool:
    """Test for a complex element type.

    Args:
      x: an array, a scalar, nested lists of them, or an element type.

    Returns:
      A Python bool.

    Example:
      >>> iscomplexobj(1j)
      True
    """
    meant = array_meant(x)
    if meant is None or isinstance(meant, PYTHON_SCALARS):
        return isinstance(meant, complex)
    if isinstance(meant, (np.dtype, type)):
        element = dtypes.as_dtype(meant)
    else:
        element = meant.dtype if hasattr(meant, "dtype") else asarray(meant).dtype
    return dtypes.issubdtype(element, np.complexfloating)


def isrealobj(x: Any) -> bool:
    """Test for an element type that is not complex.

    Args:
      x: an array, a scalar or nested lists of them.

    Returns:
      A Python bool.

    Example:
      >>> isrealobj(1j)
      False
    """
    return not iscomplexobj(x)


# Logic --------------------------------------------------------------------------------------------


def truth(name: str, x: ArrayLike) -> Array:
    """The elements as bools: nonzero is true."""
    array = as_operand(name, x)
    if array.dtype == dtypes.bool_:
        return array
    return ops.compare(array, filled(array, 0), "ne")


def _truths(name: str, x: ArrayLike, y: ArrayLike) -> tuple[Array, Array]:
    """Two operands as bools, promoted and broadcast: nonzero is true."""
    first, second = pair(name, x, y)
    return truth(name, first), truth(name, second)


@documented(LOGICAL)
def logical_and(x: ArrayLike, y: ArrayLike, /, *, out: None = None, where: None = None) -> Array:
    """Logical and: true where both elements are nonzero.

    Example:
      >>> logical_and(1, 0.0)
      Array(False, dtype=bool)
    """
    only_values("logical_and", out, where)
    return ops.and_(*_truths("logical_and", x, y))


@documented(LOGICAL)
def logical_or(x: ArrayLike, y: ArrayLike, /, *, out: None = None, where: None = None) -> Array:
    """Logical or: true where at least one element is nonzero.

    Example:
      >>> logical_or(1, 0.0)
      Array(True, dtype=bool)
    """
    only_values("logical_or", out, where)
    return ops.or_(*_truths("logical_or", x, y))


@documented(LOGICAL)
def logical_xor(x: ArrayLike, y: ArrayLike, /, *, out: None = None, where: None = None) -> Array:
    """Logical exclusive or: true where exactly one element is nonzero.

    Example:
      >>> logical_xor(1, 1.0)
      Array(False, dtype=bool)
    """
    only_values("logical_xor", out, where)
    return ops.xor(*_truths("logical_xor", x, y))


@documented(LOGICAL)
def logical_not(x: ArrayLike, /) -> Array:
    """Logical not: true where the element is zero.

    Example:
      >>> logical_not(0)
      Array(True, dtype=bool)
    """
    return ops.not_(truth("logical_not", x))
