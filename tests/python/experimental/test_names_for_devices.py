"""What kernels for TPUs and GPUs use in addition means the same on all devices."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import dovetail as dt
import dovetail.numpy as dnp
from dovetail.experimental import pallas as pl
from dovetail.experimental.pallas import tpu as pltpu
from dovetail.experimental.pallas import triton as plgpu

F32, I32 = np.float32, np.int32
RANDOM = np.random.default_rng(0)
MODES = pytest.mark.parametrize("interpret", [False, True])


def test_memories() -> None:
    for space in (*pltpu.MemorySpace, *pl.MemorySpace):
        described = space((2, 3), "float32")
        assert (described.shape, described.dtype) == ((2, 3), F32)
    assert (repr(pltpu.VMEM), str(pltpu.VMEM)) == ("VMEM", "vmem")
    assert pltpu.MemorySpace("smem") is pltpu.SMEM
    assert pl.HOST is pl.MemorySpace.HOST


@MODES
def test_copies_between_memories(interpret: Any) -> None:
    """Blocks are copied by hand, the next one while one is used."""
    blocks, size = 5, 8
    x = RANDOM.normal(size=(blocks * size,)).astype(F32)

    def kernel(x_hbm: Any, o_ref: Any, buffers: Any, semaphores: Any) -> None:
        def copy(slot: Any, block: Any) -> Any:
            source = x_hbm.at[pl.ds(block * size, size)]
            return pltpu.make_async_copy(source, buffers.at[slot], semaphores.at[slot])

        copy(0, 0).start()

        @pl.loop(0, blocks)
        def _(i: Any) -> None:
            slot = i % 2

            @pl.when(i + 1 < blocks)
            def _() -> None:
                copy(1 - slot, i + 1).start()

            copy(slot, i).wait()
            o_ref[i] = dnp.sum(buffers[slot])

    f = pl.pallas_call(
        kernel,
        dt.ShapeDtypeStruct((blocks,), F32),
        in_specs=[pl.BlockSpec(memory_space=pltpu.HBM)],
        out_specs=pl.BlockSpec(memory_space=pltpu.SMEM),
        scratch_shapes=[pltpu.VMEM((2, size), F32), pltpu.SemaphoreType.DMA((2,))],
        interpret=pltpu.InterpretParams() if interpret else False,
    )
    np.testing.assert_allclose(f(x), x.reshape(blocks, size).sum(1), rtol=1e-5)


@MODES
def test_sums_of_copies_and_scoped_references(interpret: bool) -> None:
    x = RANDOM.normal(size=(3, 4)).astype(F32)

    def kernel(x_ref: Any, o_ref: Any) -> None:
        def body(sum_ref: Any, *, semaphore: Any) -> Any:
            pltpu.sync_copy(x_ref.at[0], sum_ref)
            pltpu.async_copy(x_ref.at[1], sum_ref, semaphore, add=True).wait()
            return sum_ref[...] * 2

        o_ref[...] = pl.run_scoped(body, pltpu.VMEM((4,), F32), semaphore=pltpu.SemaphoreType.DMA)

    f = pl.pallas_call(kernel, dt.ShapeDtypeStruct((4,), F32), interpret=interpret)
    np.testing.assert_allclose(f(x), 2 * (x[0] + x[1]), rtol=1e-6)
    gradient = dt.grad(lambda x: f(x).sum())(x)
    np.testing.assert_array_equal(gradient, [[2] * 4, [2] * 4, [0] * 4])


def test_dimension_semantics() -> None:
    def kernel(o_ref: Any) -> None:
        o_ref[...] = pl.program_id(0)

    shape, block = dt.ShapeDtypeStruct((3,), I32), pl.BlockSpec((None,), lambda i: (i,))
    for semantics in (pltpu.PARALLEL, pltpu.CORE_PARALLEL, pltpu.SUBCORE_PARALLEL, "arbitrary"):
        params = pltpu.CompilerParams(dimension_semantics=(semantics,), vmem_limit_bytes=1 << 20)
        f = pl.pallas_call(kernel, shape, grid=3, out_specs=block, compiler_params=params)
        np.testing.assert_array_equal(f(), [0, 1, 2])
    params = pltpu.CompilerParams(dimension_semantics=("serial",))
    with pytest.raises(ValueError, match='must be "parallel" or "arbitrary"'):
        pl.pallas_call(kernel, shape, grid=3, out_specs=block, compiler_params=params)


def test_rolls() -> None:
    x = RANDOM.integers(0, 100, (3, 5, 4)).astype(I32)
    for axis in range(3):
        np.testing.assert_array_equal(pltpu.roll(x, 2, axis), np.roll(x, 2, axis))
        for other in {0, 1, 2} - {axis}:
            expected = np.stack(
                [
                    np.roll(row, 1 + 2 * i, axis - (other < axis))
                    for i, row in enumerate(np.moveaxis(x, other, 0))
                ],
                other,
            )
            got = pltpu.roll(x, 1, axis, stride=2, stride_axis=other)
            np.testing.assert_array_equal(got, expected)
    for arguments in ((-1, 0), (1, 3), (1, -1)):
        with pytest.raises(ValueError, match="roll: "):
            pltpu.roll(x, *arguments)
    with pytest.raises(ValueError, match="roll: "):
        pltpu.roll(x, 1, 0, stride=1)
    with pytest.raises(ValueError, match="roll: "):
        pltpu.roll(x, 1, 0, stride=1, stride_axis=0)


@MODES
def test_atomic_updates(interpret: bool) -> None:
    at = np.array([1, 1, 3, 0], I32)
    values, mask = np.array([5, -2, 7, 4], I32), np.array([True, True, False, True])
    start = np.array([1, 1, 1, 1], I32)

    def kernel(at_ref: Any, v_ref: Any, m_ref: Any, s_ref: Any, *refs: Any) -> None:
        for ref in refs:
            ref[...] = s_ref[...]
        at, v, m = at_ref[...], v_ref[...], m_ref[...]
        add, largest, least, exchanged, compared = refs
        plgpu.atomic_add(add, at, v, mask=m)
        plgpu.atomic_max(largest, at, v, mask=m)
        plgpu.atomic_min(least, at, v, mask=m)
        exchanged[0] = plgpu.atomic_xchg(exchanged, 1, 9)
        compared[2] = plgpu.atomic_cas(compared.at[1], 1, 8)
        plgpu.debug_barrier()

    f = pl.pallas_call(kernel, [dt.ShapeDtypeStruct((4,), I32)] * 5, interpret=interpret)
    expected = [start.copy() for _ in range(5)]
    np.add.at(expected[0], at[mask], values[mask])
    np.maximum.at(expected[1], at[mask], values[mask])
    np.minimum.at(expected[2], at[mask], values[mask])
    expected[3][:2] = 1, 9
    expected[4][1:3] = 8, 1
    for got, right in zip(f(at, values, mask, start), expected, strict=True):
        np.testing.assert_array_equal(got, right)


def test_atomic_updates_of_another_type() -> None:
    for update in (plgpu.atomic_add, plgpu.atomic_max, plgpu.atomic_min, plgpu.atomic_xchg):
        with pytest.raises(ValueError, match=r"Invalid dtype for .* Ref dtype: int32"):
            update(dt.new_ref(np.ones(3, I32)), 0, 1.5)


@pytest.mark.parametrize("dtype", [np.float16, F32, np.int8])
def test_products(dtype: Any) -> None:
    a, b = (RANDOM.integers(-4, 5, (3, 3)).astype(dtype) for _ in range(2))
    for trans_a in (False, True):
        for trans_b in (False, True):
            got = plgpu.dot(dnp.asarray(a), dnp.asarray(b), trans_a, trans_b, allow_tf32=False)
            wide = I32 if dtype == np.int8 else F32
            expected = (a.T if trans_a else a).astype(wide) @ (b.T if trans_b else b).astype(wide)
            assert got.dtype == wide
            np.testing.assert_array_equal(got, expected)
    with pytest.raises(ValueError, match="must be matrices"):
        plgpu.dot(dnp.ones(3), dnp.ones(3))
    with pytest.raises(ValueError, match="only one of allow_tf32 and precision"):
        plgpu.dot(dnp.asarray(a), dnp.asarray(b), allow_tf32=True, precision="highest")


def test_numbers() -> None:
    assert [pl.next_power_of_2(n) for n in (0, 1, 2, 3, 1000)] == [1, 1, 2, 4, 1024]
    assert [pl.align_to(n, 8) for n in (0, 1, 8, 9)] == [0, 8, 8, 16]
    with pytest.raises(ValueError, match="next_power_of_2: x must be 0 or more, got: -1"):
        pl.next_power_of_2(-1)
    x = dt.ShapeDtypeStruct((8, 8), "float32")
    cost = pl.estimate_cost(lambda x, *, power: dnp.exp(x @ x) ** power, x, power=2)
    assert cost.flops >= 2 * 8**3
    assert cost.transcendentals == 64
    assert cost.bytes_accessed >= 2 * 4 * 64
