"""Python functions that programs call, in derivatives and over batches."""

from __future__ import annotations

import gc
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import dovetail as dt
import dovetail.numpy as dnp
from dovetail import lax
from dovetail.experimental import io_callback
from support.callback_tools import F32, SCALAR, Log, Transform, debug, io, sine

# Derivatives -------------------------------------------------------------------------------------


def test_debug_sees_primals_once(run: Transform, log: Log) -> None:
    def f(x: Any) -> Any:
        y = dnp.sin(x)
        debug(log, y)
        return y * y

    y = float(np.sin(np.float32(0.5)))
    slope = float(np.sin(1.0))
    transforms: dict[str, Callable[[], Any]] = {
        "grad": lambda: run(dt.grad(f))(0.5),
        "jvp": lambda: run(lambda x: dt.jvp(f, (x,), (1.0,)))(0.5)[1],
        "vjp": lambda: run(lambda x: dt.vjp(f, x)[1](1.0)[0])(0.5),
        "linearize": lambda: run(lambda x: dt.linearize(f, x)[1](1.0))(0.5),
        "jitted": lambda: run(dt.grad(dt.jit(f)))(0.5),
        "checkpoint": lambda: run(dt.grad(dt.checkpoint(f)))(0.5),
    }
    for name, transform in transforms.items():
        np.testing.assert_allclose(transform(), slope, rtol=1e-5)
        np.testing.assert_allclose(log.take(), [y], rtol=1e-6, err_msg=name)
    run(dt.grad(dt.grad(f)))(0.5)
    np.testing.assert_allclose(log.take(), [y], rtol=1e-6)


def test_derivatives_of_loops(run: Transform, log: Log) -> None:
    def scanned(x: Any) -> Any:
        def step(c: Any, i: Any) -> Any:
            debug(log, i)
            return c * x, dnp.sin(c)

        c, ys = lax.scan(step, x, dnp.arange(3))
        return c + ys.sum()

    def counted(x: Any) -> Any:
        def step(c: Any) -> Any:
            debug(log, c[0])
            return c[0] + 1, dnp.sin(c[1]) * x

        return lax.while_loop(lambda c: c[0] < 3, step, (dnp.int32(0), x))[1]

    def branching(x: Any) -> Any:
        def branch(x: Any) -> Any:
            debug(log, dnp.int32(7))
            return dnp.sin(x)

        return lax.cond(x > 0, branch, lambda x: x, x)

    for f, expected in [(scanned, [0, 1, 2]), (counted, [0, 1, 2]), (branching, [7])]:
        value, slope = run(dt.value_and_grad(f))(0.5)
        assert log.take() == expected
        np.testing.assert_allclose(run(lambda x, f=f: dt.jvp(f, (x,), (1.0,))[1])(0.5), slope, 1e-5)
        assert log.take() == expected
        np.testing.assert_allclose(f(0.5), value, rtol=1e-5)
        assert log.take() == expected


def test_callbacks_on_constants_are_differentiated_through(run: Transform, log: Log) -> None:
    def f(x: Any) -> Any:
        draw = io_callback(lambda: (log(0), 3.0)[1], SCALAR)
        return x * draw * sine(lax.stop_gradient(x))

    value, slope = run(dt.value_and_grad(f))(0.5)
    assert log.take() == [0]
    np.testing.assert_allclose(slope, 3 * np.sin(0.5), rtol=1e-6)
    np.testing.assert_allclose(value, 1.5 * np.sin(0.5), rtol=1e-6)


def test_recomputation_calls_once(run: Transform, log: Log) -> None:
    @dt.checkpoint
    def f(x: Any) -> Any:
        draw = io_callback(lambda: (log(0), 3.0)[1], SCALAR)
        return dnp.sin(x * draw) * draw

    np.testing.assert_allclose(run(dt.grad(f))(0.5), 9 * np.cos(1.5), rtol=1e-5)
    assert log.take() == [0]


def test_rules(run: Transform) -> None:
    @dt.custom_jvp
    def f(x: Any) -> Any:
        return sine(x, vmap_method="expand_dims")

    @f.defjvp
    def rule(primals: Any, tangents: Any) -> Any:
        (x,), (t,) = primals, tangents
        cos = dt.pure_callback(
            np.cos, dt.ShapeDtypeStruct(x.shape, x.dtype), x, vmap_method="expand_dims"
        )
        return f(x), t * cos

    np.testing.assert_allclose(run(dt.grad(f))(0.5), np.cos(0.5), rtol=1e-6)
    x = np.linspace(0, 1, 5, dtype=F32)
    np.testing.assert_allclose(run(dt.vmap(dt.grad(f)))(x), np.cos(x), rtol=1e-6)


def test_no_derivative() -> None:
    with pytest.raises(
        ValueError, match=r"Pure callbacks do not support JVP.*custom_jvp.*callback_tools"
    ):
        dt.grad(lambda x: sine(x))(1.0)
    with pytest.raises(ValueError, match="IO callbacks do not support JVP"):
        dt.jit(dt.grad(lambda x: (io(Log(), x), x)[1]))(1.0)


