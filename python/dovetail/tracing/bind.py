"""Applies ops: emits them into the trace in progress, or evaluates them at once."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from dovetail.arrays.array import Array, ShapedArray
from dovetail.arrays.memory_limits import LARGE, check_size
from dovetail.arrays.shards import Shards, moved
from dovetail.base import config
from dovetail.base.errors import UnknownSizeError
from dovetail.base.locations import here
from dovetail.base.mlir_types import Type, dtype_name
from dovetail.base.trace_stack import current, resumed, stack
from dovetail.placement.shardings import Place, common_place
from dovetail.placement.transfer_guards import check
from dovetail.reference.checks import unwanted
from dovetail.reference.table import FUNCTIONS, quietly
from dovetail.tracing.result_places import op_places, place_of_result
from dovetail.tracing.trace import LARGEST_CONSTANT, Operand, Trace
from dovetail.tracing.trace import Tracer as Tracer


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
      operands: arrays or tracers, already of the shapes and element types that the op requires.
      shape, dtype: those of the result, if the op does not infer them.
      weak_type: whether the result is weakly typed; by default if all operands are.
      attributes: the attributes, by their names in the dialect.
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
            results = [_stated_type(traces[-1], operands, attributes, shape, dtype)]
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
    if stack.suspended and has_tracers(operands):
        with resumed():
            return bind(
                name, *operands, shape=shape, dtype=dtype, weak_type=weak_type, **attributes
            )
    place = common_place(operands, name)
    value = evaluate(*known_values(operands), **keywords)
    if value.nbytes > LARGE:
        check_size(value)
    if place is not None and place.is_spread:
        if shape is not None or dtype is not None:
            results = [(value.shape, dtype_name(value.dtype))]
        (place,) = op_places(name, attributes, operands, results, 1)
        place = place_of_result(place, operands, value.shape)
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
    if stack.suspended and has_tracers(operands):
        with resumed():
            return bind_all(name, *operands, weak_type=weak_type, **attributes)
    values = evaluate(*known_values(operands), **attributes)
    places = op_places(name, attributes, operands, None, len(values))
    return arrays_of(values, weak_types, places)


def has_tracers(operands: Sequence[Operand]) -> bool:
    """Whether some operands are tracers."""
    return Tracer in map(type, operands)


def is_eager(*operands: Operand) -> bool:
    """True if functions of these operands are computed eagerly, even while that is recorded."""
    if stack.traces:
        return stack.traces[-1].is_eager
    return not (stack.suspended and has_tracers(operands))


def is_for_host(*operands: Any) -> bool:
    """True if functions of NumPy arrays may compute with these operands: where `is_eager`, on one
    device. On several, the compiler decides how results are sharded, and it knows ops only.
    """
    if not is_eager(*operands):
        return False
    places = [operand._place for operand in operands if type(operand) is Array]
    places.append(config.snapshot().place)
    return not any(place is not None and place.is_spread for place in places)


def is_for_numpy(*operands: Operand, kinds: str = "biufc") -> bool:
    """True if NumPy may compute a function of these operands directly: where `is_for_host`, with
    its element types, and without checks for NaN.

    Args:
      kinds: the kinds of elements that NumPy supports.
    """
    if unwanted() or not is_for_host(*operands):
        return False
    return all(operand.dtype.isbuiltin == 1 and operand.dtype.kind in kinds for operand in operands)


def apply_known(
    function: Callable[..., np.ndarray],
    *operands: Operand,
    weak_type: bool = False,
    is_sized: bool = True,
) -> Any:
    """Apply a function of NumPy arrays to arrays that are known, where `is_eager`; on several
    devices, each has all of the result.

    Args:
      is_sized: whether the types of the operands alone determine the shape of the result.
    """
    if stack.traces:
        return stack.traces[-1].emit_host_step(function, operands, [weak_type], is_sized)[0]
    place = common_place(operands)
    return Array(quietly(function, *known_values(operands)), weak_type, place)


def apply_all_known(
    function: Callable[..., Sequence[np.ndarray]],
    *operands: Operand,
    count: int,
    weak_type: bool = False,
    is_sized: bool = True,
) -> list[Any]:
    """Like `apply_known`, for a function with a tuple of `count` results."""
    weak_types = [weak_type] * count
    if stack.traces:
        return stack.traces[-1].emit_host_step(function, operands, weak_types, is_sized)
    values = quietly(function, *known_values(operands))
    return arrays_of(values, weak_types, itertools.repeat(common_place(operands)))


def _stated_type(
    trace: Trace,
    operands: Sequence[Operand],
    attributes: dict[str, Any],
    shape: tuple[int, ...] | None,
    dtype: np.dtype | None,
) -> Type:
    """The result's type if an op does not infer all of it."""
    element: np.dtype = operands[0].dtype if dtype is None else dtype
    if shape is not None:
        return shape, dtype_name(element)
    sizes = trace.sizes_of(operands[0])
    # Only argmax and argmin drop a dimension without a stated shape.
    if "dimension" in attributes:
        dimension = attributes["dimension"]
        sizes = sizes[:dimension] + sizes[dimension + 1 :]
    return sizes, dtype_name(element)


def known_values(operands: Sequence[Operand]) -> list[np.ndarray]:
    """The operands' values outside of all traces."""
    return [
        operand.outlived()._value() if type(operand) is Tracer else _value_of(operand)
        for operand in operands
    ]


def _value_of(operand: Any) -> np.ndarray:
    """The elements of an array, those in other processes included, which must ask for them, too."""
    data = operand._data
    if type(data) is not Shards or data.sharding.is_fully_addressable:
        return operand._value()
    return np.asarray(moved(data, data.sharding.replicated()))


def arrays_of(
    values: Sequence[np.ndarray], weak_types: Iterable[bool], places: Iterable[Place | None]
) -> list[Any]:
    """Results of an evaluation as arrays."""
    return [Array(*result) for result in zip(values, weak_types, places, strict=False)]


def constant(value: np.ndarray, weak_type: bool = False) -> Operand:
    """An array known now; a small one becomes a constant of the trace in progress."""
    trace = current()
    if trace is None:
        check("host-to-device", ShapedArray(value.shape, value.dtype, weak_type))
    if (
        trace is None
        or trace.is_eager
        or value.size > LARGEST_CONSTANT
        or (value.ndim and trace.literals is not None)
    ):
        return Array(value, weak_type, config.snapshot().place)
    return trace.constant(value, weak_type)


def size_as_array(size: Any, dtype: np.dtype | None = None, weak_type: bool = True) -> Operand:
    """An unknown size as an array of rank 0, by default of the default integer type."""
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
