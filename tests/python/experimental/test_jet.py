"""dovetail.experimental.jet against derivatives of compositions, and closed forms."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import dovetail as dt
import dovetail.numpy as dnp
from dovetail import lax
from dovetail.experimental.jet import fact, jet, jet2, zero_series

pytestmark = pytest.mark.usefixtures("in_64_bits")
RNG = np.random.default_rng(0)
ORDER = 4
# Functions, and their derivatives of order k at x.
CLOSED = {
    "exp": (dnp.exp, lambda k, x: np.exp(x)),
    "sin": (dnp.sin, lambda k, x: np.sin(x + k * np.pi / 2)),
    "log": (dnp.log, lambda k, x: (-1) ** (k - 1) * math.factorial(k - 1) / x**k),
    "cube": (lambda x: x**3, lambda k, x: [3 * x**2, 6 * x, 6 + 0 * x, 0 * x][k - 1]),
}


@pytest.mark.parametrize("name", CLOSED)
@pytest.mark.parametrize("way", [lambda f: f, dt.jit], ids=["evaluated", "compiled"])
def test_derivatives_along_a_line(name: str, way: Any) -> None:
    f, derivative = CLOSED[name]
    x = RNG.uniform(0.5, 1.5, 3)
    line = [np.ones(3), *(np.zeros(3) for _ in range(ORDER - 1))]
    value, series = way(lambda x: jet(f, (x,), (line,)))(x)
    np.testing.assert_allclose(value, f(x), rtol=1e-14)
    for k, term in enumerate(series, 1):
        np.testing.assert_allclose(term, derivative(k, x), rtol=1e-10, atol=1e-12)


def test_compositions() -> None:
    """The series of a composition is that of the outer function along the inner one's."""

    def inner(t: Any) -> Any:
        return dnp.tanh(3 * t) + t**2

    def outer(x: Any) -> Any:
        return lax.scan(lambda c, _: (dnp.sin(c) * x, None), x, None, length=3)[0]

    t, line = 0.3, [1.0, *([0.0] * (ORDER - 1))]
    x, along = jet(inner, (t,), (line,))
    _, found = jet(outer, (x,), (along,))
    _, whole = jet(lambda t: outer(inner(t)), (t,), (line,))
    np.testing.assert_allclose(found, whole, rtol=1e-10)
    derivative = lambda t: outer(inner(t))  # noqa: E731
    for term in whole:
        derivative = dt.grad(derivative)
        np.testing.assert_allclose(term, derivative(t), rtol=1e-9)


def test_several_arguments_and_trees() -> None:
    a, b = RNG.normal(size=(2, 3)), RNG.normal(size=(3, 2))
    series = [[RNG.normal(size=x.shape) for _ in range(2)] for x in (a, b)]
    value, terms = jet(lambda a, b: {"ab": a @ b, "n": a.shape[0] + 0 * a[0, 0]}, (a, b), series)
    (a1, a2), (b1, b2) = series
    np.testing.assert_allclose(value["ab"], a @ b)
    np.testing.assert_allclose(terms["ab"][0], a1 @ b + a @ b1)
    np.testing.assert_allclose(terms["ab"][1], a2 @ b + 2 * a1 @ b1 + a @ b2)
    np.testing.assert_array_equal(terms["n"], 0)


def test_coefficients() -> None:
    value, terms = jet2(dnp.exp, (0.0,), ((1.0, 0.0, 0.0),))
    np.testing.assert_allclose([value, *terms], [1, 1, 1 / 2, 1 / 6])
    # What does not move, and integers.
    _, (first,) = jet(lambda x, y, n: x * y * n, (2.0, 3.0, 4), ((1.0,), zero_series, (0,)))
    assert first == 12
    np.testing.assert_allclose(fact(np.arange(5.0)), [1, 1, 2, 6, 24])


def test_batches_and_gradients() -> None:
    def second(x: Any) -> Any:
        return jet(dnp.sin, (x,), ((1.0, 0.0),))[1][1]

    x = RNG.normal(size=4)
    np.testing.assert_allclose(dt.jit(dt.vmap(second))(x), -np.sin(x), rtol=1e-12)
    np.testing.assert_allclose(dt.vmap(dt.grad(second))(x), -np.cos(x), rtol=1e-12)


def test_errors() -> None:
    with pytest.raises(ValueError, match=r"inconsistent lengths .* got: \[1, 2\]"):
        jet(dnp.add, (1.0, 2.0), ((1.0,), (1.0, 0.0)))
    with pytest.raises(ValueError, match="one series for each of 2 primals, got: 1"):
        jet(dnp.add, (1.0, 2.0), ((1.0,),))
    with pytest.raises(ValueError, match="primal value at position 0 is not an array"):
        jet(lambda x: x, ((1.0, 2.0),), ((1.0,),))
    with pytest.raises(ValueError, match="term 0 for argument 0 is not an array"):
        jet(lambda x: x, (1.0,), (((1.0, 2.0),),))
