"""Functions with custom derivative rules: values against formulas, and errors in rules."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pytest

import dovetail as dt
import dovetail.numpy as dnp
from dovetail import config, custom_derivatives
from dovetail.errors import LeakedTracerError
from support.custom_programs import PROGRAMS, XS, log1pexp, scaled, tripled


@pytest.fixture(autouse=True)
def x64() -> Any:
    with config.enable_x64(True):
        yield


def close(got: Any, wanted: Any) -> None:
    np.testing.assert_allclose(got, wanted, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("name", PROGRAMS)
def test_program_runs(name: str) -> None:
    PROGRAMS[name](dt)


def test_jvp_rule_is_used_at_every_order() -> None:
    f = log1pexp(dt)
    s = 1 / (1 + np.exp(-0.3))
    close(dt.grad(f)(0.3), s)
    close(dt.grad(dt.grad(f))(0.3), s * (1 - s))
    close(dt.grad(dt.grad(dt.grad(f)))(0.3), s * (1 - s) * (1 - 2 * s))
    close(dt.grad(f)(1000.0), 1.0)


def test_a_loop_has_the_derivatives_of_its_steps_one_after_the_other() -> None:
    f = scaled(dt, 2.0)
    loop = lambda x: dt.lax.scan(lambda c, _: (f(c), None), x, None, length=3)[0]  # noqa: E731
    steps = lambda x: f(f(f(x)))  # noqa: E731
    for derivative in (dt.grad, lambda g: dt.grad(dt.grad(g)), dt.hessian):
        close(derivative(loop)(0.7), derivative(steps)(0.7))


def test_vjp_rule_under_other_transforms() -> None:
    f = tripled(dt)
    wanted = 6 * np.cos(XS)
    for g in (
        lambda: dt.vmap(dt.grad(f), (0, None))(XS, 2.0),
        lambda: dt.jit(dt.vmap(dt.grad(dt.jit(f)), (0, None)))(XS, 2.0),
        lambda: dt.grad(lambda x: dt.vmap(f, (0, None))(x, 2.0).sum())(XS),
        lambda: dt.jit(dt.grad(lambda x: dt.lax.map(lambda v: f(v, 2.0), x).sum()))(XS),
        lambda: dt.vjp(lambda x: f(x, dnp.full(6, 2.0)), XS)[1](np.ones(6))[0],
    ):
        close(g(), wanted)


def test_python_branches_on_values_within_rules() -> None:
    @dt.custom_jvp
    def f(x):
        return x if x > 0 else -x

    @f.defjvp
    def f_jvp(primals, tangents):
        return f(primals[0]), tangents[0] * (10.0 if primals[0] > 0 else 20.0)

    assert float(dt.grad(f)(2.0)) == 10.0
    assert float(dt.grad(f)(-2.0)) == 20.0


def test_rules_are_not_run_without_differentiation() -> None:
    @dt.custom_jvp
    def f(x):
        return 2 * x

    @f.defjvp
    def f_jvp(primals, tangents):
        raise NotImplementedError("no derivative")

    assert float(f(1.0)) == float(dt.jit(f)(1.0)) == 2.0
    close(dt.vmap(f)(XS), 2 * XS)
    close(dt.grad(lambda x: x * f(2.0))(1.0), 4.0)
    with pytest.raises(NotImplementedError, match="no derivative"):
        dt.grad(f)(1.0)


def test_a_value_closed_over_has_no_derivative() -> None:
    def outer(y):
        f = dt.custom_jvp(lambda x: x * y)
        f.defjvp(lambda primals, tangents: (primals[0] * y, tangents[0] * y))
        return f(2.0)

    for error in (ValueError, LeakedTracerError, dt.errors.TransformError):
        with pytest.raises(error, match=r"closes over.*pass the value as an argument.*test_custom"):
            dt.grad(outer)(3.0)


def test_forward_mode_of_a_vjp_rule() -> None:
    f = tripled(dt)
    for g in (
        lambda: dt.jvp(f, (1.0, 2.0), (1.0, 0.0)),
        lambda: dt.linearize(f, 1.0, 2.0)[1](1.0, 0.0),
        lambda: dt.jacfwd(f)(1.0, 2.0),
        lambda: dt.jit(lambda x: dt.jvp(f, (x, 2.0), (1.0, 0.0))[1])(1.0),
    ):
        with pytest.raises(
            ValueError, match=r"can't apply forward-mode.*test_custom_derivatives.py"
        ):
            g()
    # Forward over reverse is not such a case.
    close(dt.hessian(f)(0.5, 2.0), -6 * np.sin(0.5))


@pytest.mark.parametrize("staged", [False, True])
def test_forward_mode_of_a_vjp_rule_that_is_of_no_use(staged: bool) -> None:
    """The rule's forward function may call the function itself, whose value has no influence."""

    @dt.custom_vjp
    def f(x: Any) -> Any:
        return dnp.sin(x)

    f.defvjp(lambda x: (f(x), dnp.cos(x)), lambda cos, g: (3 * g * cos,))

    def directional(g: Any, x: Any) -> Any:
        return (dt.jit if staged else lambda h: h)(lambda x: dt.jvp(g, (x,), (2.0,))[1])(x)

    close(directional(dt.grad(f), 0.5), -6 * np.sin(0.5))
    close(directional(lambda x: (f(x), x * x)[1], 0.5), 2.0)
    close(directional(lambda x: dt.lax.stop_gradient(f(x)) * x, 0.5), 2 * np.sin(0.5))

    def looped(x: Any) -> Any:
        return dt.lax.fori_loop(0, 3, lambda _, c: (c[0] * 2, f(c[1])), (x, x))[0]

    close(directional(looped, 0.5), 16.0)


