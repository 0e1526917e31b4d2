"""Programs with collectives in loops and branches on participants, against their meaning."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import dovetail as dt
import dovetail.numpy as dnp
from dovetail import lax
from dovetail.compiler import phases
from dovetail.compiler.forms import compile_lowered
from support.breadth import one_of
from support.spmd import Mesh, check, partitioned

MESHES: list[Mesh] = [{"data": 2}, {"data": 2, "model": 2}, {"data": 2, "model": 4}]


def scan_of_sums(x: Any) -> Any:
    def step(carry: Any, scale: Any) -> Any:
        carry = lax.psum(carry * 0.5 + x, "data") * scale
        return carry, lax.pmax(carry, "data")

    return lax.scan(step, x, dnp.linspace(0.1, 0.4, 25))


def while_until_all_agree(x: Any) -> Any:
    """As many iterations as the slowest needs."""

    def goes_on(carry: Any) -> Any:
        return lax.pmax(dnp.max(dnp.abs(carry[1])), "data") > 1e-2

    return lax.while_loop(goes_on, lambda c: (c[0] + 1, c[1] * 0.7), (0, x))


def branches_with_collectives(x: Any) -> Any:
    total = lax.psum(dnp.sum(x), "data")
    return [
        lax.cond(
            total > bound,
            lambda y: lax.pmean(y, "data"),
            lambda y: lax.pmax(y, "data") + lax.psum(y, "data"),
            x,
        )
        for bound in (-1e6, 1e6)
    ]


def halo(x: Any) -> Any:
    """A stencil whose ends come from the neighbours."""
    n = lax.axis_size("data")
    right = [(i, (i + 1) % n) for i in range(n)]
    left = [(i, (i - 1) % n) for i in range(n)]

    def step(_: Any, u: Any) -> Any:
        before = lax.ppermute(u[-1:], "data", right)
        after = lax.ppermute(u[:1], "data", left)
        padded = dnp.concatenate([before, u, after])
        return padded[1:-1] + 0.1 * (padded[2:] - 2 * padded[1:-1] + padded[:-2])

    return lax.fori_loop(0, 30, step, x)


def small_ops_around(x: Any) -> Any:
    """Enough small ops for them to be merged into dispatches between the collectives."""
    results = []
    for i in range(6):
        y = dnp.cumsum(x * (i + 1), 0)
        y = dnp.sort(y, 1) - dnp.mean(y, 0)
        x = x + 0.1 * lax.psum(y / (1 + dnp.max(dnp.abs(y))), "data")
        results.append(dnp.sum(x, 0))
    return x, dnp.stack(results)


def transposed(x: Any) -> Any:
    parts = x[: 2 * lax.axis_size("data")].reshape(lax.axis_size("data"), 2, -1)
    there = lax.all_to_all(parts, "data", 0, 2)
    return lax.all_to_all(dnp.sin(there), "data", 2, 0)


def index_in_loop(x: Any) -> Any:
    def step(i: Any, u: Any) -> Any:
        mine = lax.axis_index("data")
        return u + dnp.where(i % 2 == mine % 2, lax.pmax(u, "data"), -1.0)

    return lax.fori_loop(0, 4, step, x)


def training_step(x: Any) -> Any:
    """The gradient of a loss over all devices' examples."""
    w = dnp.linspace(-1, 1, x.shape[1] * 3).reshape(-1, 3)

    def loss(w: Any) -> Any:
        return lax.pmean(dnp.mean(dnp.tanh(x @ w) ** 2), "data")

    def step(w: Any, _: Any) -> Any:
        value, gradient = dt.value_and_grad(loss)(w)
        return w - 0.5 * lax.pmean(gradient, "data"), value

    return lax.scan(step, w, None, length=10)


PROGRAMS: list[Callable[..., Any]] = [
    scan_of_sums,
    while_until_all_agree,
    branches_with_collectives,
    halo,
    small_ops_around,
    transposed,
    index_in_loop,
    training_step,
]


def _values(mesh: Mesh, seed: int = 0) -> np.ndarray:
    count = int(np.prod(list(mesh.values())))
    return np.random.default_rng(seed).normal(size=(count, 8, 6)).astype(np.float32)


@pytest.mark.parametrize(
    ("program", "mesh"),
    [
        pytest.param(program, mesh, id=f"{program.__name__}-{mesh}")
        for program in PROGRAMS
        for mesh in one_of(MESHES, program.__name__)
    ],
)
def test_programs(program: Callable[..., Any], mesh: Mesh) -> None:
    check(mesh, program, _values(mesh), ulps=32)


def test_groups_that_take_different_ways() -> None:
    """Members of a group along one axis run together, and groups independently."""

    def f(x: Any) -> Any:
        # The same for all along "model".
        length = lax.pmax(dnp.max(x).astype("int32"), "model")

        def step(_: Any, u: Any) -> Any:
            return lax.psum(u * 0.25 + x, "model")

        looped = lax.fori_loop(0, length, step, x)
        chosen = lax.cond(length > 3, lambda u: lax.pmax(u, "model"), lambda u: u - 1, looped)
        return lax.psum(chosen, "data")

    mesh = {"data": 4, "model": 2}
    x = np.random.default_rng(0).normal(size=(8, 5)).astype(np.float32)
    x[:, 0] = [1, 2, 7, 3, 0, 0, 5, 6]
    check(mesh, f, x, ulps=32)


def test_a_collective_whose_result_only_some_use() -> None:
    """It stays outside of the branch that only some take."""

    def f(x: Any) -> Any:
        mine = lax.axis_index("data")
        total = lax.psum(x * 2, "data")
        used = lax.cond(mine == 1, lambda: dnp.sin(total), lambda: x)
        large = lax.psum(dnp.tile(x, (500, 40)), "data")
        last = lax.cond(dnp.max(x) > 1, lambda: dnp.sum(large @ large.T), lambda: dnp.sum(x))
        count = dnp.sum(x > 0).astype("int32")
        looped = lax.fori_loop(0, count % 2, lambda _, u: u + total, x)
        return used, last, looped

    check({"data": 4}, f, _values({"data": 4}), ulps=64)


def layers(x: Any, weights: Any) -> Any:
    """Each device has rows of the batch; weights, of which it has a part, are gathered."""

    def step(x: Any, w: Any) -> Any:
        return dnp.tanh(x @ w), dnp.sum(x)

    return lax.scan(step, x, weights)


def test_programs_do_not_grow_with_the_number_of_devices() -> None:
    """One program serves all devices: as many ops before and after each phase, which is what
    compiling takes the time of, and as many bytes, for any number of them.
    """
    weights = np.ones((3, 64, 64), np.float32)
    ops, lines, sizes = [], [], []
    for count in (2, 4, 8, 64):
        # As many rows on each device.
        x = np.ones((512 * count, 64), np.float32)
        module = dt.jit(layers).lower(x, weights)._program.module
        local = partitioned(module, {"data": count}, [[["data"], []], [[], [], ["data"]]])
        text = local.text()
        assert text.count("all_gather") == text.count("all_reduce_sum") == 1
        ops.append(text.count(" = dovetail."))
        after_each = [len(module.text().splitlines()), len(text.splitlines())]
        done = "check"
        for phase in phases.between(done, "lower"):
            phases.run(local, phase, start=done)
            done = phase
            after_each.append(len(local.text().splitlines()))
        lines.append(tuple(after_each))
        sizes.append(len(compile_lowered(local)))
    assert len({*ops}) == len({*lines}) == 1
    # Numbers differ in their lengths.
    assert max(sizes) < 1.01 * min(sizes)
