"""Kernels whose index maps read arguments."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import dovetail as dt
import dovetail.numpy as dnp
from dovetail.experimental import pallas as pl
from dovetail.experimental.pallas import tpu as pltpu

SIZE = 8


def sparse_product(interpret: bool = False) -> Any:
    """A matrix of blocks in coordinates, in the order of their rows, times a dense one."""

    def kernel(
        rows: Any, columns: Any, x_ref: Any, y_ref: Any, _: Any, out: Any, sum_: Any
    ) -> None:
        k, count = pl.program_id(1), pl.num_programs(1)

        @pl.when((k == 0) | (rows[k] != rows[dnp.maximum(k - 1, 0)]))
        def _() -> None:
            sum_[...] = dnp.zeros_like(sum_[...])

        sum_[...] += x_ref[0] @ y_ref[...]

        @pl.when((k == count - 1) | (rows[k] != rows[dnp.minimum(k + 1, count - 1)]))
        def _() -> None:
            out[...] = sum_[...]

    block = (SIZE, SIZE)
    spec = pltpu.PrefetchScalarGridSpec(
        num_scalar_prefetch=2,
        grid=(2, 5),
        in_specs=[
            pl.BlockSpec((1, *block), lambda j, k, rows, columns: (k, 0, 0)),
            pl.BlockSpec(block, lambda j, k, rows, columns: (columns[k], j)),
            pl.BlockSpec(block, lambda j, k, rows, columns: (rows[k], j)),
        ],
        out_specs=pl.BlockSpec(block, lambda j, k, rows, columns: (rows[k], j)),
        scratch_shapes=[pltpu.VMEM(block, "float32")],
    )
    return pl.pallas_call(
        kernel,
        dt.ShapeDtypeStruct((4 * SIZE, 2 * SIZE), "float32"),
        grid_spec=spec,
        input_output_aliases={4: 0},
        interpret=interpret,
    )


def dense(rows: Any, columns: Any, x: Any) -> np.ndarray:
    whole = np.zeros((4, SIZE, 4, SIZE), np.float32)
    for row, column, block in zip(rows, columns, x, strict=True):
        whole[row, :, column] = block
    return whole.reshape(4 * SIZE, 4 * SIZE)


@pytest.fixture
def arrays() -> list[np.ndarray]:
    rng = np.random.default_rng(0)
    rows, columns = np.array([0, 0, 1, 3, 3]), np.array([1, 2, 0, 0, 3])
    x, y = rng.normal(size=(5, SIZE, SIZE)), rng.normal(size=(4 * SIZE, 2 * SIZE))
    return [
        *(numbers.astype(np.int32) for numbers in (rows, columns)),
        *(array.astype(np.float32) for array in (x, y, np.zeros_like(y))),
    ]


@pytest.mark.parametrize("interpret", [False, True])
def test_blocks_of_a_sparse_matrix(interpret: bool, arrays: list[np.ndarray]) -> None:
    rows, columns, x, y, _ = arrays
    got = sparse_product(interpret)(*arrays)
    np.testing.assert_allclose(got, dense(rows, columns, x) @ y, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("gpu", ["vulkan"], indirect=True)
def test_on_gpus(gpu: str, arrays: list[np.ndarray]) -> None:
    rows, columns, x, y, _ = arrays
    (device,) = dt.devices(gpu)[:1]
    got = sparse_product()(*(dt.device_put(array, device) for array in arrays))
    np.testing.assert_allclose(got, dense(rows, columns, x) @ y, rtol=1e-5, atol=1e-5)


def test_batches_and_derivatives(arrays: list[np.ndarray]) -> None:
    f = sparse_product()
    rows, columns, x, y, _ = arrays
    batch = np.stack([rows, np.array([0, 1, 1, 2, 3], np.int32)])
    # The order within a row does not matter, and each row of a matrix is one of a batch.
    got = dt.vmap(f, in_axes=(0, None, None, None, None))(batch, *arrays[1:])
    for own, result in zip(batch, got, strict=True):
        np.testing.assert_allclose(result, dense(own, columns, x) @ y, rtol=1e-5, atol=1e-5)
    gradient = dt.grad(lambda x: (f(rows, columns, x, y, arrays[4]) ** 2).sum())(x)
    result = (dense(rows, columns, x) @ y).reshape(4, SIZE, -1)[rows]
    expected = 2 * np.einsum("rij,rkj->rik", result, y.reshape(4, SIZE, -1)[columns])
    np.testing.assert_allclose(gradient, expected, rtol=1e-4, atol=1e-4)


def test_places_that_are_not_in_the_array() -> None:
    """The nearest block is taken."""

    def kernel(places: Any, x_ref: Any, out: Any) -> None:
        out[...] = x_ref[...]

    spec = pltpu.PrefetchScalarGridSpec(
        1,
        grid=4,
        in_specs=[pl.BlockSpec((2,), lambda i, places: (places[i],))],
        out_specs=pl.BlockSpec((2,), lambda i, places: (i,)),
    )
    f = pl.pallas_call(kernel, dt.ShapeDtypeStruct((8,), "int32"), grid_spec=spec)
    got = f(np.array([-3, 2, 1, 9]), np.arange(6))
    np.testing.assert_array_equal(got, [0, 1, 4, 5, 2, 3, 4, 5])


def test_errors() -> None:
    with pytest.raises(ValueError, match=r"num_scalar_prefetch must be .* 0 or more, got: -1"):
        pltpu.PrefetchScalarGridSpec(-1)

    def write(places: Any, out: Any) -> None:
        places[0] = 1

    shape = dt.ShapeDtypeStruct((8,), "int32")
    f = pl.pallas_call(write, shape, grid_spec=pltpu.PrefetchScalarGridSpec(1, grid=2))
    with pytest.raises(ValueError, match=r"must not write to its arguments, got: .* scalars\[0\]"):
        f(np.zeros(2, np.int32))
    with pytest.raises(TypeError, match=r"there must be 1 arguments, .* got: 0"):
        f()
