"""Derivative rules that read and write references: random programs, and single properties."""

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
from support.reference_rules import KINDS, REFS, RULES, nothing, rule

F32 = np.float32


def programs(depth: int) -> st.SearchStrategy[Any]:
    """Lists of steps from x to x."""
    step = st.one_of(
        st.sampled_from([("sin",), ("half",)]),
        st.tuples(st.just("rule"), st.sampled_from(sorted(KINDS)), st.integers(0, REFS - 1)),
    )
    if depth:
        inner = programs(depth - 1)
        step = st.one_of(
            step,
            st.tuples(st.just("scan"), st.integers(1, 3), inner),
            st.tuples(st.just("fori"), st.integers(1, 3), inner),
            st.tuples(st.just("cond"), st.booleans(), inner),
            st.tuples(st.sampled_from(["jit", "checkpoint"]), st.just(0), inner),
        )
    return st.lists(step, min_size=1, max_size=3)


def run(program: Any, refs: Any, x: Any) -> Any:
    for name, *of in program:
        if name == "sin":
            x = dnp.sin(x)
        elif name == "half":
            x = 0.5 * x
        elif name == "rule":
            x = RULES[of[0]](refs[of[1]], x)
        else:
            inner = functools.partial(run, of[1], refs)
            if name == "scan":
                x = lax.scan(lambda c, _, inner=inner: (inner(c), None), x, None, length=of[0])[0]
            elif name == "fori":
                x = lax.fori_loop(0, of[0], lambda _, c, inner=inner: inner(c), x)
            elif name == "cond":
                is_true = dnp.sum(x) < 1e6 if of[0] else dnp.sum(x) > 1e6
                x = lax.cond(is_true, inner, lambda c: 0.75 * c, x)
            elif name == "jit":
                x = dt.jit(inner)(x)
            else:
                x = dt.checkpoint(inner)(x)
    return x


def expected(program: Any, refs: list[np.ndarray], x: np.ndarray) -> tuple[np.ndarray, Any]:
    """The result, which pulls back; both change the references."""
    pulls = []
    for name, *of in program:
        if name == "sin":
            pulls.append(lambda g, x=x: g * np.cos(x))
            x = np.sin(x)
        elif name == "half":
            pulls.append(lambda g: 0.5 * g)
            x = 0.5 * x
        elif name == "rule":
            refs_of = _Held(refs, of[1])
            forward, backward = KINDS[of[0]]
            forward(refs_of, x)
            pulls.append(functools.partial(backward, refs_of))
        elif name == "cond" and not of[0]:
            pulls.append(lambda g: 0.75 * g)
            x = 0.75 * x
        else:
            for _ in range(of[0] if name in ("scan", "fori") else 1):
                x, pull = expected(of[1], refs, x)
                pulls.append(pull)

    def pulled(g: np.ndarray) -> np.ndarray:
        for pull in reversed(pulls):
            g = pull(g)
        return g

    return x, pulled


class _Held:
    """A reference of NumPy."""

    def __init__(self, refs: list[np.ndarray], i: int) -> None:
        self.refs, self.i = refs, i

    def __getitem__(self, index: Any) -> np.ndarray:
        return self.refs[self.i]

    def __setitem__(self, index: Any, value: np.ndarray) -> None:
        self.refs[self.i] = np.asarray(value, np.float64)


START = np.array([0.3, -1.2, 0.7])


@pytest.mark.parametrize("jitted", [False, True])
@given(program=programs(2), batched=st.booleans())
def test_random_programs(jitted: bool, program: Any, batched: bool) -> None:
    refs = [dt.new_ref(dnp.full(3, 0.5 + i)) for i in range(REFS)]

    def loss(x: Any, *refs: Any) -> Any:
        if batched:
            return dt.vmap(lambda x, *refs: run(program, refs, x))(x, *refs).sum()
        return run(program, refs, x).sum()

    derivative = dt.value_and_grad(loss)
    value, gradient = (dt.jit(derivative) if jitted else derivative)(START.astype(F32), *refs)
    held = [np.full(3, 0.5 + i) for i in range(REFS)]
    result, pull = expected(program, held, START)
    np.testing.assert_allclose(value, result.sum(), rtol=2e-5, atol=1e-5)
    np.testing.assert_allclose(gradient, pull(np.ones(3)), rtol=2e-5, atol=1e-5)
    for ref, array in zip(refs, held, strict=True):
        np.testing.assert_allclose(ref[...], array, rtol=2e-5, atol=1e-5)


