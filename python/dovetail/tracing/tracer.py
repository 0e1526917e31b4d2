"""Applying ops, tracing functions and calling them: in the trace in progress, or at once."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from dovetail import _core
from dovetail.arrays.array import Array, ShapedArray
from dovetail.arrays.memory_limits import LARGE, check_size
from dovetail.base import config
from dovetail.base.errors import UnknownSizeError
from dovetail.base.locations import here
from dovetail.base.mlir_types import Type, dtype_name
from dovetail.base.trace_stack import current, resumed, stack
from dovetail.placement.shardings import Place, common_place
from dovetail.placement.transfer_guards import check
from dovetail.reference.checks import unwanted
from dovetail.reference.table import FUNCTIONS, RAW, quietly
from dovetail.symbolic.size import has_sizes
from dovetail.tracing import evaluation
from dovetail.tracing.trace import LARGEST_CONSTANT, Axis, Operand, Trace
from dovetail.tracing.trace import Tracer as Tracer

if TYPE_CHECKING:
    from dovetail.tracing.key_reuse import Uses


def bind(
    name: str,
    *operands: Operand,
    shape: tuple[int, ...] | None = None,
    dtype: np.dtype | None = None,
    weak_type: bool | None = None,
    **attributes: Any,
) -> Any:
    """Apply one op of the dialect.

    Args:
      operands: arrays or tracers, already of the shapes and element types that the op wants.
      shape, dtype: of the result, where the op does not infer them.
      weak_type: of the result; by default whether all operands are weakly typed.
      attributes: by their names in the dialect.
    """
    if weak_type is None:
        weak_type = bool(operands) and False not in [operand.weak_type for operand in operands]
    keywords, results = attributes, None
    traces = stack.traces
    if shape is not None or dtype is not None:
        keywords = attributes.copy()
        if shape is not None:
            keywords["shape"] = shape
        if dtype is not None:
            keywords["dtype"] = dtype
        if traces:
            results = [_stated_type(operands, attributes, shape, dtype)]
    evaluate = FUNCTIONS[name]
    if traces:
        return traces[-1].emit(
            name,
            operands,
            attributes,
            results,
            (weak_type,),
            evaluate,
            keywords,
            takes_sizes=shape is not None,
        )[0]
    if stack.suspended and _has_tracers(operands):
        with resumed():
            return bind(
                name, *operands, shape=shape, dtype=dtype, weak_type=weak_type, **attributes
            )
    if stack.recording is not None:
        return stack.recording.apply(RAW[name], operands, keywords, weak_type)
    place = common_place(operands, name)
    value = evaluate(*_known_values(operands), **keywords)
    if value.nbytes > LARGE:
        check_size(value)
    return Array(value, weak_type, place)


def bind_all(
    name: str, *operands: Operand, weak_type: bool | None = None, **attributes: Any
) -> list[Any]:
    """Apply an op of several results, weakly typed like the operands by default."""
    if weak_type is None:
        weak_types = [operand.weak_type for operand in operands]
    else:
        weak_types = itertools.repeat(weak_type)
    evaluate = FUNCTIONS[name]
    if stack.traces:
        return stack.traces[-1].emit(
            name, operands, attributes, None, weak_types, evaluate, attributes
        )
    if stack.suspended and _has_tracers(operands):
        with resumed():
            return bind_all(name, *operands, weak_type=weak_type, **attributes)
    if stack.recording is not None:
        return stack.recording.apply_all(RAW[name], operands, attributes, weak_types)
    values = evaluate(*_known_values(operands), **attributes)
    return _arrays(values, weak_types, common_place(operands, name))


def _has_tracers(operands: Sequence[Operand]) -> bool:
    return Tracer in map(type, operands)


def is_eager(*operands: Operand) -> bool:
    """True if functions of these operands are computed eagerly."""
    return not (stack.traces or (stack.suspended and _has_tracers(operands)))


def is_for_numpy(*operands: Operand, kinds: str = "biufc") -> bool:
    """True if NumPy may compute a function of these operands directly: outside of traces, with its
    element types, and without checks for NaN.

    Args:
      kinds: the kinds of elements for which it has.
    """
    if unwanted() or not is_eager(*operands):
        return False
    return all(operand.dtype.isbuiltin == 1 and operand.dtype.kind in kinds for operand in operands)


def apply_known(
    function: Callable[..., np.ndarray],
    *operands: Operand,
    weak_type: bool = False,
    is_sized: bool = True,
) -> Any:
    """Apply a function of NumPy arrays to arrays that are known, outside of all traces.

    Args:
      is_sized: whether types of the operands alone decide on the shape of the result.
    """
    if stack.recording is not None:
        return stack.recording.apply(function, operands, {}, weak_type, is_sized)
    place = common_place(operands)
    return Array(quietly(function, *_known_values(operands)), weak_type, place)


def apply_all_known(
    function: Callable[..., Sequence[np.ndarray]],
    *operands: Operand,
    count: int,
    weak_type: bool = False,
    is_sized: bool = True,
) -> list[Any]:
    """As `apply_known`, for a function with a tuple of `count` results."""
    weak_types = [weak_type] * count
    if stack.recording is not None:
        return stack.recording.apply_all(function, operands, {}, weak_types, is_sized)
    values = quietly(function, *_known_values(operands))
    return _arrays(values, weak_types, common_place(operands))


def _stated_type(
    operands: Sequence[Operand],
    attributes: dict[str, Any],
    shape: tuple[int, ...] | None,
    dtype: np.dtype | None,
) -> Type:
    """The result's type where an op does not infer all of it."""
    element: np.dtype = operands[0].dtype if dtype is None else dtype
    if shape is not None:
        return shape, dtype_name(element)
    sizes: tuple[int, ...] = operands[0].shape
    # Only argmax and argmin drop a dimension without being told the shape.
    if "dimension" in attributes:
        dimension = attributes["dimension"]
        sizes = sizes[:dimension] + sizes[dimension + 1 :]
    return sizes, dtype_name(element)