def test_methods_attributes_and_names_stay() -> None:
    @partial(dt.custom_vjp, nondiff_argnames=("n",))
    def power(x, n=2):
        """A power."""
        return x**n

    power.defvjp(lambda x, n: (x**n, x), lambda n, x, g: (g * n * 100,))
    assert power.__name__ == "power"
    assert power.__doc__ == "A power."
    assert power.nondiff_argnums == (1,)
    close(dt.grad(power)(2.0), 200.0)
    close(dt.grad(partial(power, n=3))(2.0), 300.0)


def test_zeros_of_missing_cotangents_cost_nothing() -> None:
    f = dt.custom_vjp(lambda x, y: x * y)
    f.defvjp(lambda x, y: (x * y, None), lambda _, g: (None, g))
    text = dt.make_ir(dt.grad(f))(1.0, 2.0)
    assert "wrt [1]" in text
    assert float(dt.grad(f)(1.0, 2.0)) == 0.0


def jvp_with(rule: Any) -> Any:
    f = dt.custom_jvp(lambda x: {"out": 2 * x})
    f.defjvp(rule)
    return lambda: dt.grad(lambda x: dnp.sum(f(x)["out"]))(np.ones(3))


@pytest.mark.parametrize(
    ("rule", "message"),
    [
        (lambda p, t: p[0], "must produce a pair (list or tuple of length two)"),
        (lambda p, t: (p[0], t[0]), "the first element represents the primal output"),
        (lambda p, t: ({"out": p[0]}, t[0]), "with equal container (pytree) structures"),
        (lambda p, t: ({"out": p[0][:2]}, {"out": t[0]}), "doesn't match float64[3]"),
        (lambda p, t: ({"out": p[0]}, {"out": t[0][:2]}), "Expected float64[3]"),
        (lambda p, t: ({"out": p[0]}, {"out": t[0].astype("float32")}), "got float32[3]"),
    ],
)
def test_wrong_jvp_rules(rule: Any, message: str) -> None:
    with pytest.raises(TypeError, match=r"test_custom_derivatives.py") as error:
        jvp_with(rule)()
    assert message in str(error.value)
    assert "<lambda>" in str(error.value)


def vjp_with(fwd: Any, bwd: Any) -> Any:
    f = dt.custom_vjp(lambda x, n: 2 * x)
    f.defvjp(fwd, bwd)
    return lambda: dt.grad(lambda x: dnp.sum(f(x, 3)))(np.ones(3))


def good(x: Any, n: Any) -> Any:
    return 2 * x, None


@pytest.mark.parametrize(
    ("fwd", "bwd", "error", "message"),
    [
        (lambda x, n: x, lambda r, g: (g, None), TypeError, "must produce a pair"),
        (
            lambda x, n: ((x, x), None),
            lambda r, g: (g, None),
            TypeError,
            "the first element represents",
        ),
        (lambda x, n: (x[:2], None), lambda r, g: (g, None), TypeError, "doesn't match float64[3]"),
        (good, lambda r, g: g, TypeError, "a tuple of 2 cotangents"),
        (good, lambda r, g: None, TypeError, "a tuple of 2 cotangents"),
        (good, lambda r, g: (g,), TypeError, "a tuple of 2 cotangents"),
        (
            good,
            lambda r, g: (g[:2], None),
            ValueError,
            "but `x` of `<lambda>` is float64[3]",
        ),
        (good, lambda r, g: (g * 1j, None), ValueError, "of type complex128[3]"),
    ],
)
def test_wrong_vjp_rules(fwd: Any, bwd: Any, error: Any, message: str) -> None:
    with pytest.raises(error, match=r"test_custom_derivatives.py") as raised:
        vjp_with(fwd, bwd)()
    assert message in str(raised.value)


