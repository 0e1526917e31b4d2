"""Multiplies matrices on a 4 × 2 mesh, with explicit collectives and without.

`shard_map` applies a function to the parts of each device, which are summed by `psum`. `jit` of the
sharded matrices needs no collective in the program: the compiler inserts it.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import common
import meshes
import numpy as np

import dovetail as dt
from dovetail import P, lax


def by_parts(mesh: Any) -> Any:
    """The product of matrices whose inner dimension is divided over "inner": each device multiplies
    its parts, and adds those of the others.
    """

    def product(a: Any, b: Any) -> Any:
        return lax.psum(a @ b, "inner")

    specs = P("rows", "inner"), P("inner", None)
    return dt.jit(dt.shard_map(product, mesh=mesh, in_specs=specs, out_specs=P("rows", None)))


def operands(mesh: Any, size: int) -> tuple[Any, Any]:
    """Two square matrices, divided as `by_parts` takes them."""
    random = np.random.default_rng(0)
    a, b = random.normal(size=(2, size, size)).astype(np.float32)
    return meshes.put(mesh, a, "rows", "inner"), meshes.put(mesh, b, "inner")


def main(quick: bool, output: Path) -> dict[str, Any]:
    """Multiplies in both ways, and on one device."""
    mesh = meshes.mesh(rows=4, inner=2)
    a, b = operands(mesh, 64 if quick else 1024)
    whole = [meshes.gathered(x) for x in (a, b)]
    explicit, automatic = by_parts(mesh), dt.jit(lambda a, b: a @ b)

    results = {"shard_map": explicit(a, b), "jit": automatic(a, b)}
    exact = np.matmul(*whole, dtype=np.float64)
    errors = {
        way: float(abs(meshes.gathered(result) - exact).max()) for way, result in results.items()
    }
    times = {
        "shard_map": meshes.milliseconds(explicit, a, b),
        "jit": meshes.milliseconds(automatic, a, b),
        "one device": meshes.milliseconds(automatic, *whole),
    }
    text = automatic.lower(a, b).as_text("shard")

    def panels(left: Any, middle: Any, right: Any, last: Any) -> None:
        for axes, name, x in ((left, "a", a), (middle, "b", b), (right, "a @ b", results["jit"])):
            meshes.draw_sharding(axes, x, f"{name}: {x.sharding.spec}")
            axes.set_aspect("equal")
        last.bar(list(times), list(times.values()))
        last.set(ylabel="ms", title="Time of a product")

    common.figure(output / "sharded_matmul.png", 4, panels)
    return {
        "errors": errors,
        "milliseconds": times,
        "sharding": str(results["jit"].sharding.spec),
        "all_reduces": text.count("all_reduce"),
        "collectives": sum(text.count(f"dovetail.{op}") for op in ("all_", "reduce_scatter")),
    }


if __name__ == "__main__":
    common.run(main, __doc__)
