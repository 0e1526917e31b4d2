"""Solves the heat equation on a 4 × 2 mesh: each device has a tile, and exchanges its borders.

A step of the method of finite differences needs a halo around the tile: the nearest rows and
columns of the neighbours, which `ppermute` sends. The boundary of the plate is kept at zero: where
a device has no neighbour, it receives zeros.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import common
import meshes
import numpy as np

import dovetail as dt
import dovetail.numpy as dnp
from dovetail import P, lax

# A quarter is the largest for which the method is stable.
RATE = 0.2


def diffused(padded: Any) -> Any:
    """One step, for temperatures with a halo: float[n + 2, m + 2] to float[n, m]."""
    inner = padded[1:-1, 1:-1]
    around = padded[:-2, 1:-1] + padded[2:, 1:-1] + padded[1:-1, :-2] + padded[1:-1, 2:]
    return inner + RATE * (around - 4 * inner)


def with_neighbours(tile: Any, axis_name: str, dim: int) -> Any:
    """The tile between the border of the device before it along an axis, and that of the next."""
    count = lax.axis_size(axis_name)
    pairs = [(i, i + 1) for i in range(count - 1)]
    first = lax.slice_in_dim(tile, 0, 1, axis=dim)
    last = lax.slice_in_dim(tile, -1, None, axis=dim)
    before = lax.ppermute(last, axis_name, pairs)
    after = lax.ppermute(first, axis_name, [(j, i) for i, j in pairs])
    return dnp.concatenate([before, tile, after], axis=dim)


def solver(mesh: Any, steps: int) -> Any:
    """So many steps on tiles: float[n, m] to the same."""

    def step(_: Any, tile: Any) -> Any:
        # The second exchange also sends corners, which this stencil does not need.
        return diffused(with_neighbours(with_neighbours(tile, "rows", 0), "columns", 1))

    def solve(tile: Any) -> Any:
        return lax.fori_loop(0, steps, step, tile)

    spec = P("rows", "columns")
    return dt.jit(dt.shard_map(solve, mesh=mesh, in_specs=spec, out_specs=spec))


def solver_of_one(steps: int) -> Any:
    """The same on one device."""
    return dt.jit(
        lambda plate: lax.fori_loop(0, steps, lambda _, x: diffused(dnp.pad(x, 1)), plate)
    )


def heated(size: int) -> np.ndarray:
    """A plate with some hot spots: float[size, size]."""
    plate = np.zeros((size, size), np.float32)
    random = np.random.default_rng(1)
    for top, left in random.integers(0, size * 7 // 8, (6, 2)):
        plate[top : top + size // 8, left : left + size // 8] = 1
    return plate


def main(quick: bool, output: Path) -> dict[str, Any]:
    """Solves on eight devices, and on one."""
    mesh = meshes.mesh(rows=4, columns=2)
    size, steps = (32, 20) if quick else (128, 600)
    plate = heated(size)
    tiles = meshes.put(mesh, plate, "rows", "columns")
    result = solver(mesh, steps)(tiles)
    heat = meshes.gathered(result)
    expected = np.asarray(solver_of_one(steps)(plate))

    def panels(left: Any, middle: Any, right: Any) -> None:
        meshes.draw_sharding(left, result, "devices")
        left.set_aspect("equal")
        middle.imshow(plate, vmin=0, vmax=1, cmap="inferno")
        middle.set_title("start")
        right.imshow(heat, vmin=0, vmax=1, cmap="inferno")
        right.set_title(f"after {steps} steps")

    common.figure(output / "halo_exchange.png", 3, panels)
    return {
        "largest_difference": float(abs(heat - expected).max()),
        "heat": float(np.sum(heat) / np.sum(plate)),
        "milliseconds": {
            "eight devices": meshes.milliseconds(solver(mesh, steps), tiles),
            "one device": meshes.milliseconds(solver_of_one(steps), plate),
        },
    }


if __name__ == "__main__":
    common.run(main, __doc__)
