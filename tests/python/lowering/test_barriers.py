"""Compiled barriers: changing an array on one side leaves the others unchanged."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import dovetail as dt
from dovetail import lax
from dovetail import numpy as dnp

X = np.arange(12, dtype=np.float32).reshape(3, 4)
AT = np.array([2, 1])


def repeated_operand(x: Any, at: Any) -> Any:
    a, b = lax.optimization_barrier((x, x))
    s = dnp.cumsum(a.at[at].add(1.0), 0)
    return s, dnp.cumsum(b * 2, 1) @ s.T


def operand_used_later(x: Any, at: Any) -> Any:
    y = dnp.sin(x) @ dnp.ones((4, 4), x.dtype)
    (a,) = lax.optimization_barrier((y,))
    t = dnp.cumsum(a.at[at].add(1.0), 0)
    return t, (y @ dnp.ones((4, 2), x.dtype))[at] + t[0, :2]


def two_barriers(x: Any, at: Any) -> Any:
    y = dnp.sin(x) @ dnp.ones((4, 4), x.dtype)
    (a,) = lax.optimization_barrier((y,))
    (b,) = lax.optimization_barrier((y,))
    t = dnp.cumsum(a.at[at].add(1.0), 0)
    return t, b.at[at].multiply(t[0]) @ dnp.ones((4, 2), x.dtype)


def operand_changed(x: Any, at: Any) -> Any:
    y = dnp.sin(x) @ dnp.ones((4, 4), x.dtype)
    (a,) = lax.optimization_barrier((y,))
    t = dnp.cumsum(y.at[at].add(1.0), 0)
    return t, a @ t.T


def part_changed(x: Any, at: Any) -> Any:
    a, b = lax.optimization_barrier((x, x))
    t = dnp.cumsum(a.reshape(12).at[at].set(-1.0))
    return t, dnp.cumsum(b, 0) + t[0]


def loop_begins_with_it(x: Any, at: Any) -> Any:
    y = dnp.sin(x) @ dnp.ones((4, 4), x.dtype)
    (a,) = lax.optimization_barrier((y,))

    def step(i: Any, table: Any) -> Any:
        return table.at[at[i]].add(dnp.cumsum(table, 1)[0])

    t = lax.fori_loop(0, at.shape[0], step, a)
    return t, y @ t.T


def chosen(x: Any, at: Any) -> Any:
    y = dnp.sin(x) @ dnp.ones((4, 4), x.dtype)
    (a,) = lax.optimization_barrier((y,))
    b = lax.cond(at[0] > 1, lambda: a, lambda: a * 2)
    t = dnp.cumsum(b.at[at].add(1.0), 0)
    return t, y @ t.T


FUNCTIONS = [
    *(repeated_operand, operand_used_later, two_barriers, operand_changed, part_changed),
    *(loop_begins_with_it, chosen),
]


@pytest.mark.parametrize("merge", [True, False])
@pytest.mark.parametrize("function", FUNCTIONS)
def test_arrays_on_the_other_side_are_unchanged(function: Callable[..., Any], merge: bool) -> None:
    expected = function(dnp.asarray(X), dnp.asarray(AT))
    x = dnp.asarray(X)
    with dt.config.merge_small_ops(merge):
        results = dt.jit(function)(x, AT)
    for result, value in zip(results, expected, strict=True):
        np.testing.assert_allclose(result, value, rtol=1e-4, atol=1e-5)
    np.testing.assert_array_equal(x, X)


def test_recomputed_scatters_in_branches() -> None:
    # Merged ops and recomputation: the branch's table is changed next to a loop that reads the
    # same.
    def branch(x: Any) -> Any:
        i = dnp.abs(3 * x[0]).astype("int32") % 4
        return dnp.cos(x) - x.at[i].add(x[i] * 0.3).at[0].multiply(0.5)

    def loop(x: Any) -> Any:
        return lax.fori_loop(0, 3, lambda i, c: dnp.tanh(dnp.tanh(x) * 0.7) * 0.8 + i * 0.01, x)

    @dt.checkpoint
    def block(x: Any) -> Any:
        which = (2 * dnp.sum(dnp.cos(x))).astype("int32")
        return dnp.tanh(lax.switch(which, [branch, dnp.sin, loop], x)) * 0.7

    def loss(x: Any) -> Any:
        return dnp.sum(block(x) ** 2)

    xs = np.random.default_rng(1).normal(size=(6, 4)).astype(np.float32)
    each = np.stack([dt.grad(loss)(dnp.asarray(x)) for x in xs])
    np.testing.assert_allclose(dt.jit(dt.vmap(dt.grad(loss)))(xs), each, rtol=1e-4, atol=1e-5)


def test_arguments_are_unchanged_after_merged_ops() -> None:
    def function(x: Any, at: Any) -> Any:
        s = dnp.sum(dnp.sin(x), 1)
        changed = x.at[at].add(s[at][:, None])
        return dnp.cumsum(changed, 0) @ dnp.cumsum(changed, 1).T

    x = dnp.asarray(X)
    expected = function(x, dnp.asarray(AT))
    compiled = dt.jit(function)
    for _ in range(2):
        np.testing.assert_allclose(compiled(x, AT), expected, rtol=1e-4, atol=1e-4)
    np.testing.assert_array_equal(x, X)


def test_barriers_of_memory_of_different_kinds() -> None:
    # IREE rejects a barrier of an argument and of arrays in between, and accepts one for each.
    def function(x: Any, y: Any) -> Any:
        def each(shift: Any) -> Any:
            block = dt.checkpoint(lambda c: dnp.tanh(c * 0.5 + y[1]) * 0.7)
            return dnp.sum(block(x + shift)) * 0.2

        return dt.vmap(each)(y * 0.3)

    def loss(x: Any, y: Any) -> Any:
        return dnp.sum(function(x, y) ** 2)

    def of_gradient(x: Any, y: Any) -> Any:
        return dt.grad(lambda x: dnp.sum(dt.grad(loss)(x, y) ** 2))(x)

    x, y = X[0], X[1] / 7
    expected = of_gradient(dnp.asarray(x), dnp.asarray(y))
    np.testing.assert_allclose(dt.jit(of_gradient)(x, y), expected, rtol=1e-4, atol=1e-6)
