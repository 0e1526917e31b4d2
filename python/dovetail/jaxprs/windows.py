"""Primitives of reductions by programs, and of windows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from dovetail import lax
from dovetail import numpy as dnp
from dovetail.base import dtypes
from dovetail.jaxprs.evaluation import jaxpr_as_fun
from dovetail.jaxprs.structure import ClosedJaxpr
from dovetail.lax.windows import Windows
from dovetail.tracing.trace import Operand
from dovetail.transforms.autodiff import jvp
from dovetail.transforms.batching import vmap
from dovetail.transforms.linearization import vjp


def _program(jaxpr: Any, consts: Sequence[Any]) -> Callable[..., list[Any]]:
    return jaxpr_as_fun(jaxpr if isinstance(jaxpr, ClosedJaxpr) else ClosedJaxpr(jaxpr, consts))


def _combination(jaxpr: Any, consts: Sequence[Any], count: int) -> Callable[..., Any]:
    """The function of a reduction on two tuples, from its program."""
    program = _program(jaxpr, consts)
    return lambda x, y: tuple(program(*x, *y)) if count > 1 else program(x, y)[0]


def _reduced(reduction: Callable[..., Any], args: Sequence[Operand], combine: Any) -> list[Any]:
    count = len(args) // 2
    operands, inits = tuple(args[:count]), tuple(args[count:])
    if count == 1:
        return [reduction(operands[0], inits[0], combine)]
    return list(reduction(operands, inits, combine))


def reduce(
    *args: Operand,
    computation: Any,
    jaxpr: Any,
    dimensions: Sequence[int],
    out_sharding: Any = None,
) -> list[Any]:
    """The reduction of a program."""
    combine = computation if jaxpr is None else _combination(jaxpr, (), len(args) // 2)
    return _reduced(lambda xs, init, f: lax.reduce(xs, init, f, dimensions), args, combine)


def reduce_window(*args: Operand, jaxpr: Any, consts: Sequence[Any], **window: Any) -> list[Any]:
    """The reduction of windows by a program."""
    combine = _combination(jaxpr, consts, len(args) // 2)
    return _reduced(lambda xs, init, f: lax.reduce_window(xs, init, f, **window), args, combine)


def _selected(select_prim: Any, operand: Operand, window: dict[str, Any]) -> Callable[..., Any]:
    """The reduction by `max` or `min` whose derivative selects elements of windows."""
    of_greatest = select_prim is not None and select_prim.name == "ge"
    combine = lax.max if of_greatest else lax.min
    name = operand.dtype
    limits = dtypes.finfo(name) if dtypes.KINDS[name] == "f" else dtypes.iinfo(name)
    init = limits.min if of_greatest else limits.max
    if dtypes.KINDS[name] == "f":
        init = -float("inf") if of_greatest else float("inf")
    return lambda x: lax.reduce_window(x, lax.full((), init, name), combine, **window)


def select_and_scatter_add(
    source: Operand, operand: Operand, *, select_prim: Any, **window: Any
) -> Any:
    """The derivative of a maximum or a minimum of windows, transposed."""
    return vjp(_selected(select_prim, operand, window), operand)[1](source)[0]


def select_and_gather_add(
    tangents: Operand, operand: Operand, *, select_prim: Any, **window: Any
) -> Any:
    """The derivative of a maximum or a minimum of windows."""
    return jvp(_selected(select_prim, operand, window), (operand,), (tangents,))[1]


def select_and_scatter(
    operand: Operand,
    source: Operand,
    init_value: Operand,
    *,
    select_jaxpr: Any,
    select_consts: Sequence[Any],
    scatter_jaxpr: Any,
    scatter_consts: Sequence[Any],
    window_dimensions: Sequence[int],
    window_strides: Sequence[int],
    padding: Any,
) -> Any:
    """An array in which each value of `source` is combined into the place of the element that a
    program selects in a window of `operand`, as in StableHLO's `select_and_scatter`.
    """
    keeps, scatter = (
        _combination(jaxpr, consts, 1)
        for jaxpr, consts in ((select_jaxpr, select_consts), (scatter_jaxpr, scatter_consts))
    )
    places = dnp.arange(operand.size, dtype=np.int32).reshape(operand.shape)
    windows = Windows(operand.shape, window_dimensions, window_strides, padding, None, None)
    # -1: the place is outside.
    values, places = (
        windows.elements(lax.pad(x, lax.full((), fill, x.dtype), windows.config)).reshape(
            source.size, -1
        )
        for x, fill in ((operand, 0), (places, -1))
    )

    def selected(best: Any, element: Any) -> Any:
        is_kept = (element[1] < 0) | ((best[1] >= 0) & keeps(best[0], element[0]))
        return tuple(dnp.where(is_kept, x, y) for x, y in zip(best, element, strict=True)), None

    def of_window(values: Any, places: Any) -> Any:
        return lax.scan(selected, (values[0], places[0]), (values[1:], places[1:]))[0][1]

    def put(out: Any, part: Any) -> Any:
        value, place = part
        combined = scatter(out[place], value)
        return out.at[dnp.where(place < 0, operand.size, place)].set(combined, mode="drop"), None

    start = lax.full((operand.size,), init_value, operand.dtype)
    parts = source.reshape(-1), vmap(of_window)(values, places)
    return lax.scan(put, start, parts)[0].reshape(operand.shape)
