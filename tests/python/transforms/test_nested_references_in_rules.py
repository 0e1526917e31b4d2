"""Derivatives of derivatives with rules that read and write references."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dovetail as dt
import dovetail.numpy as dnp
from dovetail import lax
from support.reference_rules import REFS, RULES

F32 = np.float32


def constant(slope: Any) -> Any:
    """The identity whose derivative is `slope`, without a reference."""

    @dt.custom_vjp
    def function(x: Any) -> Any:
        return x

    function.defvjp(lambda x: (x, slope), lambda slope, g: (slope * g,))
    return function


def nested(depth: int) -> st.SearchStrategy[Any]:
    """Lists of steps from x to x, with derivatives in them."""
    step = st.one_of(
        st.just(("sin",)),
        st.tuples(st.just("shared"), st.integers(0, REFS - 1)),
        st.tuples(st.just("own"), st.booleans()),
    )
    if depth:
        kinds = st.sampled_from(["grad", "vjp", "outer", "vmap", "scan", "jit", "checkpoint"])
        step = st.one_of(step, st.tuples(kinds, nested(depth - 1)))
    return st.lists(step, min_size=1, max_size=3)


def run_nested(program: Any, scale: Any, x: Any) -> Any:
    """The result; `scale(i, value)` has the slope of reference i, or of a new one."""
    for name, *of in program:
        if name == "sin":
            x = dnp.sin(x)
        elif name == "shared":
            x = scale(of[0], None)(x)
        elif name == "own":
            x = scale(None, 2 * x if of[0] else 1.5)(x)
        else:
            inner = functools.partial(run_nested, of[0], scale)
            if name == "grad":
                x = dt.grad(lambda y, inner=inner: inner(y) * y)(x)
            elif name == "vjp":
                value, pull = dt.vjp(inner, x)
                x = value + pull(0.5 * x)[0]
            elif name == "outer":
                # The derivative passes by what is inside: it belongs to the next one.
                x = dt.grad(lambda y, inner=inner, x=x: inner(x) * y * y)(x)
            elif name == "vmap":
                x = dt.vmap(inner)(dnp.stack([x, 0.5 * x])).sum()
            elif name == "scan":
                x = lax.scan(lambda c, _, inner=inner: (inner(c), None), x, None, length=2)[0]
            else:
                x = (dt.jit if name == "jit" else dt.checkpoint)(inner)(x)
    return x


@pytest.mark.parametrize("order", [1, 2])
@given(program=nested(2))
def test_derivatives_of_derivatives(order: int, program: Any) -> None:
    refs = [dt.new_ref(0.5 + i) for i in range(REFS)]

    def with_references(i: Any, value: Any) -> Any:
        return functools.partial(RULES["scale"], dt.new_ref(value) if i is None else refs[i])

    def without(i: Any, value: Any) -> Any:
        return constant(value if i is None else dnp.float32(0.5 + i))

    found = []
    for scale in (without, with_references):
        f = functools.partial(run_nested, program, scale)
        for _ in range(order):
            f = dt.grad(f)
        try:
            found.append((f(F32(0.7)), dt.jit(f)(F32(0.7))))
        except NotImplementedError:
            # A new reference, of a function whose derivative passes it by.
            assert "outer" in str(program)
            assert "own" in str(program)
            return
    np.testing.assert_allclose(*found, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("jitted", [False, True])
def test_rules_that_an_inner_derivative_passes_by(jitted: bool) -> None:
    ref = dt.new_ref(3.0)

    def f(name: str, x: Any) -> Any:
        # Not a function of y: the rule belongs to the outer derivative.
        return dt.grad(lambda y: RULES[name](ref, x) * y)(1.0)

    for name, slope, held in (("scale", 3, 3), ("add", 1, 4), ("swap", 2, 0.5)):
        derivative = dt.grad(functools.partial(f, name))
        assert (dt.jit(derivative) if jitted else derivative)(2.0) == slope
        assert ref[...] == held


def test_backward_rules_with_rules_of_their_own() -> None:
    ref = dt.new_ref(0.0)

    @dt.custom_vjp
    def f(x: Any) -> Any:
        return x * x

    def bwd(x: Any, g: Any) -> Any:
        ref[...] += 1
        return (2 * g * f(x) / x,)

    f.defvjp(lambda x: (x * x, x), bwd)
    derivative, calls = f, 0
    # The rule runs in the derivative, and in that of what it calls.
    for slope, runs in ((4, 1), (2, 2), (0, 3)):
        derivative = dt.grad(derivative)
        np.testing.assert_allclose(derivative(2.0), slope, atol=1e-6)
        calls += runs
        assert ref[...] == calls
        dt.jit(derivative)(2.0)
        calls += runs
        assert ref[...] == calls


def test_a_rule_of_a_backward_rule_reads_no_reference_of_the_function() -> None:
    @dt.custom_vjp
    def f(ref: Any, x: Any) -> Any:
        return x

    f.defvjp(lambda ref, x: (x, ref), lambda ref, g: (None, f(ref, g) * ref[...]))
    assert dt.grad(lambda x: f(dt.new_ref(3.0), x))(1.0) == 3
    ref = dt.new_ref(3.0)
    assert dt.grad(dt.grad(lambda x: f(ref, x) * x))(1.0) == 1 + 3 * 3
    with pytest.raises(NotImplementedError, match="must belong to the innermost derivative"):
        dt.grad(dt.grad(lambda x: f(dt.new_ref(3.0), x) * x))(1.0)
