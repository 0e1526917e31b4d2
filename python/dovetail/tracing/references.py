"""References: mutable places that hold an array, inside and outside of traced functions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, NoReturn

import numpy as np

from dovetail.arrays.array import Array
from dovetail.arrays.shaped_array import ShapedArray
from dovetail.base import dtypes, locations
from dovetail.base.errors import LeakedTracerError
from dovetail.base.late import composed, reference_updates
from dovetail.base.late import numpy as dnp
from dovetail.base.locations import here
from dovetail.base.mlir_types import Type, dtype_name
from dovetail.base.trace_stack import current, derivative_order
from dovetail.symbolic.size import plain
from dovetail.tracing import reference_ops
from dovetail.tracing.held import Held, of_type
from dovetail.tracing.held_indices import index_of, indices_of, is_all, shape_of_part
from dovetail.trees.pytree import flatten

if TYPE_CHECKING:
    from dovetail.arrays.descriptions import ShapeDtypeStruct
    from dovetail.placement.shardings import Place
    from dovetail.tracing.trace import Trace


# Writes to windows of references of so many bytes are compiled: a copy takes longer than the call.
_LARGE = 1 << 23


@dataclass(frozen=True)
class AbstractRef:
    """The type of a reference.

    Attributes:
      inner_aval: the type of the array that it holds.

    Example:
      >>> import dovetail as dt
      >>> dt.typeof(dt.new_ref(dnp.zeros(3)))
      AbstractRef(inner_aval=ShapedArray(float32[3]))
    """

    inner_aval: ShapedArray

    weak_type: ClassVar[bool] = False
    explicit: ClassVar[None] = None

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the array."""
        return self.inner_aval.shape

    @property
    def dtype(self) -> np.dtype:
        """Its element type."""
        return self.inner_aval.dtype

    @property
    def sharding(self) -> Any:
        """The array's sharding over explicit axes of a mesh."""
        return self.inner_aval.sharding

    def str_short(self, short_dtypes: bool = False) -> str:
        """A short description, as in equations."""
        return f"Ref{{{self.inner_aval.str_short(short_dtypes)}}}"

    def __str__(self) -> str:
        return f"Ref{{{self.inner_aval}}}"


def echo_type(aval: AbstractRef) -> ShapedArray:
    """The type of a reference's echo, an array of floats that holds what a reference may."""
    return ShapedArray(aval.shape, echo_dtype(aval.dtype))


def echo_dtype(dtype: np.dtype) -> np.dtype:
    """The element type of the echo of a reference to arrays of an element type."""
    if dtypes.is_inexact(dtype):
        return dtype
    return np.dtype({8: np.complex128, 4: np.float64}.get(dtype.itemsize, np.float32))


def _got(whole: Any, *leaves: Any, tree: Any) -> Any:
    return whole[index_of(tree, leaves)]


def _swapped(whole: Any, value: Any, *leaves: Any, tree: Any) -> Any:
    part = whole.at[index_of(tree, leaves)]
    return part.get(), part.set(value)


def _added(whole: Any, value: Any, *leaves: Any, tree: Any) -> Any:
    return whole.at[index_of(tree, leaves)].add(value)


# From what a reference holds to the elements, and to what it holds then.
_ACCESSES = {"get": _got, "swap": _swapped, "addupdate": _added}


