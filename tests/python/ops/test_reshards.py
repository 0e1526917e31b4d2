"""Moves between shardings: no sequence of collectives has a device receive fewer bytes."""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Iterator
from zlib import crc32

import numpy as np
import pytest

from dovetail import _core
from support import spmd
from support.breadth import IS_NIGHTLY

# The axes of each dimension.
Dims = tuple[tuple[str, ...], ...]

CASES: list[tuple[spmd.Mesh, tuple[int, ...]]] = [
    ({"x": 2, "y": 2}, (4, 8)),
    ({"x": 2, "y": 4}, (8, 16)),
    ({"x": 3, "y": 2}, (6, 12)),
    ({"x": 2, "y": 2, "z": 2}, (8, 8)),
    ({"x": 2, "y": 2, "z": 2}, (8,)),
    ({"x": 2, "y": 4}, (8, 8, 8)),
]


def every_dims(mesh: spmd.Mesh, shape: tuple[int, ...]) -> list[Dims]:
    """All ways to divide the dimensions."""
    return [tuple(map(tuple, dims)) for dims in spmd.every_dims(mesh, shape)]


def counts(mesh: spmd.Mesh, dims: Dims) -> tuple[int, ...]:
    return tuple(math.prod(mesh[axis] for axis in axes) for axes in dims)


def moves(
    mesh: spmd.Mesh, size: int, every: list[Dims], dims: Dims
) -> Iterator[tuple[Dims, float]]:
    """The shardings that one collective, or a slice, makes of one, and how many elements a device
    receives for it.
    """
    held = size / math.prod(counts(mesh, dims))
    free = [axis for axis in mesh if not any(axis in axes for axes in dims)]

    def replaced(changes: dict[int, tuple[str, ...]]) -> Dims:
        return tuple(changes.get(d, axes) for d, axes in enumerate(dims))

    for d, axes in enumerate(dims):
        for count in range(1, len(free) + 1):
            for more in itertools.permutations(free, count):
                yield replaced({d: axes + more}), 0
        for k in range(len(axes)):
            rest, moved = axes[:k], axes[k:]
            parts = math.prod(mesh[axis] for axis in moved)
            yield replaced({d: rest}), held * (parts - 1)
            for other in range(len(dims)):
                if other != d:
                    yield (
                        replaced({d: rest, other: dims[other] + moved}),
                        held * (parts - 1) / parts,
                    )
    for after in every:
        if after != dims and counts(mesh, after) == counts(mesh, dims):
            yield after, held


def fewest(mesh: spmd.Mesh, shape: tuple[int, ...], start: Dims, end: Dims) -> float:
    """The fewest elements that a device receives in at most three moves. Over other axes than those
    of the shardings, devices may hold terms of a sum, or arrays of their own.
    """
    used = {axis for dims in (start, end) for axes in dims for axis in axes}
    mesh = {axis: size for axis, size in mesh.items() if axis in used}
    every = every_dims(mesh, shape)
    best = {start: 0.0}
    for _ in range(3):
        for dims, so_far in list(best.items()):
            for after, more in moves(mesh, math.prod(shape), every, dims):
                best[after] = min(so_far + more, best.get(after, math.inf))
    return best[end]


def moved(mesh: spmd.Mesh, shape: tuple[int, ...], before: Dims, after: Dims) -> _core.Module:
    """The program of one device that moves its part."""
    axes = ", ".join(f'"{name}" = {size}' for name, size in mesh.items())
    array = f"tensor<{'x'.join(map(str, shape))}xf32>"

    def sharding(dims: Dims) -> str:
        each = ", ".join("{" + ", ".join(f'"{axis}"' for axis in axes) + "}" for axes in dims)
        return f"{{dovetail.sharding = #dovetail.sharding<#mesh, [{each}]>}}"

    module = _core.Module.parse(
        f"#mesh = #dovetail.mesh<[{axes}]>\n"
        "module attributes {dovetail.partition = #mesh} {\n"
        f"  func.func @main(%x: {array} {sharding(before)}) -> ({array} {sharding(after)}) {{\n"
        f"    return %x : {array}\n  }}\n}}"
    )
    module.run("", "shard")
    return module


_COLLECTIVE = re.compile(
    r"dovetail\.(all_gather|all_to_all|permute) .*? sizes \[([\d, ]+)\].*: tensor<([\dx]+)xf32>"
)


def received(text: str) -> float:
    """The elements that a device receives in a program."""
    total = 0.0
    for name, sizes, shape in _COLLECTIVE.findall(text):
        parts = math.prod(map(int, sizes.split(", ")))
        elements = math.prod(map(int, shape.split("x")))
        share = {"all_gather": parts - 1, "all_to_all": (parts - 1) / parts, "permute": 1}
        total += elements * share[name]
    return total


@pytest.mark.parametrize(("mesh", "shape"), CASES, ids=str)
def test_no_sequence_is_cheaper(mesh: spmd.Mesh, shape: tuple[int, ...]) -> None:
    every = [
        dims
        for dims in every_dims(mesh, shape)
        if not any(size % count for size, count in zip(shape, counts(mesh, dims), strict=True))
    ]
    rng = np.random.default_rng(crc32(f"{mesh} {shape}".encode()))
    x = rng.normal(size=shape).astype(np.float32)
    pairs = [*itertools.product(every, every)]
    if not IS_NIGHTLY:
        pairs = [pairs[i] for i in rng.choice(len(pairs), min(len(pairs), 60), replace=False)]
    for before, after in pairs:
        local = moved(mesh, shape, before, after)
        text = local.text()
        assert received(text) <= fewest(mesh, shape, before, after), (before, after, text)
        (result,) = spmd.evaluated_parts(local, mesh, [x], [x])
        np.testing.assert_array_equal(result, x)
