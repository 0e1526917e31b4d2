"""Every op on sharded operands: the program of one device means the same as the op on whole arrays.

Most programs are evaluated by their meaning, on all devices at once.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from zlib import crc32

import numpy as np
import pytest

import dovetail as dt
from dovetail import dtypes
from dovetail.reference import Evaluator
from support import spmd
from support.breadth import at_night, some
from support.op_calls import Call, all_calls, calls_to_compile, compared, program_of

CALLS = all_calls(dtypes.float32) + all_calls(dtypes.int32) + all_calls(dtypes.complex64)
# Each call has operands with random shardings over each of these.
MESHES: tuple[spmd.Mesh, ...] = ({"x": 2}, {"x": 4}, {"x": 2, "y": 2}, {"x": 2, "y": 4})
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
    rng = np.random.default_rng(crc32(f"{call}".encode()))
    random = [(mesh, [spmd.random_dims(mesh, shape, rng) for shape in shapes]) for mesh in MESHES]
    for mesh, dims in [*itertools.islice(shardings_of(shapes), 12), *random]:
        local = spmd.partitioned(module, mesh, dims)
        if call.row.pointwise and (mesh, dims) not in random:
            # Each device computes its part, whatever part it has of the other operands.
            assert len(mesh) > 1 or "all_gather" not in local.text()
        results = spmd.evaluated_parts(local, mesh, operands, expected)
        for result, wanted in zip(results, expected, strict=True):
            call.check(result, wanted, BOUND)


@pytest.mark.parametrize(
    "mesh",
    [pytest.param(mesh, marks=[at_night] * (mesh != MESHES[-1]), id=f"{mesh}") for mesh in MESHES],
)
def test_compiled_on_devices(mesh: spmd.Mesh) -> None:
    """Calls of ops, as one program that all devices run."""
    calls = some(calls_to_compile(dtypes.float32, in_every_way=()), 3)
    operands = [call.ordinary() for call in calls]
    program = program_of(calls, operands, dynamic=False)
    rng = np.random.default_rng(0)
    dims = [spmd.random_dims(mesh, x.shape, rng) for x in program.inputs]
    local = spmd.partitioned(program.module, mesh, dims)
    _, returned = spmd.dims_of(local)
    whole = program.module.clone()
    whole.run("", "check")
    expected = Evaluator(whole.program("main"))(program.inputs)
    types = [dtype for each in program.results for dtype in each]
    parts = spmd.run_on_devices(local, mesh, program.inputs, output_dtypes=types)
    results = [
        spmd.joined(each, mesh, axes, np.shape(other))
        for each, axes, other in zip(parts, returned, expected, strict=True)
    ]
    both = (compared(calls, operands, program, each) for each in (results, expected))
    for call, result, wanted in zip(calls, *both, strict=True):
        call.check(result, wanted, max(BOUND, call.row.bound(call.dtype)), flush=True)
