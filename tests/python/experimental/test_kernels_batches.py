"""Batches of kernels: one dispatch on a CPU, whichever operands have the batch."""

from __future__ import annotations

import functools
import itertools
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dovetail as dt
import dovetail.numpy as dnp
from dovetail import lax
from dovetail.compiler.schedule import schedule_of
from dovetail.experimental import pallas as pl
from support import breadth

sys.path.insert(0, str(Path(__file__).parents[3] / "examples"))
import kernels

Axes = tuple[Any, ...]


def dispatches(function: Any, arrays: Sequence[Any]) -> int:
    """The number of dispatches of the function for the CPU."""
    program = dt.jit(function).lower(*arrays).compile()._program
    return len(schedule_of(program.compilation()).dispatches)


def subsets(name: str) -> list[Axes]:
    """The `in_axes` of each subset of a kernel's operands; with more than four, of each and all."""
    make, small, _ = kernels.CASES[name]
    count = len(make(*small).arrays)
    if count > 4:
        one = [tuple(0 if i == j else None for i in range(count)) for j in range(count)]
        return [(0,) * count, *one]
    every = itertools.product([0, None], repeat=count)
    # The rows of a sparse matrix and its columns belong together.
    is_sparse = name == "block-sparse product"
    return [axes for axes in every if any(a == 0 for a in axes) and axes[0] == axes[is_sparse]]


def batched(case: kernels.Case, name: str, axes: Axes, size: int) -> list[np.ndarray]:
    """The operands, those with the batch `size` times, each time otherwise."""
    arrays = [
        np.stack([np.roll(x, i, 0) for i in range(size)]) if axis == 0 else x
        for x, axis in zip(case.arrays, axes, strict=True)
    ]
    if name == "block-sparse product" and axes[0] == 0:
        counts = [np.roll(np.diff(case.arrays[0]), i) for i in range(size)]
        arrays[0] = np.stack([np.concatenate([[0], np.cumsum(c)]) for c in counts]).astype(np.int32)
        columns = [np.concatenate([np.arange(n) for n in c]) for c in counts]
        arrays[1] = np.stack(columns).astype(np.int32)
    return arrays


def product(starts: Any, columns: Any, data: Any, x: Any) -> np.ndarray:
    """Of a matrix of rows of blocks and another."""
    size = data.shape[1]
    out = np.zeros((len(starts) - 1, size, x.shape[1]), np.float32)
    for row in range(len(out)):
        for i in range(starts[row], starts[row + 1]):
            out[row] += data[i] @ x[size * columns[i] :][:size]
    return out.reshape(-1, x.shape[1])


def of_each(function: Callable[..., Any], axes: Axes, arrays: Sequence[Any], size: int) -> Any:
    """The results of a function for each entry of a batch, stacked."""
    entries = [
        function(*(x[i] if axis == 0 else x for x, axis in zip(arrays, axes, strict=True)))
        for i in range(size)
    ]
    return dt.tree.map(lambda *leaves: np.stack([np.asarray(x) for x in leaves]), *entries)


def assert_close(got: Any, expected: Any) -> None:
    largest = max(float(abs(np.asarray(x)).max()) for x in dt.tree.leaves(expected))
    assert kernels.distance(got, expected) <= 1e-4 * max(largest, 1)


LARGE = [(name, axes) for name in kernels.CASES for axes in subsets(name)]


@pytest.mark.parametrize(("name", "axes"), breadth.some(LARGE, 4), ids=str)
def test_batches_are_one_dispatch(name: str, axes: Axes) -> None:
    make, _, sizes = kernels.CASES[name]
    case = make(*sizes)
    arrays = batched(case, name, axes, 3)
    f = dt.vmap(case.kernel, in_axes=axes)
    assert dispatches(f, arrays) == 1
    plain = product if name == "block-sparse product" else dt.jit(case.plain)
    assert_close(dt.jit(f)(*arrays), of_each(plain, axes, arrays, 3))


@pytest.mark.parametrize("name", kernels.CASES)
def test_small_batches_are_one_dispatch(name: str) -> None:
    make, sizes, _ = kernels.CASES[name]
    case = make(*sizes)
    axes = (0,) * len(case.arrays)
    arrays = batched(case, name, axes, 5)
    assert dispatches(dt.vmap(case.kernel), arrays) == 1
    plain = product if name == "block-sparse product" else case.plain
    assert_close(dt.jit(dt.vmap(case.kernel))(*arrays), of_each(plain, axes, arrays, 5))


