"""Ops whose operands and results have different shapes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from dovetail import dtypes, ops
from support.op_row import (
    BOOL,
    COMPLEX,
    ELEMENT,
    FLOAT,
    FLOAT8,
    INT,
    NUMBER,
    ORDERED,
    WIDE,
    Array,
    Case,
    Row,
)
from support.op_samplers import Sampler, around, between, spaced, with_zeros

Dims = tuple[int, ...]

_ANY = between(-2, 2)

ROWS: list[Row] = []


def row(name: str, types: tuple[np.dtype, ...], *samples: Sampler, **rest: Any) -> None:
    """Adds a row."""
    ROWS.append(Row(name, types, samples, **rest))


# Creation and shape ---------------------------------------------------------------------------


def _padded(x: Array, value: Array, shape: Dims, low: Dims, interior: Dims) -> Array:
    result = np.full(shape, value, x.dtype)
    for index in np.ndindex(x.shape):
        target = tuple(a + i * (b + 1) for i, a, b in zip(index, low, interior, strict=True))
        if all(0 <= t < n for t, n in zip(target, shape, strict=True)):
            result[target] = x[index]
    return result


def _sliced(x: Array, shape: Dims, starts: Dims, strides: Dims) -> Array:
    for d, (n, start, stride) in enumerate(zip(shape, starts, strides, strict=True)):
        x = np.take(x, [start + i * stride for i in range(n)], d)
    return x


def _broadcast(x: Array, shape: Dims, dims: Dims) -> Array:
    kept = [x.shape[dims.index(d)] if d in dims else 1 for d in range(len(shape))]
    return np.tile(x.reshape(kept), [n if d not in dims else 1 for d, n in enumerate(shape)])


def move(name: str, exact: Callable[..., Array], *cases: Case, **rest: Any) -> None:
    """Adds a row of an op that only moves elements."""
    row(name, ELEMENT, _ANY, exact=exact, cases=cases, pointwise=False, **rest)


def _of(*shapes: Dims, **attributes: Any) -> Case:
    return Case(attributes, shapes)


row(
    "iota",
    INT + FLOAT + COMPLEX,
    exact=lambda shape, dimension, dtype: np.indices(shape)[dimension].astype(dtype),
    cases=tuple(
        Case({"shape": shape, "dimension": d})
        for shape, d in (((5,), 0), ((2, 3), 1), ((3, 0, 2), 0))
    ),
    pointwise=False,
    takes_dtype=True,
    no_derivative="it has no operand",
    no_batch="it has no operand",
)
move(
    "reshape",
    lambda x, shape: np.array(x.ravel().tolist(), x.dtype).reshape(shape),
    _of((2, 3), shape=(3, 2)),
    _of((2, 3), shape=(6,)),
    _of((4,), shape=(2, 1, 2)),
    _of((1, 1), shape=()),
    _of((0, 3), shape=(2, 0)),
)
move(
    "broadcast",
    _broadcast,
    _of((), shape=(2, 3), dims=()),
    _of((3,), shape=(2, 3), dims=(1,)),
    _of((2, 3), shape=(2, 4, 3), dims=(0, 2)),
    _of((0,), shape=(0, 2), dims=(0,)),
)
move(
    "slice",
    _sliced,
    _of((5,), shape=(3,), starts=(1,), strides=(1,)),
    _of((4, 7), shape=(2, 3), starts=(1, 0), strides=(2, 3)),
    _of((3, 2), shape=(0, 2), starts=(1, 0), strides=(1, 1)),
    _of((), shape=(), starts=(), strides=()),
)
move(
    "pad",
    _padded,
    _of((3,), (), shape=(6,), low=(2,), interior=(0,)),
    _of((2, 3), (), shape=(5, 7), low=(1, 0), interior=(1, 2)),
    _of((5,), (), shape=(2,), low=(-2,), interior=(0,)),
    _of((5,), (), shape=(5,), low=(1,), interior=(0,)),
    _of((4, 3), (), shape=(4, 3), low=(-1, 1), interior=(0, 0)),
    _of((4, 2), (), shape=(4, 4), low=(-3, 1), interior=(1, 0)),
    _of((0, 2), (), shape=(2, 3), low=(1, 0), interior=(0, 0)),
    _of((), (), shape=(), low=(), interior=()),
)
move(
    "transpose",
    lambda x, permutation: np.moveaxis(x, permutation, range(x.ndim)),
    _of((2, 3), permutation=(1, 0)),
    _of((2, 3, 4), permutation=(2, 0, 1)),
    _of((), permutation=()),
)
move(
    "reverse",
    lambda x, dims: np.flip(x, dims),
    _of((4,), dims=(0,)),
    _of((2, 3, 2), dims=(0, 2)),
    _of((2, 0), dims=(1,)),
)
move(
    "roll",
    lambda x, dimension, shift: np.take(
        x, (np.arange(x.shape[dimension]) - shift) % max(x.shape[dimension], 1), axis=dimension
    ),
    _of((4,), dimension=0, shift=1),
    _of((5,), dimension=0, shift=2),
    _of((2, 4, 2), dimension=1, shift=3),
    _of((6, 2), dimension=0, shift=2),
    _of((2, 0), dimension=1, shift=1),
    _of((3, 2), dimension=0, shift=-4),
)
move(
    "concatenate",
    lambda *xs, dimension: np.moveaxis(
        np.array([v for x in xs for v in np.moveaxis(x, dimension, 0)]), 0, dimension
    ),
    _of((2,), (3,), dimension=0),
    _of((2, 1), (2, 3), (2, 2), dimension=1),
    _of((0, 2), (3, 2), dimension=0),
    _of((2, 1), (2, 0), (2, 2), (2, 0), dimension=1),
    _of((2, 3, 0), (2, 1, 0), dimension=1),
    _of((2, 2), dimension=0),
    call=lambda *xs, dimension: ops.concatenate(xs, dimension),
)

row(
    "optimization_barrier",
    ELEMENT,
    _ANY,
    exact=lambda x: x,
    cases=(_of((2, 3)), _of(()), _of((0, 2))),
    pointwise=False,
    call=lambda x: ops.optimization_barrier([x])[0],
)

# Reductions and contractions ------------------------------------------------------------------

_REDUCED = (_of((5,), dims=(0,)), _of((3, 4), dims=(0,)), _of((3, 4), dims=(1,)))
_REDUCED_FURTHER = (_of((2, 3, 4), dims=(0, 2)), _of((3, 2), dims=(0, 1)), _of((), dims=()))
_OF_NOTHING = (_of((0, 3), dims=(0,)),)
_ZEROS = tuple(
    Case(case.attributes, case.shapes, samples=(with_zeros(around(0.5, 2)),)) for case in _REDUCED
)


def reduction(
    name: str, types: tuple[np.dtype, ...], sample: Sampler, oracle: Any, *cases: Case, **rest: Any
) -> None:
    """Adds a row of a reduction over whole dimensions."""
    cases = (*_REDUCED, *_REDUCED_FURTHER, *cases)
    row(name, types, sample, oracle=oracle, cases=cases, pointwise=False, **rest)


def _over(step: Any) -> Callable[..., Array]:
    return lambda x, dims: step(x, axis=dims)


reduction("reduce_sum", NUMBER, _ANY, _over(np.sum), *_OF_NOTHING, ulps=4, normwise=True)
reduction(
    "reduce_prod",
    NUMBER,
    around(0.5, 2),
    _over(np.prod),
    *_OF_NOTHING,
    *_ZEROS,
    ulps=8,
    normwise=True,
)
reduction("reduce_max", ORDERED, spaced(), _over(np.max))
reduction("reduce_min", ORDERED, spaced(), _over(np.min))
reduction("reduce_and", BOOL + INT, _ANY, _over(np.bitwise_and.reduce))
reduction("reduce_or", BOOL + INT, _ANY, _over(np.bitwise_or.reduce))
reduction("reduce_xor", BOOL + INT, _ANY, _over(np.bitwise_xor.reduce))

for _name, _find in (("argmax", np.argmax), ("argmin", np.argmin)):
    row(
        _name,
        ORDERED,
        spaced(),
        oracle=lambda x, dimension, dtype, find=_find: find(x, axis=dimension),
        cases=tuple(
            Case({"dimension": d, "dtype": t}, (shape,))
            for shape, d, t in (
                ((5,), 0, dtypes.int32),
                ((3, 4), 0, dtypes.int64),
                ((3, 4), 1, dtypes.uint8),
            )
        ),
        pointwise=False,
        result_type=lambda _, attributes: attributes["dtype"],
        no_derivative="its result is an integer",
    )


def _dot(lhs: str, rhs: str, result: str, *shapes: Dims, **rest: Any) -> Case:
    """A contraction in einsum's notation; its dimensions are those that both operands have."""
    shared = [c for c in lhs if c in rhs]
    batch, contract = [c for c in shared if c in result], [c for c in shared if c not in result]
    attributes: dict[str, Any] = {
        f"{side}_{kind}": tuple(letters.index(c) for c in chosen)
        for side, letters in (("lhs", lhs), ("rhs", rhs))
        for kind, chosen in (("batch", batch), ("contract", contract))
    }
    free = [c for c in lhs + rhs if c not in shared]
    assert result == "".join(batch + free), "not the order of dot_general"
    types = rest.pop("types", ())
    return Case(attributes | rest, shapes, types=types)


