"""Collectives against JAX: values, and derivatives inside and outside of the axes."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import dovetail as dt
from dovetail import config
from support.jax_compare import jax

LIBRARIES: dict[str, ModuleType] = {"ours": dt, "theirs": jax}


@pytest.fixture(autouse=True)
def x64() -> Any:
    with config.enable_x64(True), jax.enable_x64(True):
        yield


def normalized(lib: Any, x: Any) -> Any:
    return (x - lib.lax.pmean(x, "i")) / lib.numpy.sqrt(lib.lax.pmean(x**2, "i"))


def softmax_over_elements(lib: Any, x: Any) -> Any:
    e = lib.numpy.exp(x - lib.lax.stop_gradient(lib.lax.pmax(lib.lax.stop_gradient(x), "i")))
    return e / lib.lax.psum(e, "i")


def weighted_by_place(lib: Any, x: Any) -> Any:
    return lib.lax.psum(x * lib.lax.axis_index("i"), "i") * (1 + lib.lax.axis_index("i"))


def both_axes(lib: Any, x: Any) -> Any:
    def inner(y: Any) -> Any:
        total = lib.lax.psum(y * lib.lax.axis_index(("j", "i")), ("i", "j"))
        return total * y + lib.lax.psum(y**2, "j") + lib.lax.pmean(y, ("j",))

    return lib.vmap(inner, axis_name="j")(x)


def exchanged(lib: Any, x: Any) -> Any:
    square = lib.lax.all_gather(x, "i") * x
    swapped = lib.lax.all_to_all(square, "i", 0, 1)
    return lib.lax.psum_scatter(swapped.T, "i") + lib.lax.pshuffle(x, "i", [1, 3, 0, 2])


def tiled(lib: Any, x: Any) -> Any:
    gathered = lib.lax.all_gather(lib.numpy.sin(x), "i", axis=0, tiled=True)
    scattered = lib.lax.psum_scatter(gathered, "i", scatter_dimension=0, tiled=True)
    rows = lib.lax.all_to_all(gathered[None] * x[0], "i", 1, 0, tiled=True)
    return scattered * x + rows.sum(0)


def exchanged_over_both(lib: Any, x: Any) -> Any:
    def inner(y: Any) -> Any:
        parts = y * lib.numpy.arange(1.0, 13.0)
        return lib.lax.all_to_all(parts, ("i", "j"), 0, 0).sum() * y

    return lib.vmap(inner, axis_name="j")(x)


def in_a_scan(lib: Any, x: Any) -> Any:
    def step(carry: Any, row: Any) -> Any:
        carry = lib.numpy.sin(carry) + lib.lax.psum(row * carry, "i")
        return carry, lib.lax.ppermute(carry, "i", [(n, (n + 1) % 4) for n in range(4)])

    return lib.lax.scan(step, x[0], x)


def in_branches(lib: Any, x: Any) -> Any:
    return lib.lax.cond(
        lib.lax.psum(x[0], "i") > 0,
        lambda x: x * lib.lax.psum(x, "i"),
        lambda x: x - lib.lax.pmean(x**2, "i"),
        x,
    )


def in_a_while_loop(lib: Any, x: Any) -> Any:
    def runs(state: Any) -> Any:
        return lib.lax.pmax(lib.lax.stop_gradient(state[0]), "i") < 5

    def step(state: Any) -> Any:
        return state[0] + 1, state[1] * 0.9 + 0.1 * lib.lax.pmean(state[1], "i")

    return lib.lax.while_loop(runs, step, (lib.lax.axis_index("i"), x))[1]


def in_a_jitted_function(lib: Any, x: Any) -> Any:
    total = lib.jit(lambda x: lib.lax.psum(lib.numpy.cos(x), "i"))
    return total(x) * x + total(2 * x)


def of_what_is_constant(lib: Any, x: Any) -> Any:
    return x * lib.lax.psum(2.0, "i") + lib.lax.psum(np.arange(3.0), "i") + lib.lax.axis_size("i")


def gradient_inside(lib: Any, x: Any) -> Any:
    return lib.grad(lambda x: (lib.lax.psum(x, "i") ** 2 * x).sum())(x)


def second_derivative_inside(lib: Any, x: Any) -> Any:
    return lib.hessian(lambda x: (lib.lax.psum(lib.numpy.sin(x), "i") * x).sum())(x)


def tangent_inside(lib: Any, x: Any) -> Any:
    return lib.jvp(lambda x: lib.lax.all_gather(x**2, "i").sum(0), (x,), (lib.numpy.cos(x),))


def pulled_back_inside(lib: Any, x: Any) -> Any:
    outs, pull = lib.vjp(lambda x: lib.lax.psum_scatter(lib.lax.all_gather(x, "i") * x, "i"), x)
    return outs, pull(outs)[0]


PROGRAMS: list[Callable[[Any, Any], Any]] = [
    normalized,
    softmax_over_elements,
    weighted_by_place,
    both_axes,
    exchanged,
    tiled,
    exchanged_over_both,
    in_a_scan,
    in_branches,
    in_a_while_loop,
    in_a_jitted_function,
    of_what_is_constant,
    gradient_inside,
    second_derivative_inside,
    tangent_inside,
    pulled_back_inside,
]
X = np.random.default_rng(0).normal(size=(4, 3))
T = np.random.default_rng(1).normal(size=(4, 3))


def batched(program: Any, library: str) -> Callable[[Any], Any]:
    lib = LIBRARIES[library]
    return lib.vmap(lambda x: program(lib, x), axis_name="i")


def value(program: Any, library: str) -> Any:
    return batched(program, library)(X)


def compiled(program: Any, library: str) -> Any:
    return LIBRARIES[library].jit(batched(program, library))(X)


def tangent(program: Any, library: str) -> Any:
    return LIBRARIES[library].jvp(batched(program, library), (X,), (T,))


def gradient(program: Any, library: str) -> Any:
    lib = LIBRARIES[library]
    if program is in_a_while_loop and library == "theirs":
        return lib.jacfwd(lambda x: loss(program, library, x))(X)
    return lib.grad(lambda x: loss(program, library, x))(X)


def loss(program: Any, library: str, x: Any) -> Any:
    lib = LIBRARIES[library]
    outs = batched(program, library)(x)
    leaves = outs if isinstance(outs, tuple) else (outs,)
    return sum(
        lib.numpy.sum(out * np.cos(np.arange(out.size).reshape(out.shape))) for out in leaves
    )


def outer_batch(program: Any, library: str) -> Any:
    """Another batch outside, which the collectives do not name."""
    xs = np.stack([X, T, -X])
    return LIBRARIES[library].vmap(batched(program, library), axis_name="k")(xs)


@pytest.mark.parametrize("of", [value, compiled, tangent, gradient, outer_batch])
@pytest.mark.parametrize("program", PROGRAMS)
def test_agrees_with_jax(program: Any, of: Any) -> None:
    ours, theirs = of(program, "ours"), of(program, "theirs")
    mine, other = jax.tree.leaves(ours), jax.tree.leaves(theirs)
    assert len(mine) == len(other)
    for a, b in zip(mine, other, strict=True):
        assert a.dtype == b.dtype
        np.testing.assert_allclose(a, b, rtol=1e-10, atol=1e-10)
