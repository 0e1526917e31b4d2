"""Steps of random programs over a mesh: shardings, functions of parts, and ops along dimensions."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

import dovetail as dt
import dovetail.numpy as dnp
from dovetail import lax
from dovetail.sharding import AbstractMesh, NamedSharding, get_abstract_mesh
from dovetail.sharding import PartitionSpec as P
from support import spmd
from support.random_programs import STEPS, Shape, Steps, axis_of, on_arrays

Generator = np.random.Generator

# Of one axis, of several, and of sizes that divide few dimensions.
MESHES: tuple[spmd.Mesh, ...] = (
    *({"x": 2}, {"x": 4}, {"x": 2, "y": 2}, {"x": 2, "y": 4}, {"x": 2, "y": 3}),
    {"x": 2, "y": 2, "z": 2},
)
SHAPES: list[Shape] = [
    *[(), (8,), (12,), (5,), (4, 6), (6, 1), (16, 2), (4, 4), (3, 8), (2, 4, 3), (0, 4)],
]


def table_of(mesh: spmd.Mesh) -> Steps:
    """All steps over a mesh."""

    def constrained(x: Any, rng: Generator) -> Any:
        spec = spec_of(np.shape(x), mesh, rng)
        return lax.with_sharding_constraint(x, NamedSharding(abstract(mesh), spec))

    of_mesh = {
        "constrain": constrained,
        "shard_map": lambda x, rng: mapped(dnp.tanh(x), mesh, rng),
    }
    return {**STEPS, **{name: on_arrays(step) for name, step in {**MORE, **of_mesh}.items()}}


def abstract(mesh: spmd.Mesh) -> AbstractMesh:
    return AbstractMesh(tuple(mesh.values()), tuple(mesh))


def spec_of(shape: Shape, mesh: spmd.Mesh, rng: Generator, even: bool = False) -> P:
    """How an array may be sharded over axes of a mesh; into equal parts, if `even`."""
    dims = [list(axes) for axes in spmd.random_dims(mesh, shape, rng)]
    for size, axes in zip(shape, dims, strict=True):
        while even and size % math.prod(mesh[axis] for axis in axes):
            axes.pop()
    return P(*(tuple(map(str, axes)) or None for axes in dims))


def mapped(x: Any, mesh: spmd.Mesh, rng: Generator) -> Any:
    """A function of parts over some axes, with collectives; the others divide its arrays."""
    manual = {name: size for name, size in mesh.items() if rng.integers(3)} or mesh
    others = {name: size for name, size in mesh.items() if name not in manual}
    spec = spec_of(np.shape(x), manual, rng, even=True)
    held = {axis for entry in spec for axis in ([entry] if isinstance(entry, str) else entry or ())}
    is_checked, seed = bool(rng.integers(2)), int(rng.integers(1000))

    def part(v: Any) -> Any:
        rng = np.random.default_rng(seed)
        for _ in range(rng.integers(1, 4)):
            axes = [name for name in manual if rng.integers(2)] or list(manual)[:1]
            axes = tuple(str(name) for name in rng.permutation(axes))
            step = ON_PARTS[rng.integers(len(ON_PARTS))]
            v = dnp.tanh(step(v, axes, math.prod(manual[axis] for axis in axes), axis_of(v, rng)))
            if v.ndim:
                v = v + WITHIN[rng.integers(len(WITHIN))](v, axis_of(v, rng))
            if others and rng.integers(2):
                spec = spec_of(v.shape, others, rng)
                v = lax.with_sharding_constraint(v, NamedSharding(get_abstract_mesh(), spec))
        rest = tuple(axis for axis in manual if axis not in held)
        # The result is the same along the axes that its spec does not name.
        return lax.pmean(v, rest) if rest else v

    return dt.shard_map(
        part,
        mesh=abstract(mesh),
        in_specs=spec,
        out_specs=spec,
        axis_names=set(manual),
        check_vma=is_checked,
    )(x)


WITHIN: list[Callable[[Any, int], Any]] = [
    lambda v, d: dnp.sum(v, d, keepdims=True),
    lambda v, d: dnp.flip(dnp.sin(v), d),
    lambda v, d: dnp.cumsum(v, d) / 8,
    lambda v, d: dnp.max(v, d, keepdims=True, initial=0),
    lambda v, d: dnp.tensordot(v, dnp.tanh(v), axes=([d], [d])).sum() / 8,
]


def _weighted(v: Any, axes: Sequence[str], count: int, d: int) -> Any:
    whole = lax.all_gather(v, axes, axis=d, tiled=True)
    weights = dnp.arange(1.0, whole.shape[d] + 1)
    weights = dnp.expand_dims(weights, [i for i in range(v.ndim) if i != d])
    return v + dnp.sum(dnp.sin(whole) * weights, d, keepdims=True)


def _sent(v: Any, axes: Sequence[str], count: int, d: int) -> Any:
    to_next = [(i, (i + 1) % count) for i in range(count)]
    return v - lax.ppermute(v, axes, to_next)


def _scattered(v: Any, axes: Sequence[str], count: int, d: int) -> Any:
    if v.shape[d] % count or not v.shape[d]:
        return v
    parts = lax.psum_scatter(dnp.sin(v), axes, scatter_dimension=d, tiled=True)
    return v + lax.all_gather(parts, axes, axis=d, tiled=True)


def _exchanged(v: Any, axes: Sequence[str], count: int, d: int) -> Any:
    other = (d + 1) % v.ndim
    if other == d or v.shape[d] % count or not v.shape[d]:
        return v
    moved = lax.all_to_all(dnp.sin(v), axes, d, other, tiled=True) * 2
    return v + lax.all_to_all(moved, axes, other, d, tiled=True)


def _looped(v: Any, axes: Sequence[str], count: int, d: int) -> Any:
    def step(carry: Any, _: None) -> Any:
        return dnp.tanh(carry + 0.3 * lax.pmean(carry, axes)), dnp.sum(carry)

    carry, sums = lax.scan(step, v, None, length=2)
    return carry + dnp.sum(sums) * 0.1


# Of a part, names of axes, the number of devices along them, and a dimension.
ON_PARTS: list[Callable[..., Any]] = [
    lambda v, axes, count, d: v + lax.psum(dnp.sin(v), axes),
    lambda v, axes, count, d: v * dnp.cos(lax.pmean(dnp.sum(v, d, keepdims=True), axes)),
    lambda v, axes, count, d: v * (1 + 0.1 * lax.axis_index(axes)),
    lambda v, axes, count, d: v + lax.pmax(lax.stop_gradient(v), axes),
    *(_weighted, _sent, _scattered, _exchanged, _looped),
]


def scanned(x: Any, rng: Generator) -> Any:
    factor, reverse = rng.uniform(-1, 1), bool(rng.integers(2))

    def step(carry: Any, row: Any) -> Any:
        carry = dnp.tanh(carry * factor + row)
        return carry, dnp.sum(carry) + row

    carry, rows = lax.scan(step, dnp.zeros(np.shape(x)[1:]), x, reverse=reverse)
    return rows + carry


def transformed(x: Any, rng: Generator) -> Any:
    d = axis_of(x, rng)
    n = np.shape(x)[d]
    if not n:
        return x
    if rng.integers(2):
        return dnp.abs(dnp.fft.fft(dnp.tanh(x), axis=d))
    return dnp.fft.irfft(dnp.fft.rfft(dnp.tanh(x), axis=d), n=n, axis=d)


def associated(x: Any, rng: Generator) -> Any:
    d = axis_of(x, rng)
    function = dnp.add if rng.integers(2) else dnp.maximum
    return lax.associative_scan(function, dnp.tanh(x), axis=d) if np.shape(x)[d] else x


def solved(x: Any, rng: Generator) -> Any:
    n = np.shape(x)[-1]
    if not n:
        return x
    rows = dnp.tanh(x).reshape(-1, n)
    matrix = rows.T @ rows + 3 * dnp.eye(n)
    if rng.integers(2):
        return dnp.linalg.solve(matrix, rows.T).T.reshape(np.shape(x))
    return (rows @ dnp.linalg.cholesky(matrix)).reshape(np.shape(x))


def convolved(x: Any, rng: Generator) -> Any:
    size, n = int(rng.integers(1, 4)), np.shape(x)[-1]
    if n < size or 0 in np.shape(x):
        return x
    kernel = dnp.asarray(rng.uniform(-1, 1, (2, 1, size)))
    padding = str(rng.choice(["SAME", "VALID"]))
    return lax.conv(dnp.tanh(x).reshape(-1, 1, n), kernel, (int(rng.integers(1, 3)),), padding)


def drawn(x: Any, rng: Generator) -> Any:
    key = dt.random.key(int(rng.integers(100)))
    if rng.integers(2):
        return x + dt.random.normal(key, np.shape(x), x.dtype)
    return dt.random.permutation(key, x, axis=0)


def batched(x: Any, rng: Generator) -> Any:
    return dt.vmap(lambda row: dnp.tanh(row) + dnp.sum(row) * row, in_axes=axis_of(x, rng))(
        dnp.tanh(x)
    )


def rejoined(x: Any, rng: Generator) -> Any:
    d = axis_of(x, rng)
    return dnp.concatenate(dnp.array_split(x, 2, d)[::-1], d)


def added_by_key(x: Any, rng: Generator) -> Any:
    keys = rng.integers(0, 3, np.shape(x)[0])
    return dnp.zeros((3, *np.shape(x)[1:])).at[keys].add(x)


def greatest(x: Any, rng: Generator) -> Any:
    if np.shape(x)[-1] < 2:
        return x
    values, indices = lax.top_k(x, 2)
    return values + indices * 0.1


MORE: dict[str, Callable[[Any, Generator], Any]] = {
    "scan": scanned,
    "checkpoint": lambda x, rng: dt.checkpoint(
        lambda v: dnp.sin(2 * dnp.tanh(v)) + dnp.sum(v, -1, keepdims=True)
    )(x),
    "fft": transformed,
    "roll": lambda x, rng: dnp.roll(x, int(rng.integers(-3, 4)), axis_of(x, rng)),
    "associative_scan": associated,
    "solve": solved,
    "conv": convolved,
    "random": drawn,
    "vmap_along": batched,
    "rejoin": rejoined,
    "tile": lambda x, rng: dnp.tile(x, (2,) if rng.integers(2) else (2, 1)),
    "repeat": lambda x, rng: dnp.repeat(x, 2, axis_of(x, rng)),
    "tril": lambda x, rng: dnp.tril(dnp.atleast_2d(x), int(rng.integers(-1, 2))),
    "add_by_key": added_by_key,
    "top_k": greatest,
    "stack": lambda x, rng: dnp.stack([x, -x], axis_of(x, rng)),
}
# Steps over a mesh more often than others.
NAMES = sorted([*STEPS, *MORE, *["constrain"] * 8, *["shard_map"] * 16])
