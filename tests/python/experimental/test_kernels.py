"""The kernels of `examples/kernels.py`: against plain ops, on each target; their dispatches."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dovetail as dt
from dovetail import runtime
from dovetail.compiler.schedule import schedule_of

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
    if name == "attention backward":
        # All programs add to one of the results: one dispatch would be run by one thread.
        assert dispatches(kernel, arrays) <= dispatches(plain, arrays)
    else:
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


# A form of scatters that add, here and in plain ops, is not compiled for CUDA and ROCm.
@pytest.mark.parametrize(
    "target",
    [*(pytest.param(name, marks=pytest.mark.rejected) for name in ("cuda:sm_89", "rocm")), "metal"],
)
def test_other_gpus_compile_the_histogram(target: str, tmp_path: Path) -> None:
    compile_for("histogram", target, tmp_path)


def compile_for(name: str, target: str, tmp_path: Path) -> None:
    kernel, _, arrays = small(name)
    path = tmp_path / "kernel.vmfb"
    dt.export(kernel, *arrays, path=str(path), targets=target)
    assert path.stat().st_size > 0
