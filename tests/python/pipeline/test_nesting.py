"""Transforms of transforms: all nestings to depth three, closures and branches at every level."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import dovetail as dt
import dovetail.numpy as dnp
from dovetail import config

Function = Callable[[Any], Any]
# (a, b) for each term Re(a exp(b x)).
Terms = list[tuple[complex, complex]]


@pytest.fixture(autouse=True)
def x64() -> Any:
    with config.enable_x64(True):
        yield


def derivative(terms: Terms) -> Terms:
    return [(a * b, b) for a, b in terms]


def at_x_and_twice_x(terms: Terms) -> Terms:
    return [*terms, *((a, 2 * b) for a, b in terms)]


def value(terms: Terms, x: float) -> float:
    return float(np.real(sum(a * np.exp(b * x) for a, b in terms)))


def wave(x: Any) -> Any:
    return dnp.sin(1.3 * x) * dnp.exp(x / 2)


def hyperbola(x: Any) -> Any:
    # Uses arrays, through a matrix product.
    rows = dnp.stack([dnp.exp(x), dnp.exp(-x)]).reshape(1, 2)
    return (rows @ dnp.array([[0.5], [0.5]]))[0, 0]


FUNCTIONS: dict[str, tuple[Function, Terms]] = {
    "wave": (wave, [(-1j, 0.5 + 1.3j)]),
    "hyperbola": (hyperbola, [(0.5, 1), (0.5, -1)]),
}

TRANSFORMS: dict[str, tuple[Callable[[Function], Function], Callable[[Terms], Terms]]] = {
    "jit": (dt.jit, lambda terms: terms),
    "grad": (dt.grad, derivative),
    "vmap": (
        lambda f: lambda x: dnp.sum(dt.vmap(f)(x * dnp.array([1.0, 2.0]))),
        at_x_and_twice_x,
    ),
    "jvp": (lambda f: lambda x: dt.jvp(f, (x,), (1.0,))[1], derivative),
    "vjp": (lambda f: lambda x: dt.vjp(f, x)[1](1.0)[0], derivative),
    "linearize": (lambda f: lambda x: dt.linearize(f, x)[1](1.0), derivative),
}


def check(nesting: tuple[str, ...], name: str) -> None:
    function, terms = FUNCTIONS[name]
    for transform in reversed(nesting):
        wrap, transform_terms = TRANSFORMS[transform]
        function, terms = wrap(function), transform_terms(terms)
    x = 0.37
    np.testing.assert_allclose(float(function(x)), value(terms, x), rtol=1e-11)


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("outer", [name for name in TRANSFORMS if name != "jit"])
def test_nestings_to_depth_three(outer: str, name: str) -> None:
    for depth in range(3):
        for inner in itertools.product(TRANSFORMS, repeat=depth):
            check((outer, *inner), name)


@pytest.mark.parametrize(
    "inner",
    [("grad", "vmap"), ("vmap", "vjp"), ("linearize", "grad"), ("jvp", "jit"), ("vjp", "jvp")],
)
def test_compiled_nestings(inner: tuple[str, str]) -> None:
    check(("jit", *inner), "wave")


def test_deep_nesting() -> None:
    check(("grad", "vmap", "jit", "linearize", "vjp", "jvp"), "wave")


def test_closures_over_traced_values_at_every_level() -> None:
    def f(a: Any) -> Any:
        def g(b: Any) -> Any:
            def h(c: Any) -> Any:
                def product(d: Any) -> Any:
                    return a**3 * b**3 * c**3 * d**2

                return dt.jit(dt.grad(product))(a)

            return dnp.sum(dt.vmap(h)(dnp.array([1.0, 2.0]) * b))

        return dt.linearize(g, 2 * a)[1](1.0) + dt.vjp(g, a)[1](1.0)[0]

    # h(c) = 2 a^4 b^3 c^3, so g(b) = 18 a^4 b^6, and f(a) = 108 a^4 ((2 a)^5 + a^5).
    a = 1.1
    np.testing.assert_allclose(f(a), 108 * 33 * a**9, rtol=1e-12)
    np.testing.assert_allclose(dt.grad(f)(a), 108 * 33 * 9 * a**8, rtol=1e-12)
    np.testing.assert_allclose(
        dt.jvp(dt.grad(f), (a,), (1.0,))[1], 108 * 33 * 72 * a**7, rtol=1e-12
    )
    np.testing.assert_allclose(dt.jit(f)(a), 108 * 33 * a**9, rtol=1e-12)


@pytest.mark.parametrize("outer", ["grad", "jvp", "vjp", "linearize"])
@pytest.mark.parametrize("inner", ["grad", "jvp", "vjp", "linearize"])
def test_branches_on_values_in_nested_derivatives(outer: str, inner: str) -> None:
    def f(x: Any) -> Any:
        y = x
        while y < 10:
            y = y * y + 1
        return y

    # Starting from 2: 5, then 26 = (x^2 + 1)^2 + 1.
    function = TRANSFORMS[outer][0](TRANSFORMS[inner][0](f))
    x = 2.0
    np.testing.assert_allclose(function(x), 12 * x**2 + 4)


def test_inner_derivative_is_not_confused_with_the_outer() -> None:
    """Perturbation confusion: d/dx (x d/dy (x + y)) is 1, not 2."""
    for inner in ("grad", "jvp", "vjp", "linearize"):
        for outer in ("grad", "jvp", "vjp", "linearize"):
            slope = TRANSFORMS[outer][0](
                lambda x: x * TRANSFORMS[inner][0](lambda y: x + y)(1.0)  # noqa: B023
            )
            assert float(slope(1.0)) == 1
