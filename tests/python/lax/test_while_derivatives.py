"""Reverse mode through loops whose number of steps is only known at run time, against formulas."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import dovetail as dt
import dovetail.numpy as dnp
from dovetail import lax
from dovetail.experimental import io_callback

pytestmark = pytest.mark.usefixtures("in_64_bits")

BOUNDS = [None, 200]


def root(a: Any, bound: int | None) -> Any:
    """The real root of x^3 + x - a, by Newton's method."""

    def goes_on(x: Any) -> Any:
        return dnp.abs(x**3 + x - a) > 1e-13

    def step(x: Any) -> Any:
        return x - (x**3 + x - a) / (3 * x**2 + 1)

    return lax.while_loop(goes_on, step, dnp.ones_like(a), max_steps=bound)


def root_derivative(a: float) -> float:
    x = float(root(a, None))
    return 1 / (3 * x**2 + 1)


def root_second_derivative(a: float) -> float:
    x = float(root(a, None))
    return -6 * x / (3 * x**2 + 1) ** 3


def fixed_point(a: Any, bound: int | None) -> Any:
    """The solution of x = cos(a x)."""

    def goes_on(carry: tuple[Any, Any]) -> Any:
        return dnp.abs(carry[1] - carry[0]) > 1e-14

    def step(carry: tuple[Any, Any]) -> tuple[Any, Any]:
        return carry[1], dnp.cos(a * carry[1])

    start = dnp.zeros_like(a), dnp.ones_like(a)
    return lax.while_loop(goes_on, step, start, max_steps=bound)[1]


def fixed_point_derivative(a: float) -> float:
    # x' = -sin(a x) (x + a x'), by differentiating both sides.
    x = float(fixed_point(a, None))
    return -np.sin(a * x) * x / (1 + a * np.sin(a * x))


def decay(rate: Any, bound: int | None) -> Any:
    """y(1) for y' = -rate y, y(0) = 1, by Heun's method with steps chosen by its error estimate."""

    def slope(y: Any) -> Any:
        return -rate * y

    def goes_on(carry: Any) -> Any:
        return carry[0] < 1.0

    def step(carry: Any) -> Any:
        time, y, size = carry
        size = dnp.minimum(size, 1.0 - time)
        first = slope(y)
        second = slope(y + size * first)
        error = dnp.abs(size * (second - first) / 2)
        accepted = error < 1e-7
        factor = dnp.clip(0.9 * dnp.sqrt(1e-7 / lax.stop_gradient(error + 1e-20)), 0.3, 2.0)
        return (
            dnp.where(accepted, time + size, time),
            dnp.where(accepted, y + size * (first + second) / 2, y),
            size * factor,
        )

    most = None if bound is None else 10_000
    start = dnp.zeros_like(rate), dnp.ones_like(rate), dnp.full_like(rate, 0.5)
    return lax.while_loop(goes_on, step, start, max_steps=most)[1]


CASES = [
    pytest.param(root, root_derivative, 3.0, 1e-12, id="newton"),
    pytest.param(fixed_point, fixed_point_derivative, 0.7, 1e-11, id="fixed point"),
    pytest.param(decay, lambda k: -np.exp(-k), 1.3, 1e-6, id="adaptive steps"),
]


@pytest.mark.parametrize("bound", BOUNDS)
@pytest.mark.parametrize(("function", "derivative", "at", "tolerance"), CASES)
@pytest.mark.parametrize("mode", ["forward", "reverse"])
def test_derivative(
    function: Callable[..., Any],
    derivative: Callable[[float], float],
    at: float,
    tolerance: float,
    bound: int | None,
    mode: str,
) -> None:
    transform = dt.grad if mode == "reverse" else dt.jacfwd
    gradient = transform(lambda x: function(x, bound))
    if function is not decay:
        np.testing.assert_allclose(gradient(at), derivative(at), atol=tolerance)
    np.testing.assert_allclose(dt.jit(gradient)(at), derivative(at), atol=tolerance)


@pytest.mark.parametrize("bound", BOUNDS)
def test_second_derivative(bound: int | None) -> None:
    second = dt.grad(dt.grad(lambda x: root(x, bound)))
    np.testing.assert_allclose(second(3.0), root_second_derivative(3.0), atol=1e-12)
    np.testing.assert_allclose(dt.jit(second)(3.0), root_second_derivative(3.0), atol=1e-12)


@pytest.mark.parametrize("bound", BOUNDS)
def test_elements_of_a_batch_take_their_own_number_of_steps(bound: int | None) -> None:
    at = np.array([0.5, 3.0, 40.0])
    expected = [root_derivative(a) for a in at]
    outside = dt.vmap(dt.grad(lambda x: root(x, bound)))
    inside = dt.grad(lambda x: dnp.sum(dt.vmap(lambda a: root(a, bound))(x)))
    for gradient in (outside, inside, dt.jit(outside), dt.jit(inside)):
        np.testing.assert_allclose(gradient(at), expected, atol=1e-12)


def test_a_loop_without_steps_passes_its_start_through() -> None:
    def f(x: Any) -> Any:
        return lax.while_loop(lambda c: c < 0.0, lambda c: 2 * c, x)

    assert float(dt.grad(f)(3.0)) == 1.0
    assert float(dt.jit(dt.grad(f))(3.0)) == 1.0


def test_a_bound_ends_the_loop() -> None:
    def f(x: Any) -> Any:
        return lax.while_loop(lambda c: c < 1e9, lambda c: 2 * c, x, max_steps=3)

    assert float(f(1.0)) == float(dt.jit(f)(1.0)) == 8.0
    assert float(dt.grad(f)(1.0)) == float(dt.jit(dt.grad(f))(1.0)) == 8.0


@pytest.mark.parametrize("transform", [lambda f: f, dt.jit], ids=["eager", "compiled"])
def test_effects_in_loops_of_unknown_length(transform: Callable[..., Any]) -> None:
    seen: list[float] = []

    def note(value: Any) -> Any:
        seen.append(float(value))
        return np.float64(2.0)

    def f(x: Any, needs: bool) -> Any:
        def body(c: Any) -> Any:
            result = io_callback(note, dt.ShapeDtypeStruct((), np.float64), lax.stop_gradient(c))
            return c * (result if needs else 2.0)

        return lax.while_loop(lambda c: c < 10.0, body, x)

    # Once, although the steps are counted first.
    assert float(transform(dt.grad(lambda x: f(x, False)))(1.5)) == 8.0
    assert seen == [1.5, 3.0, 6.0]
    # A step that needs its own result cannot be recomputed.
    with pytest.raises(ValueError, match="the steps of a while loop, must not depend on") as error:
        transform(dt.grad(lambda x: f(x, True)))(1.5)
    assert __file__ in str(error.value)
