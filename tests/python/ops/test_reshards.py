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
    # Parts of different sizes.
    ({"x": 2, "y": 2}, (6, 7)),
    ({"x": 2, "y": 4}, (9, 15)),
    ({"x": 3, "y": 2}, (5, 11)),
    ({"x": 2, "y": 2, "z": 2}, (6, 12)),
    ({"x": 2, "y": 2, "z": 2, "w": 2, "v": 2}, (32,)),
    ({"x": 2, "y": 2, "z": 2, "w": 2, "v": 2}, (4, 8)),
]


def every_dims(mesh: spmd.Mesh, shape: tuple[int, ...]) -> list[Dims]:
    """All ways to divide the dimensions."""
    return [tuple(map(tuple, dims)) for dims in spmd.every_dims(mesh, shape)]


def counts(mesh: spmd.Mesh, dims: Dims) -> tuple[int, ...]:
    return tuple(math.prod(mesh[axis] for axis in axes) for axes in dims)


def parts_of(mesh: spmd.Mesh, shape: tuple[int, ...], dims: Dims) -> tuple[int, ...]:
    """The sizes of a device's part, which is padded."""
    return tuple(-(-size // count) for size, count in zip(shape, counts(mesh, dims), strict=True))


def is_even(mesh: spmd.Mesh, shape: tuple[int, ...], dims: Dims) -> bool:
    return not any(size % count for size, count in zip(shape, counts(mesh, dims), strict=True))


def is_nested(mesh: spmd.Mesh, size: int, few: tuple[str, ...], many: tuple[str, ...]) -> bool:
    """Whether parts over fewer axes are made of whole parts over more of them."""
    a, b = (math.prod(mesh[axis] for axis in axes) for axes in (few, many))
    return a == 1 or -(-size // a) == b // a * -(-size // b)


def moves(
    mesh: spmd.Mesh, shape: tuple[int, ...], every: list[Dims], dims: Dims
) -> Iterator[tuple[Dims, float]]:
    """The shardings that one collective, or a slice, makes of one, and how many elements a device
    receives for it.
    """
    held = math.prod(parts_of(mesh, shape, dims))
    free = [axis for axis in mesh if not any(axis in axes for axes in dims)]

    def replaced(changes: dict[int, tuple[str, ...]]) -> Dims:
        return tuple(changes.get(d, axes) for d, axes in enumerate(dims))

    for d, axes in enumerate(dims):
        for count in range(1, len(free) + 1):
            for more in itertools.permutations(free, count):
                if is_nested(mesh, shape[d], axes, axes + more):
                    yield replaced({d: axes + more}), 0
        for k in range(len(axes)):
            rest, moved = axes[:k], axes[k:]
            if not is_nested(mesh, shape[d], rest, axes):
                continue
            parts = math.prod(mesh[axis] for axis in moved)
            yield replaced({d: rest}), held * (parts - 1)
            for other in range(len(dims)):
                after = dims[other] + moved
                if other != d and is_nested(mesh, shape[other], dims[other], after):
                    size = parts_of(mesh, shape, dims)[other]
                    sent = held // size * -(-size // parts)
                    yield replaced({d: rest, other: after}), sent * (parts - 1)
    for after in every:
        if after != dims and counts(mesh, after) == counts(mesh, dims):
            yield after, held


def fewest(mesh: spmd.Mesh, shape: tuple[int, ...], start: Dims, end: Dims) -> float:
    """The fewest elements that a device receives in at most three moves, none of which makes its
    part larger than at both ends; infinite if there are no such moves. Over other axes than those
    of the shardings, devices may hold terms of a sum, or arrays of their own.
    """
    used = {axis for dims in (start, end) for axes in dims for axis in axes}
    mesh = {axis: size for axis, size in mesh.items() if axis in used}
    every = every_dims(mesh, shape)
    most = max(math.prod(parts_of(mesh, shape, dims)) for dims in (start, end))
    best = {start: 0.0}
    for _ in range(3):
        for dims, so_far in list(best.items()):
            for after, more in moves(mesh, shape, every, dims):
                if math.prod(parts_of(mesh, shape, after)) <= most:
                    best[after] = min(so_far + more, best.get(after, math.inf))
    return best.get(end, math.inf)


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
    every = every_dims(mesh, shape)
    rng = np.random.default_rng(crc32(f"{mesh} {shape}".encode()))
    x = rng.normal(size=shape).astype(np.float32)
    # The exhaustive search takes long over many axes.
    count = min(len(every) ** 2, 3000 if IS_NIGHTLY else 60) // (1 if len(mesh) < 4 else 20)
    for pair in rng.choice(len(every) ** 2, count, replace=False):
        before, after = (every[i] for i in divmod(pair, len(every)))
        local = moved(mesh, shape, before, after)
        text = local.text()
        is_single = len(_COLLECTIVE.findall(text)) == 1
        # One collective is taken even if others would move less padding.
        if not is_single or all(is_even(mesh, shape, dims) for dims in (before, after)):
            assert received(text) <= fewest(mesh, shape, before, after), (before, after, text)
        (result,) = spmd.evaluated_parts(local, mesh, [x], [x])
        np.testing.assert_array_equal(result, x)