def test_nothing_to_pull_back_runs_no_rule() -> None:
    ref, x = dt.new_ref(5.0), F32(2)

    def unused(x: Any) -> Any:
        RULES["store"](ref, x)
        return 3 * x

    def unused_in_scan(x: Any) -> Any:
        return lax.scan(lambda c, _: (unused(c), None), x, None, length=2)[0]

    def constant(x: Any) -> Any:
        return x * RULES["store"](ref, dnp.float32(3))

    for f, slope in ((unused, 3), (unused_in_scan, 9), (constant, 3)):
        for derivative in (dt.grad(f), dt.jit(dt.grad(f)), dt.grad(dt.jit(f))):
            assert derivative(x) == slope
            assert ref[...] == 5


def test_rules_run_when_cotangents_are_pulled_back() -> None:
    ref = dt.new_ref(3.0)
    _, pull = dt.vjp(lambda x: RULES["scale"](ref, RULES["add"](ref, x)), 2.0)
    assert ref[...] == 3
    ref[...] = 7.0
    assert pull(1.0)[0] == 7
    assert ref[...] == 14
    assert dt.jit(lambda g: pull(g))(2.0)[0] == 28
    assert ref[...] == 42


@pytest.mark.parametrize("dtype", [np.bool_, np.int8, np.uint16, np.int32, np.uint32, np.complex64])
def test_element_types(dtype: Any) -> None:
    def backward(ref: Any, g: Any) -> Any:
        ref[0] += dnp.ones((), dtype)
        return 2 * g

    count = rule(nothing, backward)
    start = np.array([2**31 - 2, 5]).astype(dtype)
    for wrapped in (lambda f: f, dt.jit):
        ref = dt.new_ref(start)
        gradient = wrapped(dt.grad(lambda x, ref=ref: count(ref, x)))(1.0)
        assert gradient == 2
        np.testing.assert_array_equal(ref[...], start + np.array([1, 0], dtype))


