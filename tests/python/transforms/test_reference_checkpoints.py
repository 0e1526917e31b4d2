"""Checkpoints that use references from outside: written once, with derivatives through them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import dovetail as dt
import dovetail.numpy as dnp
from dovetail import lax

F32 = np.float32


# Barriers are of memory of several kinds, here of arguments and results.
@pytest.mark.parametrize("is_jitted", [True, False])
@pytest.mark.parametrize("is_argument", [True, False])
def test_checkpoints_use_references_from_outside(is_argument: bool, is_jitted: bool) -> None:
    count, last = dt.new_ref(F32(0)), dt.new_ref(dnp.zeros(3))

    def body(x: Any, count: Any, last: Any) -> Any:
        count[...] += 1
        last[...] = 2 * x
        return dnp.sin(x).sum()

    part = body if is_argument else lambda x: body(x, count, last)
    arguments = (count, last) if is_argument else ()
    part = dt.checkpoint(part)

    def f(x: Any) -> Any:
        first = part(x, *arguments)
        return first + part(2 * x, *arguments)

    def gradient(x: Any) -> Any:
        return dt.grad(f)(x)

    x = np.arange(3, dtype=F32)
    got = (dt.jit(gradient) if is_jitted else gradient)(x)
    np.testing.assert_allclose(got, np.cos(x) + 2 * np.cos(2 * x), rtol=1e-5)
    # It is written once, although values are computed again.
    assert float(count[...]) == 2
    np.testing.assert_array_equal(last[...], 4 * x)


def test_what_passes_through_a_reference_in_a_checkpoint_has_a_derivative() -> None:
    def f(x: Any) -> Any:
        held = dt.new_ref(x)

        @dt.checkpoint
        def square() -> None:
            held[...] = dnp.sin(held[...] ** 2)

        square()
        square()
        return dt.freeze(held)

    def plain(x: Any) -> Any:
        return dnp.sin(dnp.sin(x**2) ** 2)

    for transform in (dt.grad, lambda f: dt.grad(dt.grad(f)), lambda f: dt.jit(dt.grad(f))):
        np.testing.assert_allclose(transform(f)(0.7), transform(plain)(0.7), rtol=1e-5)
    xs = np.linspace(0, 1, 4, dtype=F32)
    np.testing.assert_allclose(dt.vmap(dt.grad(f))(xs), dt.vmap(dt.grad(plain))(xs), rtol=1e-5)


def test_a_checkpoint_in_a_loop_writes_to_a_reference() -> None:
    total = dt.new_ref(F32(0))

    @dt.checkpoint
    def step(c: Any, x: Any) -> Any:
        total[...] += x
        return c * dnp.cos(x), None

    def f(c: Any, xs: Any) -> Any:
        return lax.scan(step, c, xs)[0]

    xs = np.arange(4, dtype=F32)
    np.testing.assert_allclose(dt.grad(f)(2.0, xs), np.cos(xs).prod(), rtol=1e-5)
    assert float(total[...]) == 6
