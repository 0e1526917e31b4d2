"""Calls of functions of native libraries from within programs."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from dovetail import _core
from dovetail.arrays.array import Array, ArrayMethods, ShapedArray
from dovetail.arrays.keys import is_keys
from dovetail.base import dtypes
from dovetail.base.errors import ConcretizationTypeError, type_error, value_error
from dovetail.base.locations import here
from dovetail.base.mlir_types import dtype_name, encode_array
from dovetail.base.trace_stack import current, refuse_recording
from dovetail.placement.shardings import common_place
from dovetail.reference import ffi
from dovetail.tracing.arguments import as_operand
from dovetail.tracing.bind import known_values
from dovetail.tracing.trace import Operand, Tracer
from dovetail.transforms.callbacks import VMAP_METHODS
from dovetail.transforms.foreign_registration import core_ndims

# The loops that the dimensions of each array are: numbers, -1, and `...` in front.
Loops = Sequence[Sequence[Any]]
_SCALARS = {bool: np.bool_, int: np.int64, float: np.float64, complex: np.complex128}


def ffi_call(
    target_name: str,
    result_shape_dtypes: Any,
    *,
    has_side_effect: bool = False,
    vmap_method: str | None = None,
    input_layouts: Sequence[Any] | None = None,
    output_layouts: Any = None,
    input_output_aliases: Mapping[int, int] | None = None,
    custom_call_api_version: int = 4,
    legacy_backend_config: str | None = None,
    **kwargs: Any,
) -> Callable[..., Any]:
    """Call a function of a native library, registered by `register_ffi_target` or
    `register_c_function`.

    The function gets the memory of the arrays, and writes its results in place. It has no
    derivative; a rule of `custom_jvp` or `custom_vjp` gives one to a function that calls it.

    Args:
      target_name: the name under which the function is registered where the program runs.
      result_shape_dtypes: the type of the result, as a `ShapeDtypeStruct` or anything with `shape`
        and `dtype`; or a sequence of them.
      has_side_effect: whether to call the function exactly as often as the program states it, in
        order. Otherwise it may be called any number of times.
      vmap_method: how `vmap` calls the function, as for `pure_callback`.
      input_layouts, output_layouts: for each array the order of its dimensions in memory, from
        major to minor, or None for their own order.
      input_output_aliases: the arguments, by number, in whose memory results are written. An
        argument that is needed afterwards is copied before.
      custom_call_api_version: 4, that of typed functions.
      legacy_backend_config: None; typed functions have attributes instead.

    Returns:
      A function of the arguments, arrays of any shapes and dtypes; the function gets the words of
      random keys. Its keyword arguments are the
      attributes of the call: numbers, strings, NumPy arrays, sequences of numbers, and dicts of
      these; Python's numbers have 64 bits. It returns one array, or a tuple or list of them.

    Raises:
      TypeError: an attribute is none of these; a leaf is no array.
      ValueError: types, layouts or aliases do not fit, or `vmap_method` is not known.
      RuntimeError: when the program runs: there is no such function, or it fails. The message has
        the function's own.

    Example:
      >>> import numpy as np
      >>> import dovetail as dt
      >>> from dovetail import ffi
      >>> def rms_norm(x, eps=1e-5):
      ...     call = ffi.ffi_call("rms_norm", dt.ShapeDtypeStruct(x.shape, x.dtype))
      ...     return call(x, eps=np.float32(eps))
      >>> x = dt.ShapeDtypeStruct((4,), np.float32)
      >>> dt.eval_shape(rms_norm, x).shape
      (4,)
    """
    what = f"ffi_call of `{target_name}`"
    if kwargs:
        raise type_error(
            f"{what} must get attributes in the call, ffi_call(name, types)(x, eps=…), got: "
            f"{', '.join(kwargs)}"
        )
    if vmap_method is not None and vmap_method not in VMAP_METHODS:
        raise value_error(
            f"{what}: vmap_method must be None or one of {', '.join(VMAP_METHODS)}, got: "
            f"{vmap_method!r}"
        )
    if custom_call_api_version >= 4 and legacy_backend_config is not None:
        raise value_error(
            "The use of the legacy_backend_config parameter requires custom_call_api_version < 4, "
            f"got: {custom_call_api_version}; use keyword arguments of the call"
        )
    if custom_call_api_version != 4:
        raise value_error(
            f"{what}: custom_call_api_version must be 4, got: {custom_call_api_version}; write the "
            "function as a typed handler, or as register_c_function describes"
        )
    is_one = not isinstance(result_shape_dtypes, Sequence)
    avals = _result_types([result_shape_dtypes] if is_one else result_shape_dtypes)
    if is_one and output_layouts is not None:
        output_layouts = [output_layouts]

    def call(*args: Any, **attributes: Any) -> Any:
        words = [arg._data if is_keys(arg) else arg for arg in args]
        operands = [as_operand(x, f"argument {i} of the {what}") for i, x in enumerate(words)]
        shapes = [operand.shape for operand in operands]
        stated: dict[str, Any] = {
            "target": target_name,
            "has_side_effect": has_side_effect,
            "config": {name: _attribute(value, name) for name, value in attributes.items()},
        }
        if vmap_method is not None:
            stated["vmap_method"] = vmap_method
        result_shapes = [aval.shape for aval in avals]
        for name, layouts, ranks, kind in (
            ("input_layouts", input_layouts, [*map(len, shapes)], "input"),
            ("output_layouts", output_layouts, [*map(len, result_shapes)], "output"),
        ):
            if layouts is not None:
                stated[name] = _layouts(layouts, ranks, kind)
        if input_output_aliases:
            stated["aliases"] = aliased(input_output_aliases, operands, avals)
            _check_layouts(stated["aliases"], [len(aval.shape) for aval in avals], stated)
        core = core_ndims.get(target_name)
        if core is not None:
            stated["batch_dims"] = _batch_dims([*shapes, *result_shapes], core)
        factors = loops_in_force(shapes, result_shapes)
        if factors is not None:
            stated["factors"] = factors
        results = _apply(what, operands, avals, stated)
        if is_one:
            return results[0]
        return tuple(results) if isinstance(result_shape_dtypes, tuple) else results

    return call


def _result_types(results: Sequence[Any]) -> list[ShapedArray]:
    avals = []
    for i, result in enumerate(results):
        if not (hasattr(result, "shape") and hasattr(result, "dtype")):
            raise value_error(
                "All elements of result_shape_dtypes must have 'shape' and 'dtype' attributes, "
                f"got: {result!r} at position {i}"
            )
        avals.append(ShapedArray(tuple(result.shape), dtypes.as_dtype(result.dtype)))
    return avals


def _attribute(value: Any, name: str) -> Any:
    """An attribute as the compiler takes it."""
    if isinstance(value, (str, bytes)):
        return value
    if isinstance(value, Mapping):
        return {str(key): _attribute(entry, f"{name}.{key}") for key, entry in value.items()}
    kind = _SCALARS.get(type(value))
    if kind is not None:
        value = kind(value)
    if isinstance(value, (list, tuple)):
        value = np.array(value)
    if isinstance(value, (ArrayMethods, Tracer)) or getattr(value, "dtype", None) is None:
        raise type_error(
            f"ffi_call: attribute `{name}` must be known when the call is traced: a number, a "
            "str, a NumPy array, a sequence of numbers, or a dict of these, got: "
            f"{value!r}; pass arrays as arguments"
        )
    if value.dtype == dtypes.float0:
        value = np.zeros(value.shape, np.bool_)
    if value.dtype not in dtypes.KINDS:
        raise type_error(
            f"ffi_call: attribute `{name}` must have numbers, got: an array of {value.dtype}"
        )
    if isinstance(value, np.generic):
        return value.tobytes(), dtype_name(value.dtype)
    return encode_array(np.ascontiguousarray(value).reshape(value.shape))


def _layouts(layouts: Sequence[Any], ranks: Sequence[int], kind: str) -> tuple[Any, ...]:
    """The dimensions of each array from major to minor."""
    if len(layouts) != len(ranks):
        arrays = "input arguments" if kind == "input" else "outputs"
        raise value_error(
            f"The number of {arrays} ({len(ranks)}) must equal the number of {kind} layouts "
            f"({len(layouts)}), got: {layouts!r}"
        )
    stated = []
    for layout, rank in zip(layouts, ranks, strict=True):
        if layout is None:
            layout = range(rank)
        order = tuple(map(int, getattr(layout, "major_to_minor", layout)))
        if sorted(order) != list(range(rank)):
            raise value_error(
                f"a layout must list the {rank} dimensions of an array from major to minor, got: "
                f"{layout!r}"
            )
        stated.append(order)
    return tuple(stated)


def aliased(
    aliases: Mapping[int, int], inputs: Sequence[Operand], outputs: Sequence[ShapedArray]
) -> tuple[int, ...]:
    """The number of the input that each output is joined with by `input_output_aliases`, or -1.

    Raises:
      ValueError: a number is out of range, or the two have other types.
    """
    chosen = [-1] * len(outputs)
    for source, target in sorted(aliases.items()):
        source, target = int(source), int(target)
        text = f"input_output_aliases contains the mapping '{source}:{target}'"
        for number, count, what in ((source, len(inputs), "in"), (target, len(outputs), "out")):
            if not 0 <= number < count:
                raise value_error(
                    f"{text} with {what}put index {number} outside the range [0, {count}), got: "
                    f"{dict(aliases)}"
                )
        operand, aval = inputs[source], outputs[target]
        if operand.shape != aval.shape or operand.dtype != aval.dtype:
            raise value_error(
                f"{text} referring to an input with abstract value "
                f"{ShapedArray(operand.shape, operand.dtype)} and an output with a different "
                f"abstract value, got: {aval}"
            )
        chosen[target] = source
    return tuple(chosen)


def _check_layouts(sources: Sequence[int], ranks: Sequence[int], stated: Mapping[str, Any]) -> None:
    """Check that outputs have the layouts of the inputs in whose memory they are."""
    for target, (source, rank) in enumerate(zip(sources, ranks, strict=True)):
        if source < 0:
            continue
        order = tuple(range(rank))
        of_input = stated["input_layouts"][source] if "input_layouts" in stated else order
        of_output = stated["output_layouts"][target] if "output_layouts" in stated else order
        if of_input != of_output:
            raise value_error(
                f"input_output_aliases contains the mapping '{source}:{target}' referring to an "
                f"input with layout {of_input} and an output with a different layout, got: "
                f"{of_output}"
            )


class _InForce(threading.local):
    """The loops that the dimensions of the arguments, and of the results, of a function are."""

    loops: tuple[Loops, Loops] | None = None


_in_force = _InForce()


@contextlib.contextmanager
def loops_of(arguments: Loops, results: Loops) -> Iterator[None]:
    """State the loops of a foreign function that is called with such arguments.

    Args:
      arguments: for each, a number for each dimension, or -1; `...` in front of these stands for
        as many more as there are.
      results: likewise.
    """
    before, _in_force.loops = _in_force.loops, (arguments, results)
    try:
        yield
    finally:
        _in_force.loops = before


def loops_in_force(
    shapes: Sequence[Sequence[Any]], result_shapes: Sequence[Sequence[Any]]
) -> tuple[tuple[int, ...], ...] | None:
    """The loops of each array of a call, if they are stated of as many arrays of these ranks."""
    if _in_force.loops is None:
        return None
    arguments, results = _in_force.loops
    if (len(arguments), len(results)) != (len(shapes), len(result_shapes)):
        return None
    stated, arrays = [*arguments, *results], [*shapes, *result_shapes]
    first = 1 + max((n for each in stated for n in each if n is not ...), default=-1)
    sizes: dict[int, Any] = {}
    made = []
    for each, shape in zip(stated, arrays, strict=True):
        more = len(shape) - len(each) + 1 if ... in each else 0
        own = [*range(first, first + more), *(n for n in each if n is not ...)]
        if len(own) != len(shape):
            return None
        if any(
            n >= 0 and sizes.setdefault(n, size) != size for n, size in zip(own, shape, strict=True)
        ):
            return None
        made.append(tuple(own))
    return tuple(made)


def _batch_dims(shapes: Sequence[Sequence[Any]], core_ndim: int) -> int:
    """The number of leading dimensions that are a batch in all arrays."""
    if not shapes:
        return 0
    most = max(map(len, shapes)) - core_ndim
    count = 0
    for sizes in zip(*shapes, strict=False):
        if count == most or any(size != sizes[0] for size in sizes):
            break
        count += 1
    return max(count, 0)


def _apply(
    what: str, operands: Sequence[Operand], avals: Sequence[ShapedArray], stated: dict[str, Any]
) -> list[Any]:
    """The results of a call: in the trace in progress, or at once."""
    shapes, types = [aval.shape for aval in avals], [aval.dtype for aval in avals]

    def evaluate(*arrays: np.ndarray) -> tuple[np.ndarray, ...]:
        if stated["has_side_effect"]:
            raise ConcretizationTypeError(
                f"the value of the {what} is known only when the traced function runs, so that it "
                f"is called once, got: a use of the value {here()}; use lax.cond, lax.while_loop "
                "or dovetail.numpy.where instead of Python's control flow"
            )
        return compute(arrays)

    def compute(arrays: Sequence[np.ndarray]) -> tuple[np.ndarray, ...]:
        return ffi.call(
            stated["target"],
            _core.encode_foreign(stated["config"]),
            arrays,
            shapes,
            types,
            stated.get("aliases"),
            stated.get("input_layouts"),
            stated.get("output_layouts"),
        )

    refuse_recording()
    in_progress = current()
    if in_progress is None:
        place = common_place(operands, what) if avals else None
        results = compute(known_values(operands))
        return [Array(result, place=place) for result in results]
    if axes := tuple(axis.text for axis in in_progress.axes.values() if axis.is_manual):
        # Each device that computes on parts of arrays makes the call.
        stated["mesh_axes"] = axes
    attributes = {**stated, "operandSegmentSizes": (len(operands), 0)}
    if not stated["config"]:
        del attributes["config"]
    result_types = [(aval.shape, dtype_name(aval.dtype)) for aval in avals]
    weak_types = [False] * len(avals)
    return in_progress.emit(
        "ffi_call",
        operands,
        attributes,
        result_types,
        weak_types,
        evaluate,
        {},
        takes_sizes=True,
    )
