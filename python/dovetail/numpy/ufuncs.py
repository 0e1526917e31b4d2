"""Functions of scalars over arrays, with the methods of NumPy's: reduce, accumulate, at, …"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from dovetail import lax
from dovetail.arrays.array import Array
from dovetail.arrays.descriptions import ShapeDtypeStruct
from dovetail.base.errors import type_error, value_error
from dovetail.numpy import cumulative, reductions
from dovetail.numpy.choice import where as choose
from dovetail.numpy.creation import asarray, astype, full
from dovetail.numpy.joining import concatenate, stack
from dovetail.numpy.promotion import no_out, only_values
from dovetail.numpy.shape import broadcast_to, expand_dims, moveaxis, ravel, reshape
from dovetail.numpy.vectorization import vectorize
from dovetail.ops.operands import canonical_axis
from dovetail.programs.inspection import eval_shape
from dovetail.tracing.tracer import AnyTracer

Function = Callable[..., Any]


class _Named(type):
    """Makes `isinstance(add, ufunc)` hold for functions that have the methods attached."""

    def __instancecheck__(cls, instance: Any) -> bool:
        return type.__instancecheck__(cls, getattr(instance, "__ufunc__", instance))


class ufunc(metaclass=_Named):
    """A function of scalars, applied to all elements of arrays that broadcast together.

    Args:
      func: takes `nin` scalars and returns `nout`.
      nin, nout: the numbers of arguments and results.
      name: its name in messages.
      identity: the result for no elements, None if nothing.
      call: the function of arrays, by default `func` applied to all their elements.
      reduction, running: the functions for `reduce` and `accumulate`, if there are any.
      is_associative: whether elements may be combined in any grouping.

    Example:
      >>> decimal = dnp.frompyfunc(lambda x, y: 10 * x + y, 2, 1)
      >>> decimal.reduce(dnp.arange(1, 4))
      Array(123, dtype=int32)
    """

    def __init__(
        self,
        func: Function,
        nin: int,
        nout: int,
        *,
        name: str | None = None,
        identity: Any = None,
        call: Function | None = None,
        reduction: Function | None = None,
        running: Function | None = None,
        is_associative: bool = False,
    ) -> None:
        self._counts = operator.index(nin), operator.index(nout)
        self._identity = identity
        self._function = func
        self.__name__ = name or getattr(func, "__name__", "ufunc")
        self.__doc__ = func.__doc__
        self._call = call or vectorize(func)
        self._reduction = reduction
        self._running = running
        self._is_associative = is_associative

    @property
    def _func(self) -> Function:
        """The function of scalars; JAX's name for it, and read-only like all attributes of a
        ufunc.
        """
        return self._function

    @property
    def nin(self) -> int:
        """The number of arguments."""
        return self._counts[0]

    @property
    def nout(self) -> int:
        """The number of results."""
        return self._counts[1]

    @property
    def nargs(self) -> int:
        """The number of arguments."""
        return self._counts[0]

    @property
    def identity(self) -> Any:
        """The result for no elements, None if there is none."""
        return self._identity

    def __repr__(self) -> str:
        return f"<ufunc {self.__name__!r}>"

    def __hash__(self) -> int:
        return hash((self.__name__, self._func, self._counts))

    def __eq__(self, other: object) -> bool:
        if type(other) is not ufunc:
            return False
        mine, others = ((f.__name__, f._func, f._counts, f._identity) for f in (self, other))
        return mine == others

    def __call__(self, *args: Any, out: None = None, where: None = None) -> Any:
        """The function of all elements."""
        only_values(self.__name__, out, where)
        if len(args) != self.nin:
            raise type_error(
                f"{self.__name__}: there must be {self.nin} arguments, got: {len(args)}"
            )
        return self._call(*args)

    def _operand(self, a: Any, dtype: Any) -> Array:
        """The array, with the element type of the function's results, since these are its next
        arguments.
        """
        if self.__name__.startswith("logical_"):
            return asarray(a, bool)
        x = asarray(a, dtype)
        if dtype is not None or self._reduction is not None:
            return x
        element = ShapeDtypeStruct((), x.dtype)
        return astype(x, eval_shape(self._func, *[element] * self.nin).dtype)

    def _check_binary(self, method: str) -> None:
        if (self.nin, self.nout) != (2, 1):
            raise value_error(
                f"{self.__name__}.{method}: the function must have two arguments and one result, "
                f"got: {self.nin} and {self.nout}"
            )

    def reduce(
        self,
        a: Any,
        axis: Any = 0,
        dtype: Any = None,
        out: None = None,
        keepdims: bool = False,
        initial: Any = None,
        where: Any = None,
    ) -> Array:
        """The elements along a dimension, or all if it is None, combined from first to last."""
        self._check_binary("reduce")
        no_out(self.__name__, out)
        if self._reduction is not None:
            options = {"keepdims": keepdims, "initial": initial, "where": where}
            given = {name: value for name, value in options.items() if value is not None}
            if self.__name__ in ("add", "multiply"):
                # Their results may be wider than the elements.
                return self._reduction(asarray(a), axis, dtype=dtype, **given)
            return self._reduction(self._operand(a, dtype), axis, **given)
        x = self._operand(a, dtype)
        start = self._start(x, axis, initial, where is not None)
        rows = _rows(x, axis)
        mask = None if where is None else _rows(broadcast_to(where, x.shape), axis)
        result = astype(self._combined(rows, mask, start), x.dtype)
        if not keepdims:
            return result
        if axis is None:
            return reshape(result, (1,) * x.ndim)
        return expand_dims(result, canonical_axis(axis, x.ndim))

    def _start(self, x: Array, axis: Any, initial: Any, masked: bool) -> Any:
        """The initial value of a reduction; None to start with the first element."""
        count = x.size if axis is None else _rows(x, axis).shape[0]
        start = self.identity if initial is None and (masked or count == 0) else initial
        if start is None and (masked or count == 0):
            raise value_error(
                f"{self.__name__}.reduce: there must be an initial value for a mask, or for no "
                "elements, of a function without identity, got: None"
            )
        return start

    def _combined(self, rows: Array, mask: Array | None, start: Any) -> Any:
        """Rows combined one after the other; those not in the mask are omitted."""
        result = None if start is None else full(rows.shape[1:], start, rows.dtype)
        if self._is_associative:
            if mask is not None:
                rows = choose(mask, rows, full(rows.shape, self.identity, rows.dtype))
            while len(rows) > 1:
                half = len(rows) // 2
                pairs = astype(self._call(rows[:half], rows[half : 2 * half]), rows.dtype)
                rows = concatenate([pairs, rows[-1:]]) if len(rows) % 2 else pairs
            mask = None
        for i in range(len(rows)):
            value = rows[i] if result is None else self._call(result, rows[i])
            result = value if mask is None else choose(mask[i], value, result)
        return result

    def accumulate(self, a: Any, axis: int = 0, dtype: Any = None, out: None = None) -> Array:
        """The results of `reduce` over each prefix along a dimension."""
        self._check_binary("accumulate")
        no_out(self.__name__, out)
        x = self._operand(a, dtype)
        dim = canonical_axis(axis, x.ndim)
        if self._running is not None:
            result = self._running(x, dim)
            return result if dtype is None else astype(result, x.dtype)
        rows = _rows(x, dim)
        if self._is_associative:
            step = 1
            while step < len(rows):
                later = astype(self._call(rows[:-step], rows[step:]), x.dtype)
                rows = concatenate([rows[:step], later])
                step *= 2
            return moveaxis(rows, 0, dim)
        results: list[Any] = [rows[0]] if len(rows) else []
        for i in range(1, len(rows)):
            results.append(astype(self._call(results[-1], rows[i]), x.dtype))
        return moveaxis(stack(results), 0, dim) if results else x

    def outer(self, A: Any, B: Any, /) -> Any:
        """The function of each element of one array with each of the other."""
        if self.nin != 2:
            raise value_error(
                f"{self.__name__}.outer: the function must have two arguments, got: {self.nin}"
            )
        x, y = asarray(A), asarray(B)
        return self._call(reshape(x, x.shape + (1,) * y.ndim), y)

    def at(self, a: Any, indices: Any, b: Any = None, *, inplace: bool = True) -> Array:
        """The array with the function applied at places, one after the other if they repeat.

        Args:
          a: the array.
          indices: an index, as in `a[indices]`.
          b: the second arguments, which broadcast to `a[indices]`.
          inplace: must be False: arrays are immutable.
        """
        if inplace:
            raise NotImplementedError(
                f"{self.__name__}.at: arrays are immutable, so inplace must be False; use the "
                "result"
            )
        x = asarray(a)
        update = _UPDATES.get(self.__name__)
        if update is not None and self._reduction is not None and b is not None:
            return getattr(x.at[indices], update)(b)
        # Elements by their numbers, which any index selects as it does the elements.
        numbers = reshape(asarray(np.arange(x.size)), x.shape)[indices]
        flat, places = ravel(x), ravel(numbers)
        others = [] if b is None else [ravel(broadcast_to(b, numbers.shape))]
        for i in range(places.shape[0]):
            value = self._call(flat[places[i]], *(other[i] for other in others))
            flat = flat.at[places[i]].set(astype(value, flat.dtype))
        return reshape(flat, x.shape)

    def reduceat(
        self, a: Any, indices: Any, axis: int = 0, dtype: Any = None, out: None = None
    ) -> Array:
        """`reduce` over the slices from each of `indices` to the next; a single element if the next
        is not greater.
        """
        self._check_binary("reduceat")
        no_out(self.__name__, out)
        x = self._operand(a, dtype)
        dim = canonical_axis(axis, x.ndim)
        size = x.shape[dim]
        if isinstance(indices, AnyTracer):
            starts = asarray(indices)
            return moveaxis(self._combined_between(moveaxis(x, dim, 0), starts), 0, dim)
        known = [int(i) for i in np.asarray(indices)]
        if any(not 0 <= start < size for start in known):
            raise value_error(
                f"{self.__name__}.reduceat: indices must be in [0, {size}), got: {known}"
            )
        rows = moveaxis(x, dim, 0)
        parts = [
            rows[start] if end <= start else astype(self.reduce(rows[start:end]), x.dtype)
            for start, end in zip(known, [*known[1:], size], strict=False)
        ]
        return moveaxis(stack(parts) if parts else rows[:0], 0, dim)

    def _combined_between(self, rows: Array, starts: Array) -> Array:
        """`reduceat` for unknown indices: every slice processes all rows, masked."""
        ends = concatenate([starts[1:], full((1,), len(rows), starts.dtype)])[: len(starts)]

        def step(results: Array, place_and_row: tuple[Array, Array]) -> tuple[Array, None]:
            place, row = place_and_row
            is_within = (starts < place) & (place < ends)
            mask = reshape(is_within, is_within.shape + (1,) * row.ndim)
            longer = astype(self._call(results, broadcast_to(row, results.shape)), rows.dtype)
            return choose(broadcast_to(mask, results.shape), longer, results), None

        places = lax.iota(starts.dtype, len(rows))
        return lax.scan(step, rows[starts], (places, rows))[0]


# Vectorized equivalents of `at`, for functions where the order of repeated indices does not matter.
_UPDATES = {"add": "add", "multiply": "multiply", "maximum": "max", "minimum": "min"}


def _rows(x: Array, axis: Any) -> Array:
    """The array with a dimension first, or with one dimension for all."""
    if axis is None:
        return ravel(x)
    if isinstance(axis, tuple):
        raise NotImplementedError(
            f"axis must be one number or None, since the order decides, got: {axis}"
        )
    return moveaxis(x, canonical_axis(axis, x.ndim), 0)


def frompyfunc(func: Function, /, nin: int, nout: int, *, identity: Any = None) -> ufunc:
    """A function of scalars turned into one of arrays, with the methods of NumPy's.

    Args:
      func: takes `nin` scalars and returns `nout`.
      nin, nout: the numbers of arguments and results.
      identity: the result for no elements, None if nothing.

    Example:
      >>> add = frompyfunc(lambda x, y: x + y, 2, 1, identity=0)
      >>> add.accumulate(dnp.arange(4))
      Array([0, 1, 3, 6], dtype=int32)
    """
    return ufunc(func, nin, nout, identity=identity)


# JAX's ufuncs: number of arguments, and the constructor's arguments.
_KNOWN: dict[str, tuple[int, dict[str, Any]]] = {
    "add": (2, {"identity": 0, "reduction": reductions.sum, "running": cumulative.cumsum}),
    "multiply": (2, {"identity": 1, "reduction": reductions.prod, "running": cumulative.cumprod}),
    "subtract": (2, {}),
    "maximum": (2, {"reduction": reductions.max, "running": lax.cummax}),
    "minimum": (2, {"reduction": reductions.min, "running": lax.cummin}),
    "logical_and": (2, {"identity": True, "reduction": reductions.all, "is_associative": True}),
    "logical_or": (2, {"identity": False, "reduction": reductions.any, "is_associative": True}),
    "logical_xor": (2, {"identity": False, "is_associative": True}),
    "bitwise_and": (2, {"identity": -1, "is_associative": True}),
    "bitwise_or": (2, {"identity": 0, "is_associative": True}),
    "bitwise_xor": (2, {"identity": 0, "is_associative": True}),
    "logaddexp": (2, {"identity": -math.inf, "is_associative": True}),
    "logaddexp2": (2, {"identity": -math.inf, "is_associative": True}),
    "negative": (1, {}),
}
_ATTRIBUTES = (
    "nin",
    "nout",
    "nargs",
    "identity",
    "reduce",
    "accumulate",
    "outer",
    "at",
    "reduceat",
)


def attach_methods(package: dict[str, Any]) -> None:
    """Attach the methods to those of a package's functions that are ufuncs in JAX; calls to them
    are unchanged.
    """
    for name, (nin, options) in _KNOWN.items():
        function = package[name]
        made = ufunc(function, nin, 1, name=name, call=function, **options)
        function.__ufunc__ = made
        for attribute in _ATTRIBUTES:
            setattr(function, attribute, getattr(made, attribute))
