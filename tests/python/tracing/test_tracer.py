"""Tracing itself: capture, sharing, leaks, recovery after errors, and queries of tracers."""

from __future__ import annotations

import copy
import gc
import threading
import weakref
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

import dovetail as dt
import dovetail.numpy as dnp
from dovetail import errors


def test_small_arrays_closed_over_are_constants_and_large_ones_arguments() -> None:
    small, large = dnp.arange(4.0), dnp.arange(100.0)
    text = dt.make_ir(lambda x: (x + small, x + large + large))(1.0)
    assert text.count("dovetail.constant") == 1
    assert "main(%arg0: tensor<f32>, %arg1: tensor<100xf32>)" in text


def test_python_numbers_do_not_become_arguments() -> None:
    text = dt.make_ir(lambda x: x * 2 + 1)(dnp.ones(3))
    assert "main(%arg0: tensor<3xf32>)" in text


def test_locations_are_the_users() -> None:
    lowered = dt.jit(lambda x: dnp.sin(x)).lower(1.0)
    text = lowered._program.module.text(locations=True)
    assert f'"{__file__}":' in text
    assert "dovetail/numpy" not in text


def test_errors_leave_no_trace() -> None:
    def fails(x: Any) -> Any:
        dnp.sin(x)
        raise KeyError("of the user")

    with pytest.raises(KeyError, match="of the user"):
        dt.grad(fails)(1.0)

    def recovers(x: Any) -> Any:
        try:
            return dt.grad(fails)(x)
        except KeyError:
            return x * 2

    assert float(dt.jit(recovers)(3.0)) == 6
    assert float(dt.grad(recovers)(3.0)) == 2
    np.testing.assert_array_equal(dnp.ones(2) + 1, [2, 2])


def test_leaks_are_found() -> None:
    kept: list[Any] = []

    def keep(x: Any) -> Any:
        kept.append(x * dnp.ones(2))
        return dnp.sum(x)

    for transform in (dt.make_ir, dt.grad, dt.vmap):
        kept.clear()
        transform(keep)(dnp.ones(2))
        (leaked,) = kept
        for use in (
            lambda leaked=leaked: leaked + 1,
            lambda leaked=leaked: dt.jit(lambda x: x)(leaked),
            lambda leaked=leaked: dt.jit(lambda x: x + leaked)(1.0),
            lambda leaked=leaked: dt.grad(lambda x: x * leaked)(1.0),
            lambda leaked=leaked: dt.vmap(lambda x: x)(leaked),
        ):
            with pytest.raises(errors.LeakedTracerError, match="keep"):
                use()
        assert repr(leaked).startswith("Tracer<")
    assert errors.UnexpectedTracerError is errors.LeakedTracerError


BIG = dnp.arange(2000.0)


@pytest.mark.parametrize(
    "made",
    [
        lambda: dnp.ones(2) * 2,
        lambda: dnp.sum(BIG) + dnp.zeros(2),
        lambda: dt.jit(lambda y: dnp.sin(y))(dnp.ones(2)),
        lambda: dt.grad(lambda y: (y**3).sum())(dnp.ones(2)),
        lambda: dt.lax.cond(True, lambda: dnp.ones(2), lambda: dnp.zeros(2)),
        lambda: dt.lax.fori_loop(0, 3, lambda i, y: y + i, dnp.zeros(2)),
        lambda: dt.random.normal(dt.random.key(1), (2,)),
    ],
)
@pytest.mark.parametrize(
    "transform",
    [
        lambda f: dt.vmap(f)(dnp.ones(3)),
        lambda f: dt.grad(f)(1.0),
        lambda f: dt.jvp(f, (1.0,), (1.0,)),
        lambda f: dt.linearize(f, 1.0),
        lambda f: dt.vmap(dt.grad(f))(dnp.ones(3)),
    ],
)
def test_what_depends_on_no_argument_outlives_a_transform(transform: Any, made: Any) -> None:
    kept: list[Any] = []
    transform(lambda x: kept.append(made()) or x * kept[0].sum())
    (left,), expected = kept, np.asarray(made())
    assert_allclose(left, expected, rtol=1e-6)
    for use in (
        lambda x: x + 1,
        lambda x: dt.jit(lambda y: y + 1)(x),
        lambda x: dt.jit(lambda y: y + x)(1.0),
        lambda x: dt.grad(lambda y: (y * x + y).sum())(x),
        lambda x: dt.vmap(lambda y: y + 1)(x),
        lambda x: dt.lax.scan(lambda s, y: (s, y + 1), 0.0, x)[1],
        lambda x: dnp.concatenate([x, x])[:2] + 1,
        lambda x: x.at[:].add(1),
    ):
        assert_allclose(use(left), expected + 1, rtol=1e-6)


