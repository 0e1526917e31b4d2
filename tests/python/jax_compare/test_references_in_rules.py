"""Rules that use references, beside JAX: each program once with either module."""

from __future__ import annotations

import functools
import importlib
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import dovetail

jax = pytest.importorskip("jax")
MODULES = jax, dovetail


def decaying(m: Any, **options: Any) -> Any:
    """The identity of (ref, x), whose reference keeps a decaying sum of cotangents."""

    @m.custom_vjp
    def function(ref: Any, x: Any) -> Any:
        return x

    def fwd(ref: Any, x: Any) -> Any:
        return (x.value if options else x), getattr(ref, "value", ref) if options else ref

    def bwd(ref: Any, g: Any) -> Any:
        ref[...] = 0.5 * ref[...] + g
        return None, g

    function.defvjp(fwd, bwd, **options)
    return function


def one(program: Callable[[Any, Any, Any, Any], Any]) -> Callable[[Any], Any]:
    """A program of one reference: of the module, its NumPy, the rule and the reference."""

    def run(m: Any) -> Any:
        ref = m.new_ref(1.0)
        result = program(m, importlib.import_module(f"{m.__name__}.numpy"), decaying(m), ref)
        return result, ref[...]

    return run


def scaling(m: Any) -> Any:
    """The identity of (ref, x), whose derivative is what the reference holds."""
    function = m.custom_vjp(lambda ref, x: x)
    function.defvjp(lambda ref, x: (x, ref), lambda ref, g: (None, ref[...] * g))
    return function


def calling(m: Any, n: Any) -> Any:
    """The square, whose rule counts, reads, and calls the function itself."""
    function = m.custom_vjp(lambda ref, x: x * x)

    def bwd(kept: Any, g: Any) -> Any:
        ref, x = kept
        ref[...] += 1.0
        return None, g * n.sin(function(ref, x)) * ref[...]

    function.defvjp(lambda ref, x: (x * x, (ref, x)), bwd)
    return function


def self_calling(order: int) -> Callable[[Any], Any]:
    """Derivatives of that function."""

    def program(m: Any, n: Any, f: Any, r: Any) -> Any:
        square = calling(m, n)
        derivative = functools.partial(lambda x: square(r, x) * x)
        for _ in range(order):
            derivative = m.grad(derivative)
        return m.jit(derivative)(0.5)

    return one(program)


def made_within(program: Callable[[Any, Any, Any], Any], order: int = 2) -> Callable[[Any], Any]:
    """Derivatives of a program that makes references: of the module, its NumPy and the rule."""

    def run(m: Any) -> Any:
        numpy = importlib.import_module(f"{m.__name__}.numpy")
        f, found = program(m, numpy, scaling(m)), []
        for _ in range(order):
            f = m.grad(f)
            found.append(f(0.5))
        return found

    return run


def changed_later(m: Any, n: Any, f: Any) -> Any:
    def run(x: Any) -> Any:
        ref = m.new_ref(n.float32(2))
        y = n.sin(f(ref, n.sin(x)))
        ref[...] = 7.0
        return y * x

    return run


def several(m: Any) -> Any:
    refs = {"a": m.new_ref(0.0), "b": m.new_ref(np.zeros(2, np.float32))}

    @m.custom_vjp
    def f(refs: Any, x: Any) -> Any:
        return x

    def bwd(refs: Any, g: Any) -> Any:
        refs["a"][...] += g
        refs["b"][1] = g * 2
        return None, g

    f.defvjp(lambda refs, x: (x, refs), bwd)
    gradient = m.jit(lambda refs, x: m.grad(lambda x: f(refs, x) ** 2)(x))(refs, 3.0)
    return gradient, refs["a"][...], refs["b"][...]


def accumulated(m: Any) -> Any:
    """The cotangent of a matrix, added up in place over the steps of a loop."""
    np_of = importlib.import_module(f"{m.__name__}.numpy")
    matrix = np_of.ones((3, 3))
    total = m.new_ref(np_of.zeros((3, 3)))

    @m.custom_vjp
    def product(total: Any, matrix: Any, x: Any) -> Any:
        return matrix @ x

    def bwd(kept: Any, g: Any) -> Any:
        total, matrix, x = kept
        total[...] += np_of.outer(g, x)
        return None, None, matrix.T @ g

    product.defvjp(lambda total, matrix, x: (matrix @ x, (total, matrix, x)), bwd)

    def loss(x: Any) -> Any:
        step = lambda x, _: (np_of.tanh(product(total, matrix, x)), None)  # noqa: E731
        return m.lax.scan(step, x, None, length=3)[0].sum()

    return m.jit(m.grad(loss))(np_of.full(3, 0.1)), total[...]


