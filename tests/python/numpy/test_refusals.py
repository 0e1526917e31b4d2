"""Programs that were refused: nodes of users' classes, sets of nothing, wide matrices."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import dovetail as dt
import dovetail.numpy as dnp


@dt.tree_util.register_pytree_node_class
class Pair:
    def __init__(self, x: Any, y: Any) -> None:
        self.x, self.y = x, y

    def tree_flatten(self) -> tuple[Any, None]:
        return (self.x, self.y), None

    @classmethod
    def tree_unflatten(cls, _: None, children: Any) -> Pair:
        return cls(*children)


@pytest.mark.parametrize("function", [dt.lax.stop_gradient, dt.lax.optimization_barrier])
def test_registered_classes_are_nodes(function: Any) -> None:
    result = function({"pair": Pair(1.5, dnp.ones(2)), "none": None})
    assert type(result["pair"]) is Pair
    assert result["none"] is None
    np.testing.assert_array_equal(result["pair"].y, 1)
    grad = dt.grad(lambda x: function(Pair(x, x)).x * x)(2.0)
    assert grad == (2 if function is dt.lax.stop_gradient else 4)


@pytest.mark.parametrize("name", ["setxor1d", "intersect1d", "setdiff1d"])
def test_sets_of_nothing(name: str) -> None:
    empty = dnp.zeros(0)
    for size in (0, 1, 3):
        function = getattr(dnp, name)
        np.testing.assert_array_equal(function(empty, empty, size=size), np.zeros(size))
        filled = dt.jit(lambda x, size=size: function(x, x, size=size, fill_value=7))(empty)  # noqa: B023
        np.testing.assert_array_equal(filled, np.full(size, 7))


@pytest.mark.parametrize("shape", [(2, 20000), (20000, 2)])
def test_pinv_of_long_matrices(shape: tuple[int, int]) -> None:
    """By way of squares of the shorter side only: of the longer they take gigabytes."""
    a = np.random.default_rng(0).normal(size=shape).astype(np.float32)
    p, pull = dt.vjp(dnp.linalg.pinv, a)
    (gradient,) = pull(dnp.ones_like(p))
    # d tr(pinv(t a)) = -tr(pinv(a)) at t = 1, as for any linear function of it.
    np.testing.assert_allclose(np.sum(gradient * a), -np.sum(p), rtol=1e-2, atol=1e-4)
