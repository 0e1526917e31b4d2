"""Ops that read and write windows at positions that are known only at run time."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from dovetail import dtypes
from support.op_row import ELEMENT, NUMBER, ORDERED, Array, Case, Row
from support.op_samplers import Listed, Sampler, Shape, around, between, spaced

Dims = tuple[int, ...]

ROWS: list[Row] = []


def _windows(x: Array, indices: Array, dims: Dims, window: Dims) -> list[tuple[Any, Any]]:
    """The position of each window in the result and in the operand, None if it is not inside."""
    found = []
    for place in np.ndindex(indices.shape[:-1]):
        index = [slice(None)] * x.ndim
        inside = True
        for start, dim, size in zip(indices[place], dims, window, strict=True):
            inside = inside and 0 <= int(start) <= x.shape[dim] - size
            index[dim] = slice(int(start), int(start) + size)
        found.append((place, tuple(index) if inside else None))
    return found


def _gathered(x: Array, indices: Array, dims: Dims, window: Dims) -> Array:
    sizes = list(x.shape)
    for dim, size in zip(dims, window, strict=True):
        sizes[dim] = size
    result = np.zeros(indices.shape[:-1] + tuple(sizes), x.dtype)
    for place, index in _windows(x, indices, dims, window):
        if index is not None:
            result[place] = x[index]
    return result


def _scattered(step: Callable[[Array, Array], Array]) -> Callable[..., Array]:
    def oracle(
        x: Array,
        indices: Array,
        updates: Array,
        dims: Dims,
        window: Dims,
        unique: bool = False,
    ) -> Array:
        result = np.array(x)
        for place, index in _windows(x, indices, dims, window):
            if index is not None:
                result[index] = step(result[index], updates[place])
        return result

    return oracle


def _with_indices(count: int) -> Callable[[np.dtype], tuple[np.dtype, ...]]:
    """Indices are of the operand's type if it has all of them, and int32 otherwise."""
    own = (dtypes.uint8, dtypes.int16, dtypes.uint32, dtypes.int64)

    def types(dtype: np.dtype) -> tuple[np.dtype, ...]:
        return dtype, dtype if dtype in own else dtypes.int32, *[dtype] * (count - 2)

    return types


# Shapes of operand and indices, dims, window and the indices: some are outside.
_PLACES: list[tuple[Shape, Shape, Dims, Dims, Sampler]] = [
    ((5,), (4, 1), (0,), (1,), Listed(3, 0, -1, 5)),
    ((4, 3), (3, 1), (0,), (1,), Listed(2, 2, 0)),
    ((4, 3), (3, 1), (1,), (1,), Listed(2, 1, 3)),
    ((4, 3), (2, 2), (1, 0), (1, 1), Listed(2, 3, 0, 1)),
    ((6,), (3, 1), (0,), (2,), Listed(0, 4, 5)),
    ((4, 5), (2,), (0, 1), (2, 3), Listed(1, 2)),
    ((4, 5), (2,), (0, 1), (1, 5), Listed(3, 0)),
    ((2, 4, 3), (2, 2, 1), (1,), (2,), Listed(0, 2, 1, 3)),
    # An index that is negative if its sign is mistaken.
    ((200,), (3, 1), (0,), (1,), Listed(150, 3, 200)),
    ((2, 2), (0, 1), (0,), (1,), Listed(0)),
    # All of a dimension: only the first index is within it.
    ((4, 6), (3, 2), (0, 1), (1, 6), Listed(3, 0, 1, 2, 3, 0)),
    ((2,), (3, 0), (), (), Listed(0)),
]


def _case(
    places: tuple[Shape, Shape, Dims, Dims, Sampler],
    sample: Sampler,
    of_updates: Sampler | None = None,
    **rest: Any,
) -> Case:
    """A scatter at these positions."""
    shape, indices, dims, window, numbers = places
    sizes = list(shape)
    for dim, size in zip(dims, window, strict=True):
        sizes[dim] = size
    updates = indices[:-1] + tuple(sizes)
    return Case(
        {"dims": dims, "window": window} | rest,
        (shape, indices, updates),
        samples=(sample, numbers, of_updates or sample),
    )


def _row(name: str, types: tuple[np.dtype, ...], oracle: Any, **rest: Any) -> None:
    ROWS.append(Row(name, types, (), pointwise=False, oracle=oracle, **rest))


_ANY = between(-2, 2)

ROWS.append(
    Row(
        "gather",
        ELEMENT,
        (),
        exact=_gathered,
        cases=tuple(
            Case({"dims": dims, "window": window}, (shape, indices), samples=(_ANY, numbers))
            for shape, indices, dims, window, numbers in _PLACES
        ),
        pointwise=False,
        operand_types=_with_indices(2),
    )
)
ROWS.append(
    Row(
        "scatter",
        ELEMENT,
        (),
        exact=_scattered(lambda x, update: update),
        cases=tuple(_case(places, _ANY) for places in _PLACES[:-1]),
        pointwise=False,
        operand_types=_with_indices(3),
    )
)
_row(
    "scatter_add",
    ELEMENT,
    _scattered(lambda x, update: x + update),
    cases=tuple(_case(places, _ANY) for places in _PLACES[:-1]),
    operand_types=_with_indices(3),
    ulps=8,
    normwise=True,
)
_row(
    "scatter_mul",
    NUMBER,
    _scattered(lambda x, update: x * update),
    # With respect to overlapping updates it has no derivative.
    cases=tuple(_case(_PLACES[i], around(0.5, 2), unique=True) for i in (2, 3, 5, 6, 9)),
    operand_types=_with_indices(3),
    ulps=4,
    normwise=True,
)
_row(
    "scatter_min",
    ORDERED,
    _scattered(np.minimum),
    cases=tuple(_case(places, spaced(), spaced(0.3)) for places in _PLACES[:-1]),
    operand_types=_with_indices(3),
)
_row(
    "scatter_max",
    ORDERED,
    _scattered(np.maximum),
    cases=tuple(_case(places, spaced(), spaced(0.3)) for places in _PLACES[:-1]),
    operand_types=_with_indices(3),
)
