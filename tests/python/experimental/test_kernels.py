"""The kernels of `examples/kernels.py`: against plain ops, on each target; their dispatches."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dovetail as dt
import dovetail.numpy as dnp
from dovetail import lax, runtime
from dovetail.compiler.schedule import schedule_of
from dovetail.experimental import pallas as pl

sys.path.insert(0, str(Path(__file__).parents[3] / "examples"))
import kernels

CASES = pytest.mark.parametrize("name", kernels.CASES)


def small(name: str, interpret: bool = False) -> kernels.Case:
    make, sizes, _ = kernels.CASES[name]
    return make(*sizes, interpret=interpret)


def assert_close(got: Any, expected: Any) -> None:
    leaves = zip(dt.tree.leaves(got), dt.tree.leaves(expected), strict=True)
    for a, b in leaves:
        np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-5)


@CASES
@pytest.mark.parametrize("interpret", [True, False])
def test_values(name: str, interpret: bool) -> None:
    kernel, plain, arrays = small(name, interpret)
    assert_close(kernel(*arrays), plain(*arrays))


def dispatches(function: Any, arrays: list[np.ndarray]) -> int:
    """The number of dispatches of the function for the CPU."""
    program = dt.jit(function).lower(*arrays).compile()._program
    return len(schedule_of(program.compilation()).dispatches)


@CASES
def test_small_kernels_are_one_dispatch(name: str) -> None:
    kernel, _, arrays = small(name)
    assert dispatches(kernel, arrays) == 1


@CASES
def test_large_kernels_are_one_dispatch(name: str) -> None:
    make, _, sizes = kernels.CASES[name]
    kernel, plain, arrays = make(*sizes)
    assert dispatches(kernel, arrays) == 1
    expected = dt.jit(plain)(*arrays)
    largest = max(float(abs(np.asarray(x)).max()) for x in dt.tree.leaves(expected))
    assert kernels.distance(dt.jit(kernel)(*arrays), expected) <= 1e-4 * largest


@pytest.mark.parametrize("size", [2, 3, 4])
@pytest.mark.parametrize("name", ["dense layer", "softmax", "attention"])
def test_a_batch_of_a_kernel_is_one_dispatch(name: str, size: int) -> None:
    make, _, sizes = kernels.CASES[name]
    kernel, plain, arrays = make(*sizes)
    batch = [np.stack([np.roll(x, i) for i in range(size)]) for x in arrays]
    assert dispatches(dt.vmap(kernel), batch) == 1
    assert_close(dt.jit(dt.vmap(kernel))(*batch), dt.jit(dt.vmap(plain))(*batch))


@pytest.mark.parametrize("size", [2, 3, 8])
def test_entries_of_a_batch_have_terms(size: int) -> None:
    make, _, sizes = kernels.CASES["attention backward"]
    kernel, plain, arrays = make(*sizes)
    # All rows by as many: the weights stay those of the queries and keys.
    batch = [np.stack([np.roll(x, i, 0) for i in range(size)]) for x in arrays]
    assert dispatches(dt.vmap(kernel), batch) == 1
    expected = dt.jit(dt.vmap(plain))(*batch)
    largest = max(float(abs(np.asarray(x)).max()) for x in dt.tree.leaves(expected))
    assert kernels.distance(dt.jit(dt.vmap(kernel))(*batch), expected) <= 1e-4 * largest


def test_the_last_workgroup_sees_all_terms() -> None:
    """Whichever it is: the terms are added in the same order each time."""
    make, _, sizes = kernels.CASES["attention backward"]
    kernel, _, arrays = make(*sizes)
    run = dt.jit(kernel)
    first = [np.asarray(x) for x in run(*arrays)]
    for _ in range(300):
        for a, b in zip(run(*arrays), first, strict=True):
            np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("is_started", [False, True])
@pytest.mark.parametrize("shape", [(1024, 256), (3, 1024, 256)])
def test_sums_over_programs(shape: tuple[int, ...], is_started: bool) -> None:
    """The backward kernel of a scaled norm: rows of one result, and sums over all rows."""
    n, width = shape[-2:]
    rows = pl.BlockSpec((64, width), lambda i: (i, 0))
    vector = pl.BlockSpec((width,), lambda i: (0,))

    def kernel(x_ref: Any, t_ref: Any, *refs: Any) -> None:
        dx_ref, dw_ref = refs[-2:]
        if not is_started:

            @pl.when(pl.program_id(0) == 0)
            def _() -> None:
                dw_ref[...] = dnp.zeros_like(dw_ref)

        x, t = x_ref[...], t_ref[...]
        norm = x * lax.rsqrt((x * x).mean(1, keepdims=True))
        dx_ref[...] = t - norm * (t * norm).mean(1, keepdims=True)
        dw_ref[...] += (t * norm).sum(0)

    f = pl.pallas_call(
        kernel,
        (dt.ShapeDtypeStruct((n, width), np.float32), dt.ShapeDtypeStruct((width,), np.float32)),
        grid=n // 64,
        in_specs=[rows, rows, *[vector] * is_started],
        out_specs=(rows, vector),
        input_output_aliases={2: 1} if is_started else {},
    )

    def plain(x: Any, t: Any, *start: Any) -> Any:
        norm = x * lax.rsqrt((x * x).mean(1, keepdims=True))
        dx = t - norm * (t * norm).mean(1, keepdims=True)
        return dx, (t * norm).sum(0) + sum(start)

    rng = np.random.default_rng(0)
    arrays = [rng.normal(size=shape).astype(np.float32) for _ in range(2)]
    if is_started:
        arrays.append(rng.normal(size=(*shape[:-2], width)).astype(np.float32))
    if len(shape) == 3:
        f, plain = dt.vmap(f), dt.vmap(plain)
    assert dispatches(f, arrays) == 1
    for got, wanted in zip(dt.jit(f)(*arrays), dt.jit(plain)(*arrays), strict=True):
        np.testing.assert_allclose(got, wanted, rtol=1e-4, atol=1e-3)


def test_entries_of_a_batch_share_what_has_none() -> None:
    """Parts of entries of a batch read the weights of their entry, or those of all."""
    make, _, sizes = kernels.CASES["dense layer"]
    kernel, plain, (x, w, b) = make(*sizes)
    xs, bs = np.stack([x, -x]), np.stack([b, 2 * b])
    for axes, arrays in (((0, None, None), (xs, w, b)), ((0, None, 0), (xs, w, bs))):
        f, g = (dt.jit(dt.vmap(each, in_axes=axes)) for each in (kernel, plain))
        assert dispatches(f, list(arrays)) == 1
        assert_close(f(*arrays), g(*arrays))


@pytest.mark.usefixtures("vulkan")
@CASES
def test_vulkan(name: str, tmp_path: Path) -> None:
    kernel, plain, arrays = small(name)
    path = str(tmp_path / "kernel.vmfb")
    dt.export(kernel, *arrays, path=path, targets="vulkan")
    got = runtime.load(path, device="vulkan").main(*arrays)
    assert_close([np.asarray(x.numpy()) for x in dt.tree.leaves(got)], plain(*arrays))


@pytest.mark.parametrize("target", ["cuda:sm_89", "rocm", "metal"])
@pytest.mark.parametrize("name", [name for name in kernels.CASES if name != "histogram"])
def test_other_gpus_compile(name: str, target: str, tmp_path: Path) -> None:
    compile_for(name, target, tmp_path)


@pytest.mark.parametrize("target", ["cuda:sm_89", "rocm", "metal"])
def test_other_gpus_compile_the_histogram(target: str, tmp_path: Path) -> None:
    compile_for("histogram", target, tmp_path)


def compile_for(name: str, target: str, tmp_path: Path) -> None:
    kernel, _, arrays = small(name)
    path = tmp_path / "kernel.vmfb"
    dt.export(kernel, *arrays, path=str(path), targets=target)
    assert path.stat().st_size > 0
