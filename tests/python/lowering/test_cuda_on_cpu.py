"""Code for CUDA as threads that take turns on a CPU: its instructions, barriers and races."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from support.cuda_on_cpu import SOURCES

pytestmark = pytest.mark.skipif(shutil.which("cc") is None, reason="needs a C compiler")

# Of each block.
THREADS = 64
PREAMBLE = """
.version 7.6
.target sm_80
.address_size 64
.extern .shared .align 16 .b8 memory[];
.visible .entry kernel(.param .u64 .ptr .global .align 16 from, .param .u64 .ptr .align 16 to) {
  .reg .pred %p<9>;
  .reg .b16 %rs<9>;
  .reg .b32 %r<30>;
  .reg .b64 %rd<19>;
  ld.param.b64 %rd1, [from];
  ld.param.b64 %rd2, [to];
  mov.u32 %r1, %tid.x;
  mov.u32 %r2, %ctaid.x;
  mov.u32 %r3, %ntid.x;
  mad.lo.s32 %r4, %r2, %r3, %r1;
  mul.wide.u32 %rd3, %r4, 4;
  add.s64 %rd4, %rd1, %rd3;
  add.s64 %rd5, %rd2, %rd3;
"""


def run(
    code: str, array: np.ndarray, folder: Path, grid: int = 1, setting: Mapping[str, str] = {}
) -> tuple[np.ndarray, str]:
    """A kernel's result of the array's size, and what it reports.

    Args:
      code: its instructions; `%rd4` and `%rd5` are the places of a thread's element and result.
    """
    (folder / "m.ptx").write_text(f"{PREAMBLE}{code}\n  ret;\n}}\n")
    translate = [sys.executable, SOURCES / "translate.py", folder / "m.ptx", folder / "m.so"]
    env = {**os.environ, **setting}
    subprocess.run(translate, check=True, env=env, capture_output=True, text=True)
    np.save(folder / "from.npy", array)
    process = [sys.executable, SOURCES / "launch.py", str(folder), str(grid), str(THREADS)]
    done = subprocess.run(process, check=False, env=env, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(done.stderr)
    return np.load(folder / "to.npy"), done.stderr


def check(code: str, array: np.ndarray, expected: Any, folder: Path) -> None:
    """Of floats, in each order of the threads."""
    for order in ("forward", "backward", "random"):
        given = np.asarray(array, np.float32)
        result, _ = run(
            code, given, folder, grid=len(given) // THREADS, setting={"DOVETAIL_CUDA_ORDER": order}
        )
        np.testing.assert_array_equal(result, np.asarray(expected, np.float32))


NUMBERS = np.random.default_rng(0).standard_normal(256).astype(np.float32)


def test_elements(tmp_path: Path) -> None:
    """Guards, comparisons, selections, and vectors in memory."""
    code = """
  setp.ge.u32 %p1, %r1, 16;
  @%p1 bra $L_end;
  shl.b32 %r5, %r2, 4;
  add.s32 %r5, %r5, %r1;
  mul.wide.u32 %rd6, %r5, 16;
  add.s64 %rd7, %rd1, %rd6;
  add.s64 %rd8, %rd2, %rd6;
  ld.global.nc.v4.b32 {%r6, %r7, %r8, %r9}, [%rd7];
  fma.rn.f32 %r10, %r6, 0f40000000, %r7;
  setp.lt.f32 %p2, %r8, 0f00000000;
  selp.f32 %r11, %r9, %r8, %p2;
  neg.f32 %r12, %r9;
  @%p2 mul.rn.f32 %r12, %r12, 0f40400000;
  min.f32 %r13, %r6, %r7;
  st.global.v4.b32 [%rd8], {%r10, %r11, %r12, %r13};
$L_end:"""
    a, b, c, d = NUMBERS.reshape(-1, 4).T
    is_negative = c < 0
    twice = (2 * a.astype(np.float64) + b).astype(np.float32)
    results = [twice, np.where(is_negative, d, c), np.where(is_negative, -3 * d, -d)]
    check(code, NUMBERS, np.stack([*results, np.minimum(a, b)], 1).ravel(), tmp_path)


def test_integers_and_conversions(tmp_path: Path) -> None:
    code = """
  ld.global.b32 %r5, [%rd4];
  mul.rn.f32 %r5, %r5, 0f42C80000;
  cvt.rni.s32.f32 %r6, %r5;
  shr.s32 %r7, %r6, 2;
  shr.u32 %r8, %r6, 40;
  cvt.u16.u32 %rs1, %r6;
  mul.wide.u16 %r9, %rs1, 3;
  rem.s32 %r10, %r6, 7;
  prmt.b32 %r11, %r6, %r7, 0x7610U;
  add.s32 %r12, %r7, %r8;
  xor.b32 %r12, %r12, %r9;
  sub.s32 %r12, %r12, %r10;
  add.s32 %r12, %r12, %r11;
  mov.b64 %rd6, {%r12, %r6};
  shr.u64 %rd7, %rd6, 16;
  cvt.u32.u64 %r13, %rd7;
  st.global.b32 [%rd5], %r13;"""
    x = np.rint(NUMBERS * np.float32(100)).astype(np.int64)
    word = x & 0xFFFFFFFF
    quarter = (x >> 2) & 0xFFFFFFFF
    mixed = (quarter ^ (3 * (word & 0xFFFF))) - np.fmod(x, 7)
    mixed += (word & 0xFFFF) | (quarter & 0xFFFF0000)
    expected = ((mixed & 0xFFFFFFFF) >> 16 | word << 16) & 0xFFFFFFFF
    result, _ = run(code, NUMBERS, tmp_path, grid=4)
    np.testing.assert_array_equal(result.view(np.uint32), expected)


# The sum of a block in its first thread: in warps by shuffles, then of both warps.
SUM = """
  ld.global.b32 %r5, [%rd4];
  mov.b32 %r20, 16;
$L_fold:
  shfl.sync.down.b32 %r6|%p1, %r5, %r20, 31, -1;
  add.rn.f32 %r5, %r5, %r6;
  shr.u32 %r20, %r20, 1;
  setp.ne.b32 %p2, %r20, 0;
  @%p2 bra $L_fold;
  shr.u32 %r7, %r1, 5;
  mul.wide.u32 %rd6, %r7, 4;
  mov.b64 %rd7, memory;
  add.s64 %rd8, %rd7, %rd6;
  and.b32 %r8, %r1, 31;
  setp.ne.b32 %p3, %r8, 0;
  @%p3 bra $L_stored;
  st.shared.b32 [%rd8], %r5;
$L_stored:
  BARRIER
  setp.ne.b32 %p4, %r1, 0;
  @%p4 bra $L_end;
  ld.shared.v2.b32 {%r9, %r10}, [memory];
  add.rn.f32 %r11, %r9, %r10;
  st.global.b32 [%rd5], %r11;
$L_end:"""


def test_threads_that_meet(tmp_path: Path) -> None:
    whole = np.arange(256, dtype=np.float32)
    expected = np.full(256, -1, np.float32)
    expected[::64] = whole.reshape(4, 64).sum(1)
    check(SUM.replace("BARRIER", "bar.sync 0;"), whole, expected, tmp_path)


def test_atomic_instructions(tmp_path: Path) -> None:
    code = """
  ld.global.b32 %r5, [%rd4];
  atom.global.add.f32 %r6, [%rd2], %r5;"""
    whole = np.arange(256, dtype=np.float32)
    check(code, whole, [whole.sum() - 1, *[-1] * 255], tmp_path)


def test_races_are_reported(tmp_path: Path) -> None:
    whole = np.arange(256, dtype=np.float32)
    races = {"DOVETAIL_CUDA_RACES": "1"}
    for code, expected in ((SUM.replace("BARRIER", "bar.sync 0;"), ""), (SUM, "RACE in kernel")):
        _, reported = run(code.replace("BARRIER", ""), whole, tmp_path, grid=4, setting=races)
        assert expected in reported
        assert expected or not reported
    same = "st.global.b32 [%rd2], %r4;"
    assert "block 0, thread 1 writes" in run(same, whole, tmp_path, grid=4, setting=races)[1]


def test_faults_end_the_process(tmp_path: Path) -> None:
    misaligned = "ld.global.v2.b32 {%r5, %r6}, [%rd4];"
    with pytest.raises(RuntimeError, match="thread 1: an access is not aligned to its size"):
        run(misaligned, NUMBERS, tmp_path)
    alone = "setp.eq.b32 %p1, %r1, 0;\n@%p1 bra $L_end;\nbar.sync 0;\nst.global.b32 [%rd5], %r1;\n"
    run(f"{alone}$L_end:", NUMBERS, tmp_path)  # Threads that have ended are not waited for.
    with pytest.raises(subprocess.CalledProcessError) as caught:
        run("wmma.load %r1, [%rd4];", NUMBERS, tmp_path)
    assert "Unknown: kernel: wmma.load" in caught.value.stderr