class Ref(Held):
    """A reference: a mutable place that holds an array, made by `dovetail.new_ref`.

    `ref[index]` reads, `ref[index] = value` and `ref[index] += value` write, with all indices that
    arrays have. Functions that are traced take references as arguments of `jit`, `vmap` and `cond`,
    as `xs` of `scan`, or close over them.

    Example:
      >>> import dovetail as dt, dovetail.numpy as dnp
      >>> ref = dt.new_ref(dnp.zeros(3))
      >>> @dt.jit
      ... def count(i):
      ...     ref[i] += 1
      >>> for i in (0, 2, 2):
      ...     count(i)
      >>> ref[...]
      Array([1., 0., 2.], dtype=float32)
    """

    __slots__ = ("__weakref__", "_array", "_end", "_meant", "_trace", "aval", "location", "number")

    weak_type = False

    def __init__(
        self,
        aval: AbstractRef,
        array: Array | None,
        trace: Trace | None,
        number: int,
        meant: Place | None = None,
    ):
        # The array, if the reference is not one of a traced function. Nothing else has this object:
        # calls of compiled functions consume it.
        self._array = array
        # Where the array of one that is only described is.
        self._meant = meant
        self._trace, self.number, self.aval = trace, number, aval
        self.location = locations.location()
        # Where it was frozen.
        self._end: locations.Location | None = None

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the array."""
        return self.aval.shape

    @property
    def dtype(self) -> np.dtype:
        """Its element type."""
        return self.aval.dtype

    @property
    def size(self) -> int:
        """The number of its elements."""
        return int(np.prod(self.shape))

    @property
    def sharding(self) -> Any:
        """Where the array is, outside of traced functions."""
        return self._known().sharding

    def unsafe_buffer_pointer(self) -> int:
        """The address of the array, outside of traced functions."""
        return self._known().unsafe_buffer_pointer()

    @property
    def _place(self) -> Any:
        return self._meant if self._array is None else self._array._place

    def order_of_maker(self) -> int:
        """How often the function that made it is differentiated, 0 outside of functions."""
        ref: Any = self
        while ref._trace is not None and (outer := ref._trace.outside_of(ref)) is not None:
            ref = outer
        return 0 if ref._trace is None else ref._trace.order

    def is_usable(self) -> bool:
        """True if it has not ended, nor has the trace of the function that made it."""
        return self._end is None and (self._trace is None or not self._trace.ended)

    def _known(self) -> Array:
        """The array itself, outside of traced functions."""
        self._check()
        if self._array is None:
            raise self.leaked()
        return self._array

    def _read(self) -> Any:
        trace = current()
        if trace is None:
            return copied(self._known())
        self._check()
        return reference_ops.get(trace, self)

    def _write(self, value: Any) -> None:
        trace = current()
        if trace is None:
            place = self._known()._place
            array = copied(value)
            # It stays where it is.
            if place is not None and place.is_committed and array._place != place:
                array = array._committed_to(place.sharding)
            self._array = array
            return
        self._check()
        reference_ops.set(trace, self, value)

    def _echo(self, depth: int = 1, is_read: bool = True) -> Any:
        """An echo in the trace in progress; zeros if no derivative takes it into account.

        Args:
          depth: which one.
          is_read: whether a backward rule reads what it passes on.
        """
        trace = current()
        aval = echo_type(self.aval)
        if trace is None or depth > derivative_order():
            from dovetail.tracing.bind import zeros  # lazy: uses this module

            return zeros(aval)
        self._check()
        return reference_ops.echo(trace, self, aval, depth, is_read)

    def _set_echo(self, value: Any, depth: int = 1) -> None:
        trace = current()
        if trace is not None and depth <= derivative_order():
            reference_ops.set_echo(trace, self, value, depth)

    def __getitem__(self, index: Any) -> Any:
        if (made := self._equation("get", index)) is not None:
            return made
        part = super().__getitem__(index)
        if self._array is None or type(part) is not Array or current() is not None:
            return part
        # A view would keep the next write from being in place.
        data, whole = part._data, self._array._data
        if type(data) is not np.ndarray or data.nbytes >= self._array.nbytes:
            return part
        whole = whole if type(whole) is np.ndarray else getattr(whole, "_host", None)
        if whole is None or not np.may_share_memory(data, whole):
            return part
        return Array(data.copy(), part.weak_type, part._place)

    def swap(self, value: Any, index: Any = ...) -> Any:
        """Replace the elements at an index; returns those before."""
        outs = self._equation("swap", index, value)
        if outs is None:
            return super().swap(value, index)
        self._write(outs[1])
        return outs[0]

    def _update(self, how: str, index: Any, value: Any) -> None:
        outs = self._equation(how, index, value)
        if outs is not None:
            self._write(outs[1] if how == "swap" else outs)
            return
        if current() is None and not is_all(index, self.ndim):
            array = self._known()
            if array.nbytes >= _LARGE:
                value = of_type(how, value, array.dtype)
                return reference_updates.update(self, how, index, value)
        super()._update(how, index, value)

    def _equation(self, how: str, index: Any, *values: Any) -> Any:
        """An access as an equation of a program of `make_jaxpr`; None if it is none."""
        if not composed.makes_equations() or (indices := indices_of(index, self.shape)) is None:
            return None
        if values:
            value = of_type(how, values[0], self.dtype)
            try:
                values = (dnp.broadcast_to(value, shape_of_part(indices, self.shape)),)
            except ValueError:
                return None
        leaves, tree = flatten(indices)
        operands = [self._read(), *values, *leaves]
        return composed.as_equation(how, _ACCESSES[how], operands, {"tree": tree})

    def end(self) -> Any:
        """The array that it holds; the reference must not be used any more."""
        self._check()
        trace = current()
        if trace is not self._trace or (trace is not None and trace.name_of(self.number)):
            raise ValueError(
                "a reference must be frozen or freed in the function that made it, got: "
                f"{self.description()} {here()}"
            )
        last = self._known() if trace is None else reference_ops.freeze(trace, self)
        self._end, self._array = locations.location(), None
        return last

    def _check(self) -> None:
        if self._end is not None:
            raise ValueError(
                f"a reference must not be used after it was frozen or freed, got: {self.aval} "
                f"{here()}, which ended on line {locations.describe(self._end)}; make a new one "
                "with new_ref"
            )

    def description(self) -> str:
        """Where it comes from, for messages."""
        return f"a reference created on line {locations.describe(self.location)}"

    def leaked(self) -> LeakedTracerError:
        """The error of a use outside of the traced function."""
        trace = self._trace
        name = "" if trace is None else f" of `{trace.name}`"
        return LeakedTracerError(
            f"Encountered an unexpected tracer: a reference{name} ({self.aval}), created on line "
            f"{locations.describe(self.location)}, was used outside of that function {here()}; "
            "return what it holds, ref[...]"
        )

    def __repr__(self) -> str:
        if self._array is None:
            return f"{self.aval}"
        # Further lines are aligned with the first.
        return repr(self._array).replace("Array", "Ref", 1).replace("\n  ", "\n")


def described_ref(description: ShapeDtypeStruct) -> Ref:
    """A reference that stands for those of a type where functions are traced, and holds nothing."""
    aval = AbstractRef(description.aval.update(weak_type=False))
    return Ref(aval, None, None, -1, description._place)


def copied(array: Any) -> Any:
    """The same elements as another array: a call that consumes one leaves the other alone."""
    if type(array) is not Array:
        raise array.leaked()
    return Array(array._data, False, array._place)


def check_references(
    kind: str, name: str, leaves: Sequence[Any], names: Sequence[str], captured: Sequence[Any]
) -> None:
    """Reject a reference that a function knows by two names.

    Args:
      kind: the transform that traces the function.
      name: its name.
      leaves: the leaves of its arguments.
      names: their names.
      captured: what the function closes over.

    Raises:
      ValueError: a reference occurs twice among the arguments, or is closed over, too.
    """
    seen: dict[int, int] = {}
    outer = {id(operand) for operand in captured if type(operand) is Ref}
    for i, leaf in enumerate(leaves):
        if type(leaf) is not Ref:
            continue
        first = seen.setdefault(id(leaf), i)
        if first != i:
            raise ValueError(
                "only one reference to a mutable array may be passed as an argument to a function, "
                f"but when tracing {name} for {kind} the mutable array reference of type "
                f"{leaf.aval} appeared at both {names[first]} and {names[i]}. got: it twice "
                f"{here()}; pass it once"
            )
        if id(leaf) in outer:
            raise ValueError(
                f"when tracing {name} for {kind}, a mutable array reference of type {leaf.aval} "
                f"was both closed over and passed as the argument {names[i]}, got: it twice "
                f"{here()}; use the argument within the function"
            )


def refuse_returned(kind: str, name: str, ref: Ref) -> NoReturn:
    """Report that a traced function returns a reference."""
    argument = None if ref._trace is None else ref._trace.name_of(ref.number)
    origin = f"created on line {locations.describe(ref.location)}"
    if argument is not None:
        origin = f"passed in as the argument {argument.strip('`')}"
    raise ValueError(
        f"function {name} traced for {kind} returned a mutable array reference of type {ref.aval}, "
        f"but mutable array references cannot be returned.\n\nThe returned mutable array was "
        f"{origin}, got: it {here()}; return what it holds, ref[...]"
    )


def ref_element(dtype: np.dtype) -> str:
    """The compiler's name for the elements of a reference."""
    return f"&{dtype_name(dtype)}"


def type_of(operand: Any) -> Type:
    """The type of an operand, as the compiler has it."""
    name = ref_element if type(operand) is Ref else dtype_name
    return plain(operand.shape), name(operand.dtype)
