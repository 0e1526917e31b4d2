"""Python's own operations on arrays and tracers: conversion, iteration, operators, indexing."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from dovetail.arrays.protocols import array_meant
from dovetail.base import dtypes
from dovetail.base.errors import needed_for, type_error, value_error
from dovetail.base.late import numpy as dnp
from dovetail.symbolic.size import Size

if TYPE_CHECKING:
    from dovetail.arrays.array import Array
    from dovetail.numpy.places import At


class ArrayOperators:
    """Operators and conversions over `shape`, `dtype`, `weak_type` and `_value()`."""

    __slots__ = ()
    # NumPy arrays on the left of an operator leave it to this class.
    __array_priority__ = 100

    shape: Any
    dtype: Any
    weak_type: Any

    def _value(self) -> np.ndarray:
        """The elements. A tracer evaluates the ops it depends on, or explains why it cannot."""
        raise type_error(f"{type(self).__name__} has no value")

    @property
    def ndim(self) -> int:
        """The number of dimensions."""
        return len(self.shape)

    @property
    def size(self) -> int:
        """The number of elements."""
        return math.prod(self.shape)

    # Values in Python -----------------------------------------------------------------------------

    def _scalar(self, wanted: str) -> Any:
        if self.shape:
            raise type_error(
                f"Only scalar arrays can be converted to Python scalars, got: shape {self.shape} "
                f"for {wanted}; index one element first"
            )
        return self._value().item()

    # `==` is elementwise. None rather than a method that raises, so that `isinstance(x, Hashable)`
    # is false.
    __hash__ = None  # type: ignore[assignment]

    def __bool__(self) -> bool:
        if self.size != 1:
            kind = "an array with more than one element" if self.size else "an empty array"
            raise value_error(
                f"The truth value of {kind} is ambiguous. It needs exactly one element, got: shape "
                f"{self.shape}; use dovetail.numpy.any or dovetail.numpy.all"
            )
        return bool(self._value().item())

    def __int__(self) -> int:
        return int(self._scalar("int"))

    def __float__(self) -> float:
        return float(self._scalar("float"))

    def __complex__(self) -> complex:
        return complex(self._scalar("complex"))

    def __index__(self) -> int:
        if dtypes.KINDS[self.dtype] not in "iu" or self.shape:
            raise type_error(
                "Only integer scalar arrays can be converted to a scalar index, got: "
                f"{self.dtype.name} of shape {self.shape}; index one element first, or convert it "
                "with astype(int)"
            )
        return int(self._value().item())

    def __round__(self, ndigits: int | None = None) -> Array:
        rounded = dnp.round(self, ndigits or 0)
        return rounded.astype(int) if ndigits is None else rounded

    def __len__(self) -> int:
        if not self.shape:
            raise type_error("len() of an array of rank 0")
        return self.shape[0]

    def __iter__(self) -> Iterator[Array]:
        if not self.shape:
            raise type_error("iteration over an array of rank 0")
        return (self[i] for i in range(self.shape[0]))

    def __reversed__(self) -> Iterator[Array]:
        if not self.shape:
            raise type_error("iteration over an array of rank 0")
        return (self[i] for i in reversed(range(self.shape[0])))

    def __contains__(self, item: Any) -> bool:
        for fits, what, x in (
            (self.ndim == 1, "search array must be one-dimensional", self),
            (np.ndim(item) == 0, "query value must be a scalar", item),
        ):
            if not fits:
                raise value_error(
                    f"Array.__contains__: {what}, got: shape {np.shape(x)}; write (x == y).any()"
                )
        found = self == item
        if isinstance(found, bool):
            raise type_error(
                f"Array.__contains__: unsupported operand type {type(item).__name__}; `in` looks "
                "for a number"
            )
        return bool(found.any())

    def __format__(self, spec: str) -> str:
        if self.shape and spec:
            raise type_error(
                f"only an array of rank 0 is formatted by {spec!r}, got: shape {self.shape}; "
                "format its elements, or set dovetail.numpy.printoptions"
            )
        return format(self._value()[()], spec)

    def item(self, *index: int) -> bool | int | float | complex:
        """The only element, or that at `index`, as a Python scalar."""
        return self._value().item(*index)

    def tolist(self) -> Any:
        """Nested lists of Python scalars."""
        with needed_for("The tolist() method was called on traced array"):
            return self._value().tolist()

    def tobytes(self, order: Any = "C") -> bytes:
        """The elements' bytes, in row-major order or, if it is "F", in column-major order."""
        with needed_for("The tobytes() method was called on traced array"):
            return self._value().tobytes(order)

    # Operators ------------------------------------------------------------------------------------

    def __add__(self, other: Any) -> Array:
        return (
            dnp.add(self, other) if isinstance(other, OPERANDS) else _of_meant(dnp.add, self, other)
        )

    def __radd__(self, other: Any) -> Array:
        return (
            dnp.add(other, self) if isinstance(other, OPERANDS) else _of_meant(dnp.add, other, self)
        )

    def __sub__(self, other: Any) -> Array:
        return (
            dnp.subtract(self, other)
            if isinstance(other, OPERANDS)
            else _of_meant(dnp.subtract, self, other)
        )

    def __rsub__(self, other: Any) -> Array:
        return (
            dnp.subtract(other, self)
            if isinstance(other, OPERANDS)
            else _of_meant(dnp.subtract, other, self)
        )

    def __mul__(self, other: Any) -> Array:
        return (
            dnp.multiply(self, other)
            if isinstance(other, OPERANDS)
            else _of_meant(dnp.multiply, self, other)
        )

    def __rmul__(self, other: Any) -> Array:
        return (
            dnp.multiply(other, self)
            if isinstance(other, OPERANDS)
            else _of_meant(dnp.multiply, other, self)
        )

    def __truediv__(self, other: Any) -> Array:
        return (
            dnp.true_divide(self, other)
            if isinstance(other, OPERANDS)
            else _of_meant(dnp.true_divide, self, other)
        )

    def __rtruediv__(self, other: Any) -> Array:
        return (
            dnp.true_divide(other, self)
            if isinstance(other, OPERANDS)
            else _of_meant(dnp.true_divide, other, self)
        )

    def __floordiv__(self, other: Any) -> Array:
        return (
            dnp.floor_divide(self, other)
            if isinstance(other, OPERANDS)
            else _of_meant(dnp.floor_divide, self, other)
        )

    def __rfloordiv__(self, other: Any) -> Array:
        return (
            dnp.floor_divide(other, self)
            if isinstance(other, OPERANDS)
            else _of_meant(dnp.floor_divide, other, self)
        )

    def __mod__(self, other: Any) -> Array:
        return (
            dnp.remainder(self, other)
            if isinstance(other, OPERANDS)
            else _of_meant(dnp.remainder, self, other)
        )

    def __rmod__(self, other: Any) -> Array:
        return (
            dnp.remainder(other, self)
            if isinstance(other, OPERANDS)
            else _of_meant(dnp.remainder, other, self)
        )

    def __divmod__(self, other: Any) -> tuple[Array, Array]:
        return (
            dnp.divmod(self, other)
            if isinstance(other, OPERANDS)
            else _of_meant(dnp.divmod, self, other)
        )

    def __rdivmod__(self, other: Any) -> tuple[Array, Array]:
        return (
            dnp.divmod(other, self)
            if isinstance(other, OPERANDS)
            else _of_meant(dnp.divmod, other, self)
        )

    def __pow__(self, other: Any) -> Array:
        return (
            dnp.power(self, other)
            if isinstance(other, OPERANDS)
            else _of_meant(dnp.power, self, other)
        )

    def __rpow__(self, other: Any) -> Array:
        return (
            dnp.power(other, self)
            if isinstance(other, OPERANDS)
            else _of_meant(dnp.power, other, self)
        )

    def __matmul__(self, other: Any) -> Array:
        return (
            dnp.matmul(self, other)
            if isinstance(other, OPERANDS)
            else _of_meant(dnp.matmul, self, other)
        )

    def __rmatmul__(self, other: Any) -> Array:
        return (
            dnp.matmul(other, self)
            if isinstance(other, OPERANDS)
            else _of_meant(dnp.matmul, other, self)
        )

    def __and__(self, other: Any) -> Array:
        return (
            dnp.bitwise_and(self, other)
            if isinstance(other, OPERANDS)
            else _of_meant(dnp.bitwise_and, self, other)
        )

    def __rand__(self, other: Any) -> Array:
        return (
            dnp.bitwise_and(other, self)
            if isinstance(other, OPERANDS)
            else _of_meant(dnp.bitwise_and, other, self)
        )

    def __or__(self, other: Any) -> Array:
        return (
            dnp.bitwise_or(self, other)
            if isinstance(other, OPERANDS)
            else _of_meant(dnp.bitwise_or, self, other)
        )

    def __ror__(self, other: Any) -> Array:
        return (
            dnp.bitwise_or(other, self)
            if isinstance(other, OPERANDS)
            else _of_meant(dnp.bitwise_or, other, self)
        )

    def __xor__(self, other: Any) -> Array:
        return (
            dnp.bitwise_xor(self, other)
            if isinstance(other, OPERANDS)
            else _of_meant(dnp.bitwise_xor, self, other)
        )

    def __rxor__(self, other: Any) -> Array:
        return (
            dnp.bitwise_xor(other, self)
            if isinstance(other, OPERANDS)
            else _of_meant(dnp.bitwise_xor, other, self)
        )

    def __lshift__(self, other: Any) -> Array:
        return (
            dnp.left_shift(self, other)
            if isinstance(other, OPERANDS)
            else _of_meant(dnp.left_shift, self, other)
        )

    def __rlshift__(self, other: Any) -> Array:
        return (
            dnp.left_shift(other, self)
            if isinstance(other, OPERANDS)
            else _of_meant(dnp.left_shift, other, self)
        )

    def __rshift__(self, other: Any) -> Array:
        return (
            dnp.right_shift(self, other)
            if isinstance(other, OPERANDS)
            else _of_meant(dnp.right_shift, self, other)
        )

    def __rrshift__(self, other: Any) -> Array:
        return (
            dnp.right_shift(other, self)
            if isinstance(other, OPERANDS)
            else _of_meant(dnp.right_shift, other, self)
        )

    def __eq__(self, other: Any) -> Array:  # type: ignore[override]
        return dnp.equal(self, other) if _comparable(other) else _of_meant(dnp.equal, self, other)

    def __ne__(self, other: Any) -> Array:  # type: ignore[override]
        return (
            dnp.not_equal(self, other)
            if _comparable(other)
            else _of_meant(dnp.not_equal, self, other)
        )

    def __lt__(self, other: Any) -> Array:
        return (
            dnp.less(self, other)
            if isinstance(other, OPERANDS)
            else _of_meant(dnp.less, self, other)
        )

    def __le__(self, other: Any) -> Array:
        return (
            dnp.less_equal(self, other)
            if isinstance(other, OPERANDS)
            else _of_meant(dnp.less_equal, self, other)
        )

    def __gt__(self, other: Any) -> Array:
        return (
            dnp.greater(self, other)
            if isinstance(other, OPERANDS)
            else _of_meant(dnp.greater, self, other)
        )

    def __ge__(self, other: Any) -> Array:
        return (
            dnp.greater_equal(self, other)
            if isinstance(other, OPERANDS)
            else _of_meant(dnp.greater_equal, self, other)
        )

    def __neg__(self) -> Array:
        return dnp.negative(self)

    def __pos__(self) -> Array:
        return dnp.positive(self)

    def __abs__(self) -> Array:
        return dnp.abs(self)

    def __invert__(self) -> Array:
        return dnp.invert(self)

    # Indexing -------------------------------------------------------------------------------------

    def __getitem__(self, index: Any) -> Array:
        return dnp.getitem(self, index)

    @property
    def at(self) -> At:
        """Reads and modifies elements: `x.at[index].set(value)` is a modified copy.

        >>> import dovetail.numpy as dnp
        >>> dnp.arange(3).at[0].set(7)
        Array([7, 1, 2], dtype=int32)
        """
        return dnp.At(self)

    def __setitem__(self, index: Any, value: Any) -> None:
        raise type_error(
            "arrays are immutable, got: an assignment to elements; instead of x[index] = y write x "
            "= x.at[index].set(y), or choose between values with dovetail.numpy.where"
        )

    def __delitem__(self, index: Any) -> None:
        raise type_error(
            "arrays are immutable, got: a deletion of elements; instead of del x[index] write x = "
            "dovetail.numpy.delete(x, index, axis)"
        )


def _of_meant(function: Callable[[Any, Any], Any], x: Any, y: Any) -> Any:
    """An operator where one operand is an object that may stand for an array; it is asked once."""
    meant = array_meant(x), array_meant(y)
    return function(*meant) if all(isinstance(each, OPERANDS) for each in meant) else NotImplemented


def _comparable(other: Any) -> bool:
    """True if `==` compares elementwise. If the methods return NotImplemented, Python silently
    returns False.
    """
    if isinstance(other, (list, tuple, set, dict)):
        raise type_error(
            f"an array compares with arrays and scalars, got: {type(other).__name__}; make an "
            "array of it with dovetail.numpy.array"
        )
    return isinstance(other, OPERANDS)


OPERANDS = (ArrayOperators, bool, int, float, complex, np.ndarray, np.generic, Size)
