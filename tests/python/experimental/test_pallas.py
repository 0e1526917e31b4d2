"""Kernels: evaluated and compiled, against plain ops, with derivatives and batches."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dovetail as dt
import dovetail.numpy as dnp
from dovetail import lax
from dovetail.experimental import io_callback
from dovetail.experimental import pallas as pl

sys.path.insert(0, str(Path(__file__).parents[3] / "examples"))
import kernels

F32 = np.float32
OPT = Path(__file__).parents[3] / "build/cmake/tools/dovetail-opt/dovetail-opt"
# Of the dense layer, all of which stick out of some arrays.
BLOCKS = 8, 4, 16
MODES = pytest.mark.parametrize("interpret", [True, False])


def struct(*shape: int, dtype: Any = F32) -> Any:
    return dt.ShapeDtypeStruct(shape, dtype)


def normal(*shape: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=shape).astype(F32)


# Kernels as one writes them -----------------------------------------------------------------------


def add(x_ref: Any, y_ref: Any, o_ref: Any) -> None:
    o_ref[...] = x_ref[...] + y_ref[...]


def add_blocks(n: int, size: int, interpret: bool) -> Callable[..., Any]:
    block = pl.BlockSpec((size,), lambda i: (i,))
    return pl.pallas_call(
        add,
        struct(n),
        grid=(pl.cdiv(n, size),),
        in_specs=[block, block],
        out_specs=block,
        interpret=interpret,
    )


@MODES
@pytest.mark.parametrize("n", [1, 8, 21, 24])
def test_sum_by_blocks(n: int, interpret: bool) -> None:
    x, y = normal(n), normal(n, seed=1)
    np.testing.assert_array_equal(add_blocks(n, 8, interpret)(x, y), x + y)


@MODES
@pytest.mark.parametrize("sizes", [(8, 8, 16), (19, 10, 33)])
def test_product_with_bias(sizes: tuple[int, int, int], interpret: bool) -> None:
    f, plain, arrays = kernels.dense(sizes, BLOCKS, interpret)
    np.testing.assert_allclose(f(*arrays), plain(*arrays), rtol=1e-5, atol=1e-5)


# Parts --------------------------------------------------------------------------------------------


@MODES
def test_trees_of_arrays(interpret: bool) -> None:
    def kernel(x_refs: Any, y_ref: Any, sum_ref: Any, rest: Any) -> None:
        sum_ref[...] = x_refs["a"][...] + y_ref[...]
        rest["product"][...] = x_refs["b"][0] * y_ref[...]

    shapes = struct(3), {"product": struct(3, dtype=np.float32)}
    f = pl.pallas_call(kernel, shapes, interpret=interpret)
    total, rest = f({"a": np.ones(3, F32), "b": np.full(2, 3, F32)}, np.arange(3, dtype=F32))
    np.testing.assert_array_equal(total, [1, 2, 3])
    np.testing.assert_array_equal(rest["product"], [0, 3, 6])


@MODES
def test_results_that_start_as_arguments(interpret: bool) -> None:
    def kernel(x_ref: Any, o_ref: Any) -> None:
        o_ref[pl.program_id(0)] += x_ref[0]

    x = np.arange(1, 5, dtype=F32)
    f = pl.pallas_call(kernel, struct(4), grid=2, input_output_aliases={0: 0}, interpret=interpret)
    np.testing.assert_array_equal(f(x), [2, 3, 3, 4])
    np.testing.assert_array_equal(x, [1, 2, 3, 4])


@MODES
@pytest.mark.parametrize(("dtype", "start"), [("float32", np.nan), ("int8", -128), ("bool", False)])
def test_what_is_not_written(dtype: str, start: Any, interpret: bool) -> None:
    def kernel(o_ref: Any) -> None:
        o_ref[1] = dnp.ones((), dtype)

    f = pl.pallas_call(kernel, struct(2, dtype=dtype), interpret=interpret)
    np.testing.assert_array_equal(f(), np.array([start, 1], dtype))


@MODES
def test_order_and_places(interpret: bool) -> None:
    def kernel(o_ref: Any, count_ref: Any) -> None:
        @pl.when((pl.program_id(0) == 0) & (pl.program_id(1) == 0))
        def _() -> None:
            count_ref[...] = 0

        o_ref[...] = 100 * count_ref[...] + 10 * pl.program_id(0) + pl.program_id(1)
        count_ref[...] += 1
        assert pl.num_programs(0) == 2
        assert pl.num_programs(1) == 3

    f = pl.pallas_call(
        kernel,
        struct(2, 3, dtype=np.int32),
        grid=(2, 3),
        out_specs=pl.BlockSpec((pl.squeezed, None), lambda i, j: (i, j)),
        scratch_shapes=[struct(dtype=np.int32)],
        interpret=interpret,
    )
    np.testing.assert_array_equal(f(), [[0, 101, 202], [310, 411, 512]])


def test_an_empty_grid_writes_nothing() -> None:
    f = pl.pallas_call(add, struct(2), grid=(0,))
    assert np.isnan(f(np.ones(2, F32), np.ones(2, F32))).all()


def test_slices_of_references() -> None:
    ref = dt.new_ref(np.arange(24).reshape(4, 6))
    expected = np.arange(24).reshape(4, 6)
    start = dnp.int32(1)
    np.testing.assert_array_equal(ref[pl.ds(start, 2), pl.ds(0, 3, 2)], expected[1:3, 0:6:2])
    np.testing.assert_array_equal(ref[..., pl.ds(start, 2)], expected[..., 1:3])
    np.testing.assert_array_equal(ref[2, pl.ds(4, 2)], expected[2, 4:])
    ref[pl.ds(start, 2), np.array([0, 5])] = 0
    expected[1:3, [0, 5]] = 0
    ref[pl.dslice(2)] += 1
    expected[:2] += 1
    ref.addupdate(5, (pl.ds(3, 1), pl.ds(start, 2, 3)))
    expected[3:, 1:5:3] += 5
    np.testing.assert_array_equal(ref[...], expected)


def test_masks() -> None:
    ref = dt.new_ref(np.arange(4.0, dtype=F32))
    mask = np.array([True, False, True, False])
    np.testing.assert_array_equal(pl.load(ref, ..., mask=mask), [0, 0, 2, 0])
    np.testing.assert_array_equal(pl.load(ref, ..., mask=mask, other=9), [0, 9, 2, 9])
    np.testing.assert_array_equal(pl.swap(ref, ..., 7.0, mask=mask), [0, 7, 2, 7])
    pl.store(ref, pl.ds(2, 2), 5.0, mask=~mask[2:])
    np.testing.assert_array_equal(ref[...], [7, 1, 7, 5])


# Transforms ---------------------------------------------------------------------------------------


@MODES
def test_derivatives(interpret: bool) -> None:
    q, k, v = (normal(8, 3, seed=i) for i in range(3))

    def loss(f: Any) -> Any:
        return lambda *args: (f(*args)[0] ** 2).sum()

    case = kernels.attention(8, 4, interpret, width=3)
    kernel, plain = loss(case.kernel), loss(case.plain)
    numbers = (0, 1, 2)
    for transform in (
        lambda f: dt.grad(f, numbers)(q, k, v),
        lambda f: dt.jit(dt.grad(f, numbers))(q, k, v),
        lambda f: dt.jvp(f, (q, k, v), (v, q, k))[1:],
        lambda f: dt.jvp(dt.grad(f), (q, k, v), (v, q, k)),
    ):
        for got, expected in zip(transform(kernel), transform(plain), strict=True):
            np.testing.assert_allclose(got, expected, rtol=2e-3, atol=2e-4)


def test_derivatives_of_blocks_that_stick_out() -> None:
    f, plain, (x, w, b) = kernels.dense((9, 6, 17), BLOCKS)
    for got, expected in zip(
        dt.grad(lambda *args: (f(*args) ** 2).sum(), (0, 1, 2))(x, w, b),
        dt.grad(lambda *args: (plain(*args) ** 2).sum(), (0, 1, 2))(x, w, b),
        strict=True,
    ):
        np.testing.assert_allclose(got, expected, rtol=1e-4, atol=1e-4)


@MODES
def test_batches(interpret: bool) -> None:
    f = kernels.dense((5, 4, 6), BLOCKS, interpret).kernel
    x, w, b = normal(3, 5, 4), normal(4, 6, seed=1), normal(6, 3, seed=2)
    batched = dt.vmap(f, in_axes=(0, None, 1))
    expected = np.maximum(x @ w + b.T[:, None], 0)
    np.testing.assert_allclose(batched(x, w, b), expected, rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(dt.jit(batched)(x, w, b), expected, rtol=1e-5, atol=1e-5)


def test_reverse_mode_of_loops_that_programs_end_at_different_times() -> None:
    def kernel(x_ref: Any, o_ref: Any) -> None:
        o_ref[...] = lax.while_loop(lambda c: c.sum() < 10, lambda c: c * 2, x_ref[...])

    block = pl.BlockSpec((2,), lambda i: (i,))
    f = pl.pallas_call(kernel, struct(4), grid=2, in_specs=[block], out_specs=block)
    x = np.array([1, 1, 4, 4], F32)
    np.testing.assert_array_equal(f(x), [8, 8, 8, 8])
    np.testing.assert_array_equal(dt.grad(lambda x: f(x).sum())(x), [8, 8, 2, 2])


def test_reverse_mode_of_calls_of_python_names_custom_vjp() -> None:
    x = normal(4)
    for transform in (dt.grad, dt.jacfwd):
        with pytest.raises(dt.errors.TransformError, match="rule, by custom_jvp or custom_vjp"):
            transform(lambda x: with_callback(dt.pure_callback, True)(x).sum())(x)


def test_a_kernel_in_a_program_is_ir() -> None:
    lowered = dt.jit(add_blocks(8, 4, False)).lower(struct(8), struct(8))
    text = lowered.as_text("simplify")
    assert "dovetail.add" in text
    assert "ref" not in text
    # The tool reads what was traced, and simplifies it likewise.
    traced = lowered.as_text("trace")
    assert "dovetail.grid" in traced
    command = [OPT, "-", "--dovetail-pipeline=to=simplify"]
    done = subprocess.run(command, input=traced, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == text.strip()


# Errors -------------------------------------------------------------------------------------------


def spec_error(match: str, **specs: Any) -> None:
    block = pl.BlockSpec((4,), lambda i: (i,))
    given = {"grid": 2, "in_specs": [block, block], "out_specs": block, **specs}
    f = pl.pallas_call(add, struct(8), **given)
    with pytest.raises(ValueError, match=match):
        f(np.ones(8, F32), np.ones(8, F32))


def test_wrong_specs() -> None:
    spec_error(
        r"Block shape for outputs \(= \(4, 4\)\) must have the same number of dimensions as the "
        r"array shape \(8,\), got: 2 and 1",
        out_specs=pl.BlockSpec((4, 4), lambda i: (i, 0)),
    )
    spec_error(
        r"Index map function .* for outputs must return 1 values to match block_shape.*got: 2",
        out_specs=pl.BlockSpec((4,), lambda i: (i, 0)),
    )
    spec_error(
        r"Output\[0\] must be from 0 to 1: the array has 2 blocks, got: 2 for the program \(0,\)",
        out_specs=pl.BlockSpec((4,), lambda i: (2,)),
    )
    spec_error(r"must be positive integers or None, .* got: \(0,\)", out_specs=pl.BlockSpec((0,)))


def test_wrong_arguments() -> None:
    with pytest.raises(ValueError, match="grid_spec must be given without grid"):
        pl.pallas_call(add, struct(8), grid=2, grid_spec=pl.GridSpec())
    with pytest.raises(TypeError, match="out_shape must have leaves with shape and dtype, got: 3"):
        pl.pallas_call(add, 3)
    with pytest.raises(TypeError, match="kernel must be a function, got: 3"):
        pl.pallas_call(3, struct(8))  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="ds: size must be 0 or more and stride 1 or more, got"):
        pl.ds(0, -1)
    with pytest.raises(IndexError, match="must fit its dimension 0 of size 3, got: 4 elements"):
        dt.new_ref(np.ones(3))[pl.ds(0, 4)]
    for start in (-1, 2, np.int64(3)):
        with pytest.raises(ValueError, match=rf"Out of bound slice: start={start}, size=2, stri"):
            dt.new_ref(np.ones(3))[pl.ds(start, 2)]
    with pytest.raises(ValueError, match=r"Out of bound slice: start=1, size=2, stride=2, dim=3"):
        pl.pallas_call(lambda o: o.set(1.0, pl.ds(1, 2, 2)), struct(3))()
    with pytest.raises(IndexError, match="too many indices for a reference of rank 1, got: 2"):
        dt.new_ref(np.ones(3))[pl.ds(0, 1), 0]
    for index in (3, -4, (..., 3), (3, None)):
        with pytest.raises(ValueError, match=r"Out of bound indexer: idx=-?\d, dim=3"):
            dt.new_ref(np.ones(3))[index]
        with pytest.raises(ValueError, match=r"Out of bound indexer: idx=-?\d, dim=3"):
            dt.new_ref(np.ones(3))[index] = 1.0
    with pytest.raises(ValueError, match="Out of bound indexer: idx=5, dim=2"):
        dt.new_ref(np.ones((3, 2)))[pl.ds(0, 1), 5]
    with pytest.raises(TypeError, match=r"with a reference for each, must take 3 arguments, got"):
        pl.pallas_call(lambda o: None, struct(3))(np.ones(3), np.ones(3))
    with pytest.raises(TypeError, match=r"Index map .* for outputs must take 1 arguments, got"):
        pl.pallas_call(add, struct(4), grid=2, out_specs=pl.BlockSpec((2,), lambda: 0))(1, 1)
    with pytest.raises(ValueError, match=r"must have an entry for each dimension .*, got: 2"):
        pl.pallas_call(add, struct(4), out_specs=pl.BlockSpec(2))(1, 1)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="loop: step must be 1 or more, got: 0"):
        pl.loop(0, 3, step=0)
    for way in (pl.load, pl.store, pl.swap):
        value = () if way is pl.load else (1.0,)
        with pytest.raises(TypeError, match=f"{way.__name__}: mask must be of bools, got: float"):
            way(dt.new_ref(np.ones(3)), ..., *value, mask=np.ones(3, F32))


def test_what_kernels_must_not_do() -> None:
    def writes(x_ref: Any, o_ref: Any) -> None:
        x_ref[0] = 1.0

    with pytest.raises(ValueError, match=r"must not write to its arguments, got: a write to args"):
        pl.pallas_call(writes, struct(8))(np.ones(8, F32))

    for size in (1, 100):
        array = dnp.arange(float(size))

        def captures(o_ref: Any, array: Any = array) -> None:
            o_ref[...] = array + dnp.zeros(1)

        for grid in ((), 2):
            with pytest.raises(
                ValueError, match=r"in the pallas_call captures at .* captures constants"
            ):
                pl.pallas_call(captures, struct(size), grid=grid)()

    with pytest.raises(ValueError, match="program_id must be called in a kernel of a pallas_call"):
        pl.program_id(0)

    def asks(o_ref: Any) -> None:
        o_ref[...] = pl.program_id(1)

    with pytest.raises(ValueError, match="axis must be a dimension of the grid, from 0 to 0, got"):
        pl.pallas_call(asks, struct(dtype=np.int32), grid=2)()


def test_too_much_scratch_names_the_kernel() -> None:
    def fills(x_ref: Any, o_ref: Any, sum_ref: Any) -> None:
        sum_ref[...] = dnp.cumsum(sum_ref[...] + x_ref[0])
        o_ref[...] = sum_ref[-4:]

    def ignores(x_ref: Any, o_ref: Any, sum_ref: Any) -> None:
        o_ref[...] = x_ref[...]

    for kernel in (fills, ignores):
        f = pl.pallas_call(kernel, struct(4), scratch_shapes=[struct(1 << 44)])
        match = rf"of the kernel `{kernel.__name__}` must fit the device, got: 64.0 TiB"
        with pytest.raises(MemoryError, match=match):
            f(np.ones(4, F32))


def test_a_reference_of_a_kernel_is_not_used_after_its_end() -> None:
    def ends(x_ref: Any, o_ref: Any) -> None:
        ref = dt.new_ref(x_ref[...])
        o_ref[...] = dt.freeze(ref)
        ref[0] = 1.0

    with pytest.raises(ValueError, match=r"after.*freeze|frozen|freeze"):
        pl.pallas_call(ends, struct(4))(np.ones(4, F32))


# Callbacks and parameters -------------------------------------------------------------------------


@MODES
def test_callbacks_for_debugging_are_called_by_each_program(interpret: bool) -> None:
    seen: list[tuple[int, float]] = []

    def kernel(x_ref: Any, o_ref: Any) -> None:
        dt.debug.callback(
            lambda i, x: seen.append((int(i), float(x))), pl.program_id(0), x_ref[0], ordered=True
        )
        o_ref[...] = 2 * x_ref[...]

    block = pl.BlockSpec((2,), lambda i: (i,))
    f = pl.pallas_call(
        kernel, struct(6), grid=3, in_specs=[block], out_specs=block, interpret=interpret
    )
    x = np.arange(6, dtype=F32)
    np.testing.assert_array_equal(f(x), 2 * x)
    dt.effects_barrier()
    assert seen == [(0, 0.0), (1, 2.0), (2, 4.0)]


def with_callback(callback: Any, interpret: bool) -> Callable[..., Any]:
    def kernel(x_ref: Any, o_ref: Any) -> None:
        o_ref[...] = callback(np.sin, struct(2), x_ref[...])

    block = pl.BlockSpec((2,), lambda i: (i,))
    return pl.pallas_call(
        kernel, struct(4), grid=2, in_specs=[block], out_specs=block, interpret=interpret
    )


@pytest.mark.parametrize("callback", [dt.pure_callback, io_callback])
def test_other_callbacks_need_the_interpreter(callback: Any) -> None:
    x = normal(4)
    np.testing.assert_allclose(with_callback(callback, True)(x), np.sin(x), rtol=1e-6)
    name = callback.__name__
    with pytest.raises(NotImplementedError, match=rf"{name} must not be called in a kernel .*got:"):
        with_callback(callback, False)(x)
    # Elsewhere in the program they may be.
    kernel = add_blocks(4, 2, False)
    both = dt.jit(lambda x: kernel(x, dt.pure_callback(np.sin, struct(4), x)))
    np.testing.assert_allclose(both(x), x + np.sin(x), rtol=1e-6)


@pytest.mark.parametrize("kind", [dict, lambda **names: type("Params", (), names)])
def test_dimension_semantics(kind: Any) -> None:
    def call(*semantics: str) -> Any:
        params = kind(dimension_semantics=semantics)
        return pl.pallas_call(add, struct(4), grid=(1, 1), compiler_params=params)

    x = normal(4)
    np.testing.assert_array_equal(call("parallel", "arbitrary")(x, x), 2 * x)
    for wrong in (("parallel",), ("parallel", "serial")):
        with pytest.raises(ValueError, match=r"for each dimension of the grid \(1, 1\), got: \("):
            call(*wrong)


def test_a_dimension_that_is_said_to_be_parallel_keeps_its_order_if_it_needs_one() -> None:
    def kernel(x_ref: Any, o_ref: Any) -> None:
        i = pl.program_id(0)
        o_ref[i + 1] = o_ref[i] + x_ref[i]

    x = np.ones(4, F32)
    f = pl.pallas_call(
        kernel,
        struct(4),
        grid=3,
        input_output_aliases={0: 0},
        compiler_params={"dimension_semantics": ("parallel",)},
    )
    np.testing.assert_array_equal(f(x), [1, 2, 3, 4])
