"""Compiled loops and branches whose results share memory with others, or start within arrays."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import dovetail as dt
import dovetail.numpy as dnp
from dovetail import lax

W = np.array([0.5, 0.6, 0.7], np.float32)
X = np.array([0.1, 0.2, 0.3], np.float32)


def same_constant(w: Any) -> Any:
    return lax.cond(w[0] > 0, lambda: dnp.ones(3), lambda: dnp.ones(3))


def operand_twice(w: Any) -> Any:
    return lax.cond(w[0] > 0, lambda a: (a, a), lambda a: (a, a), dnp.full(3, 0.7))


def one_constant_differs(w: Any) -> Any:
    def yes() -> Any:
        return dnp.zeros(3), dnp.ones(3)

    def no() -> Any:
        return dnp.ones(3), dnp.ones(3)

    return lax.cond(w[0] > 0, yes, no)


def carries_swapped(w: Any) -> Any:
    return lax.fori_loop(0, 3, lambda i, c: (c[1] + w, c[0]), (w, dnp.ones(3)))


def carry_stacked(w: Any) -> Any:
    return lax.scan(lambda c, x: (c * x, c), w, dnp.stack([w, w + 1]))


@dt.grad
def gradient_of_a_row(w: Any) -> Any:
    row = lax.fori_loop(0, 2, lambda i, c: dnp.sin(c), w)
    return (dnp.stack([X, row]) ** 2).sum()


@pytest.mark.parametrize(
    "function",
    [
        same_constant,
        operand_twice,
        one_constant_differs,
        carries_swapped,
        carry_stacked,
        gradient_of_a_row,
    ],
    ids=lambda function: function.__name__,
)
def test_compiled_agrees_with_eager(function: Callable[[Any], Any]) -> None:
    eager, compiled = dt.tree.leaves(function(W)), dt.tree.leaves(dt.jit(function)(W))
    for expected, got in zip(eager, compiled, strict=True):
        np.testing.assert_allclose(got, expected, rtol=1e-6)


def sums_of_what_is_updated(x: Any, u: Any) -> Any:
    """Reductions along all axes of arrays updated in place."""
    reduced = [(x.at[:].multiply(u).sum(axis), x.at[:].add(u).max(axis)) for axis in (0, 1, None)]
    row = x[0].at[:].multiply(u[0])
    product = x.at[:].multiply(u)
    return reduced, (row, row.sum()), (product, product.sum(0)), x.at[:].add(u).T @ x[:, 0]


@pytest.mark.parametrize("dtype", ["float32", "bfloat16", "int16", "complex64"])
@pytest.mark.parametrize("size", [1, 3, 19])
def test_sums_of_arrays_that_are_updated_in_place(size: int, dtype: str) -> None:
    x = dnp.asarray(np.arange(5 * size).reshape(5, size) % 7 - 2, dtype)
    u = dnp.asarray(np.arange(size) % 3 + 1, dtype)
    zeros = dt.tree.map(dnp.zeros_like, dt.eval_shape(sums_of_what_is_updated, x, u))

    def chosen(x: Any, u: Any) -> Any:
        return lax.cond(u[0] != 0, sums_of_what_is_updated, lambda *_: zeros, x, u)

    got, expected = dt.jit(chosen, compile="now")(x, u), sums_of_what_is_updated(x, u)
    dt.tree.map(np.testing.assert_array_equal, got, expected)