@pytest.mark.parametrize("jitted", [False, True])
@pytest.mark.parametrize("dtype", [np.int64, np.uint64])
def test_integers_of_64_bits(dtype: Any, jitted: bool) -> None:
    def backward(ref: Any, g: Any) -> Any:
        ref[...] = 3 * ref[...] + ref[0].astype(bool)
        return g

    count = rule(nothing, backward)
    with dt.enable_x64():
        info = np.iinfo(dtype)
        start = np.array([1, 0, info.max // 3 - 2, 2**32, 2**32 - 1, info.min // 3], dtype)
        ref = dt.new_ref(start)
        derivative = dt.grad(lambda x: count(ref, count(ref, x)))
        assert (dt.jit(derivative) if jitted else derivative)(1.0) == 1
        np.testing.assert_array_equal(ref[...], 9 * start + dtype(4))


@pytest.mark.parametrize(
    "value",
    [
        *(np.True_, np.int8(-3), np.uint8(200), np.int32(-(2**31)), np.uint32(2**32 - 1)),
        *(np.int64(-(2**62) - 1), np.uint64(2**63 + 2**40 + 1), np.float16(0.5), np.float64(1 / 3)),
    ],
    ids=lambda value: value.dtype.name,
)
def test_element_types_of_references_made_within(value: Any) -> None:
    scale = rule(nothing, lambda ref, g: g * ref[...].astype(g.dtype))
    with dt.enable_x64():
        derivative = dt.grad(lambda x: scale(dt.new_ref(value), x))
        assert derivative(1.0) == dt.jit(derivative)(1.0) == float(value)
        batched = dt.vmap(lambda x, value: scale(dt.new_ref(value), x))
        values = dnp.stack([value, value])
        assert (
            dt.grad(lambda x: batched(x, values).sum())(dnp.ones(2)).tolist() == [float(value)] * 2
        )


def test_references_that_functions_close_over() -> None:
    ref = dt.new_ref(0.0)

    @dt.custom_vjp
    def f(x: Any) -> Any:
        ref[...] += 1
        return x

    def fwd(x: Any) -> Any:
        ref[...] += 10
        return x, None

    def bwd(_: Any, g: Any) -> Any:
        ref[...] += 100 * g
        return (g,)

    f.defvjp(fwd, bwd)
    assert f(1.0) == 1
    assert ref[...] == 1
    assert dt.grad(lambda x: 3 * f(x))(2.0) == 3
    assert ref[...] == 311
    assert dt.jit(dt.grad(lambda x: 3 * f(x)))(2.0) == 3
    assert ref[...] == 621


def test_references_made_within_the_differentiated_function() -> None:
    @dt.custom_vjp
    def product(ref: Any, x: Any) -> Any:
        return ref[...] * x

    product.defvjp(
        lambda ref, x: (ref[...] * x, (ref[...], x)), lambda kept, g: (g * kept[1], g * kept[0])
    )
    assert dt.grad(lambda x: product(dt.new_ref(x), x))(3.0) == 6
    assert dt.grad(lambda x: 2 * RULES["store"](dt.new_ref(0.0), x))(3.0) == 2

    # A backward rule finds what the function has left.
    def left(x: Any) -> Any:
        ref = dt.new_ref(5.0)
        y = RULES["scale"](ref, x)
        ref[...] += 2 * x
        return y * x

    assert dt.grad(left)(3.0) == 3 + 3 * 11
    assert dt.grad(dt.jit(left))(3.0) == 3 + 3 * 11

    def body(x: Any, _: Any) -> Any:
        return RULES["swap"](dt.new_ref(4.0), x), None

    assert dt.grad(lambda x: lax.scan(body, x, None, length=3)[0])(1.0) == 4

    def frozen(x: Any) -> Any:
        ref = dt.new_ref(0.0)
        return RULES["scale"](ref, x) + dt.freeze(ref)

    with pytest.raises(ValueError, match="must not be frozen by the differentiated function"):
        dt.grad(frozen)(3.0)


def test_forward_mode() -> None:
    ref = dt.new_ref(0.0)

    @dt.custom_jvp
    def f(x: Any, ref: Any) -> Any:
        ref[...] += 1
        return 2 * x

    @f.defjvp
    def _(primals: Any, tangents: Any) -> Any:
        x, ref = primals
        ref[...] += 10
        assert isinstance(tangents[1], dt.Ref)
        return 2 * x, 3 * tangents[0] + tangents[1][...]

    f(1.0, ref)
    assert dt.jvp(lambda x: f(x, ref), (2.0,), (1.0,)) == (4, 3)
    assert dt.jit(dt.grad(lambda x: f(f(x, ref), ref)))(2.0) == 9
    assert ref[...] == 31
    constant = dt.custom_jvp(lambda x: x * ref[...])
    constant.defjvp(lambda p, t: (p[0] * ref[...], t[0] * ref[...]))
    assert dt.grad(constant)(2.0) == 31


def test_batches() -> None:
    ref, x = dt.new_ref(dnp.zeros(3)), np.arange(3, dtype=F32)

    def f(x: Any, ref: Any) -> Any:
        return dnp.sin(RULES["store"](ref, x))

    np.testing.assert_allclose(dt.vmap(dt.grad(f))(x, ref), np.cos(x), rtol=1e-6)
    np.testing.assert_allclose(ref[...], np.cos(x), rtol=1e-6)
    shared = dt.new_ref(0.0)
    with pytest.raises(ValueError, match="must not be written to an unbatched array reference"):
        dt.grad(lambda x: dt.vmap(lambda x: f(x, shared))(x).sum())(x)
    # One that the function makes has the batch.
    np.testing.assert_allclose(
        dt.grad(lambda x: dt.vmap(lambda x: f(x, dt.new_ref(0.0)))(x).sum())(x),
        np.cos(x),
        rtol=1e-6,
    )
    product = dt.grad(lambda x: dt.vmap(lambda x: RULES["scale"](dt.new_ref(3 * x), x))(x).sum())
    np.testing.assert_array_equal(product(x), 3 * x)


def test_what_is_an_error() -> None:
    ref = dt.new_ref(0.0)

    @dt.custom_vjp
    def f(x: Any, ref: Any) -> Any:
        return x

    f.defvjp(lambda x, ref: (x, dt.new_ref(0.0)), lambda ref, g: (g, None))
    with pytest.raises(ValueError, match=r"custom_vjp fwd function .* got: a reference created"):
        dt.grad(f)(3.0, ref)
    returning = dt.custom_vjp(lambda ref: ref)
    returning.defvjp(lambda ref: (ref, None), lambda _, g: (None,))
    for run_it in (lambda: returning(ref), lambda: dt.grad(lambda x: x * returning(ref))(1.0)):
        for wrapped in (run_it, dt.jit(run_it)):
            with pytest.raises(ValueError, match="returned a mutable array reference"):
                wrapped()
    two = dt.custom_vjp(lambda x_ref, y_ref, x: x)
    two.defvjp(lambda x_ref, y_ref, x: (x, None), lambda _, g: (None, None, g))
    for wrapped in (two, dt.jit(two), dt.grad(two, 2)):
        with pytest.raises(ValueError, match="x_ref and y_ref"):
            wrapped(ref, ref, 1.0)


def test_forward_rules_that_write() -> None:
    ref = dt.new_ref(0.0)
    f = dt.custom_jvp(dnp.sin)

    @f.defjvp
    def _(primals: Any, tangents: Any) -> Any:
        ref[...] += 1
        return f(*primals), tangents[0] * dnp.cos(*primals)

    assert dt.jvp(f, (0.0,), (1.0,)) == (0, 1)
    assert dt.grad(f)(0.0) == 1
    assert ref[...] == 2
    assert dt.jacfwd(dt.grad(f))(0.0) == 0
    assert ref[...] == 4
