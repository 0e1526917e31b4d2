"""Grids and blocks of kernels: their forms, and what is said about those that do not fit."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import dovetail as dt
import dovetail.numpy as dnp
from dovetail import lax
from dovetail.experimental import pallas as pl

F32 = np.float32
MODES = pytest.mark.parametrize("interpret", [True, False])


def struct(*shape: int, dtype: Any = F32) -> Any:
    return dt.ShapeDtypeStruct(shape, dtype)


def copy(x_ref: Any, o_ref: Any) -> None:
    o_ref[...] = x_ref[...]


# Grids --------------------------------------------------------------------------------------------


@MODES
@pytest.mark.parametrize("grid", [(2, 3), [2, np.int64(3)], (("i", 2), 3)])
def test_forms_of_grids(grid: Any, interpret: bool) -> None:
    # The kernel asks for its place in an outer dimension, which no index map does.
    def kernel(o_ref: Any) -> None:
        o_ref[pl.program_id(0), pl.program_id(1)] = 10 * pl.program_id(0) + pl.program_id(1)

    f = pl.pallas_call(kernel, struct(2, 3, dtype=np.int32), grid=grid, interpret=interpret)
    np.testing.assert_array_equal(f(), [[0, 1, 2], [10, 11, 12]])


@pytest.mark.parametrize("grid", [(2, -1), 1.5, (("i", None),)])
def test_wrong_grids(grid: Any) -> None:
    with pytest.raises(ValueError, match=r"must have sizes that are integers, 0 or more, got: "):
        pl.pallas_call(copy, struct(2), grid=grid)


def test_grid_spec_and_name() -> None:
    block = pl.BlockSpec((2, None), lambda i, j: (j, i))
    spec = pl.GridSpec((3, 2), [block], block, [struct(dtype=np.int32)])

    def kernel(x_ref: Any, o_ref: Any, scratch_ref: Any) -> None:
        scratch_ref[...] = pl.program_id(1)
        o_ref[...] = x_ref[...] + 10 * pl.program_id(0) + 100 * scratch_ref[...]

    f = pl.pallas_call(kernel, struct(4, 3), grid_spec=spec, name="places")
    expected = 1 + 10 * np.arange(3) + 100 * np.array([0, 0, 1, 1])[:, None]
    np.testing.assert_array_equal(f(np.ones((4, 3), F32)), expected)
    assert "@places" in dt.jit(lambda x: f(x)).lower(struct(4, 3)).as_text("trace")


def test_results_are_a_tuple_for_a_list_of_shapes() -> None:
    def kernel(x_ref: Any, a_ref: Any, b_ref: Any) -> None:
        a_ref[...], b_ref[...] = x_ref[...], 2 * x_ref[...]

    specs = [pl.BlockSpec(), pl.no_block_spec]
    a, b = pl.pallas_call(kernel, [struct(), struct()], out_specs=specs)(F32(1))
    assert (a, b) == (1, 2)
    assert isinstance(pl.pallas_call(copy, [struct()])(F32(1)), tuple)


# Blocks -------------------------------------------------------------------------------------------


@MODES
def test_kinds_of_dimensions(interpret: bool) -> None:
    blocks = [
        pl.BlockSpec((None, 2), lambda i, j: (i, j)),
        pl.BlockSpec((pl.squeezed, pl.Blocked(2)), lambda i, j: (i, j)),
        pl.BlockSpec((pl.Squeezed(), pl.Element(2)), lambda i, j: (i, 2 * j)),
    ]
    x = np.arange(18, dtype=F32).reshape(3, 6)
    for block in blocks:
        f = pl.pallas_call(
            lambda x_ref, o_ref: copy(x_ref, o_ref) if x_ref.shape == (2,) else None,
            struct(3, 6),
            grid=(3, 3),
            in_specs=[block],
            out_specs=block,
            interpret=interpret,
        )
        np.testing.assert_array_equal(f(x), x)


@MODES
def test_blocks_that_start_at_elements(interpret: bool) -> None:
    def kernel(x_ref: Any, o_ref: Any) -> None:
        o_ref[...] = x_ref[:4] + x_ref[1:5] + x_ref[2:]

    def sums(n: int, padding: tuple[int, int]) -> Any:
        return pl.pallas_call(
            kernel,
            struct(n),
            grid=pl.cdiv(n, 4),
            in_specs=[pl.BlockSpec((pl.Element(6, padding),), lambda i: (4 * i,))],
            out_specs=pl.BlockSpec((4,), lambda i: (i,)),
            interpret=interpret,
        )

    x = np.arange(1, 13, dtype=F32)
    padded = np.pad(x, 1)
    np.testing.assert_array_equal(sums(12, (1, 1))(x), padded[:-2] + x + padded[2:])
    # The last block of 11 reaches one further.
    x, padded = x[:11], np.pad(x[:11], 1)
    np.testing.assert_array_equal(sums(11, (1, 2))(x), padded[:-2] + x + padded[2:])
    gradient = dt.grad(lambda x: sums(11, (1, 2))(x)[3:].sum())(x)
    np.testing.assert_array_equal(gradient, [0, 0, 1, 2, *[3] * 6, 2])


def test_results_may_start_at_elements() -> None:
    spec = pl.BlockSpec((pl.Element(4, (2, 1)),), lambda i: (4 * i,))
    f = pl.pallas_call(
        lambda o_ref: o_ref.set(dnp.arange(4.0) + 10 * pl.program_id(0)),
        struct(5),
        grid=2,
        out_specs=spec,
    )
    np.testing.assert_array_equal(f(), [2, 3, 10, 11, 12])


def shifted(n: int, block: pl.BlockSpec, other: pl.BlockSpec, interpret: bool) -> Any:
    """A copy of blocks of 4, three programs."""
    return pl.pallas_call(
        copy, struct(n), grid=3, in_specs=[block], out_specs=other, interpret=interpret
    )


@MODES
@pytest.mark.parametrize("offset", [-3, -1, 2, 5])
def test_blocks_that_stick_out(offset: int, interpret: bool) -> None:
    """They read as zeros there, and what is written there is dropped, at either end."""
    x = np.arange(1, 13, dtype=F32)
    here, there = pl.BlockSpec((4,), lambda i: i), pl.BlockSpec((pl.Element(4),), at(offset))
    read, written = np.zeros(12, F32), np.full(10, np.nan, F32)
    for i, k in np.ndindex(3, 4):
        place = 2 * i + offset + k
        if 0 <= place < 10:
            read[4 * i + k], written[place] = x[place], x[4 * i + k]
    np.testing.assert_array_equal(shifted(12, there, here, interpret)(x[:10]), read)
    np.testing.assert_array_equal(shifted(10, here, there, interpret)(x), written)


def at(offset: int) -> Any:
    return lambda i: 2 * i + offset


@MODES
@pytest.mark.parametrize(
    ("index_map", "place", "program"),
    [
        (lambda i: i + 1, 3, 2),
        (lambda i: i - 1, -1, 0),
        (lambda i: 5, 5, 0),
        (lambda i: -2, -2, 0),
        (lambda i: i * i, 4, 2),
        (lambda i: lax.cond(i == 1, lambda: i + 9, lambda: i), 10, 1),
    ],
)
def test_blocks_outside_of_the_array(
    index_map: Any, place: int, program: int, interpret: bool
) -> None:
    here, there = pl.BlockSpec((4,), lambda i: i), pl.BlockSpec((4,), index_map)
    match = (
        rf"Index map function .*test_blocks.py:\d+ for {{}} must return blocks with at least one "
        rf"element of the array. Output\[0\] must be from 0 to 2: the array has 3 blocks, got: "
        rf"{place} for the program \({program},\) of the grid \(3,\).*clip.*test_blocks.py"
    )
    with pytest.raises(ValueError, match=match.format(r"args\[0\]")):
        shifted(12, there, here, interpret)(np.ones(10, F32))
    with pytest.raises(ValueError, match=match.format("outputs")):
        shifted(10, here, there, interpret)(np.ones(12, F32))


def test_blocks_outside_of_the_array_in_elements() -> None:
    here = pl.BlockSpec((4,), lambda i: i)
    for offset, place, program in ((-4, -4, 0), (8, 12, 2)):
        there = pl.BlockSpec((pl.Element(4, (0, 1)),), at(offset))
        match = (
            r"from -3 to 10: the array, with its padding, has 11 elements, got: "
            rf"{place} for the program \({program},\)"
        )
        with pytest.raises(ValueError, match=match):
            shifted(12, there, here, False)(np.ones(10, F32))


def test_blocks_of_large_grids() -> None:
    """The maps of all programs are checked, whatever their number."""
    n = (1 << 20) + 1

    def apart(i: Any) -> Any:
        return dnp.where(i == n - 3, i + n, i)

    for index_map, place, program in (
        (lambda i: i + 1, n, n - 1),
        (lambda i: n - 2 - i, -1, n - 1),
        (lambda i: abs(i - n // 2) - 5, -5, n // 2),
        (apart, 2 * n - 3, n - 3),
    ):
        f = pl.pallas_call(
            copy, struct(n), grid=n, in_specs=[pl.BlockSpec((1,), index_map)],
            out_specs=pl.BlockSpec((1,), lambda i: i),
        )  # fmt: skip
        with pytest.raises(ValueError, match=rf"got: {place} for the program \({program},\)"):
            dt.eval_shape(f, struct(n))


def test_no_program_has_a_block_outside() -> None:
    block = pl.BlockSpec((4,), lambda i: i + 7)
    f = pl.pallas_call(copy, struct(8), grid=0, in_specs=[block], out_specs=block)
    assert np.isnan(f(np.ones(8, F32))).all()


def test_blocks_that_are_known_to_be_inside_are_not_padded() -> None:
    here, first = (
        pl.BlockSpec((4,), index_map) for index_map in (lambda i: i, lambda i: dnp.minimum(i, 1))
    )
    text = shifted(12, first, here, False).lower(np.ones(8, F32)).as_text("trace")
    assert "dovetail.pad" not in text


# Errors -------------------------------------------------------------------------------------------


def map_error(match: str, index_map: Any) -> None:
    f = pl.pallas_call(copy, struct(8), grid=2, in_specs=[pl.BlockSpec((4,), index_map)])
    with pytest.raises(ValueError, match=rf"Index map function .*test_blocks.py:\d+ .*{match}"):
        f(np.ones(8, F32))


def test_index_maps() -> None:
    map_error(r"must return integer scalars. Output\[0\] has type float32\[\]", lambda i: 5.0)
    map_error(
        r"must return integer scalars. Output\[0\] has type int32\[2\]", lambda i: i + np.arange(2)
    )
    map_error(r"must return 1 values to match block_shape=\[4\].*got: 2", lambda i: (i, i))
    array = dnp.arange(100)
    map_error(r"must not capture constants: \['int32\[100\]'\], got: ", lambda i: array[i])


def test_trees_of_specs() -> None:
    block = pl.BlockSpec((4,), lambda: 0)
    with pytest.raises(ValueError, match="`in_specs` must be a tuple or a list, got: BlockSpec"):
        pl.pallas_call(copy, struct(4), in_specs=block)
    with pytest.raises(
        ValueError,
        match=r"Pytree for `in_specs` and `inputs` do not match(?s:.*) at \[1\], `in_specs` is a "
        r"pytree leaf but `inputs` is a .*dict(?s:.*)\ngot: ",
    ):
        pl.pallas_call(copy, struct(4), in_specs=[block, block])(np.ones(4), {"a": np.ones(4)})
    with pytest.raises(ValueError, match=r"`out_specs` is a tuple of length 1 but `out_shape` is"):
        pl.pallas_call(copy, [struct(4), struct(4)], out_specs=[block])(np.ones(4))


def test_aliases() -> None:
    for aliases, match in (
        ({1: 0}, r"'1:0' with input index 1 outside the range \[0, 1\)"),
        ({0: 2}, r"'0:2' with output index 2 outside the range \[0, 1\)"),
        ({0: 0}, r"'0:0' .* abstract value float32\[4\] .* different abstract value, got: float32"),
    ):
        f = pl.pallas_call(copy, struct(3), input_output_aliases=aliases)
        with pytest.raises(ValueError, match=match):
            f(np.ones(4, F32))


@MODES
def test_kernels_return_nothing(interpret: bool) -> None:
    f = pl.pallas_call(lambda x_ref, o_ref: x_ref[...], struct(4), interpret=interpret)
    with pytest.raises(ValueError, match=r"kernel function .*test_blocks.py.* should return None"):
        f(np.ones(4, F32))


@MODES
def test_references_are_read_before_they_are_stored(interpret: bool) -> None:
    f = pl.pallas_call(lambda x_ref, o_ref: o_ref.set(x_ref), struct(2048), interpret=interpret)
    with pytest.raises(ValueError, match=r"Cannot store a Ref into another Ref, got: "):
        f(np.ones(2048, F32))


@pytest.mark.parametrize("interpret", [False, True])
@pytest.mark.parametrize("shape", [(0,), (0, 3), (3, 0)])
def test_empty_arrays(shape: tuple[int, ...], interpret: bool) -> None:
    def kernel(x_ref: Any, e_ref: Any, o_ref: Any, p_ref: Any) -> None:
        o_ref[...] = x_ref[...] + e_ref[...].sum()
        p_ref[...] = 2 * e_ref[...]

    block, x, empty = pl.BlockSpec((2,), lambda i: (i,)), np.ones(4, F32), np.zeros(shape, F32)
    for spec in (pl.BlockSpec(), pl.BlockSpec(shape, lambda i: (0,) * len(shape))):
        f = pl.pallas_call(
            kernel,
            [dt.ShapeDtypeStruct((4,), F32), dt.ShapeDtypeStruct(shape, F32)],
            grid=2,
            in_specs=[block, spec],
            out_specs=[block, spec],
            interpret=interpret,
        )
        got, left = f(x, empty)
        np.testing.assert_array_equal(got, x)
        assert left.shape == shape
    rows = pl.BlockSpec((2, *shape[1:]), lambda i: (i,) + (0,) * (len(shape) - 1))
    f = pl.pallas_call(
        lambda x_ref, o_ref: o_ref.set(x_ref[...]),
        dt.ShapeDtypeStruct(shape, F32),
        grid=pl.cdiv(shape[0], 2),
        in_specs=[rows],
        out_specs=rows,
        interpret=interpret,
    )
    assert f(empty).shape == shape