def test_wrong_calls() -> None:
    with pytest.raises(AttributeError, match="No JVP defined for custom_jvp function"):
        dt.custom_jvp(lambda x: x)(1.0)
    with pytest.raises(AttributeError, match="No VJP defined for custom_vjp function"):
        dt.custom_vjp(lambda x: x)(1.0)
    f = tripled(dt)
    with pytest.raises(TypeError, match="function f must fit its parameters"):
        f(1.0, 2.0, 3.0)
    g = dt.custom_jvp(lambda x, *, scale: x)
    g.defjvp(lambda p, t: (p[0], t[0]))
    with pytest.raises(TypeError, match="could not be resolved to positions: scale"):
        g(1.0, scale=2.0)
    h = dt.custom_vjp(lambda n, x: n * x, nondiff_argnums=(0,))
    h.defvjp(lambda n, x: (n * x, None), lambda n, r, g: (g * n,))
    with pytest.raises(LeakedTracerError, match="nondiff_argnums names must be known"):
        dt.jit(h)(2.0, 1.0)
    with pytest.raises(TypeError, match="defjvps must be without nondiff_argnums"):
        dt.custom_jvp(lambda n, x: x, nondiff_argnums=(0,)).defjvps(None)
    with pytest.raises(ValueError, match="must name parameters"):
        dt.custom_jvp(lambda n, x: x, nondiff_argnames=("m",))
    with pytest.raises(NotImplementedError, match="without symbolic_zeros"):
        f.defvjp(good, good, symbolic_zeros=True, optimize_remat=True)


def test_jvp_rule_with_tangents_that_are_known() -> None:
    f = dt.custom_jvp(lambda x: x)
    f.defjvp(lambda primals, tangents: (f(*primals), *tangents))

    def both(x: Any) -> Any:
        return f((x, 3.0))

    x = dnp.zeros(2)
    for matrices in (dt.jacrev(both)(x), dt.jit(dt.jacrev(both))(x), dt.jacfwd(both)(x)):
        close(matrices[0], np.eye(2))
        close(matrices[1], np.zeros(2))
    value, push = dt.linearize(both, x)
    close(value[1], 3.0)
    close(push(x + 1)[0], np.ones(2))
    pullback = dt.vjp(both, x)[1]
    close(pullback((x + 2, 1.0))[0], np.full(2, 2.0))


def test_closure_convert_checks_types() -> None:
    converted, _ = dt.closure_convert(lambda x: x * 2, dt.ShapeDtypeStruct((2,), "float32"))
    np.testing.assert_array_equal(converted(np.ones(2, np.float32)), [2, 2])
    converted, values = dt.closure_convert(lambda x: x * 2, 1.0)
    assert values == []
    assert float(converted(3.0)) == 6.0
    with pytest.raises(TypeError, match=r"must be float64\[\]"):
        converted(np.ones(3))
    with pytest.raises(TypeError, match="the structure"):
        converted((1.0, 2.0))


def test_custom_gradient_of_a_function_with_integer_results() -> None:
    @dt.custom_gradient
    def f(x: Any) -> Any:
        return (x, dnp.round(x).astype("int32")), lambda g: 3 * dnp.ones_like(x)

    gradient = dt.grad(lambda x: dt.lax.stop_gradient(f(x)[1]).sum() + f(x)[0].sum())
    close(gradient(dnp.ones(2)), np.full(2, 3.0))


def test_arguments_of_rules_with_symbolic_zeros_are_leaves() -> None:
    @dt.custom_vjp
    def f(state: Any) -> Any:
        return 2 * state["x"]

    def fwd(state: Any) -> Any:
        assert dt.tree.map(lambda leaf: leaf.perturbed, state) == {"x": True}
        return 2 * dt.tree.map(lambda leaf: leaf.value, state)["x"], None

    f.defvjp(fwd, lambda _, g: ({"x": 3 * g},), symbolic_zeros=True)
    assert float(dt.grad(f)({"x": 1.0})["x"]) == 3.0


@pytest.mark.parametrize("wrap", [lambda f: f, dt.jit])
@pytest.mark.parametrize("batched", [False, True])
def test_tangents_of_constants_are_symbolic(wrap: Any, batched: bool) -> None:
    @dt.custom_jvp
    def f(scale: Any, x: Any, y: Any) -> Any:
        return scale * x + y

    def rule(primals: Any, tangents: Any) -> Any:
        kinds = [type(tangent) is custom_derivatives.SymbolicZero for tangent in tangents]
        assert kinds == [True, False, True]
        assert tangents[2].shape == primals[2].shape
        return f(*primals), primals[0] * tangents[1]

    f.defjvp(rule, symbolic_zeros=True)
    constant = dnp.ones(3) * 2 if batched else 2.0

    def g(x: Any) -> Any:
        call = dt.vmap(f) if batched else f
        return call(constant, dnp.sin(x), dnp.broadcast_to(dnp.asarray(5.0), dnp.shape(x))).sum()

    x = dnp.arange(3.0) if batched else dnp.asarray(1.0)
    close(wrap(dt.grad(g))(x), 2 * np.cos(x))


