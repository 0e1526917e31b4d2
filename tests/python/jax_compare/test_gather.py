"""`lax.gather` and the scatters against JAX, with random dimension numbers."""

from __future__ import annotations

import itertools
from typing import Any, NamedTuple

import numpy as np
import pytest

jax = pytest.importorskip("jax", minversion="0.10")

import jax.lax as jlax  # noqa: E402  # pyright: ignore[reportMissingImports]
import jax.numpy as jnp  # noqa: E402  # pyright: ignore[reportMissingImports]

import dovetail as dt  # noqa: E402
import dovetail.numpy as dnp  # noqa: E402
from dovetail import lax as dlax  # noqa: E402
from support.jax_compare import FACTOR, check, outcome  # noqa: E402

MODES = ["clip", "fill", "drop", "promise_in_bounds", None]
LIBRARIES: list[Any] = [(dlax, dnp), (jlax, jnp)]
SCATTERS = ["", "_add", "_sub", "_mul", "_min", "_max"]


class Numbers(NamedTuple):
    """Windows of an operand, and how the dimensions of a gather or scatter relate."""

    shape: tuple[int, ...]
    sizes: tuple[int, ...]
    indices: np.ndarray
    offset: tuple[int, ...]
    collapsed: tuple[int, ...]
    index_map: tuple[int, ...]
    batching: tuple[int, ...]
    index_batching: tuple[int, ...]
    result: tuple[int, ...]


def numbers(rng: np.random.Generator) -> Numbers:
    rank = int(rng.integers(1, 5))
    shape = tuple(map(int, rng.integers(1, 5, rank)))
    dims = rng.permutation(rank)
    count = int(rng.integers(rank)) if rng.random() < 0.4 else 0
    batching = tuple(sorted(map(int, dims[:count])))
    # XLA processes windows at no index only once.
    index_map = tuple(map(int, dims[count : int(rng.integers(count + 1, rank + 1))]))
    # Batching dimensions of operand and indices are paired, in any order.
    free = list(map(int, rng.integers(1, 4, int(rng.integers(3)))))
    batch: list[tuple[int, int | None]] = [(shape[d], d) for d in batching]
    batch += [(size, None) for size in free]
    batch = [batch[i] for i in rng.permutation(len(batch))]
    index_batching = tuple(next(i for i, (_, o) in enumerate(batch) if o == d) for d in batching)
    sizes = [
        1 if d in batching else int(rng.integers(1, n + 1)) if rng.random() < 0.5 else 1
        for d, n in enumerate(shape)
    ]
    collapsible = [d for d in range(rank) if sizes[d] == 1 and d not in batching]
    collapsed = tuple(d for d in collapsible if rng.random() < 0.6)
    window = [sizes[d] for d in range(rank) if d not in collapsed and d not in batching]
    total = len(batch) + len(window)
    offset = tuple(sorted(map(int, rng.permutation(total)[: len(window)])))
    beyond = 3 if rng.random() < 0.4 else 0
    bounds = [shape[d] - sizes[d] for d in index_map]
    columns = [rng.integers(-beyond, b + 1 + beyond, [n for n, _ in batch]) for b in bounds]
    lead = [n for n, _ in batch]
    indices = np.stack(columns, -1) if columns else np.zeros((*lead, 0))
    result = [0] * total
    windows, batches = iter(window), iter(lead)
    for i in range(total):
        result[i] = next(windows) if i in offset else next(batches)
    return Numbers(
        shape,
        tuple(sizes),
        indices.astype(np.int32),
        offset,
        collapsed,
        index_map,
        batching,
        index_batching,
        tuple(result),
    )


def arrays(rng: np.random.Generator, *shapes: tuple[int, ...]) -> list[np.ndarray]:
    dtype = str(rng.choice(["float32", "int32", "uint8", "float32"]))
    return [rng.integers(1, 5, shape).astype(dtype) for shape in shapes]


