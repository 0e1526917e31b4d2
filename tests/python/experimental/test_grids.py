"""Programs of a grid at once: kernels become plain ops, and what needs an order keeps it."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dovetail as dt
import dovetail.numpy as dnp
from dovetail import lax
from dovetail.experimental import pallas as pl

sys.path.insert(0, str(Path(__file__).parents[3] / "examples"))
import kernels

F32 = np.float32


def struct(*shape: int, dtype: Any = F32) -> Any:
    return dt.ShapeDtypeStruct(shape, dtype)


def normal(*shape: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=shape).astype(F32)


def text_of(f: Callable[..., Any], *arrays: Any) -> str:
    return dt.jit(f).lower(*arrays).as_text("simplify")


def ops_of(f: Callable[..., Any], *arrays: Any) -> list[str]:
    """The ops of the function, without the one that keeps those of a kernel together."""
    ops = re.findall(r"dovetail\.(\w+) ", text_of(f, *arrays))
    return sorted(op for op in ops if op not in ("case", "yield", "constant"))


# Kernels that are plain ops -----------------------------------------------------------------------


@pytest.mark.parametrize("name", ["vector add", "softmax", "stencil"])
def test_the_program_is_that_of_plain_ops(name: str) -> None:
    make, sizes, _ = kernels.CASES[name]
    kernel, plain, arrays = make(*sizes)
    assert ops_of(kernel, *arrays) == ops_of(plain, *arrays)


def test_a_product_is_that_of_plain_ops() -> None:
    def kernel(x: Any, w: Any, out: Any) -> None:
        out[...] = x[...] @ w[...]

    f = pl.pallas_call(
        kernel,
        struct(6, 8),
        grid=(3, 2),
        in_specs=[
            pl.BlockSpec((2, 5), lambda i, j: (i, 0)),
            pl.BlockSpec((5, 4), lambda i, j: (0, j)),
        ],
        out_specs=pl.BlockSpec((2, 4), lambda i, j: (i, j)),
    )
    x, w = normal(6, 5), normal(5, 8)
    assert text_of(f, x, w) == text_of(lambda x, w: x @ w, x, w)
    np.testing.assert_allclose(f(x, w), x @ w, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("k", [2, 4, 6, 10])
def test_a_sum_over_blocks_is_one_product(k: int) -> None:
    f, plain, (x, w, b) = kernels.dense((12, k, 16), (4, 2, 8))
    text = text_of(f, x, w, b)
    assert "dovetail.scan" not in text
    assert text.count("dovetail.dot_general") == 1
    assert text.count("dovetail.case") == 1
    assert "tensor<12x16xf32>" in text
    np.testing.assert_allclose(f(x, w, b), plain(x, w, b), rtol=1e-5, atol=1e-5)
    gradient = dt.grad(lambda x: f(x, w, b).sum())(x)
    np.testing.assert_allclose(gradient, ((x @ w + b) > 0) @ w.T, rtol=1e-5, atol=1e-5)


# Kernels whose order counts, or whose blocks are not those of a plain op --------------------------


def test_programs_that_read_what_others_write() -> None:
    def kernel(x: Any, out: Any) -> None:
        i = pl.program_id(0)
        out[i + 1] = out[i] + x[i]

    f = pl.pallas_call(kernel, struct(6), grid=5, input_output_aliases={0: 0})
    x = normal(6)
    expected = x.copy()
    for i in range(5):
        expected[i + 1] = expected[i] + x[i]
    assert "dovetail.scan" in text_of(f, x)
    np.testing.assert_allclose(f(x), expected, rtol=1e-6)


def test_programs_whose_windows_overlap() -> None:
    def kernel(out: Any) -> None:
        i = pl.program_id(0)
        out[pl.ds(2 * i, 3)] = dnp.full(3, i, F32)

    f = pl.pallas_call(kernel, struct(9), grid=4)
    np.testing.assert_array_equal(f(), [0, 0, 1, 1, 2, 2, 3, 3, 3])


def test_references_that_are_exchanged() -> None:
    def kernel(x: Any, a: Any, b: Any) -> None:
        first, second = a[...], b[...]
        a[...], b[...] = second + x[...], first

    shapes = struct(2), struct(2)
    f = pl.pallas_call(kernel, shapes, grid=3, input_output_aliases={0: 0})
    x = np.array([1, 2], F32)
    a, b = x.copy(), np.full(2, np.nan, F32)
    for _ in range(3):
        a, b = b + x, a
    for got, expected in zip(f(x), (a, b), strict=True):
        np.testing.assert_array_equal(got, expected)


def test_parts_of_blocks() -> None:
    def kernel(x: Any, out: Any) -> None:
        i = pl.program_id(0)
        out[0] = x[1] * i
        out[pl.ds(2, 2)] = x[pl.ds(0, 2)]
        out[0] += 1

    block = pl.BlockSpec((4,), lambda i: (i,))
    f = pl.pallas_call(kernel, struct(12), grid=3, in_specs=[block], out_specs=block)
    x = normal(12)
    expected = np.full((3, 4), np.nan, F32)
    blocks = x.reshape(3, 4)
    expected[:, 0] = blocks[:, 1] * np.arange(3) + 1
    expected[:, 2:] = blocks[:, :2]
    assert "dovetail.scan" not in text_of(f, x)
    np.testing.assert_allclose(f(x), expected.ravel(), rtol=1e-6)


def test_blocks_in_another_order() -> None:
    def kernel(x: Any, out: Any) -> None:
        out[...] = x[...].T + pl.program_id(0)

    f = pl.pallas_call(
        kernel,
        struct(6, 4),
        grid=(2, 3),
        in_specs=[pl.BlockSpec((2, 2), lambda i, j: (1 - i, j))],
        out_specs=pl.BlockSpec((2, 2), lambda i, j: (j, i)),
    )
    x = normal(4, 6)
    rows = x.reshape(2, 2, 6)[::-1] + np.arange(2, dtype=F32)[:, None, None]
    expected = rows.reshape(2, 2, 3, 2).transpose(2, 3, 0, 1).reshape(6, 4)
    np.testing.assert_allclose(f(x), expected, rtol=1e-6)


def test_control_flow_within_programs() -> None:
    def kernel(x: Any, out: Any) -> None:
        i = pl.program_id(0)

        def step(j: Any, total: Any) -> Any:
            return total + x[j] * (i + 1)

        total = lax.fori_loop(0, 3, step, 0.0)
        steps = lax.while_loop(lambda n: n < i, lambda n: n + 1, 0)
        out[...] = dnp.where(i % 2 == 0, total, -total) + lax.cond(i > 1, lambda: steps, lambda: 7)

    block = pl.BlockSpec((3,), lambda i: (i,))
    one = pl.BlockSpec((None,), lambda i: (i,))
    f = pl.pallas_call(kernel, struct(4), grid=4, in_specs=[block], out_specs=one)
    x = normal(12)
    sums = x.reshape(4, 3).sum(1) * np.arange(1, 5) * [1, -1, 1, -1]
    np.testing.assert_allclose(f(x), sums + np.array([7, 7, 2, 3]), rtol=1e-5)


def test_loops_that_write() -> None:
    def kernel(x: Any, out: Any) -> None:
        @pl.loop(0, 4)
        def _(j: Any) -> None:
            out[j] = x[3 - j] * pl.program_id(0)

        @pl.when(pl.program_id(1) == 1)
        def _() -> None:
            out[...] = -out[...]

    block = pl.BlockSpec((4, None), lambda i, j: (i, j))
    f = pl.pallas_call(kernel, struct(8, 3), grid=(2, 3), in_specs=[block], out_specs=block)
    x = normal(8, 3)
    expected = (x.reshape(2, 4, 3)[:, ::-1] * np.arange(2)[:, None, None]).reshape(8, 3)
    expected[:, 1] *= -1
    np.testing.assert_allclose(f(x), expected, rtol=1e-6)


def test_sums_into_windows() -> None:
    def kernel(x: Any, out: Any) -> None:
        out.at[pl.program_id(0)].addupdate(x[...].sum())
        out.at[pl.program_id(0)].addupdate(1.0)

    f = pl.pallas_call(kernel, struct(4), grid=4, input_output_aliases={0: 0})
    x = normal(4)
    np.testing.assert_allclose(f(x), x + x.sum() + 1, rtol=1e-5)


@pytest.mark.parametrize("has_maximum", [False, True])
def test_sums_that_all_programs_add_to(has_maximum: bool) -> None:
    def kernel(start: Any, x: Any, total: Any, last: Any, most: Any) -> None:
        total[...] += (x[...] * 2).sum()
        last[...] = x[...]
        if has_maximum:
            most[...] = dnp.fmax(most[...], x[...])

    f = pl.pallas_call(
        kernel,
        (struct(), struct(3), struct(3)),
        grid=4,
        in_specs=[pl.BlockSpec(), pl.BlockSpec((3,), lambda i: (i,))],
        input_output_aliases={0: 0},
    )
    x = normal(12)
    start = F32(1)
    assert ("dovetail.scan" in text_of(f, start, x)) == has_maximum
    total, last, most = f(start, x)
    np.testing.assert_allclose(total, 1 + 2 * x.sum(), rtol=1e-5)
    np.testing.assert_array_equal(last, x[-3:])
    expected = x.reshape(4, 3).max(0) if has_maximum else np.full(3, np.nan, F32)
    np.testing.assert_array_equal(most, expected)


@pytest.mark.parametrize("how", ["+=", "addupdate", "slice", "loop"])
def test_additions_to_windows_that_overlap(how: str) -> None:
    def kernel(i_ref: Any, x_ref: Any, start_ref: Any, o_ref: Any) -> None:
        @pl.when(pl.program_id(0) == 0)
        def _() -> None:
            o_ref[...] = start_ref[...] * 2

        if how == "slice":
            o_ref[pl.ds(i_ref[0], 2), :] += x_ref[...]
        elif how == "addupdate":
            o_ref.addupdate(x_ref[...], (dnp.arange(2) + i_ref[0],))
        else:
            every = pl.loop(0, 2) if how == "loop" else lambda f: (f(0), f(1))

            @every
            def _(j: Any) -> None:
                o_ref[i_ref[0] + j] += x_ref[j]

    f = pl.pallas_call(
        kernel,
        struct(6, 3),
        grid=5,
        in_specs=[
            pl.BlockSpec((1,), lambda i: (i,)),
            pl.BlockSpec((2, 3), lambda i: (i, 0)),
            pl.BlockSpec(),
        ],
    )
    places, x, start = np.array([1, 0, 1, 4, 1], np.int32), normal(10, 3), normal(6, 3, seed=1)

    def expected(x: Any, start: Any) -> Any:
        rows = (places[:, None] + np.arange(2)).ravel()
        return (2 * dnp.asarray(start)).at[rows].add(x)

    # An iteration with two additions to one array stays in order.
    assert ("dovetail.scan" in text_of(f, places, x, start)) == (how == "+=")
    np.testing.assert_allclose(f(places, x, start), expected(x, start), rtol=1e-5)
    for got, wanted in zip(
        dt.grad(lambda *xs: (f(places, *xs) ** 2).sum(), (0, 1))(x, start),
        dt.grad(lambda *xs: (expected(*xs) ** 2).sum(), (0, 1))(x, start),
        strict=True,
    ):
        np.testing.assert_allclose(got, wanted, rtol=1e-5)


def test_additions_outside_are_dropped() -> None:
    def kernel(i_ref: Any, o_ref: Any) -> None:
        @pl.when(pl.program_id(0) == 0)
        def _() -> None:
            o_ref[...] = dnp.zeros_like(o_ref[...])

        o_ref[i_ref[pl.program_id(0)]] += 1.0

    f = pl.pallas_call(kernel, struct(3), grid=5)
    places = np.array([0, 7, -1, 0, 3], np.int32)
    assert "dovetail.scan" not in text_of(f, places)
    np.testing.assert_array_equal(f(places), [2, 0, 1])


def test_a_sum_that_is_also_read_stays_in_order() -> None:
    def kernel(i_ref: Any, o_ref: Any, seen_ref: Any) -> None:
        place = i_ref[pl.program_id(0)]
        seen = o_ref[place] + 1
        o_ref[place] = seen
        seen_ref[pl.program_id(0)] = seen

    shapes = struct(3), struct(5)
    f = pl.pallas_call(
        lambda i, start, o, seen: kernel(i, o, seen), shapes, grid=5, input_output_aliases={1: 0}
    )
    places = np.array([0, 1, 0, 0, 1], np.int32)
    sums, seen = f(places, np.zeros(3, F32))
    np.testing.assert_array_equal(sums, [3, 2, 0])
    np.testing.assert_array_equal(seen, [1, 1, 2, 3, 2])


def test_loops_whose_length_differs_between_programs_share_what_they_read() -> None:
    def kernel(count_ref: Any, x_ref: Any, o_ref: Any) -> None:
        def body(j: Any, total: Any) -> Any:
            return total + x_ref[j] * x_ref[pl.ds(j, 1), :][0]

        count = count_ref[pl.program_id(0)]
        o_ref[...] = lax.fori_loop(0, count, body, dnp.zeros(3))

    row = pl.BlockSpec((None, 3), lambda i: (i, 0))
    f = pl.pallas_call(kernel, struct(4, 3), grid=4, out_specs=row)
    x, counts = normal(5, 3), np.array([2, 0, 5, 1], np.int32)
    # No program gets a copy of the array.
    assert "tensor<4x5x3" not in text_of(f, counts, x)
    np.testing.assert_allclose(f(counts, x), [(x[:n] ** 2).sum(0) for n in counts], rtol=1e-5)


def test_large_values_stay_in_order() -> None:
    def kernel(x: Any, out: Any) -> None:
        out[...] = dnp.sin(x[...][:, None] * dnp.arange(4096.0)).sum(1)

    block = pl.BlockSpec((8,), lambda i: (i,))
    size = 1 << 15
    f = pl.pallas_call(kernel, struct(size), grid=size // 8, in_specs=[block], out_specs=block)
    assert "dovetail.scan" in text_of(f, struct(size))


@pytest.mark.parametrize("interpret", [False, True])
def test_references_are_arguments_of_functions_within_programs(interpret: bool) -> None:
    @dt.jit
    def scale(x_ref: Any, o_ref: Any, factor: Any) -> None:
        o_ref[...] = x_ref[...] * factor

    @dt.jit
    def total(x_ref: Any) -> Any:
        return x_ref[0] + x_ref[...].sum()

    def kernel(x_ref: Any, o_ref: Any, s_ref: Any) -> None:
        scale(x_ref, o_ref, 2.0)
        dt.jit(lambda ref: ref.set(-ref[...]))(o_ref.at[pl.ds(1, 2)])
        lax.cond(
            pl.program_id(0) == 0,
            lambda x, s: s.set(total(x)[None]),
            lambda x, s: s.set(-x[:1]),
            x_ref,
            s_ref,
        )

    block, one = (pl.BlockSpec((None, n), lambda i: (i, 0)) for n in (4, 1))
    shapes = [dt.ShapeDtypeStruct((2, n), np.float32) for n in (4, 1)]
    f = pl.pallas_call(
        kernel, shapes, grid=2, in_specs=[block], out_specs=[block, one], interpret=interpret
    )
    got, sums = f(np.arange(8, dtype=np.float32).reshape(2, 4))
    np.testing.assert_array_equal(got, [[0, -2, -4, 6], [8, -10, -12, 14]])
    np.testing.assert_array_equal(sums, [[6], [-4]])

    def writes(x_ref: Any, o_ref: Any) -> None:
        dt.jit(lambda ref: ref.set(1.0))(x_ref)

    with pytest.raises(ValueError, match=r"must not write to its arguments, got: a write to args"):
        pl.pallas_call(writes, shapes[0], interpret=interpret)(np.ones((2, 4), np.float32))
