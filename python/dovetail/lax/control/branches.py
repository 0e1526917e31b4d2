"""One of several functions, selected by a bool or by an index that may be computed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from dovetail.arrays.array import Array
from dovetail.arrays.shaped_array import ShapedArray
from dovetail.base import config, dtypes
from dovetail.base.errors import type_error, value_error
from dovetail.lax import basics as lax
from dovetail.lax.control.bodies import (
    check_callable,
    defined,
    joined,
    known,
    one_module,
)
from dovetail.ops.operands import ArrayLike
from dovetail.tracing.arguments import (
    LeafNames,
    as_operand,
    as_operand_or_ref,
    name_of,
    results_of,
)
from dovetail.tracing.functions import TracedFunction, apply, trace
from dovetail.tracing.references import check_references
from dovetail.tracing.trace import Operand, Tracer
from dovetail.trees.differences import itemized, structure_differences, type_differences
from dovetail.trees.float0 import set_float0_aside
from dovetail.trees.pytree import flatten, leaf_names, unflatten

_NOTHING: Any = object()


def cond(
    pred: ArrayLike,
    true_fun: Callable[..., Any],
    false_fun: Callable[..., Any],
    *operands: Any,
    operand: Any = _NOTHING,
) -> Any:
    """Apply one of two functions. Both are traced, one runs.

    Args:
      pred: a bool of rank 0, or a number, which is true unless it is 0.
      true_fun, false_fun: take the operands, return trees of one structure, with arrays of equal
        shapes and element types; weakly typed arrays take the type of the other function's.
      operands: trees of arrays.
      operand: a tree of arrays, instead of `operands`.

    Returns:
      The result of the function.

    Raises:
      TypeError: `pred` is not a scalar, or the functions return different types; the message
        compares them leaf by leaf.

    Example:
      >>> lax.cond(True, lambda x: x + 1, lambda x: x - 1, 3.0)
      Array(4., dtype=float32, weak_type=True)
    """
    if not callable(true_fun) and callable(false_fun) and len(operands) == 2:
        # An older order of arguments: one operand, and its function, for each case.
        first, on_true, second, on_false = true_fun, false_fun, *operands
        check_callable("lax.cond: false_fun", on_false)
        return cond(pred, lambda x, _: on_true(x), lambda _, y: on_false(y), first, second)
    check_callable("lax.cond: true_fun", true_fun)
    check_callable("lax.cond: false_fun", false_fun)
    operands = _operands("cond", operands, operand)
    index = _truth(pred)
    return _choose("cond", index, (false_fun, true_fun), ("false_fun", "true_fun"), operands)


def switch(
    index: ArrayLike,
    branches: Sequence[Callable[..., Any]],
    *operands: Any,
    operand: Any = _NOTHING,
) -> Any:
    """Apply the function with that index. All are traced, one runs.

    Args:
      index: an integer of rank 0; one that is out of bounds selects the first or the last function.
      branches: functions that take the operands and return trees of one structure, with arrays of
        equal shapes and element types; weakly typed arrays take the type of the others.
      operands: trees of arrays.
      operand: a tree of arrays, instead of `operands`.

    Returns:
      The result of the function.

    Raises:
      TypeError: `index` is not an integer of rank 0, or the functions return different types; the
        message compares them leaf by leaf.
      ValueError: there is no function.

    Example:
      >>> lax.switch(1, [dnp.sin, dnp.negative, dnp.abs], 3.0)
      Array(-3., dtype=float32, weak_type=True)
    """
    functions = tuple(branches)
    for i, function in enumerate(functions):
        check_callable(f"lax.switch: branch {i}", function)
    operands = _operands("switch", operands, operand)
    number = _index(index)
    if not functions:
        raise value_error("switch: Empty branch sequence; there must be at least one function")
    if len(functions) == 1:
        return functions[0](*operands)
    names = [f"branch {i}" for i in range(len(functions))]
    return _choose("switch", lax.convert_element_type(number, np.int32), functions, names, operands)


def _index(index: Any) -> Array:
    """The index of a branch, as passed."""
    no_integer = "switch: Index type must be an integer, got"
    if isinstance(index, str):
        raise type_error(f"{no_integer} {index}.")
    if isinstance(index, (tuple, list)):
        raise type_error(
            f"switch: Branch index must be scalar, got {index} of shape {np.shape(index)}."
        )
    number = _as_scalar(index, no_integer, "switch: Branch index must be scalar, got")
    if dtypes.kind(number.dtype) not in "iu":
        raise type_error(
            f"{no_integer} {number.aval}; convert it with astype('int32'), or use lax.cond"
        )
    return number


def _operands(what: str, operands: tuple[Any, ...], operand: Any) -> tuple[Any, ...]:
    if operand is _NOTHING:
        return operands
    if operands:
        raise type_error(
            f"{what}: operands must be given by position or as operand=, got: {len(operands)} by "
            "position and operand="
        )
    return (operand,)


def _as_scalar(value: Any, no_array: str, no_scalar: str) -> Array:
    """A value that must be an array of rank 0; otherwise the message for one of two errors."""
    kind = f"of type {type(value)}"
    if isinstance(value, (tuple, list, str)):
        raise type_error(f"{no_scalar} {value} {kind}")
    try:
        array = as_operand(value, no_array)
    except TypeError:
        raise type_error(f"{no_array} {value!r} {kind}") from None
    if array.shape:
        raise type_error(
            f"{no_scalar} {array.aval}; use vmap, or choose element by element with "
            "dovetail.numpy.where or lax.select_n"
        )
    return array


def _truth(pred: Any) -> Array:
    """The index of the branch: 1 if true, otherwise 0."""
    if pred is None:
        raise type_error("cond predicate is None; it must be a bool or a number")
    no_number = "cond: Pred type must be either boolean or number, got"
    array = _as_scalar(pred, no_number, "cond: Pred must be a scalar, got")
    kind = dtypes.kind(array.dtype)
    if kind not in "biuf":
        raise type_error(f"{no_number} {array.aval}; compare it with what it should be")
    return lax.convert_element_type(array if kind == "b" else array != 0, np.int32)


def _choose(
    what: str,
    index: Array,
    functions: Sequence[Callable[..., Any]],
    titles: Sequence[str],
    operands: tuple[Any, ...],
) -> Any:
    """The result of the function with that index, or of the closest one."""
    if config.snapshot().disable_jit:
        number = known(index)
        if number is not None:
            return functions[min(max(int(number), 0), len(functions) - 1)](*operands)
    values, spec = set_float0_aside(*flatten(operands))
    names = LeafNames(functions[0], operands)
    leaves = [as_operand_or_ref(value, names.at(i)) for i, value in enumerate(values)]

    check_references(what, name_of(functions[0]), leaves, names, ())
    bodies = _traced(what, functions, titles, operands, spec, leaves)
    captured = joined(bodies, len(leaves))
    check_references(what, name_of(functions[0]), leaves, names, captured)
    outs = apply(
        "case",
        tuple(bodies),
        [index, *leaves, *captured],
        bodies[0].avals,
    )
    if bodies[0].uses is not None:
        from dovetail.tracing.key_reuse import chosen  # lazy

        uses = chosen([body.uses for body in bodies])
        uses.apply(leaves, outs)
    return unflatten(bodies[0].extra, outs)


def _traced(
    what: str,
    functions: Sequence[Callable[..., Any]],
    titles: Sequence[str],
    operands: tuple[Any, ...],
    spec: Any,
    leaves: Sequence[Operand],
) -> list[TracedFunction]:
    """The functions on the operands' leaves, with results of the same types."""
    avals = [leaf.aval for leaf in leaves]

    def traced(function: Callable[..., Any], wanted: Sequence[ShapedArray] = ()) -> TracedFunction:
        def python(*tracers: Tracer) -> tuple[list[Operand], Any]:
            values, out_spec = set_float0_aside(*flatten(function(*unflatten(spec, tracers))))
            outs = results_of(function, values)
            for i, (out, aval) in enumerate(zip(outs, wanted, strict=False)):
                if out.dtype != aval.dtype:
                    outs[i] = lax.convert_element_type(out, aval.dtype)
            return outs, out_spec

        names = LeafNames(function, operands)
        return trace(python, avals, names, what, name_of(function), origins=leaves, refs="taken")

    with one_module():
        bodies = [traced(function) for function in functions]
        _check_structures(what, functions, titles, bodies)
        common = _common_types([body.avals for body in bodies])
        for i, body in enumerate(bodies):
            pairs = list(zip(body.avals, common, strict=True))
            if any(own.weak_type and own.dtype != wanted.dtype for own, wanted in pairs):
                own_or_common = [wanted if own.weak_type else own for own, wanted in pairs]
                bodies[i] = traced(functions[i], own_or_common)
    _check_types(what, functions, titles, bodies)
    return bodies


