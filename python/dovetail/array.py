"""The immutable array, and the operators, properties and methods that it shares with tracers."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from dovetail import dtypes
from dovetail.errors import type_error, value_error


class ShapedArray(NamedTuple):
    """What is known of an array while tracing: shape, element type, and whether that type is
    weak.
    """

    shape: tuple[int, ...]
    dtype: np.dtype
    weak_type: bool = False

    def __str__(self) -> str:
        return f"{self.dtype.name}[{','.join(map(str, self.shape))}]"

    def __repr__(self) -> str:
        return f"ShapedArray({self}{', weak_type=True' if self.weak_type else ''})"


class Device(NamedTuple):
    """Where an array lives."""

    platform: str
    id: int


HOST = Device("cpu", 0)


class ArrayMethods:
    """Operators, properties and methods over `shape`, `dtype`, `weak_type` and `_value()`."""

    __slots__ = ()
    # NumPy arrays on the left of an operator leave it to us.
    __array_priority__ = 100
    __hash__ = None  # type: ignore[assignment]

    shape: Any
    dtype: Any
    weak_type: Any

    def _value(self) -> np.ndarray:
        """The elements; a tracer evaluates what leads to it, or explains why it cannot."""
        raise type_error(f"{type(self).__name__} has no value")

    @property
    def ndim(self) -> int:
        """The number of dimensions."""
        return len(self.shape)

    @property
    def size(self) -> int:
        """The number of elements."""
        return math.prod(self.shape)

    @property
    def itemsize(self) -> int:
        """Bytes of one element."""
        return self.dtype.itemsize

    @property
    def nbytes(self) -> int:
        """Bytes of all elements."""
        return self.size * self.dtype.itemsize

    @property
    def aval(self) -> ShapedArray:
        """Shape, element type and weakness."""
        return ShapedArray(self.shape, self.dtype, self.weak_type)

    @property
    def T(self) -> Array:
        """The dimensions in reverse order."""
        return dnp.transpose(self)

    @property
    def mT(self) -> Array:
        """The last two dimensions exchanged."""
        return dnp.matrix_transpose(self)

    @property
    def real(self) -> Array:
        """The real parts."""
        return dnp.real(self)

    @property
    def imag(self) -> Array:
        """The imaginary parts."""
        return dnp.imag(self)

    # Values in Python -----------------------------------------------------------------------------

    def _scalar(self, wanted: str) -> Any:
        if self.ndim:
            raise type_error(
                f"only an array of rank 0 converts to {wanted}, got shape {self.shape}; index one "
                "element first"
            )
        return self._value()[()]

    def __bool__(self) -> bool:
        if self.size != 1:
            raise value_error(
                f"the truth value of an array needs exactly one element, got shape {self.shape}; "
                "use dovetail.numpy.any or dovetail.numpy.all"
            )
        return bool(self._value().reshape(())[()])

    def __int__(self) -> int:
        return int(self._scalar("int"))

    def __float__(self) -> float:
        return float(self._scalar("float"))

    def __complex__(self) -> complex:
        return complex(self._scalar("complex"))

    def __index__(self) -> int:
        if dtypes.KINDS[self.dtype] not in "iu":
            raise type_error(
                f"only an integer array is an index, got element type {self.dtype.name}"
            )
        return int(self._scalar("an index"))

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

    def __contains__(self, item: Any) -> bool:
        return bool((self == item).any())

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        value = self._value()
        if dtype is not None and np.dtype(dtype) != value.dtype:
            return value.astype(dtype)
        if copy:
            return value.copy()
        # A view that cannot be written to: the elements are shared.
        view = value.view()
        view.flags.writeable = False
        return view

    def __format__(self, spec: str) -> str:
        return format(self._value() if self.ndim else self._value()[()], spec)

    def item(self, *index: int) -> bool | int | float | complex:
        """The only element, or that at `index`, as a Python scalar."""
        return self._value().item(*index)

    def tolist(self) -> Any:
        """Nested lists of Python scalars."""
        return self._value().tolist()

    def tobytes(self) -> bytes:
        """The elements' bytes in row-major order."""
        return self._value().tobytes()

    # Operators ------------------------------------------------------------------------------------

    def __add__(self, other: Any) -> Array:
        return dnp.add(self, other) if isinstance(other, OPERANDS) else NotImplemented

    def __radd__(self, other: Any) -> Array:
        return dnp.add(other, self) if isinstance(other, OPERANDS) else NotImplemented

    def __sub__(self, other: Any) -> Array:
        return dnp.subtract(self, other) if isinstance(other, OPERANDS) else NotImplemented

    def __rsub__(self, other: Any) -> Array:
        return dnp.subtract(other, self) if isinstance(other, OPERANDS) else NotImplemented

    def __mul__(self, other: Any) -> Array:
        return dnp.multiply(self, other) if isinstance(other, OPERANDS) else NotImplemented

    def __rmul__(self, other: Any) -> Array:
        return dnp.multiply(other, self) if isinstance(other, OPERANDS) else NotImplemented

    def __truediv__(self, other: Any) -> Array:
        return dnp.true_divide(self, other) if isinstance(other, OPERANDS) else NotImplemented

    def __rtruediv__(self, other: Any) -> Array:
        return dnp.true_divide(other, self) if isinstance(other, OPERANDS) else NotImplemented

    def __floordiv__(self, other: Any) -> Array:
        return dnp.floor_divide(self, other) if isinstance(other, OPERANDS) else NotImplemented

    def __rfloordiv__(self, other: Any) -> Array:
        return dnp.floor_divide(other, self) if isinstance(other, OPERANDS) else NotImplemented

    def __mod__(self, other: Any) -> Array:
        return dnp.remainder(self, other) if isinstance(other, OPERANDS) else NotImplemented

    def __rmod__(self, other: Any) -> Array:
        return dnp.remainder(other, self) if isinstance(other, OPERANDS) else NotImplemented

    def __divmod__(self, other: Any) -> tuple[Array, Array]:
        return dnp.divmod(self, other) if isinstance(other, OPERANDS) else NotImplemented

    def __rdivmod__(self, other: Any) -> tuple[Array, Array]:
        return dnp.divmod(other, self) if isinstance(other, OPERANDS) else NotImplemented

    def __pow__(self, other: Any) -> Array:
        return dnp.power(self, other) if isinstance(other, OPERANDS) else NotImplemented

    def __rpow__(self, other: Any) -> Array:
        return dnp.power(other, self) if isinstance(other, OPERANDS) else NotImplemented

    def __matmul__(self, other: Any) -> Array:
        return dnp.matmul(self, other) if isinstance(other, OPERANDS) else NotImplemented

    def __rmatmul__(self, other: Any) -> Array:
        return dnp.matmul(other, self) if isinstance(other, OPERANDS) else NotImplemented

    def __and__(self, other: Any) -> Array:
        return dnp.bitwise_and(self, other) if isinstance(other, OPERANDS) else NotImplemented

    def __rand__(self, other: Any) -> Array:
        return dnp.bitwise_and(other, self) if isinstance(other, OPERANDS) else NotImplemented

    def __or__(self, other: Any) -> Array:
        return dnp.bitwise_or(self, other) if isinstance(other, OPERANDS) else NotImplemented

    def __ror__(self, other: Any) -> Array:
        return dnp.bitwise_or(other, self) if isinstance(other, OPERANDS) else NotImplemented

    def __xor__(self, other: Any) -> Array:
        return dnp.bitwise_xor(self, other) if isinstance(other, OPERANDS) else NotImplemented

    def __rxor__(self, other: Any) -> Array:
        return dnp.bitwise_xor(other, self) if isinstance(other, OPERANDS) else NotImplemented

    def __lshift__(self, other: Any) -> Array:
        return dnp.left_shift(self, other) if isinstance(other, OPERANDS) else NotImplemented

    def __rlshift__(self, other: Any) -> Array:
        return dnp.left_shift(other, self) if isinstance(other, OPERANDS) else NotImplemented

    def __rshift__(self, other: Any) -> Array:
        return dnp.right_shift(self, other) if isinstance(other, OPERANDS) else NotImplemented

    def __rrshift__(self, other: Any) -> Array:
        return dnp.right_shift(other, self) if isinstance(other, OPERANDS) else NotImplemented

    def __eq__(self, other: Any) -> Array:  # type: ignore[override]
        return dnp.equal(self, other) if _comparable(other) else NotImplemented

    def __ne__(self, other: Any) -> Array:  # type: ignore[override]
        return dnp.not_equal(self, other) if _comparable(other) else NotImplemented

    def __lt__(self, other: Any) -> Array:
        return dnp.less(self, other) if isinstance(other, OPERANDS) else NotImplemented

    def __le__(self, other: Any) -> Array:
        return dnp.less_equal(self, other) if isinstance(other, OPERANDS) else NotImplemented

    def __gt__(self, other: Any) -> Array:
        return dnp.greater(self, other) if isinstance(other, OPERANDS) else NotImplemented

    def __ge__(self, other: Any) -> Array:
        return dnp.greater_equal(self, other) if isinstance(other, OPERANDS) else NotImplemented

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
    def at(self) -> Any:
        """Reads and changes elements: `x.at[index].set(value)` is a changed copy.

        >>> import dovetail.numpy as dnp
        >>> dnp.arange(3).at[0].set(7)
        Array([7, 1, 2], dtype=int32)
        """
        return dnp.At(self)

    def __setitem__(self, index: Any, value: Any) -> None:
        raise type_error(
            "arrays are immutable, got an assignment to elements; instead of x[index] = y write x "
            "= x.at[index].set(y), or choose between values with dovetail.numpy.where"
        )

    # Methods --------------------------------------------------------------------------------------

    def astype(self, dtype: Any, copy: bool = False) -> Array:
        """The elements converted to another type."""
        return dnp.astype(self, dtype, copy=copy)

    def copy(self) -> Array:
        """A new array with the same elements."""
        return dnp.array(self, copy=True)

    def view(self, dtype: Any = None) -> Array:
        """The same bits as another element type of the same width."""
        return self if dtype is None else dnp.view(self, dtype)  # type: ignore[return-value]

    def reshape(self, *shape: Any, order: str = "C", copy: bool | None = None) -> Array:
        """The same elements in another shape; one size may be -1."""
        return dnp.reshape(self, shape[0] if len(shape) == 1 else shape, order, copy=copy)

    def ravel(self, order: str = "C") -> Array:
        """The elements in one dimension."""
        return dnp.ravel(self, order)

    def flatten(self, order: str = "C") -> Array:
        """The elements in one dimension."""
        return dnp.ravel(self, order)

    def transpose(self, *axes: Any) -> Array:
        """The dimensions in another order, by default reversed."""
        if len(axes) == 1 and (axes[0] is None or isinstance(axes[0], (tuple, list))):
            return dnp.transpose(self, axes[0])
        return dnp.transpose(self, axes or None)

    def swapaxes(self, axis1: int, axis2: int) -> Array:
        """Two dimensions exchanged."""
        return dnp.swapaxes(self, axis1, axis2)

    def squeeze(self, axis: Any = None) -> Array:
        """Without dimensions of size 1."""
        return dnp.squeeze(self, axis)

    def repeat(
        self, repeats: Any, axis: int | None = None, *, total_repeat_length: int | None = None
    ) -> Array:
        """Each element several times."""
        return dnp.repeat(self, repeats, axis, total_repeat_length=total_repeat_length)

    def diagonal(self, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Array:
        """The diagonals over two dimensions."""
        return dnp.diagonal(self, offset, axis1, axis2)

    def trace(self, offset: int = 0, axis1: int = 0, axis2: int = 1, dtype: Any = None) -> Array:
        """The sums of diagonals."""
        return dnp.trace(self, offset, axis1, axis2, dtype)

    def clip(self, min: Any = None, max: Any = None) -> Array:
        """The elements limited to [min, max]."""
        return dnp.clip(self, min, max)

    def round(self, decimals: int = 0) -> Array:
        """Rounded to a number of decimals, ties to even."""
        return dnp.round(self, decimals)

    def conj(self) -> Array:
        """The complex conjugates."""
        return dnp.conjugate(self)

    def conjugate(self) -> Array:
        """The complex conjugates."""
        return dnp.conjugate(self)

    def dot(self, b: Any, *, precision: Any = None, preferred_element_type: Any = None) -> Array:
        """The product of arrays as `dovetail.numpy.dot`."""
        return dnp.dot(self, b, precision=precision, preferred_element_type=preferred_element_type)

    def sum(
        self,
        axis: Any = None,
        dtype: Any = None,
        out: None = None,
        keepdims: bool = False,
        initial: Any = None,
        where: Any = None,
        promote_integers: bool = True,
    ) -> Array:
        """The sum of elements."""
        return dnp.sum(self, axis, dtype, out, keepdims, initial, where, promote_integers)

    def prod(
        self,
        axis: Any = None,
        dtype: Any = None,
        out: None = None,
        keepdims: bool = False,
        initial: Any = None,
        where: Any = None,
        promote_integers: bool = True,
    ) -> Array:
        """The product of elements."""
        return dnp.prod(self, axis, dtype, out, keepdims, initial, where, promote_integers)

    def mean(
        self,
        axis: Any = None,
        dtype: Any = None,
        out: None = None,
        keepdims: bool = False,
        *,
        where: Any = None,
    ) -> Array:
        """The arithmetic mean of elements."""
        return dnp.mean(self, axis, dtype, out, keepdims, where=where)

    def var(
        self,
        axis: Any = None,
        dtype: Any = None,
        out: None = None,
        ddof: int = 0,
        keepdims: bool = False,
        *,
        where: Any = None,
        correction: float | None = None,
    ) -> Array:
        """The variance of elements."""
        return dnp.var(self, axis, dtype, out, ddof, keepdims, where=where, correction=correction)

    def std(
        self,
        axis: Any = None,
        dtype: Any = None,
        out: None = None,
        ddof: int = 0,
        keepdims: bool = False,
        *,
        where: Any = None,
        correction: float | None = None,
    ) -> Array:
        """The standard deviation of elements."""
        return dnp.std(self, axis, dtype, out, ddof, keepdims, where=where, correction=correction)

    def max(
        self,
        axis: Any = None,
        out: None = None,
        keepdims: bool = False,
        initial: Any = None,
        where: Any = None,
    ) -> Array:
        """The largest element."""
        return dnp.max(self, axis, out, keepdims, initial, where)

    def min(
        self,
        axis: Any = None,
        out: None = None,
        keepdims: bool = False,
        initial: Any = None,
        where: Any = None,
    ) -> Array:
        """The smallest element."""
        return dnp.min(self, axis, out, keepdims, initial, where)

    def ptp(self, axis: Any = None, out: None = None, keepdims: bool = False) -> Array:
        """The largest element less the smallest."""
        return dnp.ptp(self, axis, out, keepdims)

    def all(
        self, axis: Any = None, out: None = None, keepdims: bool = False, *, where: Any = None
    ) -> Array:
        """Whether all elements are true."""
        return dnp.all(self, axis, out, keepdims, where=where)

    def any(
        self, axis: Any = None, out: None = None, keepdims: bool = False, *, where: Any = None
    ) -> Array:
        """Whether any element is true."""
        return dnp.any(self, axis, out, keepdims, where=where)

    def argmax(
        self, axis: int | None = None, out: None = None, keepdims: bool | None = None
    ) -> Array:
        """The index of the first largest element."""
        return dnp.argmax(self, axis, out, keepdims)

    def argmin(
        self, axis: int | None = None, out: None = None, keepdims: bool | None = None
    ) -> Array:
        """The index of the first smallest element."""
        return dnp.argmin(self, axis, out, keepdims)


class _ArrayType(type):
    """Makes `isinstance(x, Array)` hold for tracers, so that code which asks for arrays can be
    traced.
    """

    def __instancecheck__(cls, instance: Any) -> bool:
        return isinstance(instance, ArrayMethods)


class Array(ArrayMethods, metaclass=_ArrayType):
    """An immutable array whose elements are known: on the host as a NumPy array, or in a buffer of
    the runtime.

    A buffer has `shape`, `dtype`, `device`, `block_until_ready()`, and converts with
    `numpy.asarray`.
    """

    __slots__ = ("__weakref__", "_data", "_host", "weak_type")

    def __init__(self, data: Any, weak_type: bool = False) -> None:
        self._data: Any = data
        self._host: np.ndarray | None = None
        if type(data) is np.ndarray:
            self._host = data
        elif isinstance(data, (np.generic, np.ndarray)):
            self._data = self._host = np.asarray(data)
        self.weak_type = weak_type

    def _value(self) -> np.ndarray:
        value = self._host
        if value is None:
            value = self._host = np.asarray(self._data)
        return value

    @property
    def buffer(self) -> Any:
        """The NumPy array or runtime buffer that was given."""
        return self._data

    def move_to(self, buffer: Any) -> Any:
        """Keep the elements in a buffer that has a copy of them, which is returned."""
        self._data = buffer
        self._host = None
        return buffer

    @property
    def shape(self) -> tuple[int, ...]:  # type: ignore[override]
        """The sizes of the dimensions."""
        return self._data.shape

    @property
    def dtype(self) -> np.dtype:  # type: ignore[override]
        """The element type."""
        return self._data.dtype

    @property
    def device(self) -> Any:
        """The device that holds the elements."""
        return HOST if self._data is self._host else self._data.device

    def devices(self) -> set[Any]:
        """The devices that hold the elements."""
        return {self.device}

    def block_until_ready(self) -> Array:
        """Wait until the elements are computed; returns the array."""
        if self._data is not self._host:
            self._data.block_until_ready()
        return self

    def __repr__(self) -> str:
        suffix = f", dtype={self.dtype.name}" + (", weak_type=True" if self.weak_type else "") + ")"
        if self.size == 0:
            return f"Array([], shape={self.shape}{suffix}"
        body = np.array2string(self._value(), separator=", ", prefix="Array(", suffix=suffix)
        return f"Array({body}{suffix}"

    def __str__(self) -> str:
        return str(self._value())

    def __copy__(self) -> Array:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Array:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return Array, (np.array(self._value()), self.weak_type)

    def __dlpack__(self, **options: Any) -> Any:
        return self._value().__dlpack__(**options)

    def __dlpack_device__(self) -> tuple[int, int]:
        return self._value().__dlpack_device__()


def _comparable(other: Any) -> bool:
    """Whether == compares elements; Python itself answers False, silently, to what the methods
    decline.
    """
    if isinstance(other, (list, tuple, set, dict)):
        raise type_error(
            f"an array compares with arrays and scalars, got {type(other).__name__}; make an array "
            "of it with dovetail.numpy.array"
        )
    return isinstance(other, OPERANDS)


OPERANDS = (ArrayMethods, bool, int, float, complex, np.ndarray, np.generic)


class _NumPyAtFirstUse:
    """Stands for `dovetail.numpy`, whose functions need the classes above as their methods need
    them.
    """

    def __getattr__(self, name: str) -> Any:
        global dnp
        from dovetail import numpy as module

        dnp = module
        return getattr(module, name)


dnp: Any = _NumPyAtFirstUse()
