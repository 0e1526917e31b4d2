"""Every op on sharded operands: the program of one device means the same as the op on whole arrays.

Most programs are evaluated by their meaning, on all devices at once.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any
from zlib import crc32

import numpy as np
import pytest

import dovetail as dt
from dovetail import dtypes, lax
from dovetail.reference import Evaluator
from dovetail.sharding import AbstractMesh
from dovetail.sharding import PartitionSpec as P
from support import spmd
from support.breadth import IS_NIGHTLY, at_night, some
from support.op_calls import MOST_CALLS, Call, all_calls, calls_to_compile, compared, program_of

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


def every_sharding(
    shapes: list[tuple[int, ...]], rng: np.random.Generator
) -> Iterator[tuple[spmd.Mesh, list[spmd.Dims]]]:
    """Every sharding of each operand over each mesh, beside whole ones and beside random ones."""
    for mesh in MESHES:
        if not shapes:
            yield mesh, []
        for i, shape in enumerate(shapes):
            for dims in spmd.every_dims(mesh, shape):
                others = [[[] for _ in other] for other in shapes]
                yield mesh, [*others[:i], dims, *others[i + 1 :]]
                if len(shapes) > 1:
                    random = [spmd.random_dims(mesh, other, rng) for other in shapes]
                    yield mesh, [*random[:i], dims, *random[i + 1 :]]


def divides(mesh: spmd.Mesh, shape: tuple[int, ...], dims: spmd.Dims) -> bool:
    """Whether all parts of an array have the same size."""
    counts = (math.prod(mesh[axis] for axis in axes) for axes in dims)
    return all(size % count == 0 for size, count in zip(shape, counts, strict=True))


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
    few, all_of_them = itertools.islice(shardings_of(shapes), 12), every_sharding(shapes, rng)
    for mesh, dims in [*few, *random, *(all_of_them if IS_NIGHTLY else ())]:
        local = spmd.partitioned(module, mesh, dims)
        divided = sum(bool(axes) for each in dims for axes in each)
        if call.row.pointwise and divided == 1:
            # Each device computes its part, whatever part it has of the other operands.
            assert "all_gather" not in local.text()
        results = spmd.evaluated_parts(local, mesh, operands, expected)
        for result, wanted in zip(results, expected, strict=True):
            call.check(result, wanted, BOUND)


@pytest.mark.parametrize("call", some(CALLS, 3), ids=str)
def test_sharded_operands_in_functions_of_parts(call: Call) -> None:
    """Axes over which a function takes no parts divide what it computes."""
    operands = call.ordinary()
    shapes = [x.shape for x in operands]
    axes = {"manual": 2, "x": 2, "y": 2}

    def on_parts(*x: Any) -> list[Any]:
        return [leaf[None] for leaf in dt.tree.leaves(call.row.apply(*x, **call.attributes))]

    mapped = dt.shard_map(
        on_parts,
        mesh=AbstractMesh(tuple(axes.values()), tuple(axes)),
        in_specs=P(),
        out_specs=P("manual"),
        axis_names={"manual"},
        check_vma=False,
    )
    module = dt.jit(mapped).lower(*operands)._program.module
    plain = module.clone()
    plain.run("", "check")
    expected = Evaluator(plain.program("main"))(list(operands))
    rng = np.random.default_rng(crc32(f"{call}".encode()))
    for _ in range(2):
        dims = [spmd.random_dims({"x": 2, "y": 2}, shape, rng) for shape in shapes]
        local = spmd.partitioned(module, axes, dims)
        results = spmd.evaluated_parts(local, axes, operands, expected)
        for result, wanted in zip(results, expected, strict=True):
            for part, whole in zip(result, wanted, strict=True):
                call.check(part, whole, BOUND)


# Of the same number of elements.
SHAPES = ((32,), (4, 8), (8, 4), (4, 2, 4), (2, 16), (16, 2), (2, 2, 8), (2, 1, 16), (1, 32))


@pytest.mark.parametrize("mesh", [{"x": 2, "y": 2}, {"x": 4, "y": 2}], ids=str)
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_regrouped_dimensions(shape: tuple[int, ...], mesh: spmd.Mesh) -> None:
    """What is divided over several axes becomes several dimensions, or one."""
    x = np.arange(32, dtype=np.float32).reshape(shape)
    rng = np.random.default_rng(crc32(f"{shape} {mesh}".encode()))
    ways = [*spmd.every_dims(mesh, shape)]
    for other in SHAPES:
        module = dt.jit(lambda a, other=other: a.reshape(other)).lower(x)._program.module
        chosen = ways if IS_NIGHTLY else [ways[i] for i in rng.integers(len(ways), size=4)]
        for dims in chosen:
            [result], [expected] = spmd.evaluated(module, mesh, [dims], [x])
            np.testing.assert_array_equal(result, expected)


def gathered(part: Any, dims: spmd.Dims) -> Any:
    """The array of which a device has a part."""
    for d, axes in enumerate(dims):
        if axes:
            part = lax.all_gather(part, tuple(axes), axis=d, tiled=True)
    return part


def of_parts(
    calls: Sequence[Call], mesh: spmd.Mesh, dims: Sequence[Sequence[spmd.Dims]]
) -> Callable[..., Any]:
    """A function of the operands of all calls, of which it takes parts, and makes them whole for
    the ops; the leading dimension of its results is that of the devices.
    """

    def on_a_device(*parts: Any) -> list[Any]:
        remaining = iter(parts)
        return [
            leaf[None]
            for call, each in zip(calls, dims, strict=True)
            for leaf in dt.tree.leaves(call.apply(*[gathered(next(remaining), x) for x in each]))
        ]

    axes = tuple(mesh)
    return dt.shard_map(
        on_a_device,
        mesh=AbstractMesh(tuple(mesh.values()), axes),
        in_specs=tuple(P(*map(tuple, x)) for each in dims for x in each),
        out_specs=P(axes),
    )


@pytest.mark.parametrize("call", CALLS, ids=str)
def test_functions_of_parts(call: Call) -> None:
    """Calls in functions that `shard_map` applies, which vary along the axes of their operands."""
    operands = call.ordinary()
    shapes = [x.shape for x in operands]
    expected = dt.tree.leaves(dt.jit(call.apply, compile="never")(*operands))
    rng = np.random.default_rng(crc32(f"parts of {call}".encode()))
    ways = [
        (mesh, dims)
        for mesh, dims in every_sharding(shapes, rng)
        if all(divides(mesh, *each) for each in zip(shapes, dims, strict=True))
    ]
    chosen = ways if IS_NIGHTLY else [ways[i] for i in rng.integers(len(ways), size=3)]
    for mesh, dims in chosen:
        function = dt.jit(of_parts([call], mesh, [dims]), compile="never")
        for results, wanted in zip(function(*operands), expected, strict=True):
            assert len(results) == math.prod(mesh.values())
            for result in results:
                call.check(np.asarray(result), np.asarray(wanted), BOUND)


def programs(count: int) -> Iterator[Sequence[Call]]:
    """The calls of each program: by day, every `count`-th."""
    calls = some(calls_to_compile(dtypes.float32, in_every_way=()), count)
    return (calls[i : i + MOST_CALLS] for i in range(0, len(calls), MOST_CALLS))


def on_every_mesh(day: spmd.Mesh) -> pytest.MarkDecorator:
    """All meshes at night, and one by day."""
    return pytest.mark.parametrize(
        "mesh",
        [pytest.param(mesh, marks=[at_night] * (mesh != day), id=f"{mesh}") for mesh in MESHES],
    )


@on_every_mesh(MESHES[2])
def test_functions_of_parts_on_devices(mesh: spmd.Mesh) -> None:
    """The same, as one program that all devices run."""
    for calls in programs(5):
        check_functions_of_parts(calls, mesh)


def check_functions_of_parts(calls: Sequence[Call], mesh: spmd.Mesh) -> None:
    operands = [call.ordinary() for call in calls]
    rng = np.random.default_rng(0)
    dims = [[legal_dims(mesh, x.shape, rng) for x in each] for each in operands]
    values = [x for each in operands for x in each]
    local = spmd.partitioned(
        dt.jit(of_parts(calls, mesh, dims)).lower(*values)._program.module,
        mesh,
        [x for each in dims for x in each],
    )
    expected = [
        [np.asarray(leaf) for leaf in dt.tree.leaves(dt.jit(call.apply, compile="never")(*each))]
        for call, each in zip(calls, operands, strict=True)
    ]
    types = [leaf.dtype for leaves in expected for leaf in leaves]
    remaining = iter(spmd.run_on_devices(local, mesh, values, output_dtypes=types))
    for call, leaves in zip(calls, expected, strict=True):
        for wanted in leaves:
            for result in next(remaining):
                bound = max(BOUND, call.row.bound(call.dtype))
                call.check(result[0], wanted, bound, flush=True)


def legal_dims(mesh: spmd.Mesh, shape: tuple[int, ...], rng: np.random.Generator) -> spmd.Dims:
    """A random one of those that divide an array into parts of the same size."""
    ways = [dims for dims in spmd.every_dims(mesh, shape) if divides(mesh, shape, dims)]
    return ways[rng.integers(len(ways))]


@on_every_mesh(MESHES[-1])
def test_compiled_on_devices(mesh: spmd.Mesh) -> None:
    """Calls of ops, as one program that all devices run."""
    for calls in programs(3):
        check_compiled(calls, mesh)


def check_compiled(calls: Sequence[Call], mesh: spmd.Mesh) -> None:
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
