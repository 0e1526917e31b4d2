"""Sizes of 0 and 1, of dimensions and of batches, in every op, under every transform."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import dovetail as dt
import dovetail.numpy as dnp
from dovetail import dtypes
from dovetail.arrays.array import Array
from support.op_calls import Call, calls_of
from support.op_linalg import Fixed
from support.op_row import Row, assert_close
from support.op_samplers import Shape, draw
from support.op_table import OPS

pytestmark = pytest.mark.usefixtures("in_64_bits")
PREFERRED = (dtypes.float64, dtypes.int32, dtypes.complex128, dtypes.uint32)
BATCHED = [row for row in OPS if not row.no_batch]


def calls(row: Row) -> Iterator[Call]:
    """All ways of calling the op, with operands of one type."""
    yield from calls_of(row, next(t for t in PREFERRED if t in row.types))


def shapes_of(call: Call) -> tuple[Shape, ...]:
    types, _ = call.row.signature(call.case, call.dtype)
    return call.case.shapes or ((2, 3),) * len(types)


def operands_of(call: Call, shapes: tuple[Shape, ...]) -> list[Array]:
    rng = np.random.default_rng(0)
    types, samples = call.row.signature(call.case, call.dtype)
    return [
        Array(draw(rng, sample, dtype, shape))
        for sample, dtype, shape in zip(samples, types, shapes, strict=True)
    ]


@pytest.mark.parametrize("size", [0, 1])
@pytest.mark.parametrize("row", BATCHED, ids=str)
def test_small_batches(row: Row, size: int) -> None:
    """A batch of no or one element, over the first dimension of every subset of the operands."""
    for call in calls(row):
        shapes = shapes_of(call)
        single = call.eager([x._value() for x in operands_of(call, shapes)])
        for chosen in itertools.product((None, 0), repeat=len(shapes)):
            if all(axis is None for axis in chosen):
                continue
            batched = tuple(
                shape if axis is None else (size, *shape)
                for shape, axis in zip(shapes, chosen, strict=True)
            )
            operands = operands_of(call, batched)
            actual = dt.vmap(call.apply, in_axes=chosen)(*operands)._value()
            assert actual.dtype == single.dtype
            assert actual.shape == (size, *single.shape), f"{call} over {chosen}"
            if size:
                one = [
                    x._value() if axis is None else x._value()[0]
                    for x, axis in zip(operands, chosen, strict=True)
                ]
                bound = 4 if row.normwise else 0
                expected = call.eager(one)[None]
                assert_close(actual, expected, bound, normwise=row.normwise, what=str(call))


def resized(call: Call) -> Iterator[list[Array]]:
    """Operands with a size replaced by 0 or 1, in all shapes that have it, if the op accepts
    them.
    """
    _, samples = call.row.signature(call.case, call.dtype)
    if any(isinstance(sample, Fixed) for sample in samples):
        return
    shapes = shapes_of(call)
    for old, new in itertools.product({size for shape in shapes for size in shape}, (0, 1)):
        changed = tuple(tuple(new if size == old else size for size in shape) for shape in shapes)
        if changed == shapes:
            continue
        operands = operands_of(call, changed)
        try:
            dt.eval_shape(call.apply, *operands)
        except (TypeError, ValueError, IndexError):
            continue
        yield operands


def total(call: Call, operands: list[Any]) -> Any:
    result = call.apply(*operands)
    return dnp.sum(dnp.real(result) * dnp.cos(dnp.real(result)))


@pytest.mark.parametrize("row", OPS, ids=str)
def test_small_dimensions(row: Row) -> None:
    """Batching and differentiation of all calls with sizes of 0 and 1."""
    for call in calls(row):
        for operands in resized(call):
            result = call.apply(*operands)
            if not row.no_batch:
                twice = [dnp.stack([x, x]) for x in operands]
                batched = dt.vmap(call.apply)(*twice)
                assert batched.shape == (2, *result.shape), f"{call} of {operands}"
            if row.no_derivative or not dtypes.is_inexact(result.dtype):
                continue
            inexact = [i for i, x in enumerate(operands) if x.dtype == call.dtype]
            wrt = inexact if call.case.wrt is None else list(call.case.wrt)

            def of(chosen: list[Any], call=call, operands=operands, wrt=wrt) -> Any:
                replaced: list[Any] = list(operands)
                for i, x in zip(wrt, chosen, strict=True):
                    replaced[i] = x
                return total(call, replaced)

            point = [operands[i] for i in wrt]
            if all(dtypes.is_inexact(x.dtype) for x in point):
                gradient = dt.vjp(of, point)[1](dnp.ones((), of(point).dtype))[0]
                assert [g.shape for g in gradient] == [x.shape for x in point], str(call)


INDEXED = {
    "gather": lambda x, i: x[i],
    "set": lambda x, i: x.at[i].set(1.0),
    "add": lambda x, i: x.at[i].add(1.0),
    "multiply": lambda x, i: x.at[i].multiply(2.0),
    "max": lambda x, i: x.at[i].max(2.0),
    "slice": lambda x, i: dt.lax.dynamic_slice(x, (i[0],), (2,)),
    "update": lambda x, i: dt.lax.dynamic_update_slice(x, x[:2], (i[0],)),
    "extreme": lambda x, i: x[dnp.argmin(x)] + i,
    "loop": lambda x, i: dt.lax.fori_loop(0, i[0], lambda k, c: c.at[k].add(1.0), x),
    "while": lambda x, i: dt.lax.while_loop(lambda c: c[0] < i[0], lambda c: c + 1.0, x),
    "cond": lambda x, i: dt.lax.cond(i[0] > 0, lambda: x[i[0]], lambda: x[0]),
}


@pytest.mark.parametrize("size", [0, 1])
@pytest.mark.parametrize("name", INDEXED)
def test_batched_indices(name: str, size: int) -> None:
    """Array and indices with a batch each, of no or one element; nested, and differentiated."""
    function = INDEXED[name]
    x, i = dnp.ones((size, 5), np.float32), dnp.ones((size, 2), np.int32)
    of_one = function(x[0], i[0]) if size else dt.eval_shape(function, dnp.ones(5), i.sum(0))
    batched = dt.vmap(function)
    for run in (batched, dt.jit(batched)):
        result = run(x, i)
        assert result.shape == (size, *of_one.shape)
        if size:
            np.testing.assert_array_equal(result[0], of_one)
    if name not in ("loop", "while"):
        gradient = dt.grad(lambda x: batched(x, i).sum())(x)
        assert gradient.shape == x.shape
    nested = dt.vmap(batched)(dnp.ones((2, size, 5), np.float32), dnp.ones((2, size, 2), np.int32))
    assert nested.shape == (2, size, *of_one.shape)
