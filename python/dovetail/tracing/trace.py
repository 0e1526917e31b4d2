"""Functions of the dialect under construction.

The values of a `Trace` are `Tracer`s. Traces nest: a value of an outer trace, or a concrete array,
that an inner trace uses becomes an argument of the inner function.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from typing import Any, ClassVar, NoReturn

import numpy as np

from dovetail import _core
from dovetail.arrays.array import Array, ShapedArray
from dovetail.base import errors, locations
from dovetail.base.errors import ConcretizationTypeError, UnknownSizeError
from dovetail.base.locations import here
from dovetail.base.mlir_types import Type, dtype_name, dtype_named, encode_array
from dovetail.base.trace_stack import current, derivative_order, stack
from dovetail.placement.attributes import reshard_attributes
from dovetail.placement.mesh_contexts import context_mesh, get_abstract_mesh
from dovetail.placement.meshes import AbstractMesh, Mesh
from dovetail.placement.named_sharding import NamedSharding
from dovetail.placement.partition_spec import P
from dovetail.placement.shardings import Place, incompatible, place_of
from dovetail.placement.type_shardings import explicit_mesh, type_sharding
from dovetail.reference.collectives import UnboundAxesError
from dovetail.reference.table import FUNCTIONS
from dovetail.symbolic.size import Size, has_sizes, plain
from dovetail.tracing import evaluation
from dovetail.tracing.axes import Axis, axes_in_scope
from dovetail.tracing.origins import Carried, Later, Origin
from dovetail.tracing.references import AbstractRef, Ref, ref_element
from dovetail.tracing.sizes import TraceSizes
from dovetail.tracing.tracer import Tracer as Tracer
from dovetail.tracing.typed_function import TypedFunction
from dovetail.tracing.unknown_value import unknown_value

# Larger arrays that a function closes over become arguments instead of constants in the text.
LARGEST_CONSTANT = 16

# An Array or a Tracer; a Ref, where references are allowed.
Operand = Any


class Trace(TypedFunction):
    """A function under construction.

    Args:
      kind: the transform that traces: `jit`, `grad`, `vmap` …
      name: the name of the function that is traced.
      concrete: whether known values are computed when Python asks for them.
      names: the names of the arguments in messages.
      axes: the named axes that the transform binds.
      order: how many times the function will be differentiated; by default as many as the function
        around it.
    """

    # Whether it records an eager call: functions then behave as they do outside of traces.
    is_eager = False
    # Whether it processes equations one by one, as they are.
    is_for_equations = False
    # What makes the stand-in for a value, of the trace, its number, shape, dtype, weak type and
    # location; and the location of the op being recorded. Not methods: each op calls both.
    value_class: ClassVar[Callable[..., Any]] = Tracer
    where: ClassVar[Any] = staticmethod(locations.location)

    def __init__(
        self,
        kind: str,
        name: str,
        concrete: bool,
        names: Sequence[str],
        axes: Mapping[Hashable, Axis] | None = None,
        order: int | None = None,
    ) -> None:
        parent = self.parent = current()
        self.order = derivative_order() if order is None else order
        self.kind = kind
        self.name = name
        self.concrete = concrete
        self.names = names
        self.ended = False
        # No reference to itself, which would keep its operands until the garbage is collected.
        self._root: Trace | None = None if parent is None else parent.root
        # The outer values that the arguments represent, None where a derivative begins at one, or
        # in an earlier iteration.
        self.origins: Sequence[Origin] | None = None
        # The named axes in scope; inner ones hide outer ones.
        self.axes: dict[Hashable, Axis] = {**axes_in_scope(), **(axes or {})}
        self.module = (stack.module or _core.module()) if parent is None else parent.module
        self.location = self.where()
        self.function = _core.Function(self.module, name, False, self.location)
        # Traced jitted functions, reused by further calls within the outermost trace.
        self.jitted: dict[Any, Any] = {}
        # The device that the program must run on, if any, and that of its arguments.
        self.place: Place | None = None
        self.given: Place | None = None
        self.mesh = explicit_mesh(get_abstract_mesh()) if parent is None else parent.mesh
        self._meshes: dict[int, AbstractMesh] = {}
        # True if shapes within the outermost trace have symbolic sizes.
        self.is_symbolic = False
        self._sizes: TraceSizes | None = None
        # The argument whose name each of these values bears.
        self._renamed: dict[int, int] = {}
        # In a function of parts of arrays, the manual axes along which each argument varies.
        self.varying_arguments: Sequence[Sequence[Sequence[str]]] | None = None
        # Whether the function uses references, which must be discharged.
        self.has_refs = False
        # Operands of the call that this function will get, after its explicit arguments.
        self.captured: list[Operand] = []
        self._argument_of: dict[int, int] = {}
        self._numbers: dict[int, int] = {}
        self.constants: list[Operand] = []
        # In the program that `make_jaxpr` makes, the arrays that stand for numbers: others are its
        # constants. None elsewhere, where small arrays are part of the text.
        self.literals: dict[int, Array] | None = None if parent is None else parent.literals
        if kind in ("make_jaxpr", "composed"):
            self.literals = {} if kind == "make_jaxpr" else None
        # Outer values of arguments, known values, and how to compute others: a function of arrays,
        # its keywords, the numbers of its operands and of its results.
        self._outside: dict[int, Operand] = {}
        self._known: dict[int, np.ndarray] = {}
        # What was used after the function was traced.
        self.outlived: dict[int, Array] = {}
        self.asked_origins = self.asked_values = False
        # What `is_perturbed` found out about values, by its other arguments.
        self.perturbed: dict[tuple[bool, int], tuple[_core.Perturbation, dict[int, bool]]] = {}
        self._producers: dict[int, tuple[Callable[..., Any], dict[str, Any], Any, Any]] = {}

    def commit_to(self, place: Place | None) -> None:
        """Request devices."""
        if self.place is not None and place is not None and not place.has_devices_of(self.place):
            raise incompatible(
                f"parts of {self.name} with {self.place.shown} and others with {place.shown}"
            )
        self.place = place

    def reshard(
        self,
        operand: Operand,
        sharding: NamedSharding,
        are_open: bool = False,
        memory: str | None = None,
    ) -> Operand:
        """Append the constraint that a value be sharded so, by a program on these devices; open
        dimensions may be sharded further, over the axes that are not in types. It is in `memory`,
        or where it was before.
        """
        mesh = sharding.mesh if isinstance(sharding.mesh, Mesh) else context_mesh()
        if not mesh.empty:
            self.root.commit_to(place_of(NamedSharding(mesh, P())))
        attributes = reshard_attributes(sharding, operand.ndim, are_open, memory)
        weak, evaluate = operand.weak_type, FUNCTIONS["reshard"]
        (result,) = self.emit(
            "reshard", (operand,), attributes, None, (weak,), evaluate, attributes
        )
        stated = type_sharding(sharding, operand.ndim)
        self.state_sharding(result.number, sharding if stated is None else stated)
        return result

    def in_memory(self, operand: Operand, memory: str) -> Operand:
        """A value in another memory of the devices of a mesh; on one device, as it is."""
        place = self.root.place or self.root.given
        where = operand.aval.explicit or (None if place is None else place.sharding)
        if not isinstance(where, NamedSharding) or where.num_devices == 1:
            return operand
        if operand.aval.explicit is None:
            where = where.replicated()
        return self.reshard(operand, where, are_open=True, memory=memory)

    @property
    def root(self) -> Trace:
        """The outermost trace."""
        return self if self._root is None else self._root

    @property
    def main(self) -> Trace:
        """The trace itself, by a name that JAX's libraries compare."""
        return self

    @property
    def sizes(self) -> TraceSizes:
        """The unknown sizes in this function."""
        if self._sizes is None:
            self._sizes = TraceSizes(self)
        return self._sizes

    def sizes_of(self, operand: Operand) -> tuple[Any, ...]:
        """The shape of an operand; a size of -1 is unknown."""
        return operand.shape

    def emit_host_step(
        self,
        function: Callable[..., Any],
        operands: Sequence[Operand],
        weak_types: Sequence[bool],
        is_sized: bool,
    ) -> list[Any]:
        """Append a call of a function of NumPy arrays: only if it `is_eager`."""
        raise NotImplementedError

    def refuse(self) -> NoReturn:
        """Do not cache the call: only if it `is_eager`."""
        raise NotImplementedError

    def begin_symbolic(self, tracers: list[Tracer]) -> list[Tracer]:
        """The arguments, some with symbolic sizes, annotated with known facts about these."""
        if self.parent is not None:
            raise NotImplementedError(
                f"`{self.name}` with symbolic shapes must be traced outside of other functions, "
                f"got: a call within `{self.parent.name}` {here()}"
            )
        self.is_symbolic = True
        return self.sizes.begin(tracers)

    def rename(self, argument: int, number: int) -> None:
        """Use an argument's name for a value in messages."""
        self._renamed[number] = argument

    def given_operands(self) -> Iterator[Origin]:
        """The outer values of arguments, or what these are computed from, and those that the
        function closes over.
        """
        return itertools.chain(self._outside.values(), self.origins or (), self.captured)

    def argument(
        self, aval: ShapedArray, outside: Operand | None, where: locations.Location | None = None
    ) -> Tracer:
        """Add an argument; `outside` is the outer value that it represents, if its value may be
        requested.
        """
        if type(aval) is AbstractRef:
            return self._ref_argument(aval)
        location: locations.Location = self.where() if where is None else where
        shape = aval.shape
        is_sized = has_sizes(shape)
        if is_sized:
            shape = plain(shape)
        number = self.function.argument(shape, dtype_name(aval.dtype), location)
        self._argument_of[number] = len(self._argument_of)
        if aval.explicit is not None:
            self.state_sharding(number, aval.explicit)
        if outside is not None and self.concrete:
            self._outside[number] = outside
        tracer = self.value_class(self, number, aval.shape, aval.dtype, aval.weak_type, location)
        if is_sized and self.root.is_symbolic:
            self.sizes.add_argument(tracer)
        return tracer

    def name_of(self, number: int) -> str | None:
        """The name in messages of a value of this function that is an argument."""
        position = self._argument_of.get(self._renamed.get(number, number))
        if position is None:
            return None
        if position < len(self.names):
            return f"`{self.names[position]}`"
        captured = self.captured[position - len(self.names)]
        return captured.description() if type(captured) is Tracer else "an array closed over"

    def position_of(self, argument: int) -> int:
        """The position of an argument; captured values follow those of the function."""
        return self._argument_of[argument]

    def arguments_of(self, number: int) -> list[int]:
        """The arguments that a value depends on, or is."""
        return self.function.arguments_of(number)

    def origins_of(self, number: int) -> dict[int, Operand | Later | None]:
        """The arguments that a value of this function depends on, with the outer values that they
        represent; None for unknown ones.
        """
        self.asked_origins = True
        return {argument: self._origin_of(argument) for argument in self.arguments_of(number)}

    def _origin_of(self, argument: int) -> Operand | Later | None:
        explicit = self.names if self.origins is None else self.origins
        position = self._argument_of[argument]
        if position >= len(explicit):
            return self.captured[position - len(explicit)]
        origin = None if self.origins is None else self.origins[position]
        return origin.first if type(origin) is Carried else origin

    def number(self, operand: Operand) -> int:
        """The value's number in this function; an outer value becomes an argument."""
        kind = type(operand)
        if kind is Tracer or (kind is Ref and operand._trace is not None):
            if operand._trace is self:
                return operand.number
            if self._is_leaked(operand):
                if kind is Ref:
                    raise operand.leaked()
                operand = operand.outlived()
        key = id(operand)
        known = self._numbers.get(key)
        if known is None:
            known = self._numbers[key] = self._capture(operand)
        return known

    def _is_leaked(self, operand: Any) -> bool:
        """True if no function that has an outer value, or a stand-in for it, encloses this one."""
        outer: Trace | None = self
        while outer is not None and id(operand) not in outer._numbers:
            if outer is operand._trace:
                return operand._trace.ended
            outer = outer.parent
        return outer is None

    def outside_of(self, ref: Ref) -> Any:
        """The reference that an argument stands for, None if it is none or that is not known."""
        known = ref.number in self._argument_of
        outer = self._origin_of(ref.number) if known else None
        return outer if type(outer) is Ref else None

    def substitute(self, outer: Ref, own: Ref) -> None:
        """Make a reference of this function what an outer one is in it."""
        self._numbers[id(outer)] = own.number
        # Kept alive so that its id is not reused.
        self.constants.append(outer)

    def _ref_argument(self, aval: AbstractRef) -> Ref:
        self.has_refs = True
        number = self.function.argument(aval.shape, ref_element(aval.dtype), self.where())
        self._argument_of[number] = len(self._argument_of)
        return Ref(aval, None, self, number)

    def _capture(self, operand: Operand) -> int:
        if type(operand) is Ref:
            self.captured.append(operand)
            return self._ref_argument(operand.aval).number
        # The device that an array is committed to matters outside of `jit`, so it stays an operand.
        is_known = type(operand) is Array and operand._place is None
        is_text = self.literals is None or id(operand) in self.literals
        if is_known and is_text and operand.size <= LARGEST_CONSTANT:
            # Kept alive so that its id is not reused.
            self.constants.append(operand)
            return self.constant(operand._value()).number
        self.captured.append(operand)
        return self.argument(operand.aval, operand).number

    def constant(
        self, value: np.ndarray, weak_type: bool = False, shape: tuple[int, ...] = ()
    ) -> Tracer:
        """An array that is part of the function's text; one of rank 0 is repeated to `shape`."""
        where = self.where()
        data, element, own = encode_array(value)
        attributes = {"value": (data, element, shape or own)}
        ((number, sizes, _),) = self.function.emit("constant", (), attributes, None, where)
        if self.concrete:
            self._known[number] = np.broadcast_to(value, shape) if shape else value
        return self.value_class(self, number, sizes, value.dtype, weak_type, where)

    def emit(
        self,
        name: str,
        operands: Sequence[Operand],
        attributes: dict[str, Any],
        results: Sequence[Type] | None,
        weak_types: Iterable[bool],
        evaluate: Callable[..., Any],
        keywords: dict[str, Any],
        *,
        takes_sizes: bool = False,
    ) -> list[Tracer]:
        """Append an op.

        Args:
          results: the results' types, if the op does not infer them.
          weak_types: whether each result is weakly typed.
          evaluate: computes the results from the operands' values and `keywords`.
          takes_sizes: whether unknown sizes of the results are operands of the op.
        """
        where = self.where()
        numbers = [self.number(operand) for operand in operands]
        given, types = numbers, results
        is_symbolic = self.root.is_symbolic
        if is_symbolic:
            given, types = self._with_sizes(name, numbers, attributes, results, takes_sizes)
        try:
            emitted = self.function.emit(name, given, attributes, types, where)
        except _core.CompilerError as error:
            raise errors.explained(error) from None
        if is_symbolic:
            if results is not None and not takes_sizes:
                emitted = [self.sizes.stated(*out) for out in zip(emitted, results, strict=True)]
            stated = [None] * len(emitted) if results is None else [shape for shape, _ in results]
            emitted = [
                (number, self.sizes.shape(number, known or shape), element)
                for (number, shape, element), known in zip(emitted, stated, strict=True)
            ]
        if self.mesh is not None and not ("callee" in attributes or "regions" in attributes):
            outs = [result[0] for result in emitted]
            self.infer_types(name, numbers, outs)
        if self.concrete:
            outs = [result[0] for result in emitted]
            producer = evaluate, keywords, numbers, outs
            for number in outs:
                self._producers[number] = producer
        return [
            self.value_class(self, number, shape, dtype_named(element), weak_type, where)
            for (number, shape, element), weak_type in zip(emitted, weak_types, strict=False)
        ]

    def _with_sizes(
        self,
        name: str,
        numbers: list[int],
        attributes: dict[str, Any],
        results: Sequence[Type] | None,
        takes_sizes: bool,
    ) -> tuple[list[int], Sequence[Type] | None]:
        """Operands with unknown sizes, and results' types as the compiler has them."""
        for key, value in attributes.items():
            for size in value if type(value) is tuple else (value,):
                if type(size) is Size:
                    raise UnknownSizeError(
                        f"{name}: {key} must be known while tracing, got: {size}, which is known "
                        f"only when the program runs, {here()}; leave this dimension out of the "
                        "symbolic shapes"
                    )
        if results is None:
            return numbers, None
        if takes_sizes:
            sizes = [size for shape, _ in results for size in self.sizes.operands(shape)]
            numbers = [*numbers, *sizes]
            if "operandSegmentSizes" in attributes:
                segments = attributes["operandSegmentSizes"]
                attributes["operandSegmentSizes"] = (*segments[:-1], len(sizes))
        return numbers, [(plain(shape), element) for shape, element in results]

    def size_as_array(self, size: Any, dtype: np.dtype, weak_type: bool) -> Tracer:
        """A size as an array of rank 0."""
        where, element = self.where(), dtype_name(dtype)
        numbers = [self.sizes.number(size)]
        ((number, _, _),) = self.function.emit("from_index", numbers, {}, [((), element)], where)
        return self.value_class(self, number, (), dtype, weak_type, where)

    def splice(
        self, callee: evaluation.Callee, operands: Sequence[Operand], results: Sequence[ShapedArray]
    ) -> list[Tracer]:
        """Append the body of a function of another module."""
        arguments = [self.number(operand) for operand in operands]
        outs = self.function.splice(callee.flat, arguments)
        if self.concrete:
            for out in set(outs) - set(arguments):
                self._producers[out] = callee.evaluate, {}, arguments, outs
        where = self.where()
        if self.root.is_symbolic:
            for out, aval in zip(outs, results, strict=True):
                self.sizes.shape(out, aval.shape)
        return [
            self.value_class(self, out, aval.shape, aval.dtype, aval.weak_type, where)
            for out, aval in zip(outs, results, strict=True)
        ]

    def value(self, asked: Tracer, error: type[ConcretizationTypeError]) -> np.ndarray:
        """The tracer's concrete value; evaluates the ops it depends on, each once."""
        return self._computed(asked.number, asked, error)

    def _computed(
        self,
        wanted: int,
        asked: Any = None,
        error: type[ConcretizationTypeError] = ConcretizationTypeError,
    ) -> np.ndarray:
        known = self._known
        pending = [wanted]
        while pending:
            number = pending[-1]
            if number in known:
                pending.pop()
                continue
            producer = self._producers.get(number)
            if producer is None:
                known[number] = self._argument_value(number, asked, error)
                continue
            evaluate, keywords, operands, results = producer
            missing = [operand for operand in operands if operand not in known]
            if missing:
                pending.extend(missing)
                continue
            try:
                answer = evaluate(*[known[operand] for operand in operands], **keywords)
            except UnboundAxesError:
                raise error(unknown_value(self, number, asked, error)) from None
            values = [answer] if type(answer) is np.ndarray else answer
            known.update(zip(results, values, strict=True))
        return known[wanted]

    def _argument_value(
        self, number: int, asked: Tracer, error: type[ConcretizationTypeError]
    ) -> np.ndarray:
        outside = self._outside.get(number)
        if outside is None:
            raise asked.leaked() if self.ended else error(unknown_value(self, number, asked, error))
        self.asked_values = True
        return outside.concrete(error) if type(outside) is Tracer else outside._value()
