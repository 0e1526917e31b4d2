"""vjp, linearize and linear_transpose: numbers, trees, and use of their functions elsewhere."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import dovetail as dt
import dovetail.numpy as dnp
from dovetail import dtypes, lax, tree
from dovetail.errors import MismatchError


def test_pull_and_push_are_transposes() -> None:
    a = np.random.default_rng(0).normal(size=(3, 4)).astype(np.float32)

    def f(x: Any) -> Any:
        return dnp.tanh(a @ x)

    x, tangent = np.linspace(0, 1, 4, dtype=np.float32), np.ones(4, np.float32)
    cotangent = np.array([1, -2, 3], np.float32)
    value, pull = dt.vjp(f, x)
    same, push = dt.linearize(f, x)
    np.testing.assert_allclose(value, np.tanh(a @ x), rtol=1e-6)
    np.testing.assert_allclose(value, same)
    (pulled,) = pull(cotangent)
    jacobian = (1 - np.tanh(a @ x) ** 2)[:, None] * a
    np.testing.assert_allclose(pulled, cotangent @ jacobian, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(push(tangent), jacobian @ tangent, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(dt.jvp(f, (x,), (tangent,))[1], push(tangent), rtol=1e-6)


def test_trees_and_auxiliary_data() -> None:
    def f(p: Any, n: Any) -> Any:
        return {"y": p["a"] * p["b"] * n, "n": n + 1}, ("aux", p["a"])

    value, pull, aux = dt.vjp(f, {"a": 2.0, "b": 3.0}, 4, has_aux=True)
    assert (float(value["y"]), int(value["n"])) == (24, 5)
    assert aux[0] == "aux"
    assert float(aux[1]) == 2
    of_params, of_n = pull({"y": 1.0, "n": np.zeros((), dtypes.float0)})
    assert (float(of_params["a"]), float(of_params["b"])) == (12, 8)
    assert of_n.dtype == dtypes.float0

    value, push, aux = dt.linearize(lambda p: f(p, 4), {"a": 2.0, "b": 3.0}, has_aux=True)
    tangent = push({"a": 1.0, "b": 0.0})
    assert float(tangent["y"]) == 12
    assert tangent["n"].dtype == dtypes.float0
    assert float(aux[1]) == 2


def test_results_that_do_not_depend() -> None:
    value, pull = dt.vjp(lambda x, y: (x * x, dnp.ones(2)), 3.0, dnp.ones(3))
    of_x, of_y = pull((1.0, dnp.ones(2)))
    assert float(of_x) == 6
    np.testing.assert_array_equal(of_y, np.zeros(3))
    np.testing.assert_array_equal(value[1], np.ones(2))
    _, push = dt.linearize(lambda x: (x * x, dnp.ones(2)), 3.0)
    np.testing.assert_array_equal(push(1.0)[1], np.zeros(2))


def test_functions_are_used_in_other_transforms() -> None:
    weights = dnp.arange(20.0)
    _, pull = dt.vjp(lambda x: dnp.sin(x) * dnp.where(weights > 3, weights, 1.0), dnp.ones(20))
    _, push = dt.linearize(lambda x: x**3 * weights, dnp.ones(20))
    batch = np.random.default_rng(0).normal(size=(2, 20)).astype(np.float32)
    by_hand = np.stack([pull(row)[0] for row in batch])
    np.testing.assert_allclose(dt.vmap(pull)(batch)[0], by_hand, rtol=1e-6)
    np.testing.assert_allclose(
        dt.vmap(push)(batch), np.stack([push(row) for row in batch]), rtol=1e-6
    )
    # The pull is linear, so its derivative is itself.
    np.testing.assert_allclose(
        dt.jvp(lambda c: pull(c)[0], (batch[0],), (batch[1],))[1], by_hand[1], rtol=1e-6
    )
    np.testing.assert_allclose(dt.jit(pull)(batch[0])[0], by_hand[0], rtol=1e-6)

    def branching(scale: Any) -> Any:
        pulled = pull(scale * dnp.ones(20))[0]
        return dnp.sum(pulled) if pulled[0] > 0 else scale

    expected = np.sum(pull(dnp.ones(20))[0])
    np.testing.assert_allclose(dt.grad(branching)(2.0), expected, rtol=1e-5)


def test_second_order_through_the_pull() -> None:
    def slope(x: Any) -> Any:
        _, pull = dt.vjp(lambda y: y**3, x)
        return pull(1.0)[0]

    assert float(dt.grad(slope)(2.0)) == 12
    assert float(dt.jit(dt.grad(slope))(2.0)) == 12


def test_arguments_are_not_changed_by_later_writes() -> None:
    x = np.ones(3, np.float32)
    _, pull = dt.vjp(lambda x: x * x, x)
    x[:] = 100
    np.testing.assert_array_equal(pull(dnp.ones(3))[0], [2, 2, 2])
    y = np.ones(3, np.float32)
    kept = dt.vmap(lambda v: v)(y)
    y[:] = 100
    np.testing.assert_array_equal(kept, [1, 1, 1])


def test_linear_transpose() -> None:
    a = np.arange(6, dtype=np.float32).reshape(2, 3)
    transposed = dt.linear_transpose(
        lambda x, y: a @ x + 2 * y,
        dt.ShapeDtypeStruct((3,), "float32"),
        dt.ShapeDtypeStruct((2,), "float32"),
    )
    cotangent = np.array([1, 10], np.float32)
    of_x, of_y = transposed(cotangent)
    np.testing.assert_allclose(of_x, cotangent @ a)
    np.testing.assert_allclose(of_y, 2 * cotangent)
    np.testing.assert_allclose(dt.jit(transposed)(cotangent)[0], cotangent @ a)
    with pytest.raises(TypeError, match="linear in its arguments"):
        dt.linear_transpose(lambda x: x * x, 1.0)
    with pytest.raises(TypeError, match=r"only supports .* got \[bool\] -> \[bool\]"):
        dt.linear_transpose(lambda x: x, True)
    with pytest.raises(TypeError, match=r"got \[int32\] -> \[float32\]"):
        dt.linear_transpose(lambda x: x * 1.0, 1)


WEIGHTS = np.arange(12, dtype=np.int32).reshape(4, 3) - 5

LINEAR_IN_INTEGERS: dict[str, Any] = {
    "neg": lambda x: -x,
    "sums": lambda x: x.sum() - x[0],
    "scaled": lambda x: 3 * x[::-1],
    "scaled by an argument": lambda x: x * WEIGHTS[0],
    "matmul": lambda x: WEIGHTS @ x,
    "concatenate": lambda x: dnp.concatenate([x, -x, dnp.zeros(2, int)]),
    "gather": lambda x: x[dnp.array([2, 0, 2])],
    "scatter": lambda x: dnp.zeros(5, int).at[1:4].add(x),
    "where": lambda x: dnp.where(dnp.array([True, False, True]), x, 2 * x),
    "cumsum": lambda x: dnp.cumsum(x),
    "pad and broadcast": lambda x: dnp.pad(x, 1)[None] + dnp.zeros((2, 5), int),
    "narrower": lambda x: x.astype("int16"),
    "jit": lambda x: dt.jit(lambda v: 2 * v)(x) + x,
    "scan": lambda x: lax.scan(lambda c, w: (c + w @ x, c), 0, WEIGHTS),
    "fori_loop": lambda x: lax.fori_loop(0, 3, lambda i, v: 2 * v + x, x),
    "cond": lambda x: lax.cond(WEIGHTS[0, 0] < 0, lambda v: -v, lambda v: v, x),
    "vmap": lambda x: dt.vmap(lambda row: row @ x)(WEIGHTS),
    "unused": lambda x: dnp.zeros((2,), int),
    "pair": lambda x: {"a": x, "b": -x[:1]},
}


@pytest.mark.parametrize("is_jitted", [False, True])
def test_linear_transpose_evaluates_nothing_at_a_point(is_jitted: bool) -> None:
    seen: list[str] = []

    def see(what: str, *values: Any) -> None:
        dt.debug.callback(lambda *_: seen.append(what), *values)

    def step(x: Any) -> Any:
        see("call", x)
        return x

    def f(x: Any) -> Any:
        see("argument", x)
        see("constant", WEIGHTS)
        see("nothing")
        total, _ = dt.lax.scan(lambda s, y: (see("loop", y), (s + y, None))[1], 0.0, x)
        return total * dnp.sin(WEIGHTS[0, 0]) + dt.jit(step)(x)[0]

    def transposed(ct: Any) -> Any:
        return dt.linear_transpose(f, np.ones(3, np.float32))(ct)[0]

    x = (dt.jit(transposed) if is_jitted else transposed)(2.0)
    np.testing.assert_allclose(x, 2 * np.sin(WEIGHTS[0, 0]) + np.array([2, 0, 0]), rtol=1e-6)
    dt.effects_barrier()
    assert sorted(seen) == ["constant", "nothing"]


@pytest.mark.parametrize("name", LINEAR_IN_INTEGERS)
def test_linear_transpose_of_integers(name: str) -> None:
    f, x = LINEAR_IN_INTEGERS[name], np.zeros(3, np.int32)

    def flat(v: Any) -> Any:
        return dnp.concatenate([dnp.ravel(leaf).astype(int) for leaf in tree.leaves(f(v))])

    matrix = np.stack([flat(row) for row in np.eye(3, dtype=np.int32)], 1)
    transposed = dt.linear_transpose(flat, x)
    back = np.stack([transposed(row)[0] for row in np.eye(len(matrix), dtype=np.int32)], 1)
    assert back.dtype == np.int32
    np.testing.assert_array_equal(back, matrix.T)
    compiled = dt.jit(transposed, compile="now")
    np.testing.assert_array_equal(
        compiled(np.arange(len(matrix)))[0], matrix.T @ range(len(matrix))
    )


def test_linear_transpose_of_integers_in_traces() -> None:
    @dt.jit
    def f(w: Any, ct: Any) -> Any:
        return dt.linear_transpose(lambda x, y: (w @ x + y, w.sum() * y), w[0], w[:, 0])(ct)

    ct = np.array([1, 2, 3, 4]), np.array([5, 6, 7, 8])
    of_x, of_y = f(WEIGHTS, ct)
    np.testing.assert_array_equal(of_x, ct[0] @ WEIGHTS)
    np.testing.assert_array_equal(of_y, ct[0] + WEIGHTS.sum() * ct[1])
    twice = dt.linear_transpose(lambda c: f(WEIGHTS, (c, c))[0], ct[0])
    np.testing.assert_array_equal(twice(WEIGHTS[0])[0], WEIGHTS @ WEIGHTS[0])
    narrow = dt.linear_transpose(lambda x: x * 2, dt.ShapeDtypeStruct((2,), "uint8"))
    (pulled,) = narrow(np.array([3, 200], np.uint8))
    assert pulled.dtype == np.uint8
    assert pulled.tolist() == [6, 144]
    with pytest.raises(MismatchError, match="must be uint8"):
        narrow(np.zeros(2, np.float32))
    for nonlinear in (lambda x: x * x, dnp.abs, lambda x: x + 1 + 0 * dnp.sort(x), dnp.sort):
        with pytest.raises(TypeError, match="linear in its arguments"):
            dt.linear_transpose(nonlinear, np.arange(3))


def test_derivatives_leave_and_enter_jitted_functions() -> None:
    push = dt.jit(lambda x: dt.linearize(lambda x: {"y": dnp.sin(x), "n": 3}, x)[1])(0.5)
    tangent = dt.jit(lambda f, t: f(t))(push, 2.0)
    np.testing.assert_allclose(tangent["y"], 2 * np.cos(0.5), rtol=1e-6)
    np.testing.assert_allclose(push(1.0)["y"], np.cos(0.5), rtol=1e-6)
    mapped = dt.vmap(lambda x: dt.linearize(dnp.sin, x)[1])(dnp.arange(3.0))
    each = dt.vmap(lambda f: f(1.0))(mapped)
    np.testing.assert_allclose(each, np.cos(np.arange(3.0)), rtol=1e-6)


def _with_integer(x: Any, n: Any) -> Any:
    return dnp.sin(x) * n.astype(x.dtype), n + 1


def _pulled(x: Any, n: Any, cotangent: Any, none: Any) -> Any:
    return dt.vjp(_with_integer, x, n)[1]((cotangent, none))


@pytest.mark.parametrize("jitted", [False, True])
def test_derivatives_of_pulled_back_integers(jitted: bool) -> None:
    x, n, ones = np.array([0.5, 1], np.float32), np.array([3, 4], np.int32), np.ones(2, np.float32)
    none = np.zeros(2, dtypes.float0)
    function = dt.jit(_pulled) if jitted else _pulled
    (of_x, of_n), pull = dt.vjp(function, x, n, ones, none)
    np.testing.assert_allclose(of_x, n * np.cos(x), rtol=1e-6)
    assert of_n.dtype == dtypes.float0
    assert of_n.shape == (2,)
    again = pull((ones, none))
    np.testing.assert_allclose(again[0], -n * np.sin(x), rtol=1e-6)
    np.testing.assert_allclose(again[2], n * np.cos(x), rtol=1e-6)
    assert [again[i].dtype for i in (1, 3)] == [dtypes.float0] * 2
    _, push = dt.linearize(function, x, n, ones, none)
    value, tangent = dt.jvp(function, (x, n, ones, none), (ones, none, ones, none))
    for found in (tangent, push(ones, none, ones, none)):
        np.testing.assert_allclose(found[0], n * (np.cos(x) - np.sin(x)), rtol=1e-6)
        assert found[1].dtype == dtypes.float0
    assert value[1].dtype == dtypes.float0
    second = dt.jit(lambda *args: dt.vjp(function, *args)[1]((ones, none))[0])(x, n, ones, none)
    np.testing.assert_allclose(second, -n * np.sin(x), rtol=1e-6)


def test_cotangents_of_float0_must_be_float0() -> None:
    none = np.zeros(2, dtypes.float0)
    _, pull = dt.vjp(lambda x, nothing: (2 * x, nothing), np.float32(1), none)
    of_x, of_none = pull((np.float32(1), none))
    assert float(of_x) == 2
    assert of_none.dtype == dtypes.float0
    with pytest.raises(MismatchError, match="structure"):
        pull((np.float32(1), np.ones(2, np.float32)))
