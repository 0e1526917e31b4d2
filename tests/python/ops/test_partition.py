"""Every op on sharded operands: the program of one device means the same as the op on whole arrays.

The program is evaluated by its meaning, on all devices at once; nothing is compiled.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import pytest

import dovetail as dt
from dovetail import dtypes
from dovetail.reference import Evaluator
from support import spmd
from support.op_calls import Call, all_calls

CALLS = all_calls(dtypes.float32) + all_calls(dtypes.int32) + all_calls(dtypes.complex64)
# In units of the last place of the largest element: sums are computed in another order.
BOUND = 64


def shardings_of(shapes: list[tuple[int, ...]]) -> Iterator[tuple[spmd.Mesh, list[spmd.Dims]]]:
    """Each dimension of each operand sharded, with and without padding, then each pair of them."""
    dims = [
        (i, d, count)
        for i, shape in enumerate(shapes)
        for d, n in enumerate(shape)
        for count in (2, 3)
        if n > 1
    ]

    def with_axes(axes: dict[tuple[int, int], str]) -> list[spmd.Dims]:
        return [
            [[axes[i, d]] if (i, d) in axes else [] for d in range(len(shape))]
            for i, shape in enumerate(shapes)
        ]

    for i, d, count in dims:
        yield {"x": count}, with_axes({(i, d): "x"})
    for (i, d, count), (j, e, other) in itertools.combinations(dims, 2):
        if i != j and count == other:
            yield {"x": count}, with_axes({(i, d): "x", (j, e): "x"})
        yield {"x": count, "y": other}, with_axes({(i, d): "x", (j, e): "y"})


@pytest.mark.parametrize("call", CALLS, ids=str)
def test_sharded_operands(call: Call) -> None:
    operands = call.ordinary()
    shapes = [x.shape for x in operands]
    lowered = dt.jit(lambda *x: call.row.apply(*x, **call.attributes)).lower(*operands)
    module = lowered._program.module
    plain = module.clone()
    plain.run("", "check")
    expected = Evaluator(plain.program("main"))(list(operands))
    for mesh, dims in itertools.islice(shardings_of(shapes), 12):
        local = spmd.partitioned(module, mesh, dims)
        if call.row.pointwise:
            # Each device computes its part, whatever part it has of the other operands.
            assert len(mesh) > 1 or "all_gather" not in local.text()
        results = spmd.evaluated_parts(local, mesh, operands, expected)
        for result, wanted in zip(results, expected, strict=True):
            call.check(result, wanted, BOUND)
