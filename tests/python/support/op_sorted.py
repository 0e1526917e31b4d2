"""Ops along one ordered dimension: running reductions and sorting."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np

from dovetail import dtypes, ops
from support.op_row import ELEMENT, FLOAT, INT, NUMBER, Array, Case, Row
from support.op_samplers import Sampler, around, between, spaced, with_zeros

_ANY = between(-2, 2)

ROWS: list[Row] = []


def row(name: str, types: tuple[np.dtype, ...], *samples: Sampler, **rest: Any) -> None:
    """Adds a row."""
    ROWS.append(Row(name, types, samples, pointwise=False, **rest))


# Running reductions ---------------------------------------------------------------------------


def _along(*shape: int, dimension: int, operands: int = 1, **rest: Any) -> Case:
    reverse = rest.pop("reverse", False)
    return Case({"dimension": dimension, "reverse": reverse}, (shape,) * operands, **rest)


def _cases(operands: int = 1, **rest: Any) -> tuple[Case, ...]:
    return (
        _along(5, dimension=0, operands=operands, **rest),
        _along(3, 4, dimension=1, operands=operands, **rest),
        _along(3, 4, dimension=0, operands=operands, reverse=True, **rest),
    )


_RUNNING = (
    *_cases(),
    _along(2, 3, 4, dimension=1),
    _along(1, 2, dimension=0),
    _along(2, 0, dimension=1),
)
# Long enough to be computed in blocks.
_LONG = _along(
    2, 1024, dimension=1, types=(dtypes.float32, dtypes.int32, dtypes.uint32, dtypes.uint8)
)


def _running(step: Callable[[Any, Any], Any]) -> Callable[..., Array]:
    """The definition, element by element."""

    def oracle(x: Array, dimension: int, reverse: bool) -> Array:
        result = np.moveaxis(np.array(x, copy=True), dimension, 0)
        order = range(len(result))[::-1] if reverse else range(len(result))
        for before, i in itertools.pairwise(order):
            result[i] = step(result[before], result[i])
        return np.moveaxis(result, 0, dimension)

    return oracle


row(
    "cumsum",
    NUMBER,
    _ANY,
    oracle=_running(np.add),
    cases=(*_RUNNING, _LONG),
    ulps=16,
    normwise=True,
)
row(
    "cumprod",
    NUMBER,
    around(0.5, 2),
    oracle=_running(np.multiply),
    cases=(*_RUNNING, *_cases(samples=(with_zeros(around(0.5, 2)),))),
    ulps=8,
    normwise=True,
)
row("cummax", INT + FLOAT, spaced(), oracle=_running(np.maximum), cases=(*_RUNNING, _LONG))
row("cummin", INT + FLOAT, spaced(), oracle=_running(np.minimum), cases=_RUNNING)
row(
    "cumlogsumexp",
    FLOAT,
    _ANY,
    oracle=_running(np.logaddexp),
    cases=_RUNNING,
    ulps=8,
    normwise=True,
)


def _recurrence(factor: Array, x: Array, dimension: int, reverse: bool) -> Array:
    factors = np.moveaxis(factor, dimension, 0)
    result = np.moveaxis(np.array(x, copy=True), dimension, 0)
    order = range(len(result))[::-1] if reverse else range(len(result))
    for before, i in itertools.pairwise(order):
        result[i] = factors[i] * result[before] + result[i]
    return np.moveaxis(result, 0, dimension)


row(
    "linear_recurrence",
    NUMBER,
    _ANY,
    _ANY,
    oracle=_recurrence,
    cases=(
        *_cases(2),
        _along(2, 3, 4, dimension=1, operands=2),
        _along(1, 2, dimension=0, operands=2),
        _along(2, 0, dimension=1, operands=2),
    ),
    ulps=8,
    normwise=True,
)


# Sorting --------------------------------------------------------------------------------------


def _rank(value: Any) -> tuple[Any, ...]:
    """A key that gives Python the order of elements: NaN last."""
    if np.iscomplexobj(value):
        return (*_rank(value.real), *_rank(value.imag))
    isnan = value != value
    return isnan, 0 if isnan else value


def _sorted(
    *xs: Array, dimension: int, num_keys: int, first: int | None = None, descending: bool = False
) -> Array:
    """The first operand, one row after the other."""
    rows = [np.moveaxis(x, dimension, -1) for x in xs]
    result = np.empty_like(rows[0])
    for place in np.ndindex(rows[0].shape[:-1]):
        keys = [
            tuple(part for row in rows[:num_keys] for part in _rank(row[place][i]))
            for i in range(result.shape[-1])
        ]
        order = sorted(range(len(keys)), key=keys.__getitem__, reverse=descending)
        for i, source in enumerate(order):
            result[place][i] = rows[0][place][source]
    return np.moveaxis(result[..., :first], -1, dimension)


def _sort(
    *shape: int,
    dimension: int,
    operands: int = 1,
    num_keys: int = 1,
    order: dict[str, Any] | None = None,
    **rest: Any,
) -> Case:
    params = {"dimension": dimension, "num_keys": num_keys, **(order or {})}
    return Case(params, (shape,) * operands, **rest)


row(
    "sort",
    ELEMENT,
    spaced(),
    exact=_sorted,
    cases=(
        _sort(5, dimension=0),
        _sort(3, 4, dimension=1),
        _sort(3, 4, dimension=0, operands=2),
        _sort(2, 3, 4, dimension=1, operands=3, num_keys=2),
        _sort(1, 2, dimension=0),
        _sort(2, 0, dimension=1),
        # Sorted by digits on the CPU, and below merged elsewhere.
        _sort(200, 2, dimension=0),
        _sort(2, 300, dimension=1, operands=2, num_keys=2, types=(dtypes.float32, dtypes.uint8)),
        _sort(3, 4, dimension=0, operands=2, order={"descending": True}),
        _sort(5, 3, dimension=0, order={"first": 2}),
        _sort(2, 3, dimension=1, order={"first": 0, "descending": True}),
        # Selected on the CPU.
        _sort(2, 80, dimension=1, operands=2, num_keys=2, order={"first": 5, "descending": True}),
        _sort(70, 2, dimension=0, order={"first": 1}),
    ),
    call=lambda *xs, dimension, num_keys, **order: ops.sort(xs, dimension, num_keys, **order)[0],
)
