"""Kernels that compute with their place in the grid are one dispatch, but for transpositions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from experimental.test_kernels import dispatches

import dovetail as dt
import dovetail.numpy as dnp
from dovetail import lax
from dovetail.experimental import pallas as pl

F32 = np.float32
LEAST = -1e30


def _mask(row: Any, column: Any, rows: int, columns: int) -> Any:
    i = row + lax.broadcasted_iota(np.int32, (rows, columns), 0)
    return i >= column + lax.broadcasted_iota(np.int32, (rows, columns), 1)


def whole(n: int, d: int, size: int) -> Callable[..., None]:
    """Attention of a block of queries to all keys before them."""

    def kernel(q_ref: Any, k_ref: Any, v_ref: Any, o_ref: Any) -> None:
        scores = q_ref[...] @ k_ref[...].T * d**-0.5
        scores = dnp.where(_mask(pl.program_id(0) * size, 0, size, n), scores, LEAST)
        weights = dnp.exp(scores - scores.max(1, keepdims=True))
        o_ref[...] = weights @ v_ref[...] / weights.sum(1, keepdims=True)

    return kernel


def by_blocks(n: int, d: int, size: int, skips: bool) -> Callable[..., None]:
    """The same, of one block of keys after the other; of those that are not masked if it skips."""

    def kernel(q_ref: Any, k_ref: Any, v_ref: Any, o_ref: Any) -> None:
        i = pl.program_id(0)

        def body(j: Any, carry: Any) -> Any:
            largest, total, sums = carry
            k, v = k_ref[pl.ds(j * size, size), :], v_ref[pl.ds(j * size, size), :]
            scores = q_ref[...] @ k.T * d**-0.5
            scores = dnp.where(_mask(i * size, j * size, size, size), scores, LEAST)
            new = dnp.maximum(largest, scores.max(1))
            weights, old = dnp.exp(scores - new[:, None]), dnp.exp(largest - new)
            return new, total * old + weights.sum(1), sums * old[:, None] + weights @ v

        start = dnp.full(size, LEAST, F32), dnp.zeros(size, F32), dnp.zeros((size, d), F32)
        _, total, sums = lax.fori_loop(0, i + 1 if skips else n // size, body, start)
        o_ref[...] = sums / total[:, None]

    return kernel


def plain(q: Any, k: Any, v: Any) -> Any:
    scores = q @ k.T * q.shape[1] ** -0.5
    scores = dnp.where(dnp.tril(dnp.ones(scores.shape, bool)), scores, LEAST)
    weights = dnp.exp(scores - scores.max(1, keepdims=True))
    return weights @ v / weights.sum(1, keepdims=True)


@pytest.mark.parametrize("form", ["whole", "by blocks", "skipping"])
@pytest.mark.parametrize("batches", [(), (2,), (1, 2), (2, 3)], ids=str)
def test_causal_attention(form: str, batches: tuple[int, ...]) -> None:
    n, d, size = 256, 32, 32
    kernel = whole(n, d, size) if form == "whole" else by_blocks(n, d, size, form == "skipping")
    rows, all_rows = pl.BlockSpec((size, d), lambda i: (i, 0)), pl.BlockSpec()
    f = pl.pallas_call(
        kernel,
        dt.ShapeDtypeStruct((n, d), F32),
        grid=n // size,
        in_specs=[rows, all_rows, all_rows],
        out_specs=rows,
    )
    expected = plain
    for _ in batches:
        f, expected = dt.vmap(f), dt.vmap(expected)
    draw = np.random.default_rng(0)
    arrays = [draw.normal(size=(*batches, n, d)).astype(F32) for _ in range(3)]
    # One for the transposition of the keys.
    assert dispatches(f, arrays) <= 2
    np.testing.assert_allclose(dt.jit(f)(*arrays), dt.jit(expected)(*arrays), 1e-4, 1e-5)
