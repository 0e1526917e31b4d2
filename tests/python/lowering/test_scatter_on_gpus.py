"""Scatters whose updates are made by threads of a GPU."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dovetail as dt
import dovetail.numpy as dnp
from dovetail import lax
from support.gpus import on_gpus, run_on

SIZES = lax.ScatterDimensionNumbers(
    update_window_dims=(1, 2), inserted_window_dims=(), scatter_dims_to_operand_dims=(0,)
)


def rows(x: Any, i: Any, u: Any) -> Any:
    return x.at[i].set(u, mode="drop")


def windows(x: Any, i: Any, u: Any) -> Any:
    return lax.scatter(x, i[:, None], dnp.stack([u, u + 1], 1), SIZES, mode="drop")


def booleans(x: Any, i: Any, u: Any) -> Any:
    return (x > 0).at[i].set(u > 0, mode="drop")


def elements(x: Any, i: Any, u: Any) -> Any:
    return x.T.at[0, i].set(u[:, 0], mode="drop")


def constants(x: Any, i: Any, u: Any) -> Any:
    return x.at[np.array([1, 0, 1, 1])].set(u[:4])


def counts(x: Any, i: Any, u: Any) -> Any:
    return dnp.zeros(x.shape, "int32").at[i].add((u * 10).astype("int32"), mode="drop")


def columns(x: Any, i: Any, u: Any) -> Any:
    return x.at[:, ::2].set(u[:1, :1])


@on_gpus
@pytest.mark.parametrize(
    "function", [rows, windows, booleans, elements, constants, counts, columns]
)
def test_updates(function: Callable[..., Any], gpu: str, tmp_path: Path) -> None:
    """The last update of an element wins, and those outside of the array are dropped."""
    rng = np.random.default_rng(0)
    x, u = rng.normal(size=(7, 3)).astype("f"), rng.normal(size=(200, 3)).astype("f")
    i = rng.integers(-3, 10, 200).astype("int32")
    actual = run_on(gpu, tmp_path, function, x, i, u)
    expected = dt.jit(function, compile="never")(x, i, u)
    np.testing.assert_array_equal(actual, expected)


def rows_of_itself(x: Any, i: Any, u: Any) -> Any:
    return x.at[i % 3].set(x[i % 2] * 2 + u, mode="drop")


def cut_and_turned(x: Any, i: Any, u: Any) -> Any:
    """What is computed of slices, transposed and repeated arrays."""
    part = u[3:153:3].T.reshape(2, 3, 25)[:, ::-1]
    places = dnp.where(i[:50] > 4, -i[50:100], i[:50] + 1).reshape(25, 2).T
    return x.at[places].set((part.transpose(0, 2, 1) + i[10]) * x[0, 0], mode="drop")


def twice(x: Any, i: Any, u: Any) -> Any:
    counts = dnp.zeros(11, "int32").at[i + 3].add((u[:, 0] > 0) + i * i)
    return counts.at[counts % 11].add(counts) + dnp.int32(x[0, 0])


def pairs(x: Any, i: Any, u: Any) -> Any:
    grid = dnp.zeros((4, 3, 5), "int32")
    return grid.at[i % 4, :, (i * 7 + 1) % 5].add((u > 0) * i[:, None] - 1)


@on_gpus
@pytest.mark.parametrize("function", [rows_of_itself, cut_and_turned, twice, pairs])
def test_updates_that_are_computed(function: Callable[..., Any], gpu: str, tmp_path: Path) -> None:
    """By the threads that make them, also of the array that changes."""
    rng = np.random.default_rng(1)
    x, u = rng.normal(size=(7, 3)).astype("f"), rng.normal(size=(200, 3)).astype("f")
    i = rng.integers(-3, 8, 200).astype("int32")
    actual = run_on(gpu, tmp_path, function, x, i, u)
    expected = dt.jit(function, compile="never")(x, i, u)
    np.testing.assert_allclose(actual, expected, rtol=1e-6)


@pytest.mark.parametrize("target", ["cuda", "rocm"])
@pytest.mark.parametrize("kind", ["add", "multiply", "min", "max", "set"])
def test_element_types_compile(kind: str, target: str, tmp_path: Path) -> None:
    """Also those that no atomic instruction takes."""
    types = ["float64", "float32", "float16", "bfloat16", "int64", "uint32", "int16", "int8"]

    def all_types(arrays: Any, i: Any) -> Any:
        return [getattr(x.at[i], kind)(x[i] * x[0]) for x in arrays]

    with dt.config.enable_x64(True):
        arrays = [dt.ShapeDtypeStruct((50,), dtype) for dtype in types]
        i = dt.ShapeDtypeStruct((20,), "int32")
        dt.export(all_types, arrays, i, path=tmp_path / "f.vmfb", targets=target)
    assert (tmp_path / "f.vmfb").stat().st_size > 0
