"""Rules of `custom_vjp` that are told which cotangents are zero."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pytest

import dovetail as dt
import dovetail.numpy as dnp
from dovetail import custom_derivatives
from dovetail.jaxprs.evaluation import jaxpr_as_fun


def close(got: Any, wanted: Any) -> None:
    np.testing.assert_allclose(got, wanted, rtol=1e-6, atol=1e-6)


def test_keys_are_leaves_of_rules_with_symbolic_zeros() -> None:
    seen = []

    @dt.custom_vjp
    def f(x: Any, key: Any) -> Any:
        return x, key

    def fwd(x: Any, key: Any) -> Any:
        seen.append((x.perturbed, key.perturbed, key.value.shape))
        return (x.value, key.value), None

    def bwd(_: None, cotangents: Any) -> Any:
        seen.append(cotangents[1])
        return cotangents

    keys = dt.random.split(dt.random.key(0), 3)
    f.defvjp(fwd, bwd, symbolic_zeros=True)
    assert float(dt.grad(lambda x: f(x, keys)[0])(2.0)) == 1.0
    assert seen[0] == (True, False, (3,))
    assert repr(seen[1]) == "SymbolicZero(float0[3])"
    assert seen[1].dtype == dt.dtypes.float0
    f.defvjp(lambda x, key: ((x, key), None), bwd)
    assert float(dt.grad(lambda x: f(x, keys)[0])(2.0)) == 1.0
    assert seen[2].shape == (3,)
    assert seen[2].dtype == dt.dtypes.float0


def test_checkpoints_take_results_from_the_function_on_request() -> None:
    # Rules that do not match their function show who returned a value.
    f = dt.custom_vjp(lambda x: 2.0 * x)
    f.defvjp(lambda x: (dnp.exp(x), dnp.cos(x)), lambda c, g: (c * g,), optimize_remat=True)
    inner = dt.checkpoint(lambda x: f(x) ** 2)
    for g, value in ((lambda x: f(x) ** 2, np.exp(0.5) ** 2), (inner, 1.0), (dt.jit(inner), 1.0)):
        got, slope = dt.value_and_grad(g)(0.5)
        close(got, value)
        close(slope, 2 * np.sqrt(value) * np.cos(0.5))
    # Derivatives within the checkpoint use the residuals.
    within = dt.checkpoint(lambda x: dt.value_and_grad(f)(x)[0])
    for got in (within(0.5), *dt.value_and_grad(within)(0.5)):
        close(got, np.exp(0.5))
    # d/dx 2 f cos: the rule is used in derivatives of the result, too.
    close(dt.grad(dt.grad(inner))(0.5), 2 * np.cos(0.5) ** 2 - 2 * np.sin(0.5))


def test_residuals_that_are_numbers() -> None:
    seen = []

    @dt.custom_vjp
    def f(x):
        return x

    def bwd(residuals, ct):
        seen.append(residuals)
        return (ct * residuals["factor"],)

    f.defvjp(lambda x: (x, {"factor": 3, "flag": True, "x": x}), bwd)
    assert dt.grad(f)(1.0) == 3.0
    assert dt.jit(dt.grad(f))(1.0) == 3.0
    assert all(each["flag"] is True and each["factor"] == 3 for each in seen)


def test_descriptions_have_no_derivatives():
    """A rule that is an error is not asked for where only shapes are."""

    @dt.custom_jvp
    def constant(x):
        return x

    @constant.defjvp
    def rule(primals, tangents):
        raise RuntimeError("no derivative")

    def f(x, t):
        assert dt.eval_shape(constant, t).shape == ()
        assert dt.eval_shape(constant, x).shape == ()
        return x * constant(t)

    assert dt.jit(lambda x, t: dt.jvp(lambda x: f(x, t), (x,), (x,)))(2.0, 3.0) == (6, 6)
    with pytest.raises(RuntimeError, match="no derivative"):
        dt.jvp(lambda t: f(2.0, t), (3.0,), (1.0,))


def _doubled(bwd: Any) -> Any:
    """2 x and 3 x, with a rule."""
    f = dt.custom_vjp(lambda x: (2.0 * x, 3.0 * x))
    f.defvjp(lambda x: ((2.0 * x.value, 3.0 * x.value), None), bwd, symbolic_zeros=True)
    return f


def _sum(_: None, cotangents: Any) -> Any:
    zero = custom_derivatives.SymbolicZero
    weights = (2.0, 3.0)
    return (sum(w * g for w, g in zip(weights, cotangents, strict=True) if type(g) is not zero),)


def test_rules_with_symbolic_zeros_over_a_batch() -> None:
    f = _doubled(_sum)
    xs = dnp.arange(3.0)
    g = lambda x: dt.vmap(f)(x)[1].sum()  # noqa: E731
    close(dt.grad(g)(xs), np.full(3, 3.0))
    close(dt.jit(dt.vmap(dt.grad(g)))(xs[None]), np.full((1, 3), 3.0))
    close(dt.grad(lambda x: dt.vmap(lambda y: f(x)[0] * y)(xs).sum())(1.0), 6.0)
    shared = dt.custom_vjp(lambda x, y: (x * y, x))
    shared.defvjp(
        lambda x, y: ((x.value * y.value, x.value), (x.value, y.value)),
        lambda kept, g: (g[0] * kept[1], None),
        symbolic_zeros=True,
    )
    close(dt.grad(lambda x: dt.vmap(shared, (None, 0))(x, xs)[0].sum())(2.0), 3.0)


def test_rules_with_symbolic_zeros_that_close_over_tracers() -> None:
    zero = custom_derivatives.SymbolicZero

    class Scaled:
        def __init__(self, scale: Any) -> None:
            self.scale = scale

        def bwd(self, _: None, cotangents: Any) -> Any:
            return (self.scale * next(g for g in cotangents if type(g) is not zero),)

    def by(make: Any) -> Any:
        return dt.jit(lambda y: dt.grad(lambda x: _doubled(make(y))(x)[0])(1.0))

    close(by(lambda y: lambda _, g: (g[0] * y,))(5.0), 5.0)
    close(by(lambda y: lambda _, g, scale=y: (g[0] * scale,))(5.0), 5.0)
    close(by(lambda y: partial(lambda y, _, g: (g[0] * y["y"],), {"y": y}))(5.0), 5.0)
    close(by(lambda y: Scaled(y).bwd)(5.0), 5.0)


def test_rules_with_symbolic_zeros_of_programs_that_leave_the_process() -> None:
    f = _doubled(_sum)
    program = dt.export.export(dt.jit(lambda x: f(x)[1]))(dt.ShapeDtypeStruct((), "float32"))
    again = dt.export.deserialize(program.serialize(vjp_order=1))
    close(dt.grad(again.call)(dnp.float32(2.0)), 3.0)
    sized = dt.jit(dt.grad(lambda x: f(x)[0].sum()), dynamic_shapes="n")
    close(sized(dnp.ones(4)), np.full(4, 2.0))


def test_errors_of_rules_with_symbolic_zeros_are_raised_where_they_are_transposed() -> None:
    def refuse(*_: Any) -> Any:
        raise ValueError("refused")

    f = _doubled(refuse)
    close(dt.grad(lambda x: dt.lax.stop_gradient(f(x)[0]) * x)(1.0), 2.0)
    for differentiate in (dt.grad, lambda g: dt.jit(dt.grad(g)), lambda g: partial(dt.vjp, g)):
        with pytest.raises(ValueError, match="refused"):
            differentiate(lambda x: f(x)[0])(1.0)
    with pytest.raises(TypeError, match="must produce a tuple of 1 cotangents"):
        dt.grad(lambda x: _doubled(lambda _, g: g)(x)[0])(1.0)
    jaxpr = dt.make_jaxpr(lambda x: _doubled(_sum)(x)[0])(1.0)
    close(dt.grad(lambda x: jaxpr_as_fun(jaxpr)(x)[0])(1.0), 2.0)