def by_row(m: Any) -> Any:
    np_of = importlib.import_module(f"{m.__name__}.numpy")
    ref, keep = m.new_ref(np_of.zeros(3)), decaying(m)

    def body(carry: Any, xs: Any) -> Any:
        row, x = xs
        return keep(row, carry) * x, None

    f = lambda c: m.lax.scan(body, c, (ref, np_of.arange(1.0, 4.0)))[0]  # noqa: E731
    return m.grad(f)(2.0), ref[...]


def as_static(m: Any) -> Any:
    ref = m.new_ref(1.0)
    f = m.custom_vjp(lambda ref, x: x, nondiff_argnums=(0,))

    def bwd(ref: Any, _: Any, g: Any) -> Any:
        ref[...] = g
        return (3 * g,)

    f.defvjp(lambda ref, x: (x, None), bwd)
    return m.grad(lambda x: f(ref, x))(2.0), ref[...]


def counted(m: Any) -> Any:
    ref = m.new_ref(np.zeros(2, np.int32))

    @m.custom_vjp
    def f(ref: Any, x: Any) -> Any:
        return x

    def bwd(ref: Any, g: Any) -> Any:
        ref[...] += 1
        return None, g

    f.defvjp(lambda ref, x: (x, ref), bwd)
    loss = lambda x: m.vmap(lambda r, x: f(r, f(r, x)))(ref, x).sum()  # noqa: E731
    return m.grad(loss)(np.ones(2, np.float32)), ref[...]


def in_jit(m: Any, np_of: Any, keep: Any, ref: Any) -> Any:
    inner = m.jit(lambda ref, x: np_of.sin(keep(ref, x)))
    outer = m.jit(lambda ref, x: inner(ref, inner(ref, x)))
    return m.grad(outer, 1)(ref, 1.0), m.grad(outer, 1)(ref, 1.0)


def pulled(m: Any, np_of: Any, keep: Any, ref: Any) -> Any:
    _, pull = m.vjp(lambda x: np_of.sin(keep(ref, x)), 1.0)
    return pull(1.0), m.jit(lambda pull, g: pull(g))(pull, 2.0)


PROGRAMS: dict[str, Callable[[Any], Any]] = {
    "several": several,
    "accumulated": accumulated,
    "by row": by_row,
    "as static": as_static,
    "counted": counted,
    "in jit": one(in_jit),
    "pulled": one(pulled),
    "aux": one(lambda m, n, f, r: m.grad(lambda x: (n.sin(f(r, x)), x * 2), has_aux=True)(2.0)),
    "two arguments": one(
        lambda m, n, f, r: m.grad(lambda x, y: n.sin(f(r, x)) * y, (0, 1))(2.0, 3.0)
    ),
    "tree": one(
        lambda m, n, f, r: m.grad(lambda d: n.sin(f(r, d["a"])) * d["b"])({"a": 2.0, "b": 3.0})
    ),
    "loop": one(
        lambda m, n, f, r: m.grad(lambda x: m.lax.fori_loop(0, 3, lambda _, c: n.sin(f(r, c)), x))(
            2.0
        )
    ),
    "checkpoint": one(
        lambda m, n, f, r: m.grad(
            lambda x: m.lax.scan(
                m.checkpoint(lambda c, _: (n.sin(f(r, c)), None)), x, None, length=3
            )[0]
        )(2.0)
    ),
    "unused": one(lambda m, n, f, r: m.grad(lambda x: (f(r, x), 3 * x)[1])(2.0)),
    "constant": one(lambda m, n, f, r: m.grad(lambda x: x * f(r, 3.0))(2.0)),
    **{f"calls itself, {order}": self_calling(order) for order in (1, 2, 3)},
    "passed by": one(
        lambda m, n, f, r: m.grad(lambda x: m.grad(lambda y: scaling(m)(r, x) * y)(1.0))(2.0)
    ),
    "passed by, written": one(
        lambda m, n, f, r: m.grad(lambda x: m.grad(lambda y: f(r, x) * y * y)(x))(2.0)
    ),
    "made within": made_within(
        lambda m, n, f: lambda x: n.sin(f(m.new_ref(n.float32(3)), n.sin(x))) * x
    ),
    "made within, changed later": made_within(changed_later, 1),
    "symbolic zeros": one(
        lambda m, n, f, r: m.grad(lambda x: n.sin(decaying(m, symbolic_zeros=True)(r, x)))(2.0)
    ),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_same_as_jax(name: str) -> None:
    expected, got = (m.tree.leaves(PROGRAMS[name](m)) for m in MODULES)
    for a, b in zip(expected, got, strict=True):
        np.testing.assert_allclose(np.asarray(a), np.asarray(b), rtol=1e-5, atol=1e-6)
