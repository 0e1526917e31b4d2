"""Eight kernels, each beside plain ops that compute the same: their results, and their times.

Vector addition; a tiled product with bias and relu; softmax by rows; attention that visits keys by
blocks (flash attention), forward and backward; a prefix sum over blocks; a stencil with a halo; a
histogram; the product of a sparse matrix of blocks and a dense one.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from pathlib import Path
from timeit import timeit
from typing import Any, NamedTuple

import common
import numpy as np

import dovetail as dt
import dovetail.numpy as dnp
from dovetail import lax
from dovetail.experimental import pallas as pl

F32 = np.float32


class Case(NamedTuple):
    """A kernel and plain ops that compute the same from the same arrays."""

    kernel: Callable[..., Any]
    plain: Callable[..., Any]
    arrays: list[np.ndarray]


def struct(*shape: int, dtype: Any = F32) -> dt.ShapeDtypeStruct:
    return dt.ShapeDtypeStruct(shape, dtype)


def normal(*shape: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=shape).astype(F32)


def vector_add(n: int, size: int, interpret: bool = False) -> Case:
    def kernel(x: Any, y: Any, out: Any) -> None:
        out[...] = x[...] + y[...]

    block = pl.BlockSpec((size,), lambda i: (i,))
    f = pl.pallas_call(
        kernel,
        struct(n),
        grid=pl.cdiv(n, size),
        in_specs=[block, block],
        out_specs=block,
        interpret=interpret,
    )
    return Case(f, lambda x, y: x + y, [normal(n), normal(n, seed=1)])


Sizes = tuple[int, int, int]


def dense(sizes: Sizes, blocks: Sizes, interpret: bool = False) -> Case:
    """relu(x @ w + b), w of sizes k × n: the sum over blocks is in scratch memory."""
    (m, k, n), (bm, bk, bn) = sizes, blocks

    def kernel(x: Any, w: Any, b: Any, out: Any, total: Any) -> None:
        @pl.when(pl.program_id(2) == 0)
        def _() -> None:
            total[...] = dnp.zeros_like(total[...])

        total[...] += x[...] @ w[...]

        @pl.when(pl.program_id(2) == pl.num_programs(2) - 1)
        def _() -> None:
            out[...] = dnp.maximum(total[...] + b[...], 0)

    f = pl.pallas_call(
        kernel,
        struct(m, n),
        grid=(pl.cdiv(m, bm), pl.cdiv(n, bn), pl.cdiv(k, bk)),
        in_specs=[
            pl.BlockSpec((bm, bk), lambda i, j, p: (i, p)),
            pl.BlockSpec((bk, bn), lambda i, j, p: (p, j)),
            pl.BlockSpec((bn,), lambda i, j, p: (j,)),
        ],
        out_specs=pl.BlockSpec((bm, bn), lambda i, j, p: (i, j)),
        scratch_shapes=[struct(bm, bn)],
        interpret=interpret,
    )
    arrays = [normal(m, k), normal(k, n, seed=1) / F32(k**0.5), normal(n, seed=2)]
    return Case(f, lambda x, w, b: dnp.maximum(x @ w + b, 0), arrays)


def softmax(n: int, size: int, interpret: bool = False) -> Case:
    def of_rows(x: Any) -> Any:
        weights = dnp.exp(x - x.max(1, keepdims=True))
        return weights / weights.sum(1, keepdims=True)

    def kernel(x: Any, out: Any) -> None:
        out[...] = of_rows(x[...])

    rows = pl.BlockSpec((size, n), lambda i: (i, 0))
    f = pl.pallas_call(
        kernel,
        struct(n, n),
        grid=pl.cdiv(n, size),
        in_specs=[rows],
        out_specs=rows,
        interpret=interpret,
    )
    return Case(f, of_rows, [normal(n, n)])


def attention(n: int, size: int, interpret: bool = False, width: int = 16) -> Case:
    """Queries by blocks, which visit keys by blocks and rescale what they have."""

    def kernel(q_ref: Any, k_ref: Any, v_ref: Any, out_ref: Any, norm_ref: Any) -> None:
        q = q_ref[...]

        def body(i: Any, carry: Any) -> Any:
            top, total, out = carry
            rows = pl.ds(i * size, size)
            scores = q @ k_ref[rows, :].T
            new = dnp.maximum(top, scores.max(1))
            weights, scale = dnp.exp(scores - new[:, None]), dnp.exp(top - new)
            out = out * scale[:, None] + weights @ v_ref[rows, :]
            return new, total * scale + weights.sum(1), out

        start = dnp.full(size, -1e30), dnp.zeros(size), dnp.zeros((size, width))
        top, total, out = lax.fori_loop(0, n // size, body, start)
        out_ref[...] = out / total[:, None]
        norm_ref[...] = top + dnp.log(total)

    block = pl.BlockSpec((size, width), lambda i: (i, 0))
    f = pl.pallas_call(
        kernel,
        (struct(n, width), struct(n)),
        grid=n // size,
        in_specs=[block, pl.BlockSpec(), pl.BlockSpec()],
        out_specs=(block, pl.BlockSpec((size,), lambda i: (i,))),
        interpret=interpret,
    )

    def plain(q: Any, k: Any, v: Any) -> Any:
        scores = q @ k.T
        return dt.nn.softmax(scores, axis=-1) @ v, dt.nn.logsumexp(scores, axis=-1)

    return Case(f, plain, [normal(n, width, seed=seed) for seed in range(3)])


def attention_backward(n: int, size: int, interpret: bool = False, width: int = 16) -> Case:
    """The cotangents of keys and values by blocks, and a sum over all blocks for the queries."""

    def kernel(
        q_ref: Any,
        k_ref: Any,
        v_ref: Any,
        norm_ref: Any,
        out_ref: Any,
        t_ref: Any,
        _: Any,
        dq_ref: Any,
        dk_ref: Any,
        dv_ref: Any,
    ) -> None:
        q, k, t = q_ref[...], k_ref[...], t_ref[...]
        weights = dnp.exp(q @ k.T - norm_ref[...][:, None])
        scores = weights * (t @ v_ref[...].T - (out_ref[...] * t).sum(1)[:, None])
        dk_ref[...] = scores.T @ q
        dv_ref[...] = weights.T @ t
        dq_ref[...] += scores @ k

    block, whole = pl.BlockSpec((size, width), lambda i: (i, 0)), pl.BlockSpec()
    f = pl.pallas_call(
        kernel,
        (struct(n, width),) * 3,
        grid=n // size,
        in_specs=[whole, block, block, whole, whole, whole, whole],
        out_specs=(whole, block, block),
        # The queries' cotangent starts at zero, and all programs add to it.
        input_output_aliases={6: 0},
        interpret=interpret,
    )

    def plain(q: Any, k: Any, v: Any, norm: Any, out: Any, t: Any) -> Any:
        weights = dt.nn.softmax(q @ k.T, axis=-1)
        scores = weights * (t @ v.T - (out * t).sum(1, keepdims=True))
        return scores @ k, scores.T @ q, weights.T @ t

    q, k, v, t = (normal(n, width, seed=seed) for seed in range(4))
    scores = q @ k.T
    norm = np.logaddexp.reduce(scores, axis=1)
    arrays = [q, k, v, norm, np.exp(scores - norm[:, None]) @ v, t]
    return Case(lambda *xs: f(*xs, dnp.zeros((n, width))), plain, arrays)


def prefix_sum(n: int, size: int, interpret: bool = False) -> Case:
    def kernel(x: Any, out: Any, before: Any) -> None:
        @pl.when(pl.program_id(0) == 0)
        def _() -> None:
            before[...] = 0.0

        sums = dnp.cumsum(x[...]) + before[...]
        out[...] = sums
        before[...] = sums[-1]

    block = pl.BlockSpec((size,), lambda i: (i,))
    f = pl.pallas_call(
        kernel,
        struct(n),
        grid=pl.cdiv(n, size),
        in_specs=[block],
        out_specs=block,
        scratch_shapes=[struct()],
        interpret=interpret,
    )
    return Case(f, dnp.cumsum, [normal(n)])


def stencil(n: int, size: int, interpret: bool = False) -> Case:
    """The mean of four neighbours."""

    def average(x: Any) -> Any:
        return (x[:-2, 1:-1] + x[2:, 1:-1] + x[1:-1, :-2] + x[1:-1, 2:]) / 4

    def kernel(x: Any, out: Any) -> None:
        starts = [size * pl.program_id(axis) for axis in (0, 1)]
        out[...] = average(x[tuple(pl.ds(start, size + 2) for start in starts)])

    f = pl.pallas_call(
        kernel,
        struct(n, n),
        grid=(n // size, n // size),
        out_specs=pl.BlockSpec((size, size), lambda i, j: (i, j)),
        interpret=interpret,
    )
    return Case(f, average, [normal(n + 2, n + 2)])


def histogram(n: int, size: int, interpret: bool = False, bins: int = 16) -> Case:
    def kernel(x: Any, out: Any) -> None:
        @pl.when(pl.program_id(0) == 0)
        def _() -> None:
            out[...] = dnp.zeros_like(out[...])

        @pl.loop(0, size)
        def _(i: Any) -> None:
            out[x[i]] += 1

    f = pl.pallas_call(
        kernel,
        struct(bins, dtype=np.int32),
        grid=n // size,
        in_specs=[pl.BlockSpec((size,), lambda i: (i,))],
        interpret=interpret,
    )
    numbers = np.random.default_rng(0).integers(0, bins, n).astype(np.int32)
    return Case(f, lambda x: dnp.bincount(x, length=bins), [numbers])


def block_sparse(n: int, size: int, interpret: bool = False, width: int = 16) -> Case:
    """A matrix of rows of blocks (BSR) times another: row i has its first 2 i % 3 + 1 blocks."""
    rows = n // size
    counts = np.minimum(2 * np.arange(rows) % 3 + 1, rows)
    starts = np.concatenate([[0], np.cumsum(counts)]).astype(np.int32)
    columns = np.concatenate([np.arange(count) for count in counts]).astype(np.int32)
    data = normal(len(columns), size, size)

    def kernel(starts_ref: Any, columns_ref: Any, data_ref: Any, x_ref: Any, out: Any) -> None:
        row = pl.program_id(0)

        def body(i: Any, total: Any) -> Any:
            return total + data_ref[i] @ x_ref[pl.ds(size * columns_ref[i], size), :]

        bounds = starts_ref[row], starts_ref[row + 1]
        out[...] = lax.fori_loop(*bounds, body, dnp.zeros((size, width)))

    f = pl.pallas_call(
        kernel,
        struct(n, width),
        grid=rows,
        out_specs=pl.BlockSpec((size, width), lambda i: (i, 0)),
        interpret=interpret,
    )
    row_of = np.repeat(np.arange(rows), counts)

    def plain(starts: Any, columns: Any, data: Any, x: Any) -> Any:
        products = data @ x.reshape(-1, size, width)[columns]
        return dnp.zeros((rows, size, width)).at[row_of].add(products).reshape(n, width)

    return Case(f, plain, [starts, columns, data, normal(n, width)])


# Each with its sizes: of its arrays and its blocks, for tests and for times.
CASES: dict[str, tuple[Callable[..., Case], tuple[Any, Any], tuple[Any, Any]]] = {
    "vector add": (vector_add, (12, 4), (1 << 20, 1 << 14)),
    "dense layer": (dense, ((16,) * 3, (8,) * 3), ((512,) * 3, (128,) * 3)),
    "softmax": (softmax, (6, 2), (1024, 64)),
    "attention": (attention, (12, 4), (1024, 128)),
    "attention backward": (attention_backward, (12, 4), (1024, 128)),
    "prefix sum": (prefix_sum, (12, 4), (1 << 18, 1 << 12)),
    "stencil": (stencil, (12, 4), (1024, 128)),
    "histogram": (histogram, (20, 5), (1 << 16, 1 << 12)),
    "block-sparse product": (block_sparse, (12, 4), (1024, 32)),
}


def distance(got: Any, expected: Any) -> float:
    """The largest difference of results."""
    leaves = zip(dt.tree.leaves(got), dt.tree.leaves(expected), strict=True)
    return max(float(abs(np.asarray(a) - np.asarray(b)).max()) for a, b in leaves)


def main(quick: bool, output: Path) -> dict[str, Any]:
    """Draws the times of kernels and plain ops; returns the largest difference of their results."""

    def call(function: Any, arrays: Any) -> Any:
        return dt.block_until_ready(function(*arrays))

    times, worst = {}, 0.0
    for name, (make, small, large) in CASES.items():
        kernel, plain, arrays = make(*(small if quick else large))
        runs = [functools.partial(call, dt.jit(f), arrays) for f in (kernel, plain)]
        worst = max(worst, distance(*(run() for run in runs)))
        times[name] = [min(timeit(run, number=1) for _ in range(10)) for run in runs]

    def draw(axes: Any) -> None:
        places = np.arange(len(times))
        for i, what in enumerate(("kernel", "plain ops")):
            axes.barh(places + 0.4 * i, [1e3 * pair[i] for pair in times.values()], 0.4, label=what)
        axes.set(yticks=places + 0.2, yticklabels=list(times), xlabel="ms", xscale="log")
        axes.legend()

    common.figure(output / "kernels.png", 1, draw)
    return {"largest difference": worst}


if __name__ == "__main__":
    common.run(main, __doc__)
