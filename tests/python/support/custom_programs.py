"""Programs with custom derivative rules, written against any library that has JAX's names."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from types import ModuleType
from typing import Any

import numpy as np

Program = Callable[[ModuleType], Any]

XS = np.linspace(-1.0, 1.0, 6)
W = np.arange(12.0).reshape(3, 4) / 7


def log1pexp(lib: ModuleType) -> Any:
    """A stable rule that calls the function itself."""

    @lib.custom_jvp
    def f(x):
        return lib.numpy.log(1.0 + lib.numpy.exp(x))

    @f.defjvp
    def f_jvp(primals, tangents):
        (x,), (t,) = primals, tangents
        return f(x), (1 - 1 / (1 + lib.numpy.exp(x))) * t

    return f


def tripled(lib: ModuleType) -> Any:
    """A product whose derivatives are three times too large, so that rules are visible."""

    @lib.custom_vjp
    def f(x, y):
        return lib.numpy.sin(x) * y

    f.defvjp(
        lambda x, y: (lib.numpy.sin(x) * y, (x, y)),
        lambda r, g: (3 * g * lib.numpy.cos(r[0]) * r[1], 3 * g * lib.numpy.sin(r[0])),
    )
    return f


def scaled(lib: ModuleType, factor: float = 3.0) -> Any:
    """The sine with a forward-mode rule that is too large."""

    @lib.custom_jvp
    def f(x):
        return lib.numpy.sin(x)

    f.defjvps(lambda t, ans, x: factor * t * lib.numpy.cos(x) + 0 * ans)
    return f


def jvp_orders(lib: ModuleType) -> Any:
    f = log1pexp(lib)
    g1 = lib.grad(f)
    return [d(0.3) for d in (f, g1, lib.grad(g1), lib.grad(lib.grad(g1)))] + [g1(100.0)]


def jvp_modes(lib: ModuleType) -> Any:
    f = scaled(lib)
    return (
        lib.jvp(f, (0.5,), (2.0,)),
        lib.vjp(f, 0.5)[1](2.0),
        lib.linearize(f, 0.5)[1](2.0),
        lib.jacfwd(f)(0.5),
        lib.hessian(f)(0.5),
        lib.jit(lib.grad(lib.jit(f)))(0.5),
    )


def jvp_batches(lib: ModuleType) -> Any:
    f = scaled(lib)
    total = lambda x: lib.numpy.sum(lib.vmap(f)(x))  # noqa: E731
    return (
        lib.vmap(lib.grad(f))(XS),
        lib.grad(total)(XS),
        lib.vmap(lib.grad(total))(W),
        lib.grad(lambda x: lib.numpy.sum(lib.vmap(lib.vmap(f), 1, 1)(x)))(W),
        lib.jit(lib.vmap(lib.grad(lib.grad(f))))(XS),
    )


def jvp_loops(lib: ModuleType) -> Any:
    f = scaled(lib, 2.0)

    def scan(x):
        return lib.lax.scan(lambda c, _: (f(c), c), x, None, length=3)

    def loop(x):
        return lib.lax.fori_loop(0, 3, lambda i, c: f(c), x)

    def branch(x):
        return lib.lax.cond(x > 0, f, lambda x: x, x)

    total = lambda x: scan(x)[0] + lib.numpy.sum(scan(x)[1])  # noqa: E731
    return (
        lib.grad(total)(0.7),
        lib.jvp(loop, (0.7,), (1.0,)),
        lib.grad(branch)(0.7),
        lib.grad(branch)(-0.7),
        lib.vmap(lib.grad(branch))(XS),
    )


def jvp_trees(lib: ModuleType) -> Any:
    """Trees, integers, keyword arguments and arguments that are not arrays."""
    jnp = lib.numpy

    @partial(lib.custom_jvp, nondiff_argnums=(0,))
    def f(function, tree, n, scale=2.0):
        return {"out": function(tree["x"]) * scale, "n": n + 1, "y": tree["y"]}

    @f.defjvp
    def f_jvp(function, primals, tangents):
        tree, n, scale = primals
        dtree, dn, dscale = tangents
        out = f(function, tree, n, scale)
        zero = np.zeros((), lib.dtypes.float0)
        return out, {"out": 5 * dtree["x"] * scale + dscale, "n": dn, "y": dtree["y"]} | (
            {"n": zero}
        )

    def loss(x, y, scale):
        out = f(jnp.sin, {"x": x, "y": y}, 3, scale=scale)
        return jnp.sum(out["out"]) + jnp.sum(out["y"] ** 2) * out["n"]

    defaulted = lambda x: jnp.sum(f(jnp.cos, {"x": x, "y": x}, 3)["out"])  # noqa: E731
    return lib.grad(loss, (0, 1, 2))(XS, XS + 1, 4.0), lib.grad(defaulted)(XS)


def jvp_closures(lib: ModuleType) -> Any:
    """Rules that close over values of the function around them."""

    def outer(a, x):
        @lib.custom_jvp
        def f(x):
            return x * lib.numpy.sum(a)

        @f.defjvp
        def f_jvp(primals, tangents):
            return f(primals[0]), tangents[0] * lib.numpy.prod(a)

        return lib.grad(f)(x)

    return (
        lib.jit(outer)(XS, 2.0),
        lib.vmap(outer, (0, None))(W, 2.0),
        lib.vmap(outer, (None, 0))(XS, XS),
    )


def vjp_orders(lib: ModuleType) -> Any:
    f = tripled(lib)
    g1 = lib.grad(f, (0, 1))
    second = lib.grad(lambda x, y: sum(g1(x, y)), (0, 1))
    third = lib.grad(lambda x, y: sum(second(x, y)), (0, 1))
    return f(0.3, 2.0), g1(0.3, 2.0), second(0.3, 2.0), third(0.3, 2.0), lib.hessian(f)(0.3, 2.0)


def vjp_batches(lib: ModuleType) -> Any:
    f = tripled(lib)
    jnp = lib.numpy
    shared = lambda y: jnp.sum(lib.vmap(f, (0, None))(jnp.asarray(XS), y))  # noqa: E731
    rows = lambda x: jnp.sum(lib.vmap(lib.vmap(f, (0, None)), (1, 0))(x, jnp.arange(4.0)))  # noqa: E731
    return (
        lib.vmap(lib.grad(f, (0, 1)), (0, None))(XS, 2.0),
        lib.grad(shared)(2.0),
        lib.grad(rows)(W),
        lib.jit(lib.vmap(lib.grad(shared)))(XS),
        lib.jacrev(lambda x: lib.vmap(f)(x, x))(XS),
    )


def vjp_loops(lib: ModuleType) -> Any:
    f = tripled(lib)
    jnp = lib.numpy

    def scan(x, y):
        last, all_ = lib.lax.scan(lambda c, w: (f(c, w), c), x, y)
        return last + jnp.sum(all_)

    def branch(x, y):
        return lib.lax.cond(x > 0, f, lambda x, y: x * y, x, y)

    return (
        lib.grad(scan, (0, 1))(0.7, XS),
        lib.jit(lib.grad(scan, (0, 1)))(0.7, XS),
        lib.grad(branch, (0, 1))(0.7, 2.0),
        lib.grad(branch, (0, 1))(-0.7, 2.0),
        lib.grad(lambda x: lib.grad(scan)(x, XS))(0.7),
        lib.vmap(lib.grad(scan, (0, 1)), (0, None))(XS, XS),
    )


def vjp_trees(lib: ModuleType) -> Any:
    """Trees, None for zeros, integers, keyword arguments, arguments that are not arrays."""
    jnp = lib.numpy

    @partial(lib.custom_vjp, nondiff_argnums=(0, 3))
    def f(function, tree, n, power, scale=2.0):
        return {"out": function(tree["x"]) * scale**power, "n": n, "y": tree["y"][0]}

    def fwd(function, tree, n, power, scale):
        return f(function, tree, n, power, scale), {"tree": tree, "n": n, "scale": scale}

    def bwd(function, power, r, g):
        cotangent = {"x": 7 * g["out"] * r["scale"], "y": (g["y"] * power, None)}
        return cotangent, None, jnp.sum(g["out"])

    f.defvjp(fwd, bwd)

    def loss(x, y, scale):
        out = f(jnp.sin, {"x": x, "y": (y, y)}, 3, 2, scale=scale)
        return jnp.sum(out["out"]) + jnp.sum(out["y"] ** 2) * out["n"]

    return lib.grad(loss, (0, 1, 2))(XS, XS + 1, 4.0)


def vjp_symbolic(lib: ModuleType) -> Any:
    module = lib.custom_derivatives

    @lib.custom_vjp
    def f(x, n):
        return x * n, n

    def fwd(x, n):
        assert x.perturbed
        assert not n.perturbed
        x, n = module.custom_vjp_primal_tree_values((x, n))
        return (x * n, n), n

    def bwd(n, g):
        assert isinstance(g[1], module.SymbolicZero)
        assert g[1].dtype == lib.dtypes.float0
        return 9 * g[0], module.zero_from_primal(n)

    f.defvjp(fwd, bwd, symbolic_zeros=True)
    return lib.grad(lambda x: f(x, 3)[0])(2.0)


def vjp_zero_cotangents(lib: ModuleType) -> Any:
    """Which cotangents the rule gets as zeros, under the transforms that tell it."""
    jnp, zero = lib.numpy, lib.custom_derivatives.SymbolicZero
    seen: list[tuple[bool, ...]] = []

    @lib.custom_vjp
    def f(x, y):
        return x * y, x + y, jnp.sin(x)

    def fwd(x, y):
        x, y = x.value, y.value
        return (x * y, x + y, jnp.sin(x)), (x, y)

    def bwd(residuals, cotangents):
        seen.append(tuple(type(each) is zero for each in cotangents))
        x, y = residuals
        a, b, c = (0.0 if type(each) is zero else each for each in cotangents)
        return a * y + b + c * jnp.cos(x), lib.custom_derivatives.zero_from_primal(y, True)

    f.defvjp(fwd, bwd, symbolic_zeros=True)
    first, last = (lambda x: f(x, 2.0)[0]), (lambda x: f(x, 2.0)[2])
    scan = lambda x: lib.lax.scan(lambda c, _: (first(c), None), x, None, length=3)[0]  # noqa: E731
    results = []
    for function in (
        lib.grad(first),
        lib.jit(lib.grad(last)),
        lib.grad(lambda x: lib.jit(f)(x, 2.0)[1]),
        lib.grad(lambda x: (f(x, 2.0), x)[1]),
        lib.grad(lambda x: first(x) + lib.lax.stop_gradient(f(x, 2.0)[1])),
        lambda x: lib.vmap(lib.grad(last))(jnp.full(3, x)),
        lambda x: lib.vjp(lambda x: f(x, 2.0), x)[1]((1.0, 2.0, 3.0)),
        lib.grad(lib.grad(lambda x: first(x) * x)),
        lib.jacfwd(lib.grad(lambda x: first(x) * last(x))),
        lib.grad(scan),
        lib.grad(lambda x: lib.lax.cond(x > 0, first, last, x)),
        lib.grad(lib.checkpoint(first)),
        lib.jit(lambda y: lib.grad(lambda x: f(x, y)[0])(y)),
    ):
        seen.clear()
        results.append((function(1.0), sorted(set(seen))))
    return results


def jvp_symbolic(lib: ModuleType) -> Any:
    module = lib.custom_derivatives

    @lib.custom_jvp
    def f(x, n):
        return x * n, n

    def f_jvp(primals, tangents):
        assert isinstance(tangents[1], module.SymbolicZero)
        return f(*primals), (8 * tangents[0], tangents[1])

    f.defjvp(f_jvp, symbolic_zeros=True)
    return lib.jvp(lambda x: f(x, 3)[0], (2.0,), (1.0,))


def gradients(lib: ModuleType) -> Any:
    jnp = lib.numpy

    @lib.custom_gradient
    def f(x):
        s = jnp.sin(x)
        return s**2, lambda g: g * s

    @lib.custom_gradient
    def two(x, y):
        return {"a": x * y}, lambda g: (g["a"] * y, g["a"] + x)

    return (
        f(1.0),
        lib.grad(f)(1.0),
        lib.grad(lib.grad(f))(1.0),
        lib.vmap(lib.grad(f))(XS),
        lib.grad(lambda x, y: two(x, y)["a"], (0, 1))(2.0, 5.0),
    )


def converted(lib: ModuleType) -> Any:
    """A root finder, differentiated with respect to what its function closes over."""

    @partial(lib.custom_vjp, nondiff_argnums=(0,))
    def root(f, x, *closed):
        return lib.lax.fori_loop(0, 12, lambda i, x: x - f(x, *closed) / lib.grad(f)(x, *closed), x)

    def fwd(f, x, *closed):
        x = root(f, x, *closed)
        return x, (x, closed)

    def bwd(f, residuals, g):
        x, closed = residuals
        slope = lib.grad(f)(x, *closed)
        pull = lib.vjp(lambda *c: f(x, *c), *closed)[1]
        return (None, *pull(-g / slope))

    root.defvjp(fwd, bwd)

    def cube_root(a):
        f, closed = lib.closure_convert(lambda x: x**3 - a, 1.0)
        return root(f, 1.0, *closed)

    return cube_root(2.0), lib.grad(cube_root)(2.0), lib.vmap(lib.grad(cube_root))(XS + 2)


PROGRAMS: dict[str, Program] = {
    program.__name__: program
    for program in (
        *(jvp_orders, jvp_modes, jvp_batches, jvp_loops, jvp_trees, jvp_closures, jvp_symbolic),
        *(vjp_orders, vjp_batches, vjp_loops, vjp_trees, vjp_symbolic, vjp_zero_cotangents),
        *(gradients, converted),
    )
}