def _contracted(x: Array, y: Array, element: Any = None, **dims: Dims) -> Array:
    """By tensordot on each element of the batch."""
    lhs_batch, rhs_batch = dims["lhs_batch"], dims["rhs_batch"]
    x = np.moveaxis(x, lhs_batch, range(len(lhs_batch)))
    y = np.moveaxis(y, rhs_batch, range(len(rhs_batch)))

    def remaining(rank: int, batch: Dims, contract: Dims) -> list[int]:
        order = [d for d in range(rank) if d not in batch]
        return [order.index(d) for d in contract]

    axes = (
        remaining(x.ndim, lhs_batch, dims["lhs_contract"]),
        remaining(y.ndim, rhs_batch, dims["rhs_contract"]),
    )
    batch = x.shape[: len(lhs_batch)]
    parts = [np.tensordot(x[i], y[i], axes) for i in np.ndindex(batch)]
    return np.array(parts).reshape(batch + np.shape(parts[0]))


row(
    "dot_general",
    NUMBER,
    _ANY,
    oracle=_contracted,
    cases=(
        _dot("ik", "kj", "ij", (3, 4), (4, 2)),
        _dot("k", "k", "", (5,), (5,)),
        _dot("i", "j", "ij", (2,), (3,)),
        _dot("ki", "jk", "ij", (4, 3), (2, 4)),
        _dot("bik", "bkj", "bij", (2, 3, 4), (2, 4, 2)),
        _dot("ibk", "kjb", "bij", (2, 3, 4), (4, 2, 3)),
        _dot("kil", "ljk", "ij", (2, 3, 4), (4, 2, 2)),
        _dot("ik", "kj", "ij", (3, 0), (0, 2)),
        _dot(
            "ik",
            "kj",
            "ij",
            (3, 4),
            (4, 2),
            element=dtypes.int32,
            types=(dtypes.int8, dtypes.uint8),
        ),
        _dot(
            "ik",
            "kj",
            "ij",
            (3, 4),
            (4, 2),
            element=dtypes.float32,
            types=(*FLOAT8, np.dtype("bfloat16"), dtypes.float16),
        ),
        _dot("ik", "kj", "ij", (3, 4), (4, 2), element=dtypes.complex128, types=WIDE),
    ),
    pointwise=False,
    result_type=lambda dtype, attributes: attributes.get("element", dtype),
    ulps=8,
    normwise=True,
)
