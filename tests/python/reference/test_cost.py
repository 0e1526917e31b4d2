"""Estimates of evaluation time."""

from __future__ import annotations

from typing import Any

import dovetail as dt
import dovetail.numpy as dnp
from dovetail import _core, lax
from dovetail.reference.cost import cost_of
from dovetail.reference.op import count


def cost(function: Any, *args: Any) -> Any:
    lowered = dt.jit(function).lower(*args)
    program = lowered._program.after("simplify").program("main")
    return cost_of(program, [aval.shape for aval in lowered._program.signature.avals])


def array(*shape: int, dtype: str = "float32") -> dt.ShapeDtypeStruct:
    return dt.ShapeDtypeStruct(shape, dtype)


def test_costs_grow_with_the_work() -> None:
    small = cost(lambda x: x @ x, array(8, 8))
    large = cost(lambda x: x @ x, array(2000, 2000))
    assert small.seconds < 1e-3
    assert 0.1 < large.seconds < 10
    assert cost(lambda x: x @ x, array(2000, 2000, dtype="int32")).seconds > 10 * large.seconds
    many = cost(lambda x: lax.fori_loop(0, 10_000, lambda i, c: c + x, x), array(4))
    assert many.seconds > 1000 * cost(lambda x: x + x, array(4)).seconds
    assert many.is_bounded
    assert cost(dnp.sort, array(10**6)).seconds > 10 * cost(lambda x: -x, array(10**6)).seconds
    convolution = cost(
        lambda x, k: lax.conv(x, k, (1, 1), "SAME"), array(8, 16, 64, 64), array(32, 16, 3, 3)
    )
    assert 0.01 < convolution.seconds < 1


def test_costs_report_unknown_parts() -> None:
    loop = cost(lambda x: lax.while_loop(lambda c: c < 9, lambda c: c * x, x), array())
    assert not loop.is_bounded
    assert not loop.has_effects
    branches = cost(lambda x: lax.cond(x[0] > 0, lambda: x @ x, lambda: x[0]), array(10**6))
    assert 1e-5 < branches.seconds < 1
    assert branches.is_bounded


def test_unknown_sizes_count_as_the_assumed_one() -> None:
    assert count((3, -1, -1)) == 3 * _core.ASSUMED_SIZE**2


def test_costs_of_symbolic_sizes_have_no_bound() -> None:
    bounded = [
        dt.jit(lambda x: x + x, dynamic_shapes=shapes).lower(array(4)).program.evaluation_cost
        for shapes in (None, ("n",))
    ]
    assert [cost.is_bounded for cost in bounded] == [True, False]


def test_systems_of_vectors_have_a_cost() -> None:
    def solve(d: Any, b: Any) -> Any:
        return lax.linalg.tridiagonal_solve(0 * d, d, 0 * d, b)

    small = cost(solve, array(5), array(5, 2))
    assert 0 < small.seconds < cost(solve, array(1000, 50), array(1000, 50, 2)).seconds
