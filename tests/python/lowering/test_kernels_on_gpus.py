"""Kernels and loops that workgroups of GPUs run as a whole: the threads share each op."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dovetail as dt
import dovetail.numpy as dnp
from dovetail import lax
from dovetail.compiler.schedule import schedule_of
from dovetail.experimental import pallas as pl
from support.gpus import on_gpus

sys.path.insert(0, str(Path(__file__).parents[3] / "examples"))
import kernels

# Sizes of which each kernel is divided among workgroups, and the number of dispatches.
SIZES = {
    "vector add": ((4096, 256), 1),
    "dense layer": (((64, 48, 80), (16, 24, 16)), 1),
    "softmax": ((192, 16), 1),
    "attention": ((256, 32), 1),
    "attention backward": ((256, 32), 1),
    "prefix sum": ((8192, 256), 1),
    "stencil": ((96, 16), 1),
    "histogram": ((65536, 1024), 1),
    "block-sparse product": ((256, 32), 1),
}


def run(gpu: str, function: Any, arrays: Sequence[Any]) -> tuple[list[np.ndarray], int]:
    """The results on a device, and the number of dispatches."""
    (device,) = dt.devices(gpu)[:1]
    compiled = dt.jit(function).lower(*(dt.device_put(x, device) for x in arrays)).compile()
    results = compiled(*(dt.device_put(x, device) for x in arrays))
    count = len(schedule_of(compiled._program.compilation()).dispatches)
    return [np.asarray(x) for x in dt.tree.leaves(results)], count


def assert_close(got: list[np.ndarray], expected: Any) -> None:
    for a, b in zip(got, dt.tree.leaves(expected), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-4 * float(abs(np.asarray(b)).max()))


@pytest.mark.parametrize("name", SIZES)
@on_gpus
def test_kernels_are_one_dispatch(name: str, gpu: str) -> None:
    sizes, most = SIZES[name]
    kernel, plain, arrays = kernels.CASES[name][0](*sizes)
    got, count = run(gpu, kernel, arrays)
    assert_close(got, plain(*arrays))
    if gpu == "vulkan":
        # Workgroups do not see what others wrote, and of loops of unknown length, the driver for
        # CPUs runs 65,535 iterations.
        most += {"attention backward": 1, "block-sparse product": 20}.get(name, 0)
    assert count <= most


@on_gpus
def test_loops_of_known_length_in_which_programs_end_earlier(gpu: str) -> None:
    """One dispatch on Vulkan, too, where loops of unknown length are none."""
    rows, size, width, most = 8, 32, 16, 3
    counts = np.array([1, 3, 0, 2, 3, 1, 2, 0])
    starts = np.concatenate([[0], np.cumsum(counts)]).astype(np.int32)
    columns = np.concatenate([np.arange(count) for count in counts]).astype(np.int32)

    def kernel(starts_ref: Any, columns_ref: Any, data_ref: Any, x_ref: Any, out: Any) -> None:
        row = pl.program_id(0)
        begin, end = starts_ref[row], starts_ref[row + 1]

        def body(k: Any, total: Any) -> Any:
            i = dnp.minimum(begin + k, len(columns) - 1)
            block = x_ref[pl.ds(size * columns_ref[i], size), :]
            return lax.cond(begin + k < end, lambda: total + data_ref[i] @ block, lambda: total)

        out[...] = lax.fori_loop(0, most, body, dnp.zeros((size, width)))

    f = pl.pallas_call(
        kernel,
        dt.ShapeDtypeStruct((rows * size, width), np.float32),
        grid=rows,
        out_specs=pl.BlockSpec((size, width), lambda i: (i, 0)),
    )
    rng = np.random.default_rng(0)
    data = rng.standard_normal((len(columns), size, size)).astype(np.float32)
    x = rng.standard_normal((rows * size, width)).astype(np.float32)
    dense = np.zeros((rows, size, rows, size), np.float32)
    for row in range(rows):
        for i in range(starts[row], starts[row + 1]):
            dense[row, :, columns[i]] = data[i]
    got, count = run(gpu, f, [starts, columns, data, x])
    assert_close(got, dense.reshape(rows * size, -1) @ x)
    assert count == 1


@pytest.mark.parametrize("shape", [(96, 48), (1024, 40), (512, 3, 5), (300, 700)])
@pytest.mark.parametrize("dtype", ["float32", "int32"])
@on_gpus
def test_the_last_workgroup_adds_terms(shape: tuple[int, ...], dtype: str, gpu: str) -> None:
    """Of sums over all programs, where it sees what the others wrote."""
    block = shape[0] // 12 if shape[0] % 12 == 0 else 64
    rows = pl.BlockSpec((block, *shape[1:]), lambda i: (i, *[0] * (len(shape) - 1)))
    whole = pl.BlockSpec(shape[1:], lambda i: (0,) * (len(shape) - 1))

    def kernel(x_ref: Any, y_ref: Any, last_ref: Any, sum_ref: Any) -> None:
        @pl.when(pl.program_id(0) == 0)
        def _() -> None:
            sum_ref[...] = dnp.zeros_like(sum_ref)

        y = x_ref[...] * 3
        y = y - y.max(-1, keepdims=True)
        y_ref[...] = y
        sum_ref[...] += y.sum(0)
        last_ref[...] = y[:, ..., -1]

    f = pl.pallas_call(
        kernel,
        [dt.ShapeDtypeStruct(s, dtype) for s in (shape, shape[:-1], shape[1:])],
        grid=pl.cdiv(shape[0], block),
        in_specs=[rows],
        out_specs=[
            rows,
            pl.BlockSpec((block, *shape[1:-1]), lambda i: (i, *[0] * (len(shape) - 2))),
            whole,
        ],
    )
    x = (np.random.default_rng(0).standard_normal(shape) * 4).astype(dtype)
    y = x * 3
    y = y - y.max(-1, keepdims=True)
    for _ in range(3):
        got, count = run(gpu, lambda x: tuple(f(x)), [x])
        assert_close(got, [y, y[..., -1], y.sum(0)])
        assert count == 1 or gpu == "vulkan"


@pytest.mark.parametrize("width", [3, 40, 700, 5000])
@pytest.mark.parametrize("rows", [4, 300])
@on_gpus
def test_sums_of_rows(rows: int, width: int, gpu: str) -> None:
    """Sums that one thread has, or several, or all; numbers of them that are no powers of two."""

    def of_rows(x: Any) -> Any:
        x = x - x.max(1, keepdims=True)
        weights = dnp.exp(x) / dnp.exp(x).sum(1, keepdims=True)
        return weights, x.argmin(1), (weights > 0.5).any(1), dnp.prod(x[:, :3], 1)

    x = np.random.default_rng(0).standard_normal((rows, width)).astype(np.float32)

    def loop(x: Any) -> Any:
        return lax.fori_loop(0, 3, lambda i, x: of_rows(x + i)[0], x)

    got, count = run(gpu, loop, [x])
    assert count == 1
    assert_close(got, loop(x))
    got, _ = run(gpu, of_rows, [x])
    assert_close(got, of_rows(x))


@on_gpus
def test_loops_of_scalars_and_arrays(gpu: str) -> None:
    """All threads compute what is between the ops; one of them writes a single element."""

    def loop(x: Any, i: Any) -> Any:
        def body(carry: Any) -> Any:
            x, i, seen = carry
            x = x.at[i].add(x[(i + 1) % 100] + dnp.sin(x).sum())
            x = lax.cond(x[i] > 0, lambda x: x * 0.5, lambda x: x[::-1], x)
            return x, (i * 7 + 3) % 100, seen.at[i].set(i)

        return lax.fori_loop(0, 50, lambda _, carry: body(carry), (x, i, dnp.zeros(100, "int32")))

    x = np.random.default_rng(0).standard_normal(100).astype(np.float32)
    got, count = run(gpu, loop, [x, np.int32(5)])
    assert count == 1
    assert_close(got, loop(x, np.int32(5)))


@pytest.mark.parametrize("dtype", ["bool", "int8", "int64", "float64", "complex64"])
@on_gpus
def test_types(dtype: str, gpu: str) -> None:
    x = (np.random.default_rng(0).standard_normal((20, 33)) * 3).astype(dtype)

    def loop(x: Any) -> Any:
        def body(_: Any, x: Any) -> Any:
            turned = dnp.roll(x, 1, 0)
            return x ^ turned if dtype == "bool" else (x + turned).astype(x.dtype) - x[:1]

        return lax.fori_loop(0, 5, body, x)

    with dt.enable_x64():
        got, _ = run(gpu, loop, [x])
        assert_close(got, loop(x))


@pytest.mark.parametrize("gpu", ["cuda"], indirect=True)
def test_threads_wait_for_each_other(gpu: str) -> None:
    """No order of threads changes a result, and none overtakes another."""
    if "CPU" not in str(dt.devices(gpu)[0].device_kind):
        pytest.skip("only the driver for CPUs sees accesses that no barrier orders")
    which = (
        "cuda and (softmax or test_loops_of_scalars or test_sums_of_rows and 4-700 "
        "or test_the_last_workgroup and float32-shape2)"
    )
    command = [sys.executable, "-m", "pytest", "-q", "-s", "-n0", "-p", "no:cacheprovider"]
    done = subprocess.run(
        [*command, __file__, "-k", which],
        env=os.environ
        | {"DOVETAIL_CUDA_ORDER": "random", "DOVETAIL_CUDA_RACES": "1", "DOVETAIL_PROFILE": ""},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "passed" in done.stdout
    # In code of IREE's own, several threads write the same.
    assert "RACE in once" not in done.stdout + done.stderr
