"""Several updates of one array that is generated, such as zeros: each has its own array."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import dovetail as dt
import dovetail.numpy as dnp
from dovetail import config, lax

SHAPE = (4, 5)
# Too large to be computed once and kept.
LARGE = (80_000, 5)


def indexed(array: dt.Array, row: int, values: dt.Array) -> dt.Array:
    return array.at[dnp.array([row])].set(values)


def sliced(array: dt.Array, row: int, values: dt.Array) -> dt.Array:
    return lax.dynamic_update_slice(array, values, (row, 0))


def added(array: dt.Array, row: int, values: dt.Array) -> dt.Array:
    return array.at[row].add(values[0])


ARRAYS: dict[str, Callable[[Any, Any], dt.Array]] = {
    "zeros": lambda shape, dtype: dnp.zeros(shape, dtype),
    "counted": lambda shape, dtype: (
        dnp.arange(float(shape[0] * shape[1])).reshape(shape).astype(dtype) + 1
    ),
    "product": lambda shape, dtype: dnp.full(shape, 2, dtype) * dnp.asarray(1.5, dtype),
    "of constants": lambda shape, dtype: (
        dnp.asarray(np.arange(5).astype(dtype)) * dnp.ones(shape, dtype)
    ),
}


def check(f: Callable[..., Any], rows: np.ndarray, rtol: float) -> None:
    """Compiled, a function has the values that it has when it is evaluated."""
    with config.enable_x64(True):
        with config.compile("never"):
            wanted = dt.jit(f)(*rows)
        with config.compile("now"):
            actual = dt.jit(f)(*rows)
    for a, w in zip(actual, wanted, strict=True):
        np.testing.assert_allclose(a, w, rtol=rtol)


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64", "complex128", "int32"])
@pytest.mark.parametrize("update", [indexed, sliced, added])
@pytest.mark.parametrize("shape", [SHAPE, LARGE], ids=str)
def test_updates_of_one_array(
    shape: tuple[int, int], update: Callable[..., dt.Array], dtype: str
) -> None:
    rng = np.random.default_rng(0)
    rows = (rng.normal(size=(2, 1, 5)) * 9).astype(dtype)

    def f(first: dt.Array, second: dt.Array) -> list[dt.Array]:
        found = []
        for make in ARRAYS.values():
            array = make(shape, dtype)
            found += [update(array, 0, first), update(array, 0, second), update(array, 2, first)]
        return found

    check(f, rows, 1e-6)


def test_updates_of_one_array_in_a_loop() -> None:
    def f(first: dt.Array, second: dt.Array) -> Any:
        def step(i: dt.Array, carry: tuple[dt.Array, dt.Array]) -> tuple[dt.Array, dt.Array]:
            zeros = dnp.zeros(SHAPE, "complex128")
            a, b = indexed(zeros, 0, carry[0] * 2), indexed(zeros, 0, carry[1] * 3)
            return a[:1] + i, b[:1] - i

        return lax.fori_loop(0, 3, step, (first, second))

    rows = np.arange(10.0).reshape(2, 1, 5) * (1 + 0.5j)
    check(f, rows, 1e-12)