def _known_values(operands: Sequence[Operand]) -> list[np.ndarray]:
    """The operands' values outside of all traces."""
    for operand in operands:
        if type(operand) is Tracer:
            raise operand.leaked()
    return [operand._value() for operand in operands]


def _arrays(
    values: Sequence[np.ndarray], weak_types: Iterable[bool], place: Place | None
) -> list[Any]:
    return [Array(value, weak, place) for value, weak in zip(values, weak_types, strict=False)]


def constant(value: np.ndarray, weak_type: bool = False) -> Operand:
    """An array known now; a small one becomes a constant of the trace in progress."""
    trace = current()
    if trace is None:
        check("host-to-device", ShapedArray(value.shape, value.dtype, weak_type))
    if trace is None or value.size > LARGEST_CONSTANT:
        return Array(value, weak_type, config.snapshot().place)
    return trace.constant(value, weak_type)


def size_as_array(size: Any, dtype: np.dtype | None = None, weak_type: bool = True) -> Operand:
    """A size that is not known as an array of rank 0, by default of the default integer type."""
    trace = current()
    if trace is None or not trace.root.is_symbolic:
        raise UnknownSizeError(
            f"a size must be used in the function that is traced for it, got: {size} outside of "
            f"such a function {here()}"
        )
    of_size = size.dtype
    array = trace.size_as_array(size, of_size, weak_type)
    if dtype is None or dtype == of_size:
        return array
    return bind("convert", array, dtype=dtype, weak_type=weak_type)


def zeros(aval: ShapedArray) -> Operand:
    """Zeros of a type, without storage in a trace."""
    zero = constant(np.zeros((), aval.dtype))
    return bind("broadcast", zero, shape=aval.shape, dims=()) if aval.shape else zero


