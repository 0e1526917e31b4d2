"""Growth of programs under transforms: with the number of ops, and with the depth of nesting."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import dovetail as dt
import dovetail.numpy as dnp
from dovetail import lax

X = np.ones(3, np.float32)


def lines(function: Callable[[Any], Any], phase: str) -> int:
    return dt.jit(function).lower(X).as_text(phase).count("\n")


def summed_gradient(function: Callable[[Any], Any], order: int) -> Callable[[Any], Any]:
    for _ in range(order):
        inner = function
        function = lambda x, inner=inner: dnp.sum(dt.grad(inner)(x))  # noqa: E731
    return function


def chain(length: int) -> Callable[[Any], Any]:
    def function(x: Any) -> Any:
        for _ in range(length):
            x = dnp.sin(x) * 1.01
        return dnp.sum(x)

    return function


def nested(depth: int) -> Callable[[Any], Any]:
    def body(level: int) -> Callable[[Any, Any], Any]:
        if level == 0:
            return lambda i, c: dnp.sin(c)
        return lambda i, c: lax.fori_loop(0, 3, body(level - 1), c)

    return lambda x: dnp.sum(lax.fori_loop(0, 3, body(depth - 1), x))


def branches(x: Any) -> Any:
    def counted(c: Any) -> Any:
        return lax.fori_loop(0, 1 + dnp.sum(c > 0.4), lambda i, c: dnp.sin(c * x), c)

    return lax.switch(2, [lambda c: c, counted, lambda c: counted(c) * c], 0.9 * x).sum()


@pytest.mark.parametrize("phase", ["expand", "simplify"])
@pytest.mark.parametrize("order", [1, 2])
@pytest.mark.parametrize("family", [chain, nested])
def test_as_much_for_each_op(
    family: Callable[[int], Callable[[Any], Any]], order: int, phase: str
) -> None:
    sizes = [lines(summed_gradient(family(count), order), phase) for count in (4, 8, 16)]
    first, second = np.diff(sizes)
    assert second <= 2.1 * first


@pytest.mark.parametrize("phase", ["expand", "simplify"])
def test_orders_do_not_multiply_branches_with_loops(phase: str) -> None:
    sizes = [lines(summed_gradient(branches, order), phase) for order in (1, 2, 3)]
    assert sizes[1] < 4 * sizes[0]
    assert sizes[2] < 4 * sizes[1]
