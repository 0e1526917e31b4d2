"""Values of functions under construction: stand-ins for arrays."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from dovetail.arrays.array import Array, ArrayMethods, ShapedArray
from dovetail.base import locations
from dovetail.base.errors import (
    ConcretizationTypeError,
    LeakedTracerError,
    TracerArrayConversionError,
    TracerBoolConversionError,
    TracerIntegerConversionError,
)
from dovetail.base.locations import here
from dovetail.base.trace_stack import current
from dovetail.placement.named_sharding import NamedSharding
from dovetail.placement.shardings import Sharding, memory_of_results
from dovetail.tracing.outliving import outlives

if TYPE_CHECKING:
    from dovetail.tracing.trace import Trace


class AnyTracer(ArrayMethods):
    """A value that is not known: one of the compiler's functions, or of a trace of the program."""

    __slots__ = ()
    # Each has a place of its own for it.
    _trace: Any

    def concrete(self, error: type[ConcretizationTypeError]) -> np.ndarray:
        """The value, if it is known nevertheless."""
        raise NotImplementedError

    def description(self) -> str:
        """The name of the value in messages."""
        raise NotImplementedError


class Tracer(AnyTracer):
    """A value of a function under construction, with all of an array's properties and methods."""

    # `__weakref__`: libraries cache by tracers.
    __slots__ = (
        "__weakref__",
        "_keys",
        "_trace",
        "dtype",
        "location",
        "number",
        "shape",
        "weak_type",
    )

    def __init__(
        self,
        trace: Trace,
        number: int,
        shape: tuple[int, ...],
        dtype: np.dtype,
        weak_type: bool,
        location: locations.Location,
    ) -> None:
        self._trace = trace
        self.number = number
        self.shape = shape
        self.dtype = dtype
        self.weak_type = weak_type
        self.location = location

    def renumbered(self, number: int) -> Tracer:
        """Another value of the same type."""
        return Tracer(self._trace, number, self.shape, self.dtype, self.weak_type, self.location)

    @property
    def aval(self) -> ShapedArray:
        """Shape, element type, weakness, and the sharding over explicit axes of a mesh."""
        trace, shape = self._trace, self.shape
        if trace.mesh is None:
            return ShapedArray(shape, self.dtype, self.weak_type)
        sharding = trace.type_sharding(self.number, len(shape))
        return ShapedArray(shape, self.dtype, self.weak_type, sharding)

    def _committed_to(self, sharding: Sharding, copy: bool = False) -> Any:
        """The value, sharded so and in that memory; on one device, as it is."""
        return self._constrained(sharding, memory_of_results(sharding))

    def _constrained(self, sharding: Sharding, memory: str | None = None) -> Any:
        """The value, with the constraint that it be sharded so; on one device, as it is."""
        in_progress = current()
        if in_progress is None or not isinstance(sharding, NamedSharding):
            return self
        sharding.check_compatible_aval(self.shape)
        if sharding.num_devices == 1:
            return self
        return in_progress.reshard(self, sharding, memory=memory)

    def concrete(self, error: type[ConcretizationTypeError]) -> np.ndarray:
        """The value, computed from the arguments' values if these are known."""
        return self._trace.value(self, error)

    def _value(self) -> np.ndarray:
        return self.concrete(ConcretizationTypeError)

    def description(self) -> str:
        """The name of the value in messages."""
        name = self._trace.name_of(self.number)
        return name or f"the value computed at {locations.describe(self.location)}"

    def leaked(self) -> LeakedTracerError:
        """The error of a use outside of the traced function."""
        return LeakedTracerError(
            f"Encountered an unexpected tracer: a value of `{self._trace.name}` ({self.aval}), "
            f"which was created on line {locations.describe(self.location)} while "
            f"`{self._trace.kind}` traced that function, was used outside of it {here()}; "
            "return values from the function instead of saving them to global state, such as a "
            "variable, list or attribute outside"
        )

    def outlived(self) -> Array:
        """The array that it is, after the function was traced: if it depends on none of the
        function's arguments, and the transform is applied outside of `jit`, where JAX computes such
        values at once.

        Raises:
          LeakedTracerError: it depends on some.
        """
        trace = self._trace
        if not outlives(trace, self.number):
            raise self.leaked()
        known = trace.outlived.get(self.number)
        if known is None:
            known = Array(self._value(), self.weak_type)
            trace.outlived[self.number] = known
        return known

    def _scalar(self, wanted: str) -> Any:
        try:
            return super()._scalar(wanted)
        except ConcretizationTypeError as error:
            hint = f"to convert its element type, try using `x.astype({wanted})`"
            raise type(error)(f"{error}; {hint}") from None

    def __bool__(self) -> bool:
        if self.size != 1:
            return super().__bool__()
        return bool(self.concrete(TracerBoolConversionError).reshape(())[()])

    def __index__(self) -> int:
        if self.shape == () and self.dtype.kind in "iu":
            return int(self.concrete(TracerIntegerConversionError))
        return super().__index__()

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        if outlives(self._trace, self.number):
            return np.array(self._value(), dtype)
        raise TracerArrayConversionError(
            "The numpy.ndarray conversion method __array__() was called on traced array with shape "
            f"{self.aval}: NumPy cannot take {self.description()}, a tracer of "
            f"`{self._trace.name}` under `{self._trace.kind}`, {here()}; use the function of "
            "that name in dovetail.numpy, or move the NumPy call out of the traced function"
        )

    def __repr__(self) -> str:
        try:
            value = np.array2string(self._value(), separator=", ")
        except (ConcretizationTypeError, LeakedTracerError):
            return f"Tracer<{self.aval}, {self._trace.kind}>"
        return f"Tracer<{self.aval}, {self._trace.kind}, value={value}>"

    __str__ = __repr__

    def __format__(self, spec: str) -> str:
        return format(self._value()[()], spec) if spec and not self.shape else repr(self)

    def __copy__(self) -> Tracer:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Tracer:
        return self

    def block_until_ready(self) -> Tracer:
        """Returns the tracer: it has nothing to wait for."""
        return self
