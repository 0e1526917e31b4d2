"""Functions of native libraries on NumPy arrays."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Sequence
from typing import Any

import numpy as np

from dovetail.base import locations
from dovetail.reference.callbacks import known_shapes
from dovetail.reference.op import op
from dovetail.runtime.foreign import Instance, TargetError, aligned_empty

Array = np.ndarray[Any, Any]
Layouts = Sequence[Sequence[int]] | None

# Handlers keep their state in instances: as many stay for further calls.
_MOST_INSTANCES = 256
_instances: OrderedDict[tuple[str, bytes], Instance] = OrderedDict()
_lock = threading.Lock()


def _instance(target: str, config: bytes) -> Instance:
    """The function with these attributes, the same one for every evaluation."""
    key = target, config
    with _lock:
        found = _instances.get(key)
        if found is not None:
            _instances.move_to_end(key)
            return found
    made = Instance(target, config)
    with _lock:
        found = _instances.setdefault(key, made)
        while len(_instances) > _MOST_INSTANCES:
            _instances.popitem(last=False)
    return found


def forget() -> None:
    """Drop the state that handlers keep between evaluations."""
    with _lock:
        _instances.clear()


def call(
    target: str,
    config: bytes,
    arrays: Sequence[Array],
    shapes: Sequence[tuple[int, ...]],
    types: Sequence[Any],
    aliases: Sequence[int] | None = None,
    input_layouts: Layouts = None,
    output_layouts: Layouts = None,
    place: locations.Location | None = None,
) -> tuple[Array, ...]:
    """The results of a function.

    Args:
      target: its name.
      config: its attributes, as the compiler encodes them.
      arrays: its arguments.
      shapes, types: the shapes and element types of its results.
      aliases: for each result, the argument in whose memory it is written, or -1.
      input_layouts, output_layouts: the dimensions of each array from major to minor, by default in
        their order.
      place: where in the user's program the call is; by default, here.

    Raises:
      TargetError: there is no such function, or it failed.
    """
    arguments = [_in_memory(array, _layout(input_layouts, i)) for i, array in enumerate(arrays)]
    results = []
    for i, (shape, dtype) in enumerate(zip(shapes, types, strict=True)):
        layout = _layout(output_layouts, i)
        alias = -1 if aliases is None else aliases[i]
        if alias >= 0:
            # The caller keeps the argument.
            arguments[alias] = _copied(arguments[alias])
            results.append(arguments[alias])
        else:
            result = aligned_empty(_ordered(shape, layout), np.dtype(dtype))
            results.append(_with_layout(result, layout))
    try:
        _instance(target, config)(arguments, results)
    except TargetError as error:
        where = locations.location() if place is None else place
        error.args = (f"{error}, called at {locations.describe(where)}",)
        raise
    return tuple(results)


@op("ffi_call")
def ffi_call(
    *operands: Array,
    target: str,
    operandSegmentSizes: Sequence[int],
    shapes: Sequence[tuple[int, ...]],
    elements: Sequence[Any],
    place: locations.Location,
    config: bytes = bytes(8),
    aliases: Sequence[int] | None = None,
    input_layouts: Layouts = None,
    output_layouts: Layouts = None,
    **attributes: Any,
) -> tuple[Array, ...]:
    """The results of the function."""
    count = operandSegmentSizes[0]
    known = known_shapes(shapes, operands[count:])
    layouts = input_layouts, output_layouts
    return call(target, config, operands[:count], known, elements, aliases, *layouts, place)


def _layout(layouts: Layouts, number: int) -> Sequence[int] | None:
    """A layout that is not the dimensions' own order."""
    layout = None if layouts is None else layouts[number]
    return None if layout is None or list(layout) == sorted(layout) else layout


def _ordered(shape: tuple[int, ...], layout: Sequence[int] | None) -> tuple[int, ...]:
    return shape if layout is None else tuple(shape[d] for d in layout)


def _with_layout(array: Array, layout: Sequence[int] | None) -> Array:
    """An array in memory with its own order of dimensions."""
    return array if layout is None else array.transpose(np.argsort(layout))


def _in_memory(array: Array, layout: Sequence[int] | None) -> Array:
    """The array, with its elements in memory in the order of a layout."""
    if layout is None:
        return np.ascontiguousarray(array).reshape(array.shape)
    return _with_layout(np.ascontiguousarray(array.transpose(layout)), layout)


def _copied(array: Array) -> Array:
    """A copy with the same order in memory."""
    order = sorted(range(array.ndim), key=lambda d: -array.strides[d])
    copy = aligned_empty(tuple(array.shape[d] for d in order), array.dtype)
    result = copy.transpose(np.argsort(order)) if order else copy
    result[...] = array
    return result
