"""Kernels as users of Pallas write them, against plain ops: values, batches and derivatives."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

import dovetail as dt
import dovetail.numpy as dnp
from dovetail import lax, runtime
from dovetail.experimental import pallas as pl

F32, I32 = np.float32, np.int32
RANDOM = np.random.default_rng(0)


class Case(NamedTuple):
    kernel: Callable[..., Any]
    plain: Callable[..., Any]
    arrays: list[np.ndarray]


CASES: dict[str, Callable[[bool], Case]] = {}


def case(make: Callable[[bool], Case]) -> Callable[[bool], Case]:
    CASES[make.__name__] = make
    return make


def normal(*shape: int) -> np.ndarray:
    return RANDOM.standard_normal(shape).astype(F32)


def typed(*shape: int, dtype: Any = F32) -> dt.ShapeDtypeStruct:
    return dt.ShapeDtypeStruct(shape, dtype)


def rows(*block: int) -> pl.BlockSpec:
    """Blocks one after the other along the first dimension."""
    return pl.BlockSpec(block, lambda i, *_: (i, *[0] * (len(block) - 1)))


def whole(*shape: int) -> pl.BlockSpec:
    return pl.BlockSpec(shape, lambda *_: (0,) * len(shape))


def normalized(x: Any) -> tuple[Any, Any]:
    centred = x - x.mean(-1, keepdims=True)
    scale = lax.rsqrt((centred**2).mean(-1, keepdims=True) + 1e-5)
    return centred * scale, scale


@case
def layer_norm_backward(interpret: bool) -> Case:
    def kernel(x: Any, w: Any, g: Any, dx: Any, dw: Any, db: Any) -> None:
        h, scale = normalized(x[...])
        t = g[...] * w[...]
        dx[...] = scale * (t - t.mean(-1, keepdims=True) - h * (t * h).mean(-1, keepdims=True))

        @pl.when(pl.program_id(0) == 0)
        def _() -> None:
            dw[...] = dnp.zeros_like(dw[...])
            db[...] = dnp.zeros_like(db[...])

        dw[...] += (g[...] * h).sum(0)
        db[...] += g[...].sum(0)

    def plain(x: Any, w: Any, g: Any) -> Any:
        return dt.vjp(lambda x, w, b: normalized(x)[0] * w + b, x, w, dnp.zeros(40))[1](g)

    call = pl.pallas_call(
        kernel,
        (typed(12, 40), typed(40), typed(40)),
        grid=3,
        in_specs=[rows(4, 40), whole(40), rows(4, 40)],
        out_specs=(rows(4, 40), whole(40), whole(40)),
        interpret=interpret,
    )
    return Case(call, plain, [normal(12, 40), normal(40), normal(12, 40)])


@case
def batched_product(interpret: bool) -> Case:
    def kernel(x: Any, y: Any, o: Any, total: Any) -> None:
        @pl.when(pl.program_id(3) == 0)
        def _() -> None:
            total[...] = dnp.zeros_like(total[...])

        total[...] += x[...] @ y[...]

        @pl.when(pl.program_id(3) == pl.num_programs(3) - 1)
        def _() -> None:
            o[...] = total[...]

    call = pl.pallas_call(
        kernel,
        typed(2, 16, 24),
        grid=(2, 2, 3, 4),
        in_specs=[
            pl.BlockSpec((None, 8, 8), lambda b, i, j, k: (b, i, k)),
            pl.BlockSpec((None, 8, 8), lambda b, i, j, k: (b, k, j)),
        ],
        out_specs=pl.BlockSpec((None, 8, 8), lambda b, i, j, k: (b, i, j)),
        scratch_shapes=[typed(8, 8)],
        interpret=interpret,
    )
    return Case(call, lambda x, y: x @ y, [normal(2, 16, 32), normal(2, 32, 24)])


@case
def argmax_of_rows(interpret: bool) -> Case:
    def kernel(x: Any, value: Any, place: Any) -> None:
        j = pl.program_id(1)

        @pl.when(j == 0)
        def _() -> None:
            value[...] = dnp.full_like(value[...], -dnp.inf)
            place[...] = dnp.zeros_like(place[...])

        block = x[...]
        is_better = block.max(1) > value[...]
        place[...] = dnp.where(is_better, dnp.argmax(block, 1).astype(I32) + 8 * j, place[...])
        value[...] = dnp.where(is_better, block.max(1), value[...])

    call = pl.pallas_call(
        kernel,
        (typed(8), typed(8, dtype=I32)),
        grid=(2, 4),
        in_specs=[pl.BlockSpec((4, 8), lambda i, j: (i, j))],
        out_specs=(rows(4), rows(4)),
        interpret=interpret,
    )
    return Case(call, lambda x: (x.max(1), dnp.argmax(x, 1).astype(I32)), [normal(8, 32)])


@case
def largest_of_rows(interpret: bool) -> Case:
    def kernel(x: Any, value: Any, place: Any) -> None:
        block = x[...]
        columns = lax.broadcasted_iota(I32, block.shape, 1)
        for k in range(3):
            largest = block.max(1, keepdims=True)
            at = dnp.where(block == largest, columns, 16).min(1, keepdims=True)
            value[:, k], place[:, k] = largest[:, 0], at[:, 0]
            block = dnp.where(columns == at, -dnp.inf, block)

    call = pl.pallas_call(
        kernel,
        (typed(8, 3), typed(8, 3, dtype=I32)),
        grid=4,
        in_specs=[rows(2, 16)],
        out_specs=(rows(2, 3), rows(2, 3)),
        interpret=interpret,
    )
    return Case(call, lambda x: tuple(lax.top_k(x, 3)), [normal(8, 16)])


@case
def sorting_network(interpret: bool) -> Case:
    def kernel(x: Any, o: Any) -> None:
        value, i = x[...], dnp.arange(16)
        for size in (2, 4, 8, 16):
            step = size // 2
            while step:
                other, is_up = value[:, i ^ step], (i & size) == 0
                is_low = ((i & step) == 0) == is_up
                value = dnp.where(is_low, dnp.minimum(value, other), dnp.maximum(value, other))
                step //= 2
        o[...] = value

    call = pl.pallas_call(
        kernel, typed(6, 16), grid=3, in_specs=[rows(2, 16)], out_specs=rows(2, 16),
        interpret=interpret,
    )  # fmt: skip
    return Case(call, lambda x: dnp.sort(x, 1), [normal(6, 16)])


@case
def running_variance(interpret: bool) -> Case:
    def kernel(x: Any, mean: Any, variance: Any, count: Any, centre: Any, squares: Any) -> None:
        @pl.when(pl.program_id(0) == 0)
        def _() -> None:
            for ref in (count, centre, squares):
                ref[...] = dnp.zeros_like(ref[...])

        block, size = x[...], x.shape[0]
        change, total = block.mean(0) - centre[...], count[0] + size
        squares[...] += ((block - block.mean(0)) ** 2).sum(0)
        squares[...] += change**2 * count[0] * size / total
        centre[...] += change * size / total
        count[...] += size

        @pl.when(pl.program_id(0) == pl.num_programs(0) - 1)
        def _() -> None:
            mean[...], variance[...] = centre[...], squares[...] / count[0]

    call = pl.pallas_call(
        kernel,
        (typed(7), typed(7)),
        grid=5,
        in_specs=[rows(4, 7)],
        out_specs=(whole(7), whole(7)),
        scratch_shapes=[typed(1), typed(7), typed(7)],
        interpret=interpret,
    )
    return Case(call, lambda x: (x.mean(0), x.var(0)), [normal(20, 7)])


@case
def selective_scan(interpret: bool) -> Case:
    def kernel(a: Any, b: Any, c: Any, y: Any, state: Any) -> None:
        @pl.when(pl.program_id(1) == 0)
        def _() -> None:
            state[...] = dnp.zeros_like(state[...])

        def step(t: Any, h: Any) -> Any:
            h = a[t] * h + b[t]
            y[t] = (h * c[t][None]).sum(-1)
            return h

        state[...] = lax.fori_loop(0, 4, step, state[...])

    def plain(a: Any, b: Any, c: Any) -> Any:
        def step(h: Any, now: Any) -> Any:
            h = now[0] * h + now[1]
            return h, (h * now[2][None]).sum(-1)

        return lax.scan(step, dnp.zeros((6, 4)), (a, b, c))[1]

    channels = pl.BlockSpec((4, 3, 4), lambda d, t: (t, d, 0))
    call = pl.pallas_call(
        kernel,
        typed(12, 6),
        grid=(2, 3),
        in_specs=[channels, channels, pl.BlockSpec((4, 4), lambda d, t: (t, 0))],
        out_specs=pl.BlockSpec((4, 3), lambda d, t: (t, d)),
        scratch_shapes=[typed(3, 4)],
        interpret=interpret,
    )
    return Case(call, plain, [np.exp(-abs(normal(12, 6, 4))), normal(12, 6, 4), normal(12, 4)])


@case
def quantised_product(interpret: bool) -> Case:
    def kernel(x: Any, w: Any, scale: Any, o: Any, total: Any) -> None:
        @pl.when(pl.program_id(2) == 0)
        def _() -> None:
            total[...] = dnp.zeros_like(total[...])

        total[...] += dnp.dot(x[...], w[...], preferred_element_type=I32)

        @pl.when(pl.program_id(2) == 1)
        def _() -> None:
            o[...] = total[...].astype(F32) * scale[...]

    def plain(x: Any, w: Any, scale: Any) -> Any:
        return (dnp.int32(x) @ dnp.int32(w)).astype(F32) * scale

    call = pl.pallas_call(
        kernel,
        typed(16, 16),
        grid=(2, 2, 2),
        in_specs=[
            pl.BlockSpec((8, 8), lambda i, j, k: (i, k)),
            pl.BlockSpec((8, 8), lambda i, j, k: (k, j)),
            pl.BlockSpec((8,), lambda i, j, k: (j,)),
        ],
        out_specs=pl.BlockSpec((8, 8), lambda i, j, k: (i, j)),
        scratch_shapes=[typed(8, 8, dtype=I32)],
        interpret=interpret,
    )
    x, w = RANDOM.integers(-128, 128, (2, 16, 16)).astype(np.int8)
    return Case(call, plain, [x, w, normal(16)])


@case
def triangular_solve(interpret: bool) -> Case:
    def kernel(a: Any, b: Any, o: Any) -> None:
        o[...] = dnp.zeros_like(o[...])

        @pl.loop(0, 8)
        def _(i: Any) -> None:
            o[i, :] = (b[i, :] - a[i, :] @ o[...]) / a[i, i]

    columns = pl.BlockSpec((8, 4), lambda j: (0, j))
    call = pl.pallas_call(
        kernel, typed(8, 12), grid=3, in_specs=[whole(8, 8), columns], out_specs=columns,
        interpret=interpret,
    )  # fmt: skip
    a = np.tril(0.2 * normal(8, 8)) + 2 * np.eye(8, dtype=F32)
    return Case(call, lambda a, b: dnp.linalg.solve(dnp.tril(a), b), [a, normal(8, 12)])


@case
def sum_of_segments(interpret: bool) -> Case:
    segments = np.array([0, 1, 1, 3, 0, 2, 3, 3], I32)

    def kernel(segment: Any, x: Any, _: Any, o: Any) -> None:
        at = segment[pl.program_id(0)]
        o[at, :] = o[at, :] + x[0]

    call = pl.pallas_call(
        kernel,
        typed(4, 5),
        grid=8,
        in_specs=[whole(8), rows(1, 5), whole(4, 5)],
        out_specs=whole(4, 5),
        input_output_aliases={2: 0},
        interpret=interpret,
    )
    return Case(
        lambda x, start: call(segments, x, start),
        lambda x, start: dnp.asarray(start).at[segments].add(x),
        [normal(8, 5), normal(4, 5)],
    )


@case
def rotary_embedding(interpret: bool) -> Case:
    """Halves of the last dimension are read and written one by one."""

    def kernel(x: Any, cos: Any, sin: Any, o: Any) -> None:
        a, b = x[..., :4], x[..., 4:]
        o[..., :4] = a * cos[...] - b * sin[...]
        o[..., 4:] = b * cos[...] + a * sin[...]

    def plain(x: Any, cos: Any, sin: Any) -> Any:
        a, b = x[..., :4], x[..., 4:]
        return dnp.concatenate([a * cos - b * sin, b * cos + a * sin], -1)

    heads = pl.BlockSpec((None, None, 6, 8), lambda b, h: (b, h, 0, 0))
    call = pl.pallas_call(
        kernel,
        typed(2, 3, 6, 8),
        grid=(2, 3),
        in_specs=[heads, whole(6, 4), whole(6, 4)],
        out_specs=heads,
        interpret=interpret,
    )
    angle = np.arange(6)[:, None] / 10 ** np.arange(4.0)
    return Case(
        call, plain, [normal(2, 3, 6, 8), np.cos(angle).astype(F32), np.sin(angle).astype(F32)]
    )


@case
def hadamard(interpret: bool) -> Case:
    """Stages of butterflies, each on another shape of the block."""

    def kernel(x: Any, o: Any) -> None:
        v = x[...]
        for half in (1, 2, 4):
            parts = v.reshape(-1, 4 // half, 2, half)
            a, b = parts[:, :, 0], parts[:, :, 1]
            v = dnp.stack([a + b, a - b], 2).reshape(-1, 8)
        o[...] = v

    call = pl.pallas_call(
        kernel, typed(6, 8), grid=3, in_specs=[rows(2, 8)], out_specs=rows(2, 8),
        interpret=interpret,
    )  # fmt: skip
    two = np.array([[1, 1], [1, -1]], F32)
    return Case(call, lambda x: x @ np.kron(two, np.kron(two, two)), [normal(6, 8)])


@case
def in_place_twice(interpret: bool) -> Case:
    """What starts as an argument, which is also another argument, and is needed afterwards."""

    def kernel(a: Any, x: Any, _: Any, o: Any) -> None:
        o[...] += a[0] * x[...][::-1]

    call = pl.pallas_call(
        kernel,
        typed(12),
        grid=3,
        in_specs=[whole(1), rows(4), rows(4)],
        out_specs=rows(4),
        input_output_aliases={2: 0},
        interpret=interpret,
    )

    def twice(a: Any, x: Any) -> Any:
        return call(a, x, x) * x, call(a, call(a, x, x), x)

    def plain(a: Any, x: Any) -> Any:
        turned = lambda y: y.reshape(3, 4)[:, ::-1].reshape(12)  # noqa: E731
        first = x + a * turned(x)
        return first * x, x + a * turned(first)

    return Case(twice, plain, [normal(1), normal(12)])


def assert_close(got: Any, expected: Any) -> None:
    for a, b in zip(dt.tree.leaves(got), dt.tree.leaves(expected), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-3, atol=1e-3)


@pytest.mark.parametrize("interpret", [False, True])
@pytest.mark.parametrize("name", CASES)
def test_values(name: str, interpret: bool) -> None:
    kernel, plain, arrays = CASES[name](interpret)
    assert_close(dt.jit(kernel)(*arrays), plain(*arrays))


@pytest.mark.usefixtures("vulkan")
@pytest.mark.parametrize("name", CASES)
def test_vulkan(name: str, tmp_path: Path) -> None:
    kernel, plain, arrays = CASES[name](False)
    dt.export(kernel, *arrays, path=tmp_path / "kernel.vmfb", targets="vulkan")
    loaded = runtime.load(tmp_path / "kernel.vmfb", device="vulkan")
    assert_close(loaded.main(*arrays), plain(*arrays))


@pytest.mark.parametrize("name", CASES)
def test_batches(name: str) -> None:
    kernel, plain, arrays = CASES[name](False)
    batch = [np.stack([x, 0.5 * x if x.dtype == F32 else x[::-1]]) for x in arrays]
    assert_close(dt.jit(dt.vmap(kernel))(*batch), dt.vmap(plain)(*batch))


@pytest.mark.parametrize("name", CASES)
def test_derivatives(name: str) -> None:
    kernel, plain, arrays = CASES[name](False)
    wrt = [i for i, x in enumerate(arrays) if x.dtype == F32]

    def loss(f: Any, *arrays: Any) -> Any:
        leaves = dt.tree.leaves(f(*arrays))
        return sum(dnp.sin(x).sum() for x in leaves if x.dtype == F32)

    found = [dt.jit(dt.grad(lambda *x, f=f: loss(f, *x), wrt))(*arrays) for f in (kernel, plain)]
    assert_close(*found)
