"""Every op on sharded operands: the program of one device means the same as the op on whole arrays.

The program is evaluated by its meaning, on all devices at once; nothing is compiled.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import numpy as np
import pytest

import dovetail as dt
from dovetail import _core, dtypes
from dovetail.reference import Evaluator
from support import spmd
from support.op_calls import Call, all_calls

CALLS = all_calls(dtypes.float32) + all_calls(dtypes.int32) + all_calls(dtypes.complex64)
# In units of the last place of the largest element: sums are computed in another order.
BOUND = 64


def factor_of(size: int) -> int:
    """The smallest factor of a size; 1 if there is none."""
    return next((n for n in range(2, size + 1) if size % n == 0), 1)


def shardings_of(shapes: list[tuple[int, ...]]) -> Iterator[tuple[spmd.Mesh, list[spmd.Dims]]]:
    """Each dimension of each operand sharded, then each pair of dimensions of two operands."""
    dims = [(i, d, factor_of(n)) for i, shape in enumerate(shapes) for d, n in enumerate(shape)]
    dims = [each for each in dims if each[2] > 1]

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


def evaluated(module: _core.Module, operands: tuple[np.ndarray, ...]) -> list[np.ndarray]:
    return Evaluator(module.program("main"))(list(operands))


@pytest.mark.parametrize("call", CALLS, ids=str)
def test_sharded_operands(call: Call) -> None:
    operands = call.ordinary()
    shapes = [x.shape for x in operands]
    lowered = dt.jit(lambda *x: call.row.apply(*x, **call.attributes)).lower(*operands)
    module = lowered._program.module
    plain = module.clone()
    plain.run("", "check")
    expected = evaluated(plain, operands)
    for mesh, dims in itertools.islice(shardings_of(shapes), 12):
        local = spmd.partitioned(module, mesh, dims)
        if call.row.pointwise:
            # Each device computes its part, whatever part it has of the other operands.
            assert len(mesh) > 1 or "all_gather" not in local.text()
        results = evaluated(spmd.meaning(local, mesh), operands)
        for result, wanted in zip(results, expected, strict=True):
            call.check(result, wanted, BOUND)
