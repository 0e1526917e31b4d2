"""dovetail.experimental.ode against SciPy and closed forms, and its gradients."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.integrate

import dovetail as dt
import dovetail.numpy as dnp
from dovetail import lax
from dovetail.experimental.ode import odeint
from dovetail.test_util import check_grads

REFERENCE: Any = scipy.integrate


def pendulum(y: Any, t: Any, damping: Any, gravity: Any) -> Any:
    angle, speed = y
    return [speed, -damping * speed - gravity * dnp.sin(angle)]


def predator(y: Any, t: Any, rates: Any) -> Any:
    a, b, c, d = rates
    return dnp.stack([a * y[0] - b * y[0] * y[1], c * y[0] * y[1] - d * y[1]])


@pytest.mark.usefixtures("in_64_bits")
@pytest.mark.parametrize("transform", [lambda f: f, dt.jit])
def test_solutions_are_scipys(transform: Any) -> None:
    t = np.linspace(0.0, 3.0, 8)

    def compare(field: Any, y0: Any, *args: Any) -> None:
        def plain(y: Any, t: Any, *args: Any) -> Any:
            return np.asarray(dnp.asarray(field(y, t, *args)))

        expected = REFERENCE.odeint(plain, y0, t, args, rtol=1e-11, atol=1e-11)
        found = transform(lambda y0, t, *args: odeint(field, y0, t, *args))(y0, t, *args)
        np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-7)

    compare(pendulum, dnp.array([3.0, 0.0]), 0.25, 9.8)
    compare(predator, dnp.array([1.0, 2.0]), dnp.array([1.5, 1.0, 1.0, 3.0]))
    compare(lambda y, t: dnp.cos(3 * t) - t * y, dnp.array([0.3]))


@pytest.mark.usefixtures("in_64_bits")
def test_the_error_of_interpolation_is_that_of_a_step() -> None:
    """Between the ends of steps, which these tolerances make long."""
    t = np.linspace(0.0, 4.0, 101)
    for rtol, bound in ((1e-4, 2e-3), (1e-7, 2e-6), (1e-10, 2e-9)):
        found = odeint(lambda y, t: dnp.array([y[1], -y[0]]), np.eye(2)[0], t, rtol=rtol, atol=rtol)
        error = np.abs(np.asarray(found[:, 0]) - np.cos(t)).max()
        assert error < bound, (rtol, error)


@pytest.mark.usefixtures("in_64_bits")
def test_values_are_trees_and_may_be_complex() -> None:
    t = dnp.linspace(0.0, 2.0, 5)
    found = odeint(
        lambda y, t: {"spin": 1j * y["spin"], "decay": (-y["decay"][0],)},
        {"spin": dnp.array([1.0 + 0j, 2.0]), "decay": (3.0,)},
        t,
    )
    spins = np.exp(1j * np.asarray(t))[:, None] * np.array([1.0, 2.0])
    np.testing.assert_allclose(found["spin"], spins, atol=1e-6)
    np.testing.assert_allclose(found["decay"][0], 3 * np.exp(-np.asarray(t)), atol=1e-6)


def test_types() -> None:
    """Values have the type of `y0`, also if times have another."""
    y0 = np.ones(2, np.float32)
    assert odeint(lambda y, t: -y, y0, np.linspace(0, 1, 3, dtype=np.float32)).dtype == np.float32
    with dt.enable_x64(True):
        assert odeint(lambda y, t: -y, y0, np.linspace(0, 1, 3)).dtype == np.float32
        times = np.linspace(0, 1, 3, dtype=np.float32)
        assert odeint(lambda y, t: -y, y0.astype(float), times).dtype == np.float64


@pytest.mark.usefixtures("in_64_bits")
def test_gradients() -> None:
    t = np.linspace(0.0, 1.0, 4)

    def swing(y0: Any, t: Any, damping: Any, gravity: Any) -> Any:
        return odeint(pendulum, y0, t, damping, gravity)

    check_grads(
        swing, (dnp.array([3.0, 0.1]), t, 0.25, 9.8), 2, modes=["rev"], rtol=1e-3, atol=1e-3
    )
    # A value that the field closes over, and a field that depends on the time.
    check_grads(
        lambda a: odeint(lambda y, t: a * dnp.sin(a * t) - y * t, dnp.ones(2), t),
        (1.3,),
        2,
        modes=["rev"],
        rtol=1e-3,
        atol=1e-3,
    )


@pytest.mark.usefixtures("in_64_bits")
def test_the_gradient_is_that_of_the_closed_form() -> None:
    def last(rate: Any, y0: Any, end: Any) -> Any:
        return odeint(lambda y, t: -rate * y, y0, dnp.stack([0.0, end]))[-1]

    rate, y0, end = 0.7, 2.0, 1.5
    value = y0 * np.exp(-rate * end)
    for transform in (dt.grad, lambda f, i: dt.jit(dt.grad(f, i))):
        expected = (-end * value, value / y0, -rate * value)
        found = [transform(last, i)(rate, y0, end) for i in range(3)]
        np.testing.assert_allclose(found, expected, rtol=1e-6)
    curvature = dt.jit(dt.grad(dt.grad(last)))(rate, y0, end)
    np.testing.assert_allclose(curvature, end**2 * value, rtol=1e-6)


@pytest.mark.usefixtures("in_64_bits")
def test_batches_have_steps_of_their_own() -> None:
    t = dnp.linspace(0.0, 1.0, 3)
    rates = dnp.array([0.1, 3.0, 40.0])

    def solve(rate: Any) -> Any:
        return odeint(lambda y, t: -rate * y, 1.0, t)

    expected = np.exp(-np.outer(rates, t))
    for transform in (dt.vmap, lambda f: dt.jit(dt.vmap(f)), lambda f: lambda x: lax.map(f, x)):
        np.testing.assert_allclose(transform(solve)(rates), expected, atol=1e-6)
    found = dt.jit(dt.vmap(dt.grad(lambda rate: solve(rate)[-1])))(rates)
    np.testing.assert_allclose(found, -np.exp(-rates), atol=1e-6)


def test_bounds_of_steps() -> None:
    def pulse(y: Any, t: Any) -> Any:
        return dnp.where((t > 5.0) & (t < 5.5), 1.0, 0.0)

    t = dnp.array([0.0, 10.0])
    missed = odeint(pulse, 0.0, t)[-1]
    found = odeint(pulse, 0.0, t, hmax=0.1)[-1]
    assert missed == 0
    np.testing.assert_allclose(found, 0.5, atol=1e-3)
    # After too few steps, the solution is extrapolated.
    few = odeint(lambda y, t: dnp.cos(40 * t), 0.0, t, mxstep=2)
    assert few.shape == (2,)
    # No time passes between equal times.
    np.testing.assert_array_equal(odeint(lambda y, t: y, 1.0, dnp.zeros(3)), 1)


def test_errors() -> None:
    t = dnp.linspace(0.0, 1.0, 3)

    def f(y: Any, t: Any, *args: Any) -> Any:
        return -y

    with pytest.raises(TypeError, match="must be arrays or scalars, got: 'a'"):
        odeint(f, 1.0, t, "a")
    with pytest.raises(TypeError, match="t must be an array of floats, got: int32"):
        odeint(f, 1.0, dnp.arange(3))
    with pytest.raises(ValueError, match=r"t must be a vector of times, got: shape \(\)"):
        odeint(f, 1.0, 1.0)
    with pytest.raises(TypeError, match="y0 must have floats or complex numbers, got: int32"):
        odeint(f, 1, t)
    with pytest.raises(ValueError, match="func must return as many elements as y has, 2, got: 4"):
        odeint(lambda y, t: dnp.concatenate([y, y]), dnp.ones(2), t)
    with pytest.raises(TypeError, match="can't apply forward-mode"):
        dt.jvp(lambda a: odeint(lambda y, t: a * y, 1.0, t), (1.0,), (1.0,))
