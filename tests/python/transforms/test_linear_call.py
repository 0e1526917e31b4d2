"""Linear functions with a transpose of their own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import dovetail as dt
import dovetail.numpy as dnp
from dovetail.custom_derivatives import linear_call


def divided(x: Any, denominator: Any) -> Any:
    """x + x / denominator, with three times the transpose of the quotient."""
    return x + linear_call(lambda r, x: x / r, lambda r, ct: 3 * ct / r, denominator, x)


def identity(x: Any) -> Any:
    return linear_call(lambda _, x: x, lambda _, ct: 7.0 * ct, (), x)


def test_derivatives() -> None:
    assert float(divided(8.0, 4.0)) == 10
    assert dt.jvp(lambda x: divided(x, 4.0), (8.0,), (1.0,)) == (10, 1.25)
    for transform in (dt.grad, lambda f: dt.jit(dt.grad(f)), lambda f: dt.grad(dt.jit(f))):
        assert float(transform(divided)(8.0, 4.0)) == 1.75
    assert float(dt.grad(dt.grad(lambda x: identity(x) ** 3))(2.0)) == 84
    twice = lambda x: dt.lax.scan(lambda c, _: (identity(c), None), x, None, length=2)[0]  # noqa: E731
    assert float(dt.grad(twice)(1.0)) == 49


def test_transposes_alternate() -> None:
    def transposed(f: Callable[[Any], Any]) -> Callable[[Any], Any]:
        return lambda ct: dt.linear_transpose(f, 1.0)(ct)[0]

    function = identity
    for factor in (7, 1, 7):
        function = transposed(function)
        assert float(function(1.0)) == factor


def test_trees() -> None:
    def function(x: Any, y: Any) -> Any:
        out = linear_call(
            lambda r, pair: {"s": pair[0] * r + pair[1].sum(), "v": pair[1] * 2},
            lambda r, ct: (10 * ct["s"] * r, ct["v"] * 2 + ct["s"]),
            3.0,
            (x, y),
        )
        return out["s"] * 2 + out["v"].sum()

    first, second = dt.grad(function, (0, 1))(2.0, dnp.ones(3))
    assert float(first) == 60
    np.testing.assert_array_equal(second, [4, 4, 4])


@pytest.mark.parametrize("wrap", [lambda f: f, dt.jit])
def test_batches(wrap: Callable[..., Any]) -> None:
    xs, ys = dnp.arange(3.0), dnp.arange(1.0, 4.0)
    np.testing.assert_array_equal(wrap(dt.vmap(divided))(xs, ys), xs + xs / ys)
    slopes = wrap(dt.vmap(dt.grad(divided)))(xs, ys)
    np.testing.assert_allclose(slopes, 1 + 3 / ys, rtol=1e-6)
    of_sum = wrap(dt.grad(lambda x: dt.vmap(divided)(x, ys).sum()))
    np.testing.assert_allclose(of_sum(xs), 1 + 3 / ys, rtol=1e-6)
    shared = wrap(dt.grad(lambda x: dt.vmap(divided, (None, 0))(x, ys).sum()))
    np.testing.assert_allclose(shared(2.0), 3 + sum(3 / ys), rtol=1e-6)


def test_errors() -> None:
    with pytest.raises(TypeError, match="pytree structure must match that of linear inputs"):
        dt.grad(lambda x: linear_call(lambda _, x: x, lambda _, ct: (ct, ct), (), x))(1.0)
    with pytest.raises(TypeError, match=r"must match those of linear inputs, .*\[\], got: .*\[2\]"):
        dt.grad(lambda x: linear_call(lambda _, x: x, lambda _, ct: dnp.ones(2), (), x))(1.0)
    with pytest.raises(NotImplementedError, match="residual_args of `<lambda>` must not be"):
        dt.grad(divided, 1)(8.0, 4.0)
