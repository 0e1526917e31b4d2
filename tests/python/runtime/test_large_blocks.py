"""Large blocks of memory are kept for the next program, and given back when there is none."""

from __future__ import annotations

import ctypes
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from iree.runtime import (
    BufferUsage,
    HalBufferView,
    MemoryType,
    VmBuffer,
)

import dovetail as dt
import dovetail.numpy as dnp
from dovetail import config, runtime
from dovetail.runtime import iree_internals, large_blocks, plugins
from dovetail.runtime.dtypes import ELEMENT_OF_DTYPE

HUGE = 2 << 20
# Of blocks that the C library keeps, in bytes.
SIZE = 100_000

pytestmark = pytest.mark.skipif(
    not sys.platform.startswith("linux"), reason="the pool replaces functions of glibc"
)


def settled() -> large_blocks.Extent:
    """The extent once nothing has been used for a while."""
    deadline = time.monotonic() + 20
    while large_blocks.extent().kept and time.monotonic() < deadline:
        time.sleep(0.1)
    return large_blocks.extent()


@pytest.fixture
def libc_of_iree() -> Iterator[ctypes.CDLL]:
    """The library of the pool, in which IREE finds its functions."""
    assert large_blocks.pool()
    library = ctypes.CDLL(plugins.path("libdovetail_memory.so"))
    settled()
    yield library
    settled()


def test_iree_imports_what_the_pool_replaces() -> None:
    """If this fails, IREE allocates by other functions: see cpp/memory/Library.cpp."""
    assert iree_internals.library().endswith(".so")
    assert large_blocks.pool()
    with config.compile("now"):
        numbers = dt.jit(lambda n: dnp.arange(0.0, 30e6) + n)
        # IREE's own pool, of smaller arrays, stays.
        dt.block_until_ready(numbers(0))
        before = settled()
        x = dt.block_until_ready(numbers(1))
    assert large_blocks.extent().used >= before.used + 120e6
    assert float(x[-1]) == 30e6
    del x
    after = large_blocks.extent()
    assert after.used <= before.used + HUGE
    assert after.kept >= 120e6
    assert settled().kept == 0


def used_memory(size: int) -> None:
    """Leave memory in which no byte is zero to those who ask for that much next."""
    blocks = [np.full(size, 7, np.uint8) for _ in range(4)]
    del blocks


def test_memory_of_arrays_is_not_zeroed() -> None:
    """If this fails, IREE allocates by other functions: see cpp/memory/Callers.cpp."""
    allocator = runtime.get_device("local-sync").hal.allocator
    kind = int(MemoryType.DEVICE_LOCAL | MemoryType.HOST_VISIBLE)
    found = False
    for _ in range(20):
        used_memory(SIZE + 256)
        buffer = allocator.allocate_buffer(kind, int(BufferUsage.DEFAULT), SIZE)
        view = HalBufferView(buffer, [SIZE], ELEMENT_OF_DTYPE[np.dtype(np.uint8)])
        memory: Any = view.map()
        found |= np.frombuffer(memory, np.uint8).any()
    assert found


def test_memory_of_other_things_is_zeroed() -> None:
    """Such as of buffers of IREE's virtual machine, and of its state."""
    runtime.get_device("local-sync")
    for _ in range(20):
        used_memory(SIZE + 64)
        buffer: Any = VmBuffer(SIZE)
        assert not np.frombuffer(buffer, np.uint8).any()


PROGRAM = """
import resource
import numpy as np
import dovetail as dt
import dovetail.numpy as dnp

@dt.jit
def step(x):
    for axis in (0, 1):
        x = (dnp.roll(x, 1, axis) + dnp.roll(x, -1, axis)) / 2
    return x

x = dt.device_put(np.ones((4096, 4096), np.float32))
for _ in range(3):
    y = dt.block_until_ready(step(x))
first = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
for _ in range(5):
    y = dt.block_until_ready(step(x))
print(resource.getrusage(resource.RUSAGE_SELF).ru_minflt - first)
assert (np.asarray(y) == 1).all()
"""


def test_calls_map_no_pages_anew() -> None:
    def faults(setting: str) -> int:
        variables = {"DOVETAIL_POOL_MEMORY": setting, "DOVETAIL_COMPILE": "now"}
        command = [sys.executable, "-c", PROGRAM]
        done = subprocess.run(
            command, env=os.environ | variables, capture_output=True, text=True, check=True
        )
        return int(done.stdout)

    # 64 MiB are 16,384 pages.
    assert faults("0") > 5 * 16384
    assert faults("1") < 16384


DEVICES = """
import resource
import meshes
import tensor_parallel

mesh = meshes.mesh(model=2, data=1)
weights, *data = tensor_parallel.problem(8, 64, 128)
arguments = tensor_parallel.placed(mesh, weights), *[meshes.put(mesh, x, "data") for x in data]
step = tensor_parallel.step.lower(*arguments).compile()
for _ in range(10):
    step(*arguments)
first = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
for _ in range(20):
    step(*arguments)
print((resource.getrusage(resource.RUSAGE_SELF).ru_minflt - first) // 20)
"""


def test_devices_map_no_pages_anew(repository: Path) -> None:
    """What devices need beside large blocks is kept, too, though several threads ask for it."""
    variables = {"DOVETAIL_NUM_CPU_DEVICES": "2", "DOVETAIL_COMPILE": "now"}
    variables["PYTHONPATH"] = str(repository / "examples")
    command = [sys.executable, "-c", DEVICES]
    done = subprocess.run(
        command, env=os.environ | variables, capture_output=True, text=True, check=True
    )
    # Each device needs 5 MiB, or 1,250 pages.
    assert int(done.stdout) < 100


def test_blocks_of_the_same_size_are_used_again(libc_of_iree: ctypes.CDLL) -> None:
    with config.compile("now"):
        double = dt.jit(lambda x: x * 2)
        x = dnp.ones(20_000_000)
        dt.block_until_ready(double(x))
        before = large_blocks.extent()
        for _ in range(10):
            dt.block_until_ready(double(x))
        after = large_blocks.extent()
    assert after.used + after.kept <= before.used + before.kept + 80_000_000 + HUGE
    del x


def test_what_is_kept_is_bounded_by_what_was_used(libc_of_iree: ctypes.CDLL) -> None:
    base = large_blocks.extent()
    with config.compile("now"):
        for size in range(17_000_000, 40_000_000, 3_000_000):
            dt.block_until_ready(dt.jit(lambda n, size=size: dnp.arange(size) + n)(1))
            now = large_blocks.extent()
            most = base.used + 4 * 2 * (size + 3_000_000)
            assert now.used + now.kept <= 2 * most


def test_threads_and_forks() -> None:
    with config.compile("now"):
        double = dt.jit(lambda x: x * 2)
        x = dnp.ones(9_000_000)
        dt.block_until_ready(double(x))

        def work(_: int) -> float:
            return float(double(x)[-1])

        with ThreadPoolExecutor(4) as threads:
            results = threads.map(work, range(40))
            for _ in range(5):
                if (child := os.fork()) == 0:
                    # The lock is free here, whatever other threads were doing.
                    large_blocks.extent()
                    os._exit(0)
                assert os.waitpid(child, 0)[1] == 0
            assert set(results) == {2.0}
