"""Calls of the host in programs with symbolic sizes: as many as at known ones, derivatives too."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import dovetail as dt
import dovetail.numpy as dnp
from dovetail import lax
from dovetail.experimental import io_callback

Calls = list[tuple[int, ...]]


def with_result(by: Callable[..., Any], calls: Calls) -> Callable[[Any], Any]:
    def host(x: np.ndarray) -> np.ndarray:
        calls.append(x.shape)
        return np.asarray(x) * 2

    @dt.custom_jvp
    def scaled(x: Any) -> Any:
        return by(host, dt.ShapeDtypeStruct(x.shape, x.dtype), x)

    scaled.defjvp(lambda primals, tangents: (scaled(*primals), tangents[0] * 2))
    return lambda x: dnp.sin(scaled(x)) * x.shape[0]


def with_debug(calls: Calls) -> Callable[[Any], Any]:
    def f(x: Any) -> Any:
        dt.debug.callback(lambda x: calls.append(x.shape), x)
        return dnp.sin(x) * x

    return f


FUNCTIONS: dict[str, Callable[[Calls], Callable[[Any], Any]]] = {
    "pure": functools.partial(with_result, dt.pure_callback),
    "io": functools.partial(with_result, io_callback),
    "debug": with_debug,
}

TRANSFORMS: dict[str, Callable[[Any], Callable[[Any], Any]]] = {
    "call": lambda f: f,
    "grad": lambda f: dt.grad(lambda x: f(x).sum()),
    "value_and_grad": lambda f: dt.value_and_grad(lambda x: f(x).sum()),
    "vjp": lambda f: lambda x: _pulled(f, x, 1),
    "vjp, pulled twice": lambda f: lambda x: _pulled(f, x, 2),
    "vjp, not pulled": lambda f: lambda x: dt.vjp(f, x)[0],
    "vjp, pulled in a batch": lambda f: lambda x: dt.vmap(dt.vjp(f, x)[1])(dnp.stack([x, 2 * x])),
    "linearize": lambda f: lambda x: dt.linearize(f, x)[1](x),
    "jvp": lambda f: lambda x: dt.jvp(f, (x,), (x,)),
    "grad of grad": lambda f: dt.grad(lambda x: dt.grad(lambda x: f(x).sum())(x).sum()),
    "jacrev of the sum": lambda f: dt.jacrev(lambda x: f(x).sum(0)),
    "in a loop": lambda f: lambda x: lax.fori_loop(0, 3, lambda i, c: f(c), x),
}


def _pulled(f: Any, x: Any, times: int) -> Any:
    value, pull = dt.vjp(f, x)
    return value, [pull(i * x) for i in range(1, times + 1)]


@pytest.mark.parametrize("kind", FUNCTIONS)
@pytest.mark.parametrize("name", TRANSFORMS)
def test_calls_are_as_many(kind: str, name: str) -> None:
    x = np.linspace(0, 1, 12, dtype=np.float32).reshape(4, 3)
    results, counts = [], []
    ways: list[dict[str, Any]] = [{}, {"dynamic_shapes": ("b, 3",)}]
    for options in ways:
        calls: Calls = []
        program: Any = dt.jit(TRANSFORMS[name](FUNCTIONS[kind](calls)), compile="never", **options)
        results.append(dt.tree.leaves(program(x)))
        dt.effects_barrier()
        counts.append(calls)
    assert counts[0] == counts[1]
    for known, symbolic in zip(*results, strict=True):
        np.testing.assert_allclose(known, symbolic, rtol=1e-5, atol=1e-6)


def test_calls_in_derivatives_of_loops() -> None:
    """A loop may not keep values with the sizes of a callback's result: it calls again, or is
    rejected.
    """
    calls: Calls = []
    x = np.linspace(0, 1, 12, dtype=np.float32).reshape(4, 3)

    def grad_of_loop(f: Any) -> Any:
        loop = lambda x: lax.fori_loop(0, 3, lambda i, c: f(c), x).sum()  # noqa: E731
        return dt.jit(dt.grad(loop), dynamic_shapes=("b, 3",), compile="never")

    known = dt.grad(lambda x: lax.fori_loop(0, 3, lambda i, c: dnp.sin(2 * c) * 4, x).sum())(x)
    np.testing.assert_allclose(grad_of_loop(FUNCTIONS["pure"](calls))(x), known, rtol=1e-4)
    grad_of_loop(FUNCTIONS["debug"](calls := []))(x)
    dt.effects_barrier()
    assert calls == [(4, 3)] * 3
    with pytest.raises(ValueError, match=r"must not depend on callbacks with effects"):
        grad_of_loop(FUNCTIONS["io"](calls))(x)
