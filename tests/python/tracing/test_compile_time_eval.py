"""`ensure_compile_time_eval`: known arrays are computed at once, tracers stay in their trace."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

import dovetail as dt
import dovetail.numpy as dnp
from dovetail import lax


def _op(x: Any) -> Any:
    return dnp.sin(x) * 2


def _jitted(x: Any) -> Any:
    return dt.jit(lambda v: dnp.sin(v) * 2)(x)


def _of_several_results(x: Any) -> Any:
    return 2 * dnp.sin(lax.sort([x[None], x[None]], num_keys=1)[1][0])


@pytest.mark.parametrize("function", [_op, _jitted, _of_several_results])
def test_ops_on_tracers(function: Any) -> None:
    def within(x: Any) -> Any:
        with dt.ensure_compile_time_eval():
            y = function(x)
        return y + 1

    expected = 2 * np.sin(0.5) + 1
    assert_allclose(dt.jit(within)(0.5), expected, rtol=1e-6)
    assert_allclose(dt.grad(within)(0.5), 2 * np.cos(0.5), rtol=1e-6)
    assert_allclose(dt.jit(dt.grad(within))(0.5), 2 * np.cos(0.5), rtol=1e-6)
    assert_allclose(dt.vmap(within)(dnp.full(3, 0.5)), np.full(3, expected), rtol=1e-6)
    assert_allclose(dt.jit(dt.vmap(within))(dnp.full(3, 0.5)), np.full(3, expected), rtol=1e-6)


def test_known_values_are_computed_next_to_tracers() -> None:
    @dt.jit
    def f(x: Any) -> Any:
        with dt.ensure_compile_time_eval():
            y = dnp.cos(x)
            count = int(dnp.sqrt(9.0))
            again = int(dnp.sqrt(16.0))
        return dnp.broadcast_to(y + again, (count,))

    assert_allclose(f(0.0), [5, 5, 5])
    assert float(dnp.sqrt(4.0)) == 2


def test_blocks_within_blocks() -> None:
    @dt.jit
    def f(x: Any) -> Any:
        with dt.ensure_compile_time_eval():
            with dt.ensure_compile_time_eval():
                y = x + int(dnp.ones(()))
            return y * int(dnp.asarray(2))

    assert float(f(3.0)) == 8


def _of_shape(x: Any) -> Any:
    return x * dt.eval_shape(lambda y: y * x, dnp.ones(3)).size


def _of_program(x: Any) -> Any:
    return x * len(dt.make_jaxpr(lambda y: y * x)(2.0).eqns) * 3


def _of_jitted(x: Any) -> Any:
    return dt.jit(lambda y: y * x)(3.0)


def _of_batch(x: Any) -> Any:
    return dnp.sum(dt.vmap(lambda y: y * x)(dnp.arange(3.0)))


def _of_derivative(x: Any) -> Any:
    return dt.grad(lambda y: y * x)(2.0) * 3


def _of_loop(x: Any) -> Any:
    return lax.scan(lambda c, y: (c + y * x, None), 0.0, dnp.arange(3.0))[0]


@pytest.mark.parametrize(
    "function", [_of_shape, _of_program, _of_jitted, _of_batch, _of_derivative, _of_loop]
)
def test_functions_that_close_over_tracers(function: Any) -> None:
    def within(x: Any) -> Any:
        with dt.ensure_compile_time_eval():
            known = dt.jit(lambda y: y + 1)(1.0)
            assert type(known) is dt.Array
            return function(x) + float(known)

    assert_allclose(dt.jit(within)(0.5), 3.5, rtol=1e-6)
    assert_allclose(dt.jit(dt.grad(within))(0.5), 3.0, rtol=1e-6)
    assert_allclose(dt.vmap(within)(dnp.full(3, 0.5)), np.full(3, 3.5), rtol=1e-6)