class TracedFunction(NamedTuple):
    """A function that was traced.

    Attributes:
      function: the compiler's function; its arguments are the explicit ones, then one per captured
        operand.
      captured: what the function closes over.
      avals: of the results.
      extra: what the traced Python function returned beside its results.
      place: the device that the function asks for, if it does.
      uses: with `debug_key_reuse`, what the function does with keys.
      asked_origins: whether it depends on what its arguments are made of.
    """

    function: _core.Function
    captured: list[Operand]
    avals: list[ShapedArray]
    extra: Any
    place: Place | None
    uses: Uses | None = None
    asked_origins: bool = False


def trace(
    python: Callable[..., tuple[Sequence[Operand], Any]],
    avals: Sequence[ShapedArray],
    names: Sequence[str],
    kind: str,
    name: str,
    outside: Sequence[Operand | None] | None = None,
    axes: Mapping[Hashable, Axis] | None = None,
    order: int | None = None,
    origins: Sequence[Operand] | None = None,
) -> TracedFunction:
    """Trace a function.

    Args:
      python: takes a tracer per argument, returns arrays and anything else.
      avals: the arguments' types.
      names: what to call them in messages.
      kind: the transform that traces.
      name: the name of the function, for messages and for the IR.
      outside: what the arguments stand for, None for those whose value may not be asked for; if it
        is not given, that of nothing in the function may.
      axes: the named axes that the transform binds.
      order: how often it will be differentiated; by default as often as the trace in progress.
      origins: what the arguments are made of, where no derivative begins at them.
    """
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
        numbers = [in_progress.number(out) for out in outs]
        results = [out.aval for out in outs]
    finally:
        traces.pop()
        # Also after an error, so that a program which handles it can go on: a module needs finished
        # functions.
        in_progress.function.finish(numbers)
        in_progress.ended, in_progress.origins = True, None
    if config.check_tracer_leaks.value:
        from dovetail.tracing.leaks import check_leaks  # lazy

        del tracers, outs
        check_leaks(in_progress)
    place, uses = in_progress.place, None if watch is None else watch.uses
    function, captured = in_progress.function, in_progress.captured
    return TracedFunction(
        function, captured, results, extra, place, uses, in_progress.asked_origins
    )


def apply(
    name: str,
    functions: Any,
    operands: Sequence[Operand],
    results: Sequence[ShapedArray],
    **attributes: Any,
) -> list[Operand]:
    """Apply an op on functions just traced: in the trace in progress, or at once by evaluation.

    Args:
      name: of the op.
      functions: the function that a request transforms, or a tuple of those whose bodies the op
        gets.
      operands: arrays or tracers.
      results: the types of the results.
      attributes: by their names in the dialect.
    """
    types = [(aval.shape, dtype_name(aval.dtype)) for aval in results]
    weak = [aval.weak_type for aval in results]
    attributes["regions" if isinstance(functions, tuple) else "callee"] = functions

    def evaluate(*values: np.ndarray) -> Sequence[np.ndarray]:
        return evaluation.evaluate_on_functions(name, attributes, values, types)

    in_progress = current()
    if in_progress is not None:
        return in_progress.emit(name, operands, attributes, types, weak, evaluate, {})
    place = common_place(operands, name)
    return _arrays(evaluate(*_known_values(operands)), weak, place)


def call(
    callee: evaluation.Callee, operands: Sequence[Operand], results: Sequence[ShapedArray]
) -> list[Operand]:
    """Call a function that was traced at any time: in the trace in progress, or at once."""
    weak = [aval.weak_type for aval in results]
    if stack.suspended and _has_tracers(operands):
        with resumed():
            return call(callee, operands, results)
    in_progress = current()
    if in_progress is None:
        place = common_place(operands)
        return _arrays(callee.evaluate(*_known_values(operands)), weak, place)
    if callee.module is not in_progress.module:
        return in_progress.splice(callee, operands, results)
    types = [(aval.shape, dtype_name(aval.dtype)) for aval in results]
    attributes = {"callee": callee.function}
    return in_progress.emit("call", operands, attributes, types, weak, callee.evaluate, {})