@pytest.mark.parametrize("in_forward", [False, True])
def test_rules_may_close_over_differentiated_values(in_forward: bool) -> None:
    # The result does not depend on it, only the derivative does.
    def slope(y: Any) -> Any:
        @dt.custom_vjp
        def f(x: Any) -> Any:
            return 2.0 * dnp.sin(x)

        def fwd(x: Any) -> Any:
            return f(x), y if in_forward else None

        f.defvjp(fwd, lambda kept, g: (2.0 * dnp.cos(kept if in_forward else y) * g,))
        return dt.grad(f)(1.0)

    close(slope(3.0), 2 * np.cos(3.0))
    for transform in (dt.grad, lambda f: dt.jit(dt.grad(f)), lambda f: dt.grad(dt.jit(f))):
        close(transform(slope)(4.0), -2 * np.sin(4.0))
    close(dt.vmap(dt.grad(slope))(dnp.arange(3.0)), -2 * np.sin(np.arange(3.0)))


def test_python_branches_on_residuals_within_bwd() -> None:
    f = dt.custom_vjp(dnp.square)
    f.defvjp(lambda x: (x**2, x), lambda x, g: (g * (10.0 if x > 0 else 20.0),))
    assert [float(dt.grad(f)(x)) for x in (2.0, -2.0)] == [10.0, 20.0]
    assert float(dt.vjp(f, -2.0)[1](3.0)[0]) == 60.0
    for unknown in (dt.jit(dt.grad(f)), lambda x: dt.vmap(dt.grad(f))(dnp.ones(2))):
        with pytest.raises(dt.errors.TracerBoolConversionError, match="Python asks for"):
            unknown(2.0)
    f.defvjp(lambda x: (x**2, x), lambda x, g: (g if g > 0 else -g,))
    with pytest.raises(dt.errors.TracerBoolConversionError, match="a cotangent of `square`"):
        dt.grad(f)(2.0)


def test_results_without_derivatives_need_no_cotangents() -> None:
    def refuse(*args: Any) -> Any:
        raise AssertionError

    for make in (lambda x: None, lambda x: dnp.round(x).astype("int32"), lambda x: (x > 0, {})):
        f = dt.custom_vjp(make)
        f.defvjp(lambda x, make=make: (make(x), x), refuse)
        assert float(dt.grad(lambda x, f=f: (f(x), x)[1])(2.0)) == 1.0
        dt.vjp(lambda x, f=f: f(x), 2.0)


def test_zeros_declared_by_a_rule_are_known() -> None:
    zeros = []

    @dt.custom_jvp
    def f(x: Any, y: Any) -> Any:
        return x * y, y

    def rule(primals: Any, tangents: Any) -> Any:
        zeros.append([type(t) is custom_derivatives.SymbolicZero for t in tangents])
        return f(*primals), (tangents[0], custom_derivatives.zero_from_primal(primals[1], True))

    f.defjvp(rule, symbolic_zeros=True)
    g = lambda x: f(x, dnp.sin(f(x, x)[1]) + 1.0)[0]  # noqa: E731
    for transformed in (dt.grad(g), lambda x: dt.grad(lambda x: dt.vmap(g)(x).sum())(x[None])):
        zeros.clear()
        close(transformed(dnp.asarray(2.0)), 1.0)
        assert zeros == [[False, False], [False, True]]


def test_zeros_come_through_the_arguments_of_jitted_functions() -> None:
    seen = []
    f = dt.custom_vjp(lambda x, y: x * y)

    def fwd(*primals: Any) -> Any:
        seen.append([primal.perturbed for primal in primals])
        return primals[0].value * primals[1].value, primals[1].value

    f.defvjp(fwd, lambda y, g: (g * y, None), symbolic_zeros=True)
    jitted = dt.jit(dt.jit(f))
    close(dt.grad(lambda x: jitted(x, 2.0) + jitted(2.0, x) + jitted(x, 3.0))(1.0), 5.0)
    assert seen == [[True, False], [False, True], [True, False]]
    close(dt.jit(lambda x, y: dt.grad(jitted)(x, y))(1.0, 2.0), 2.0)
    assert seen[-1] == [True, False]
