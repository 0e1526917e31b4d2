"""Which operand of a product decides how it is sharded, if they ask for different things, in
programs, derivatives of programs, and functions of parts; run by `test_devices`.

The results' shardings are those of JAX 0.10.2.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import dovetail as dt
import dovetail.numpy as dnp
from dovetail import lax
from dovetail.sharding import AxisType, NamedSharding
from dovetail.sharding import PartitionSpec as P

MESH = dt.make_mesh((2, 4), ("a", "b"), axis_types=(AxisType.Auto, AxisType.Auto))
RANDOM = np.random.default_rng(0)
X, W = (RANDOM.normal(size=(8, 8)).astype(np.float32) for _ in range(2))


def put(x: np.ndarray, *spec: Any) -> dt.Array:
    return dt.device_put(x, NamedSharding(MESH, P(*spec)))


def layer(x: Any, w: Any) -> Any:
    return dnp.tanh(x @ w).mean(0)


def of_parts(x: Any, w: Any) -> Any:
    """The same, manual over one axis of two."""
    apart = dt.shard_map(
        lambda x, w: lax.pmean(dnp.tanh(x @ w), "a"),
        mesh=MESH,
        in_specs=(P("a"), P()),
        out_specs=P(),
        axis_names={"a"},
    )
    return apart(x, w).mean(0)


FORMS: dict[str, Callable[[Callable[..., Any]], Callable[..., Any]]] = {
    "program of the gradient": lambda loss: dt.jit(dt.grad(loss, (0, 1))),
    "gradient of a program": lambda loss: dt.grad(dt.jit(loss), (0, 1)),
}


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
@pytest.mark.parametrize(
    ("function", "of_x"), [(layer, P("a")), (of_parts, P("a"))], ids=["layer", "of parts"]
)
def test_gradients(function: Callable[..., Any], of_x: P, form: Callable[..., Any]) -> None:
    """Of weights: columns are divided as those of the cotangent are, its first factor."""
    given = put(X, "a", "b"), put(W, None, "b")
    gradients = form(lambda x, w: function(x, w).sum())(*given)
    expected = dt.grad(lambda x, w: layer(x, w).sum(), (0, 1))(X, W)
    for gradient, values, spec in zip(gradients, expected, (of_x, P(None, "b")), strict=True):
        np.testing.assert_allclose(gradient, values, rtol=1e-4, atol=1e-5)
        assert gradient.sharding.spec == spec


@pytest.mark.parametrize(
    ("product", "spec"),
    [
        (lambda x, y: x.T @ y, P("b")),
        (lambda x, y: y.T @ x, P("b")),
        (lambda x, y: (y.T @ x).T, P(None, "b")),
        (lambda x, y: (y.T @ x).T * 2 + 1, P(None, "b")),
    ],
)
def test_products_and_transposes(product: Callable[..., Any], spec: P) -> None:
    result = dt.jit(product)(put(X, "a", "b"), put(W, "a", "b"))
    np.testing.assert_allclose(result, product(X, W), rtol=1e-4, atol=1e-5)
    assert result.sharding.spec == spec


MOVES: dict[str, Callable[[Any], Any]] = {
    "transpose": lambda x: x.T,
    "reshape": lambda x: x.reshape(2, 32),
    "slice": lambda x: x[2:6],
    "reverse": lambda x: x[::-1],
    "negate": lambda x: -x,
    "several": lambda x: -x.T[::-1, :4],
}
OTHERS: dict[str, Callable[[Any], Any]] = {
    "copies": lambda x: dnp.concatenate([x, x]),
    "repeat": lambda x: dnp.broadcast_to(x, (3, 8, 8)),
    "square": lambda x: x * x,
    "convert": lambda x: x.astype("bfloat16"),
}


@pytest.mark.parametrize("move", (MOVES | OTHERS).values(), ids=MOVES | OTHERS)
def test_sums_are_left_to_do_where_elements_only_move(move: Callable[[Any], Any]) -> None:
    """One sum of products whose elements move; the values are those of one device, always."""

    def f(x: Any, y: Any) -> Any:
        return move(x.T @ y) + move(y.T @ x), move(x.T @ x)

    place = NamedSharding(MESH, P(("a", "b")))
    jitted = dt.jit(f, out_shardings=NamedSharding(MESH, P()))
    given = dt.device_put(X, place), dt.device_put(W, place)
    for result, expected in zip(jitted(*given), f(X, W), strict=True):
        tolerance = 0.02 if result.dtype == "bfloat16" else 1e-4
        np.testing.assert_allclose(
            np.asarray(result, np.float32),
            np.asarray(expected, np.float32),
            rtol=tolerance,
            atol=tolerance,
        )
    if move not in OTHERS.values():
        assert jitted.lower(*given).as_text("shard").count("all_reduce") == 1