def test_what_is_made_in_a_compiled_function_does_not_outlive_it() -> None:
    kept: list[Any] = []
    for transform in (dt.jit, dt.checkpoint, lambda f: dt.jit(dt.vmap(f)), lambda f: dt.jit(f)):
        kept.clear()
        transform(lambda x: kept.append(dnp.ones(2) * 2) or x)(dnp.ones(3))
        with pytest.raises(errors.LeakedTracerError):
            dnp.sin(kept[0])


def test_an_inner_tracer_leaked_to_the_outer_function_is_found() -> None:
    def outer(x: Any) -> Any:
        kept = []
        dt.grad(lambda y: kept.append(y) or y * x)(1.0)
        return kept[0] * x

    with pytest.raises(errors.LeakedTracerError, match="lambda"):
        dt.grad(outer)(1.0)
    with pytest.raises(errors.LeakedTracerError, match="lambda"):
        dt.jit(outer)(1.0)


def test_tracers_have_the_methods_of_arrays() -> None:
    def f(x: Any) -> Any:
        assert x.shape == (2, 3)
        assert (x.ndim, x.size, x.dtype) == (2, 6, np.float32)
        assert isinstance(x, dt.Array)
        assert copy.deepcopy(x) is x
        assert copy.copy(x) is x
        assert x.block_until_ready() is x
        first, second = x
        return x.T.sum() + first.mean() - second.max() + x[:, :2].trace()

    x = np.arange(6, dtype=np.float32).reshape(2, 3)
    expected = x.sum() + x[0].mean() - x[1].max() + x[:, :2].trace()
    np.testing.assert_allclose(dt.vjp(f, x)[0], expected)
    assert dt.eval_shape(f, x).shape == ()


def test_numpy_arrays_on_the_left() -> None:
    left = np.arange(3, dtype=np.float32)
    np.testing.assert_array_equal(dt.grad(lambda x: dnp.sum(left * x))(dnp.ones(3)), left)
    text = dt.make_ir(lambda x: np.float32(2) * x)(dnp.ones(3))
    assert "dovetail.mul" in text


def test_a_tracer_describes_itself() -> None:
    seen = []
    dt.jit(lambda x: seen.append(repr(x)) or x).lower(dnp.ones(2))
    dt.grad(lambda x: seen.append(f"{x}") or x)(1.5)
    assert seen == ["Tracer<float32[2], jit>", "Tracer<float32[], grad, value=1.5>"]


def test_threads_trace_independently() -> None:
    results: dict[int, float] = {}

    def work(i: int) -> None:
        for _ in range(20):
            results[i] = float(dt.grad(lambda x: x**3 * i)(2.0))

    threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == {i: 12.0 * i for i in range(4)}


TRANSFORMS = {
    "jit": lambda x: dt.jit(dnp.sin)(x),
    "grad": lambda x: dt.jit(dt.grad(lambda y: dnp.sum(y * y)))(x),
    "linearize": lambda x: dt.linearize(dnp.sin, x)[1](x),
    "vmap": lambda x: dt.vmap(dnp.sin)(x),
    "while_loop": lambda x: dt.lax.while_loop(lambda c: c[0] < 3, lambda c: c + 1, x),
}


@pytest.mark.parametrize("name", TRANSFORMS)
def test_arguments_are_freed_without_the_garbage_collector(name: str) -> None:
    gc.disable()
    try:
        x = dnp.ones(4)
        argument = weakref.ref(x)
        TRANSFORMS[name](x)
        del x
        assert argument() is None
    finally:
        gc.enable()