def test_tangents_have_no_transpose(log: Log) -> None:
    @dt.custom_jvp
    def f(x: Any) -> Any:
        return x

    @f.defjvp
    def rule(primals: Any, tangents: Any) -> Any:
        debug(log, tangents[0])
        return primals[0], tangents[0]

    dt.jvp(f, (1.0,), (2.0,))
    assert log.take() == [2.0]
    # In reverse mode there is no tangent to see.
    assert float(dt.grad(f)(1.0)) == 1.0
    assert log.take() == []

    @f.defjvp
    def with_effect(primals: Any, tangents: Any) -> Any:
        io(log, tangents[0])
        return primals[0], tangents[0]

    dt.jvp(f, (1.0,), (2.0,))
    assert log.take() == [2.0]
    with pytest.raises(ValueError, match="io callback must not take what is transposed"):
        dt.grad(f)(1.0)


# Batches ---------------------------------------------------------------------------------------

X = np.arange(12, dtype=F32).reshape(3, 4)
Y = np.ones(4, F32)


@pytest.mark.parametrize(
    ("method", "shapes"),
    [
        ("sequential", [((4,), (4,))] * 3),
        ("sequential_unrolled", [((4,), (4,))] * 3),
        ("expand_dims", [((3, 4), (1, 4))]),
        ("broadcast_all", [((3, 4), (3, 4))]),
        ("legacy_vectorized", [((3, 4), (4,))]),
    ],
)
def test_vmap_methods(run: Transform, method: str, shapes: list[Any]) -> None:
    seen = []

    def host(x: Any, y: Any) -> Any:
        seen.append((x.shape, y.shape))
        return np.asarray(x) + np.asarray(y)

    def f(x: Any, y: Any) -> Any:
        struct = dt.ShapeDtypeStruct(x.shape, x.dtype)
        return dt.pure_callback(host, struct, x, y, vmap_method=method)

    for axis, x in [(0, X), (1, X.T)]:
        result = run(dt.vmap(f, in_axes=(axis, None)))(x, Y)
        np.testing.assert_array_equal(result, X + 1)
        assert seen == shapes
        seen.clear()


def test_nested_vmap(run: Transform) -> None:
    def f(x: Any, y: Any) -> Any:
        return dt.pure_callback(np.add, SCALAR, x, y, vmap_method="broadcast_all")

    both = dt.vmap(dt.vmap(f, (None, 0)), (0, None))
    np.testing.assert_array_equal(run(both)(X[:, 0], Y), X[:, :1] + Y)


def test_effects_over_batches(run: Transform, log: Log) -> None:
    def f(x: Any, y: Any) -> Any:
        debug(log, x)
        debug(log, y)
        io_callback(log, None, x * 2)
        return x

    run(dt.vmap(f, (0, None)))(X[:2, 0], 9.0)
    # An argument without the batch is seen once.
    assert log.take() == [0.0, 4.0, 9.0, 0.0, 8.0]


def test_batches_of_loops(run: Transform, log: Log) -> None:
    def f(n: Any) -> Any:
        def step(i: Any) -> Any:
            debug(log, i)
            return i + 1

        return lax.while_loop(lambda i: i < n, step, dnp.int32(0))

    np.testing.assert_array_equal(run(dt.vmap(f))(np.array([1, 2], np.int32)), [1, 2])
    # Finished elements are called too.
    assert log.take() == [0, 0, 1, 1]

    def effect(n: Any) -> Any:
        return lax.while_loop(lambda i: i < n, lambda i: (io_callback(log, None, i), i + 1)[1], 0)

    with pytest.raises(ValueError, match="IO effect not supported in while_loop with"):
        run(dt.vmap(effect))(np.array([1, 2], np.int32))
    with pytest.raises(ValueError, match="IO effect not supported in vmap-of-cond"):
        run(dt.vmap(lambda p: lax.cond(p, lambda: io_callback(log, None), lambda: None)))(
            np.array([True, False])
        )


def test_batches_that_are_rejected(run: Transform, log: Log) -> None:
    with pytest.raises(ValueError, match="Cannot `vmap` ordered IO callback"):
        run(dt.vmap(lambda x: io(log, x)))(X)
    with pytest.raises(NotImplementedError, match="with a vmap_method, got: None"):
        run(dt.vmap(sine))(X)
    with pytest.raises(ValueError, match="vmap_method must be None or one of sequential"):
        sine(dnp.ones(2), vmap_method="vectorized")


def test_gradients_of_batches(run: Transform, log: Log) -> None:
    def f(x: Any) -> Any:
        debug(log, x)
        return x * x

    np.testing.assert_array_equal(run(dt.vmap(dt.grad(f)))(X[0]), 2 * X[0])
    assert log.take() == X[0].tolist()
    run(dt.grad(lambda x: dt.vmap(f)(x).sum()))(X[0])
    assert log.take() == X[0].tolist()


def test_custom_vmap_rules_with_callbacks(run: Transform, log: Log) -> None:
    @dt.custom_batching.custom_vmap
    def f(x: Any) -> Any:
        return x

    @f.def_vmap
    def rule(size: int, batched: Any, x: Any) -> Any:
        debug(log, x)
        return x, True

    program = run(dt.vmap(f))
    program(X[0])
    del rule, f
    gc.collect()
    program(X[0])
    assert log.take() == [X[0].tolist()] * 2
