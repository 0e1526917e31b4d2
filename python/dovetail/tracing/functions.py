"""Traces Python functions, applies ops on traced functions, and calls traced functions."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from dovetail import _core
from dovetail.arrays.array import Array, ShapedArray
from dovetail.base import config
from dovetail.base.errors import LeakedTracerError, explained
from dovetail.base.locations import here
from dovetail.base.mlir_types import Type, dtype_name
from dovetail.base.trace_stack import current, resumed, stack
from dovetail.placement.shardings import Place
from dovetail.symbolic.size import has_sizes
from dovetail.tracing import evaluation
from dovetail.tracing.axes import Axis
from dovetail.tracing.bind import arrays_of, has_tracers, known_values
from dovetail.tracing.origins import Origin
from dovetail.tracing.references import AbstractRef, Ref, echo_type, refuse_returned, type_of
from dovetail.tracing.result_places import result_places
from dovetail.tracing.trace import Operand, Trace

if TYPE_CHECKING:
    from dovetail.tracing.key_reuse import Uses


References = Literal["none", "held", "taken", "kept"]


class Echo(NamedTuple):
    """An echo of a reference that a function takes: see the op `ref_echo`.

    Attributes:
      position: the argument.
      depth: which echo, the first being 1.
      is_read: whether a backward rule reads what it passes on.
    """

    position: int
    depth: int
    is_read: bool


class TracedFunction(NamedTuple):
    """A traced function.

    Attributes:
      function: the compiler's function; its arguments are the explicit ones, then one per captured
        operand.
      captured: the values that the function closes over.
      avals: the types of the results.
      extra: what the traced Python function returned in addition to its results.
      place: the device that the function requests, if any.
      uses: with `debug_key_reuse`, what the function does with keys.
      asked_origins: whether it depends on what its arguments are computed from.
      written: if its references are discharged, the positions of the arguments whose arrays are its
        last results.
      echoed: the echoes of references that backward rules use, which are its last arguments and its
        last results.
      asked_values: whether Python asked for the value of an outer array while tracing.
    """

    function: _core.Function
    captured: list[Operand]
    avals: list[ShapedArray]
    extra: Any
    place: Place | None
    uses: Uses | None = None
    asked_origins: bool = False
    written: tuple[int, ...] = ()
    echoed: tuple[Echo, ...] = ()
    asked_values: bool = False

    def held(self, operands: Sequence[Operand]) -> list[Operand]:
        """The operands of a call of the discharged function, given those with references."""
        return [*held_by(operands), *(operands[i]._echo(*echo) for i, *echo in self.echoed)]

    def store(self, operands: Sequence[Operand], outs: Sequence[Operand]) -> list[Operand]:
        """Make references hold what a call returned for them; returns the other results.

        Args:
          operands: those of the call, with the references.
          outs: its results, which may be followed by others.
        """
        count = len(self.avals)
        last = count - len(self.echoed)
        first = last - len(self.written)
        for position, array in zip(self.written, outs[first:last], strict=True):
            operands[position]._write(array)
        for (position, depth, _), echo in zip(self.echoed, outs[last:count], strict=True):
            operands[position]._set_echo(echo, depth)
        return [*outs[:first], *outs[count:]]


def trace(
    python: Callable[..., tuple[Sequence[Operand], Any]],
    avals: Sequence[ShapedArray],
    names: Sequence[str],
    kind: str,
    name: str,
    outside: Sequence[Operand | None] | None = None,
    axes: Mapping[Hashable, Axis] | None = None,
    order: int | None = None,
    origins: Sequence[Origin] | None = None,
    refs: References = "none",
) -> TracedFunction:
    """Trace a function.

    Args:
      python: takes a tracer for each argument, returns arrays and anything else.
      avals: the arguments' types.
      names: the arguments' names in messages.
      kind: the transform that traces.
      name: the name of the function, for messages and for the IR.
      outside: the values that the arguments stand for, None for those whose value must not be
        requested; by default, no value in the function may be.
      axes: the named axes that the transform binds.
      order: how often it will be differentiated; by default as often as the trace in progress.
      origins: what the arguments are computed from; None where a derivative begins, as it does at
        all of them by default.
      refs: what becomes of references that the function takes or closes over. `none`: there must be
        none; `held`: it takes the arrays that they hold (`held_by`), and returns those of the ones
        that it writes to (`store`); `taken`: it takes the references; `kept`: they stay references,
        also those that the function makes.

    Raises:
      ValueError: the function returns a reference.
      NotImplementedError: it uses a reference from outside, and there must be none.
    """
    arguments = python, avals, names, kind, name, outside, axes, order, origins, refs
    if not stack.suspended or stack.traces:
        return _trace(*arguments)
    try:
        return _trace(*arguments)
    except LeakedTracerError:
        # It closes over a tracer of the suspended traces: it is traced, and applied, within these.
        with resumed():
            return _trace(*arguments)


def _trace(
    python: Callable[..., tuple[Sequence[Operand], Any]],
    avals: Sequence[ShapedArray],
    names: Sequence[str],
    kind: str,
    name: str,
    outside: Sequence[Operand | None] | None,
    axes: Mapping[Hashable, Axis] | None,
    order: int | None,
    origins: Sequence[Origin] | None,
    refs: References,
) -> TracedFunction:
    in_progress = Trace(kind, name, outside is not None, names, axes, order)
    in_progress.origins = origins
    watch = None
    if config.debug_key_reuse.value:
        from dovetail.tracing.key_reuse import Watch  # lazy

        watch = Watch(in_progress)
        python = watch.around(python)
    where = in_progress.location
    traces = stack.traces
    traces.append(in_progress)
    numbers: list[int] = []
    try:
        tracers = [
            in_progress.argument(aval, None if outside is None else outside[i], where)
            for i, aval in enumerate(avals)
        ]
        if in_progress.root.is_symbolic is False and any(has_sizes(aval.shape) for aval in avals):
            tracers = in_progress.begin_symbolic(tracers)
        outs, extra = python(*tracers)
        if escaped := [out for out in outs if type(out) is Ref]:
            refuse_returned(kind, name, escaped[0])
        numbers = [in_progress.number(out) for out in outs]
        results = [out.aval for out in outs]
    finally:
        traces.pop()
        # Also after an error, so that a program that handles it can continue: a module needs
        # finished functions.
        in_progress.function.finish(numbers)
        in_progress.ended, in_progress.origins = True, None
    if config.check_tracer_leaks.value:
        from dovetail.tracing.leaks import check_leaks  # lazy

        del tracers, outs
        check_leaks(in_progress)
    place, uses = in_progress.place, None if watch is None else watch.uses
    function, captured = in_progress.function, in_progress.captured
    written, echoed = _discharged(in_progress, avals, refs) if in_progress.has_refs else ((), ())
    types = [*avals, *(operand.aval for operand in captured)]
    results += [types[position].inner_aval for position in written]
    results += [echo_type(types[echo.position]) for echo in echoed]
    return TracedFunction(
        function,
        captured,
        results,
        extra,
        place,
        uses,
        in_progress.asked_origins,
        written,
        echoed,
        in_progress.asked_values,
    )


def _discharged(
    traced: Trace, avals: Sequence[Any], refs: References
) -> tuple[tuple[int, ...], tuple[Echo, ...]]:
    """Make a function that uses references one of values, unless it may take them; the positions of
    the arguments whose arrays it returns, and the echoes that it does.
    """
    outer = [operand for operand in traced.captured if type(operand) is Ref]
    if refs == "kept":
        return (), ()
    takes_refs = outer or any(type(aval) is AbstractRef for aval in avals)
    if takes_refs and refs == "taken":
        return (), ()
    if outer and refs == "none":
        raise NotImplementedError(
            f"{traced.kind}: `{traced.name}` must not use references from outside of it, got: "
            f"{outer[0].description()} {here()}; pass what it holds, ref[...], as an argument"
        )
    try:
        written, echoed = traced.function.discharge()
        return tuple(written), tuple(Echo(*echo) for echo in echoed)
    except _core.CompilerError as error:
        raise explained(error) from None


def held_by(operands: Sequence[Operand]) -> list[Operand]:
    """The operands, with the arrays that references hold instead of these."""
    return [operand._read() if type(operand) is Ref else operand for operand in operands]


def _apply_on_refs(
    name: str,
    attributes: dict[str, Any],
    operands: Sequence[Operand],
    results: Sequence[Type],
    weak_types: Sequence[bool],
) -> list[Operand]:
    """Apply an op that takes references outside of all traces, by evaluation."""
    held = held_by(operands)
    types = [type_of(operand) for operand in operands]
    flat, written = evaluation.flat_on_refs(name, attributes, types, results)
    values = flat(known_values(held))
    count = len(results)
    for position, value in zip(written, values[count:], strict=True):
        operands[position]._write(Array(value))
    return arrays_of(values[:count], weak_types, itertools.repeat(None))


def apply(
    name: str,
    functions: TracedFunction | _core.Function | tuple[TracedFunction, ...],
    operands: Sequence[Operand],
    results: Sequence[ShapedArray],
    **attributes: Any,
) -> list[Operand]:
    """Apply an op on functions that were just traced: in the trace in progress, or at once by
    evaluation.

    Args:
      name: the op's name.
      functions: the function that a request transforms, or a tuple of those that become the bodies
        of the op. Results are where traced functions run, if operands are not on other devices.
      operands: arrays or tracers.
      results: the types of the results.
      attributes: by their names in the dialect.
    """
    if stack.suspended and has_tracers(operands):
        with resumed():
            return apply(name, functions, operands, results, **attributes)
    types, weak = _types_of(results)
    place = None
    if isinstance(functions, _core.Function):
        attributes["callee"] = functions
    elif isinstance(functions, TracedFunction):
        attributes["callee"], place = functions.function, functions.place
    else:
        attributes["regions"] = tuple(each.function for each in functions)
        place = next((each.place for each in functions if each.place is not None), None)

    def evaluate(*values: np.ndarray) -> Sequence[np.ndarray]:
        return evaluation.evaluate_on_functions(name, attributes, values, types)

    in_progress = current()
    if in_progress is not None:
        emitted = in_progress.emit(name, operands, attributes, types, weak, evaluate, {})
        return in_progress.state_types(emitted, results)
    if Ref in map(type, operands):
        return _apply_on_refs(name, attributes, operands, types, weak)
    module = evaluation.wrapped(name, attributes, known_values(operands), types)
    if module.has_terms():
        callee = evaluation.Callee(module.function("main"), place)
        return evaluation.run_as_program(callee, operands, results)
    places = result_places(name, attributes, operands, results, place)
    return EagerProgram(evaluation.flat(module, name), weak, places)(operands)


class EagerProgram(NamedTuple):
    """What evaluates an op on functions, for operands of the same types in the same places.

    Attributes:
      flat: what computes the results.
      weak_types: of the results.
      places: those of the results.
    """

    flat: evaluation.Flat
    weak_types: Sequence[bool]
    places: Sequence[Place | None]

    def __call__(self, operands: Sequence[Operand]) -> list[Operand]:
        """The results."""
        return arrays_of(self.flat(known_values(operands)), self.weak_types, self.places)


def eager_program(traced: TracedFunction, operands: Sequence[Operand]) -> EagerProgram | None:
    """What evaluates a call of a function outside of all traces; None if a program has to run for
    it.

    Args:
      traced: the function.
      operands: those of the call, and the values that the function closes over.
    """
    types, weak = _types_of(traced.avals)
    attributes = {"callee": traced.function}
    module = evaluation.wrapped("call", attributes, known_values(operands), types)
    if module.has_terms():
        return None
    places = result_places("call", attributes, operands, traced.avals, traced.place)
    return EagerProgram(evaluation.flat(module, "call"), weak, places)


def _types_of(avals: Sequence[ShapedArray]) -> tuple[list[Type], list[bool]]:
    types = [(aval.shape, dtype_name(aval.dtype)) for aval in avals]
    return types, [aval.weak_type for aval in avals]


def call(
    callee: evaluation.Callee,
    operands: Sequence[Operand],
    results: Sequence[ShapedArray],
    label: str | None = None,
) -> list[Operand]:
    """Call a function that was traced at any time: in the trace in progress, or at once.

    Args:
      callee: the function.
      operands, results: those of the call, and the types of its results.
      label: the name of the equation that the call is.
    """
    weak = [aval.weak_type for aval in results]
    if stack.suspended and has_tracers(operands):
        with resumed():
            return call(callee, operands, results, label)
    in_progress = current()
    types = [(aval.shape, dtype_name(aval.dtype)) for aval in results]
    if in_progress is None:
        attributes = {"callee": callee.function}
        if Ref in map(type, operands):
            return _apply_on_refs("call", attributes, operands, types, weak)
        if callee.has_terms:
            return evaluation.run_as_program(callee, operands, results)
        values = callee.evaluate(*known_values(operands))
        places = result_places("call", attributes, operands, results, callee.place)
        return arrays_of(values, weak, places)
    if callee.module is not in_progress.module:
        if not callee.asks_for_rules and not callee.has_terms:
            return in_progress.state_types(in_progress.splice(callee, operands, results), results)
        callee = evaluation.Callee(adopted(callee.function), callee.place)
    attributes: dict[str, Any] = {"callee": callee.function}
    if label is not None:
        attributes["label"] = label
    emitted = in_progress.emit("call", operands, attributes, types, weak, callee.evaluate, {})
    return in_progress.state_types(emitted, results)


def adopted(function: _core.Function) -> _core.Function:
    """The function in the module of the trace in progress, with all that it calls, and with the
    rules of these.
    """
    in_progress = current()
    if in_progress is None or in_progress.module is function.module:
        return function
    known = in_progress.root.jitted
    key = "adopted", id(function)
    if key not in known:
        # The function is kept so that its id is not reused.
        known[key] = _core.adopt(in_progress.module, function), function
    return known[key][0]
