"""Special functions: values at edges, and derivatives that the op table does not check."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy import special

from dovetail import grad, jit, lax

pytestmark = pytest.mark.usefixtures("in_64_bits")

INF, NAN = np.inf, np.nan


EDGES: list[tuple[Callable[..., Any], tuple[float, ...], float]] = [
    (lax.lgamma, (-2.0,), INF),
    (lax.lgamma, (-INF,), INF),
    (lax.digamma, (0.0,), NAN),
    (lax.digamma, (-INF,), NAN),
    (lax.polygamma, (0.5, 1.0), NAN),
    (lax.polygamma, (2.0, 0.0), -INF),
    (lax.zeta, (1.0, 2.0), INF),
    (lax.zeta, (0.5, 2.0), NAN),
    (lax.zeta, (1.5, -0.5), NAN),
    (lax.zeta, (INF, 1.0), 1),
    (lax.erf_inv, (1.0,), INF),
    (lax.erf_inv, (1.5,), NAN),
    (lax.bessel_i1e, (-INF,), 0),
    (lax.igamma, (1.0, 0.0), 0),
    (lax.igamma, (1.0, INF), 1),
    (lax.igamma, (0.0, 0.0), NAN),
    (lax.igamma, (0.0, 1.0), 1),
    (lax.igammac, (0.0, 1.0), 0),
    (lax.igammac, (1.0, 0.0), 1),
    (lax.igammac, (1.0, -1.0), NAN),
    (lax.random_gamma_grad, (2.0, 0.0), 0),
    (lax.random_gamma_grad, (1e300, 1e300), 1),
    (lax.betainc, (2.0, 3.0, 0.0), 0),
    (lax.betainc, (2.0, 3.0, 1.0), 1),
    (lax.betainc, (2.0, 3.0, 1.5), NAN),
    (lax.betainc, (0.0, 0.0, 0.5), NAN),
]


@pytest.mark.parametrize(("function", "operands", "expected"), EDGES)
def test_edges(function: Callable[..., Any], operands: tuple[float, ...], expected: float) -> None:
    np.testing.assert_array_equal(function(*operands), expected)


def every_choice(*values: list[float]) -> list[np.ndarray]:
    return [grid.ravel() for grid in np.meshgrid(*values)]


PARAMETERS = [-1.0, -0.0, 0.0, 1e-3, 1.0, 30.0, INF, NAN]


@pytest.mark.parametrize("is_jitted", [False, True])
def test_limits_of_incomplete_functions(is_jitted: bool) -> None:
    """SciPy has the limits as parameters approach 0 and infinity; for infinite `a` JAX returns
    NaN.
    """
    apply = jit if is_jitted else lambda f: f
    a, x = every_choice(PARAMETERS, [-1.0, 0.0, 0.5, 40.0, INF, NAN])
    known = np.where(a == INF, NAN, 0)
    for ours, theirs in ((lax.igamma, special.gammainc), (lax.igammac, special.gammaincc)):
        expected = theirs(a, x) + known
        np.testing.assert_allclose(apply(ours)(a, x), expected, rtol=1e-11, atol=1e-15)
    a, b, x = every_choice(PARAMETERS, PARAMETERS, [-1.0, 0.0, 0.3, 1.0, 2.0, NAN])
    expected = special.betainc(a, b, x)
    np.testing.assert_allclose(apply(lax.betainc)(a, b, x), expected, rtol=1e-10, atol=1e-15)


@pytest.mark.parametrize("function", [lax.igamma, lax.igammac])
@pytest.mark.parametrize(("a", "x"), [(0.5, 0.2), (2.5, 1.0), (2.5, 6.0), (40.0, 38.0)])
def test_derivative_of_incomplete_gamma_by_a(
    function: Callable[..., Any], a: float, x: float
) -> None:
    step = 1e-5 * a
    numeric = (function(a + step, x) - function(a - step, x)) / (2 * step)
    np.testing.assert_allclose(grad(function)(a, x), numeric, rtol=1e-7)
    if function is lax.igamma:
        np.testing.assert_allclose(lax.igamma_grad_a(a, x), numeric, rtol=1e-7)


MISSING: list[tuple[Callable[..., Any], int, tuple[float, ...]]] = [
    (lax.polygamma, 0, (1.0, 2.0)),
    (lax.zeta, 0, (2.0, 2.0)),
    (lax.betainc, 0, (2.0, 3.0, 0.5)),
    (lax.betainc, 1, (2.0, 3.0, 0.5)),
    (lax.random_gamma_grad, 0, (2.0, 3.0)),
    (lax.random_gamma_grad, 1, (2.0, 3.0)),
]


@pytest.mark.parametrize(("function", "argument", "operands"), MISSING)
def test_missing_derivatives(
    function: Callable[..., Any], argument: int, operands: tuple[float, ...]
) -> None:
    name = function.__name__
    with pytest.raises(
        Exception, match=f"no derivative of 'dovetail.{name}' by operand {argument}"
    ):
        grad(function, argnums=argument)(*operands)
