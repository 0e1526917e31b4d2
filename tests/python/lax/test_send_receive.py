"""psend and precv, against ppermute, which they are together."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import dovetail as dt
import dovetail.numpy as dnp
from dovetail import lax
from dovetail.sharding import AbstractMesh
from dovetail.sharding import PartitionSpec as P

X = np.random.default_rng(0).normal(size=(4, 3)).astype(np.float32)
LINE = [(0, 1), (1, 2), (2, 3)]
RING = [*LINE, (3, 0)]


def sent(x: Any, perm: Any, axis_name: Any = "i") -> Any:
    tokens = lax.psend(x, axis_name, perm)
    return dt.tree.map(
        lambda token, like: lax.precv(token, like, axis_name, perm[::-1]),
        tokens,
        x,
        is_leaf=lambda node: not isinstance(node, (dict, tuple)),
    )


def permuted(x: Any, perm: Any, axis_name: Any = "i") -> Any:
    return lax.ppermute(x, axis_name, perm)


def both(use: Callable[[Any], Any], *args: Any) -> tuple[Any, Any]:
    """What two functions of one element give that move values by either."""
    return use(sent)(*args), use(permuted)(*args)


def check(use: Callable[[Any], Any], *args: Any) -> Any:
    ours, expected = both(use, *args)
    for a, b in zip(dt.tree.leaves(ours), dt.tree.leaves(expected), strict=True):
        assert a.dtype == b.dtype
        np.testing.assert_array_equal(a, b)
    return ours


@pytest.mark.parametrize("perm", [LINE, RING, [(3, 1)], [(2, 2)], []])
def test_values_and_derivatives(perm: Any) -> None:
    check(lambda move: dt.vmap(lambda x: move(x, perm), axis_name="i"), X)

    def loss(move: Any) -> Any:
        over = dt.vmap(lambda x: dnp.sin(move(x * x, perm)) * x, axis_name="i")
        return lambda x: dnp.sum(over(x) ** 2)

    check(lambda move: dt.grad(loss(move)), X)
    check(lambda move: dt.jit(dt.hessian(loss(move))), X)
    check(lambda move: lambda x: dt.jvp(loss(move), (x,), (dnp.ones_like(x),)), X)


def test_an_element_gets_what_another_sent() -> None:
    got = dt.vmap(lambda x: sent(x, LINE), axis_name="i")(X)
    np.testing.assert_array_equal(got, np.concatenate([np.zeros((1, 3), np.float32), X[:-1]]))


def test_batches() -> None:
    def use(move: Any) -> Any:
        return dt.vmap(
            dt.vmap(lambda x, y: (move(x, LINE), move(x * y, RING)), axis_name="i"),
            in_axes=(None, 0),
        )

    check(use, X, np.stack([X, 2 * X]))
    # The batch that is named may be the outer one.
    check(lambda move: dt.vmap(dt.vmap(lambda x: move(x, RING)), axis_name="i"), X)


def test_several_axes() -> None:
    perm = [(n, (n + 5) % 12) for n in range(12)]

    def use(move: Any) -> Any:
        return dt.vmap(dt.vmap(lambda x: move(x, perm, ("i", "j")), axis_name="j"), axis_name="i")

    check(use, X)


def test_trees_have_a_token_for_each_array() -> None:
    def element(x: Any) -> Any:
        tokens = lax.psend({"a": x, "b": (x[0], x > 0)}, "i", RING)
        bits = lax.precv(tokens["b"][1], dt.ShapeDtypeStruct((3,), bool), "i", RING)
        return lax.precv(tokens["a"], dt.ShapeDtypeStruct((3,), np.float32), "i", RING), bits

    a, bits = dt.vmap(element, axis_name="i")(X)
    np.testing.assert_array_equal(a, np.roll(X, 1, 0))
    np.testing.assert_array_equal(bits, np.roll(X > 0, 1, 0))


def test_tokens_pass_through_transforms() -> None:
    def element(x: Any) -> Any:
        token = dt.jit(lambda x: lax.psend(x, "i", RING))(x)
        token, weight = lax.optimization_barrier((token, x + 1))
        token = lax.cond(weight[0] > 0, lambda t: t, lambda t: t, token)
        token, _ = lax.scan(lambda t, _: (t, None), token, None, length=2)
        return lax.precv(token, x, "i", RING) * weight

    over = dt.vmap(element, axis_name="i")
    np.testing.assert_array_equal(over(X), np.roll(X, 1, 0) * (X + 1))
    np.testing.assert_allclose(
        dt.grad(lambda x: dnp.sum(over(x)))(X),
        np.roll(X, 1, 0) + np.roll(X + 1, -1, 0),
        rtol=1e-6,
    )


def test_over_an_axis_of_a_mesh() -> None:
    mesh = AbstractMesh((4,), ("x",))

    def use(move: Any) -> Any:
        def part(x: Any, w: Any) -> Any:
            got = dnp.tanh(move(x, LINE, "x") * w)
            return move(got, [(3, 0)], "x")

        return dt.shard_map(part, mesh=mesh, in_specs=(P("x"), P()), out_specs=P("x"))

    w = X[:1]
    check(use, X, w)
    check(lambda move: dt.grad(lambda x, w: dnp.sum(use(move)(x, w) ** 2), (0, 1)), X, w)


def test_the_result_is_not_weakly_typed() -> None:
    got = dt.vmap(lambda x: sent(dnp.asarray(2.0) + 0 * x[0], RING), axis_name="i")(X)
    assert not got.weak_type


@pytest.mark.parametrize(
    ("f", "message"),
    [
        (lambda x: lax.psend(x, "i", [(0, 4)]), "psend: a target must be at least 0 and less"),
        (
            lambda x: lax.psend(x, "i", [(0, 1), (0, 1)]),
            "psend sources and destinations must be unique",
        ),
        (
            lambda x: lax.precv(lax.psend(x, "i", [(0, 1)]), x, "i", [(1, 0)]),
            r"precv: axis_name and perm must be those that psend was given, \('i',\) and "
            r"\(\(0, 1\),\), got: \('i',\) and \(\(1, 0\),\)",
        ),
        (
            lambda x: lax.precv(lax.psend(x, "i", RING), x[1:], "i", RING),
            r"precv: out_shape .* that was sent, \(3,\) and float32, got: \(2,\) and float32",
        ),
        (
            lambda x: lax.precv(
                lax.psend(x, "i", RING), dt.ShapeDtypeStruct((3,), np.int32), "i", RING
            ),
            "got: .* and int32",
        ),
    ],
)
def test_wrong_arguments(f: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message) as caught:
        dt.vmap(f, axis_name="i")(X)
    assert __file__ in str(caught.value)


def test_wrong_types() -> None:
    with pytest.raises(TypeError, match="token must be what psend returned for one array"):
        dt.vmap(lambda x: lax.precv(x, x, "i", RING), axis_name="i")(X)
    with pytest.raises(TypeError, match="out_shape must have a shape and a dtype"):
        dt.vmap(lambda x: lax.precv(lax.psend(x, "i", RING), 3, "i", RING), axis_name="i")(X)
    for f in (lax.psend, lambda x, *rest: lax.precv(None, x, *rest)):
        with pytest.raises(NameError, match="unbound axis name: k"):
            f(X, "k", RING)