@pytest.mark.parametrize("seed", range(60 * FACTOR))
def test_gather(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n = numbers(rng)
    (x,) = arrays(rng, n.shape)
    options: dict[str, Any] = {"mode": MODES[seed % 5]}
    if rng.random() < 0.3:
        options["fill_value"] = 7
    results = []
    for lax, xp in LIBRARIES:
        dims = lax.GatherDimensionNumbers(
            n.offset, n.collapsed, n.index_map, n.batching, n.index_batching
        )
        results.append(
            outcome(lax.gather, xp.asarray(x), xp.asarray(n.indices), dims, n.sizes, **options)
        )
    check(results[0], results[1], f"{n}, {options}")


def scattered(n: Numbers, lax: Any, name: str, mode: str | None) -> Any:
    dims = lax.ScatterDimensionNumbers(
        n.offset, n.collapsed, n.index_map, n.batching, n.index_batching
    )
    function = getattr(lax, f"scatter{name}")
    return lambda x, i, u: function(x, i, u, dims, mode=mode)


@pytest.mark.parametrize("seed", range(1000, 1000 + 90 * FACTOR))
def test_scatter(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n = numbers(rng)
    x, updates = arrays(rng, n.shape, n.result)
    name, mode = SCATTERS[seed % 6], MODES[int(rng.integers(5))]
    if mode == "promise_in_bounds":
        # Violating the promise is undefined behaviour.
        limits = [n.shape[d] - n.sizes[d] for d in n.index_map]
        n = n._replace(indices=np.clip(n.indices, 0, np.array(limits, np.int32)))
    results = [
        outcome(scattered(n, lax, name, mode), *map(xp.asarray, (x, n.indices, updates)))
        for lax, xp in LIBRARIES
    ]
    check(results[0], results[1], f"scatter{name}, {mode}: {n}")


@pytest.mark.parametrize("seed", range(2000, 2000 + 30 * FACTOR))
def test_gradients(seed: int) -> None:
    """With respect to operand and updates, where updates may overlap."""
    rng = np.random.default_rng(seed)
    n = numbers(rng)
    x, updates = (a.astype(np.float32) for a in arrays(rng, n.shape, n.result))
    name, mode = ("_add", "_sub")[seed % 2], ("clip", "fill")[seed // 2 % 2]
    results = []
    for library, (lax, xp) in zip((dt, jax), LIBRARIES, strict=True):
        f = scattered(n, lax, name, mode)

        def total(x: Any, i: Any, u: Any, f: Any = f, xp: Any = xp) -> Any:
            y = f(x, i, u)
            return xp.sum(xp.sin(y) * xp.reshape(xp.arange(1.0, 1 + y.size), y.shape))

        gradient = library.grad(total, (0, 2))
        results.append(outcome(gradient, *map(xp.asarray, (x, n.indices, updates))))
    check(results[0], results[1], f"scatter{name}, {mode}: {n}", ulps=64)


def test_errors() -> None:
    """Wrong dimension numbers fail in both, with the same class of error."""
    x, i = np.ones((3, 4), np.float32), np.zeros((2, 1), np.int32)
    good = ((1,), (0,), (0,))
    changes = [((0, 1), (0,), (0,)), ((1,), (5,), (0,)), ((1,), (0,), (5,)), ((1,), (0,), (0, 1))]
    changes += [((1,), (0, 0), (0,)), ((2,), (0,), (0,)), ((1, 1), (0,), (0,)), ((), (0,), (0,))]
    sizes = [(1, 4), (1, 5), (2, 4), (1,), (1, -1)]
    for dims, size in [*itertools.product(changes, sizes[:1]), *((good, s) for s in sizes[1:])]:
        results = [
            outcome(
                lax.gather, xp.asarray(x), xp.asarray(i), lax.GatherDimensionNumbers(*dims), size
            )
            for lax, xp in LIBRARIES
        ]
        check(results[0], results[1], f"{dims}, {size}")
        updates = np.ones((2, 4), np.float32)
        if size == sizes[0]:
            results = [
                outcome(
                    lax.scatter,
                    *map(xp.asarray, (x, i, updates)),
                    lax.ScatterDimensionNumbers(*dims),
                )
                for lax, xp in LIBRARIES
            ]
            check(results[0], results[1], f"scatter {dims}")


@pytest.mark.parametrize("name", ["sum", "prod", "max", "min"])
def test_segments(name: str) -> None:
    """Random options, including numbers without a segment."""
    rng = np.random.default_rng(len(name))
    for _ in range(4 * FACTOR):
        dtype = str(rng.choice(["float32", "int32", "bfloat16", "uint8"]))
        rows, count = int(rng.integers(1, 9)), [None, 0, 3, 9][rng.integers(4)]
        data = rng.integers(1, 4, (rows, 2)[: int(rng.integers(1, 3))]).astype(dtype)
        ids = rng.integers(-2, 6, rows).astype(np.int32)
        ids[0] = 2
        options = {
            "bucket_size": [None, 2, 20][rng.integers(3)],
            "mode": [None, "drop", "clip"][rng.integers(3)],
        }
        results = [
            outcome(getattr(ops, f"segment_{name}"), xp.asarray(data), ids, count, **options)
            for ops, xp in ((dt.ops, dnp), (jax.ops, jnp))
        ]
        check(results[0], results[1], f"{dtype}, {ids}, {count}, {options}")
