"""Callbacks against JAX: values, the number and order of their calls, and messages."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import dovetail as dt
from support.jax_compare import jax

PureProgram = Callable[[Any, Any, Any], Any]
X = np.linspace(0.1, 1.2, 12, dtype=np.float32).reshape(3, 4)


def transforms(lib: Any, log: Callable[..., None]) -> dict[str, Callable[[], Any]]:
    """Programs by name, each called without arguments."""

    def printing(x: Any) -> Any:
        y = lib.numpy.sin(x)
        lib.debug.callback(log, y, ordered=True)
        return (y * y).sum()

    def looping(x: Any) -> Any:
        def step(c: Any, i: Any) -> Any:
            lib.debug.callback(log, i, ordered=True)
            return c * x[0], c

        c, ys = lib.lax.scan(step, x[1], lib.numpy.arange(3))
        return c + ys.sum()

    def choosing(p: Any) -> Any:
        def yes(p: Any) -> Any:
            lib.debug.callback(log, p, ordered=True)
            return p

        return lib.lax.cond(p > 0.5, yes, lambda p: -p, p)

    def effect(x: Any) -> Any:
        return lib.experimental.io_callback(
            lambda x: (log(x), np.float32(2))[1], lib.ShapeDtypeStruct((), np.float32), x
        )

    def method(name: str) -> Callable[..., Any]:
        def host(x: Any, y: Any) -> Any:
            log(x.shape, y.shape)
            return np.asarray(x) * np.asarray(y)

        def call(x: Any, y: Any) -> Any:
            struct = lib.ShapeDtypeStruct(x.shape, x.dtype)
            return lib.pure_callback(host, struct, x, y, vmap_method=name)

        return call

    y = np.ones(4, np.float32)
    return {
        "jit": lambda: lib.jit(printing)(X),
        "grad": lambda: lib.jit(lib.grad(printing))(X),
        "hessian": lambda: lib.jit(lib.grad(lambda x: lib.grad(printing)(x).sum()))(X),
        "jvp": lambda: lib.jit(lambda x: lib.jvp(printing, (x,), (x,)))(X),
        "vmap": lambda: lib.jit(lib.vmap(printing, 1))(X),
        "vmap of grad": lambda: lib.jit(lib.vmap(lib.grad(printing)))(X),
        "grad of vmap": lambda: lib.jit(lib.grad(lambda x: lib.vmap(printing)(x).sum()))(X),
        "loop": lambda: lib.jit(looping)(X[0]),
        "grad of loop": lambda: lib.jit(lib.grad(looping))(X[0]),
        "branch": lambda: lib.jit(choosing)(0.7),
        "batch of branches": lambda: lib.jit(lib.vmap(choosing))(X[0]),
        "effects over a batch": lambda: lib.jit(lib.vmap(effect))(X[0]),
        **{
            name: lambda name=name: lib.jit(lib.vmap(method(name), (0, None)))(X, y)
            for name in ("sequential", "sequential_unrolled", "expand_dims", "broadcast_all")
        },
    }


@pytest.mark.parametrize("name", transforms(jax, print))
def test_calls(name: str) -> None:
    results, seen = [], []
    for lib in (dt, jax):
        calls: list[Any] = []
        program = transforms(lib, lambda *values: calls.append([np.asarray(v) for v in values]))  # noqa: B023
        results.append(jax.tree.map(np.asarray, program[name]()))
        lib.effects_barrier()
        seen.append(calls)
    jax.tree.map(lambda a, b: np.testing.assert_allclose(a, b, rtol=1e-5), *results)
    ours, theirs = seen
    assert len(ours) == len(theirs) > 0
    for a, b in zip(ours, theirs, strict=True):
        for x, y in zip(a, b, strict=True):
            np.testing.assert_allclose(x, y, rtol=1e-5)


@pytest.mark.parametrize(
    "program",
    [
        lambda lib: lib.grad(lambda x: lib.pure_callback(np.sin, x, x))(1.0),
        lambda lib: lib.grad(lambda x: (lib.experimental.io_callback(print, None, x), x)[1])(1.0),
        lambda lib: lib.debug.print("{}", 1, 2),
        lambda lib: lib.debug.print("{}", x=1),
        lambda lib: lib.debug.print("{x}"),
        lambda lib: lib.debug.print("{}"),
        lambda lib: lib.debug.callback(x=3),
        lambda lib: lib.debug.callback(3),
    ],
)
def test_errors(program: Callable[[Any], Any]) -> None:
    classes = []
    for lib in (dt, jax):
        with pytest.raises(Exception) as caught:  # noqa: PT011
            program(lib)
        classes.append(caught.type)
    # An error of a transform belongs to all classes that JAX has for it.
    assert issubclass(*classes)


def test_messages(capsys: pytest.CaptureFixture[str]) -> None:
    def program(lib: Any, x: Any) -> None:
        def f(x: Any) -> None:
            lib.debug.print("{} {x}", x, x=x.sum(), ordered=True)
            lib.debug.print("{x:.3f}|{y}|{{}}", x=x[0], y=["text", 2], ordered=True)
            lib.debug.print(ordered=True)("{0} {0}", x.astype(int))
            lib.debug.print("plain", ordered=True)

        lib.jit(f)(x)
        lib.effects_barrier()

    printed = []
    for lib in (dt, jax):
        program(lib, X[0])
        printed.append(capsys.readouterr().out)
    assert printed[0] == printed[1]