def _common_types(results: Sequence[Sequence[ShapedArray]]) -> list[ShapedArray]:
    """Types for weakly typed results: those of the branches whose results are not weakly typed."""
    common = []
    for avals in zip(*results, strict=True):
        strong = {aval.dtype for aval in avals if not aval.weak_type}
        pairs = [(aval.dtype, aval.weak_type) for aval in avals]
        # Arrays that are not weakly typed must agree already, which is checked later.
        dtype = avals[0].dtype if len(strong) > 1 else dtypes.promote(*pairs)[0]
        common.append(avals[0].update(dtype=dtype))
    return common


def _where(functions: Sequence[Any], titles: Sequence[str], pair: tuple[int, int]) -> str:
    return " and ".join(f"{titles[i]} is {defined(functions[i])}" for i in pair)


def _check_structures(
    what: str, functions: Sequence[Any], titles: Sequence[str], bodies: Sequence[TracedFunction]
) -> None:
    for pair in _pairs(titles):
        first, second = (bodies[i].extra for i in pair)
        sentences = [
            f"{titles[pair[0]]} output{_at(d.path)} is {d.first} but {titles[pair[1]]} "
            f"output{_at(d.path)} is {d.second}, so {d.consequence}"
            for d in structure_differences(first, second, "result")
        ]
        if sentences:
            raise type_error(
                f"{what} branch outputs must have the same pytree structure, but they differ:\n\n"
                f"{itemized(sentences)}\n{_where(functions, titles, pair)}; return the same "
                "containers"
            )


def _check_types(
    what: str, functions: Sequence[Any], titles: Sequence[str], bodies: Sequence[TracedFunction]
) -> None:
    spec = bodies[0].extra
    paths = leaf_names(unflatten(spec, range(spec.num_leaves)), "result")
    for pair in _pairs(titles):
        first, second = (bodies[i].avals for i in pair)
        sentences = [
            f"the output of {titles[pair[0]]}{_at(d.path)} has type {d.first} but the "
            f"corresponding output of {titles[pair[1]]} has type {d.second}, so {d.consequence}"
            for d in type_differences(paths, first, second)
        ]
        if sentences:
            raise type_error(
                f"{what} branches must have equal output types but they differ:\n\n"
                f"{itemized(sentences)}\n{_where(functions, titles, pair)}; convert with astype, "
                "or broadcast"
            )


def _pairs(titles: Sequence[str]) -> list[tuple[int, int]]:
    """The functions to compare; of two, the one for true comes first."""
    return [(1, 0)] if titles[0] == "false_fun" else [(0, i) for i in range(1, len(titles))]


def _at(path: str) -> str:
    place = path.removeprefix("result")
    return f" at path {place}" if place else ""