@pytest.mark.parametrize("name", breadth.some(["histogram", "block-sparse product", "softmax"], 2))
def test_batches_of_batches_are_one_dispatch(name: str) -> None:
    make, _, sizes = kernels.CASES[name]
    case = make(*sizes)
    axes = (0,) * len(case.arrays)
    flat = batched(case, name, axes, 6)
    arrays = [x.reshape(2, 3, *x.shape[1:]) for x in flat]
    f = dt.vmap(dt.vmap(case.kernel))
    assert dispatches(f, arrays) == 1
    plain = product if name == "block-sparse product" else dt.jit(case.plain)
    expected = of_each(plain, axes, flat, 6)
    got = dt.tree.map(lambda x: np.asarray(x).reshape(6, *x.shape[2:]), dt.jit(f)(*arrays))
    assert_close(got, expected)


N = 32


def random_kernel(kind: str, size: int) -> tuple[Callable[..., Any], Callable[..., Any]]:
    """A kernel of which an integer for each program decides what it does; and that in NumPy."""

    def kernel(n_ref: Any, x_ref: Any, y_ref: Any, out_ref: Any) -> None:
        i = pl.program_id(0)
        n, x = n_ref[i], x_ref[...]
        if kind == "place":
            out_ref[...] = x + y_ref[pl.ds(n, size), :]
        elif kind == "loop":
            start = dnp.zeros((size, N), np.float32)
            out_ref[...] = lax.fori_loop(0, n, lambda k, t: t + x * y_ref[k], start)
        elif kind == "while":
            last = lax.while_loop(lambda c: c[0] < n, lambda c: (c[0] + 1, c[1] + x), (0, x))[1]
            out_ref[...] = last
        elif kind == "when":
            out_ref[...] = x

            @pl.when(n > size)
            def _() -> None:
                out_ref[...] = x @ y_ref[...]
        else:
            out_ref[...] = lax.switch(
                n % 3, [lambda: x, lambda: x + y_ref[n], lambda: x - x.sum(1, keepdims=True)]
            )

    def plain(n: Any, x: Any, y: Any) -> np.ndarray:
        out = []
        for i, rows in zip(n, x.reshape(-1, size, N), strict=True):
            if kind == "place":
                out.append(rows + y[i : i + size])
            elif kind == "loop":
                out.append(sum((rows * y[k] for k in range(i)), np.zeros_like(rows)))
            elif kind == "while":
                out.append(rows * (1 + i))
            elif kind == "when":
                out.append(rows @ y if i > size else rows)
            else:
                out.append([rows, rows + y[i], rows - rows.sum(1, keepdims=True)][i % 3])
        return np.concatenate(out)

    block = pl.BlockSpec((size, N), lambda i: (i, 0))
    whole = pl.BlockSpec()
    f = pl.pallas_call(
        kernel,
        dt.ShapeDtypeStruct((N, N), np.float32),
        grid=N // size,
        in_specs=[whole, block, whole],
        out_specs=block,
    )
    return f, plain


@settings(max_examples=100 if breadth.IS_NIGHTLY else 5)
@given(
    st.sampled_from(["place", "loop", "while", "when", "switch"]),
    st.sampled_from([4, 8, 16]),
    st.sampled_from(list(itertools.product([0, None], repeat=3))[:-1]),
    st.sampled_from([2, 3, 8]),
    st.integers(0, 99),
)
def test_what_the_batch_decides(kind: str, size: int, axes: Axes, batch: int, seed: int) -> None:
    """Places, loops and branches that depend on the batch."""
    kernel, plain = random_kernel(kind, size)
    rng = np.random.default_rng(seed)
    shapes = [(N // size,), (N, N), (N, N)]
    shapes = [(batch,) * (a == 0) + s for a, s in zip(axes, shapes, strict=True)]
    n = rng.integers(0, N - size + 1, shapes[0]).astype(np.int32)
    arrays = [n, *(rng.normal(size=s).astype(np.float32) for s in shapes[1:])]
    f = dt.vmap(kernel, in_axes=axes)
    assert dispatches(f, arrays) == 1
    assert_close(dt.jit(f)(*arrays), of_each(plain, axes, arrays, batch))


def test_derivatives_are_of_the_batch() -> None:
    """What a batch is computed by is no matter of its derivatives."""
    kernel, _ = random_kernel("loop", 8)
    rng = np.random.default_rng(0)
    n = rng.integers(0, 8, (2, 4)).astype(np.int32)
    x, y = (rng.normal(size=(2, N, N)).astype(np.float32) for _ in range(2))
    loss = functools.partial(lambda n, x, y: dt.vmap(kernel)(n, x, y).sum(), n)
    got = dt.jit(dt.jvp, static_argnums=0)(loss, (x, y), (dnp.ones_like(x), dnp.ones_like(y)))
    eps = np.float32(1e-2)
    numeric = (loss(x + eps, y + eps) - loss(x - eps, y - eps)) / (2 * eps)
    np.testing.assert_allclose(got[1], numeric, rtol=1e-3)
