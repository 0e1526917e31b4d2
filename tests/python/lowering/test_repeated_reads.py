"""Ops that read an array along several loops, and ops that write over arrays read by others."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dovetail as dt
import dovetail.numpy as dnp
from dovetail import config, lax, nn
from support import breadth

# Roots of dispatches: functions of a matrix, with the rank of the result.
ROOTS: dict[str, tuple[int, Callable[[Any], Any]]] = {
    "rows": (1, lambda a: dnp.sum(a, 1)),
    "columns": (1, lambda a: dnp.max(a, 0)),
    "argmax": (1, lambda a: dnp.argmax(a, 1).astype(a.dtype)),
    "norm": (1, lambda a: dnp.linalg.norm(a, axis=1)),
    "product with a vector": (1, lambda a: a @ dnp.cos(a[0])),
    "window": (1, lambda a: lax.reduce_window(a[:, 0], 0.0, lax.add, (2,), (1,), "SAME")),
    "running": (1, lambda a: dnp.cumsum(a[:, 0])),
    "product": (2, lambda a: a @ a.T),
    "pairs": (2, lambda a: dnp.sum(a[:, None, :] * a[None, :, :], 2)),
    "softmax": (2, lambda a: nn.softmax(a, -1)),
    "attention": (2, lambda a: nn.dot_product_attention(*[a[None, :, None, :]] * 3)[0, :, 0]),
}
BETWEEN: list[Callable[[Any], Any]] = [
    lambda y: y,
    dnp.sin,
    lambda y: dnp.tanh(y) * y,
    lambda y: y.reshape(1, *y.shape)[0],
]
READS: dict[int, list[Callable[[Any, Any], Any]]] = {
    1: [
        lambda y, z: y[:, None] * z[None, :],
        lambda y, z: y.reshape(1, -1) - z.reshape(-1, 1),
        lambda y, z: dnp.hypot(*dnp.meshgrid(y, z)),
        lambda y, z: dnp.sum(abs(y[:, None] - z[None, :]), 1),
    ],
    2: [
        lambda y, z: y[:, None, :] - z[None, :, :],
        lambda y, z: y[:, :, None] * z[:, None, :],
        lambda y, z: dnp.sum((y[:, None, :] - z[None, :, :]) ** 2, -1),
    ],
}


@pytest.mark.parametrize("merges", [True, False])
@pytest.mark.parametrize("root", ROOTS)
def test_one_array_along_several_loops(root: str, merges: bool) -> None:
    rank, begin = ROOTS[root]
    a = np.random.default_rng(0).uniform(0.1, 1.0, (70, 5))

    def program(a: Any) -> list[Any]:
        y = begin(a)
        ways = BETWEEN if breadth.IS_NIGHTLY else BETWEEN[:2]
        return [read(one(y), other(y)) for read in READS[rank] for one in ways for other in ways]

    with config.enable_x64(True), config.merge_small_ops(merges), config.compile("now"):
        results = dt.jit(program)(a)
        with dt.disable_jit():
            expected = program(dnp.asarray(a))
    # The softmax of attention is computed in float32, as JAX does.
    tolerance = 1e-5 if root == "attention" else 1e-9
    for result, wanted in zip(results, expected, strict=True):
        np.testing.assert_allclose(result, wanted, rtol=tolerance, atol=tolerance)


def test_pairwise_differences_and_their_gradient() -> None:
    def energy(x: Any) -> Any:
        h = x @ x.T
        return dnp.sum(dnp.sqrt(1 + dnp.sum((h[:, None] - h[None, :]) ** 2, -1)))

    x = np.random.default_rng(1).normal(size=(64, 4))
    with config.enable_x64(True), config.compile("now"):
        gradient = dt.jit(dt.grad(energy))(x)
        with dt.disable_jit():
            np.testing.assert_allclose(gradient, dt.grad(energy)(x), rtol=1e-9, atol=1e-9)


def test_the_last_op_overwrites_arrays_read_by_earlier_groups() -> None:
    """With three numbers, IREE 3.13 moved the scatter before dispatches of the cotangents."""

    def primal(x: Any) -> tuple[Any, Any]:
        highest = dnp.max(dnp.arctan2(x, 3 + x * x)).reshape(1) + 0.3
        y = dnp.maximum(x, highest.reshape(()))
        factor = dnp.broadcast_to(dnp.tanh(dnp.sum(y)), x.shape)
        places = dnp.arange(x.shape[0])[::-1]
        z = dnp.real(dnp.exp(1j * dnp.tanh(y)) * (2 - 1j))
        return y.at[places].multiply(factor, unique_indices=True), dnp.sum(dnp.tanh(z))

    def program(x: Any) -> list[Any]:
        results, pullback = dt.vjp(primal, x)
        return [*results, *pullback(tuple(dnp.ones_like(each) for each in results))]

    with config.enable_x64(True), config.merge_small_ops(False), config.compile("now"):
        x = dnp.asarray(np.random.default_rng(0).uniform(-1, 1, 3))
        results = dt.jit(program)(x)
        with dt.disable_jit():
            expected = program(x)
    for result, wanted in zip(results, expected, strict=True):
        np.testing.assert_allclose(result, wanted, rtol=1e-9, atol=1e-9)


def test_a_constant_is_updated_by_one_that_folds_to_the_same() -> None:
    """The cotangent of `updated` is a pad of nothing; it is updated by zeros."""

    def updated(x: Any) -> Any:
        return x.reshape(1).at[np.array([True])].set(0.25)[:0]

    with config.compile("now"):
        (cotangent,) = dt.jit(lambda x: dt.vjp(updated, x)[1](dnp.zeros(0)))(dnp.float32(0.5))
    assert cotangent == 0


WRITERS: list[Callable[[Any, Any], Any]] = [
    lambda y, u: y.at[dnp.arange(y.shape[0])[::-1]].multiply(u, unique_indices=True),
    lambda y, u: y.at[dnp.array([0, 2])].set(u),
    lambda y, u: y.at[dnp.array([1, 1])].add(u),
    lambda y, u: y.at[1:3].set(u),
    lambda y, u: lax.dynamic_update_slice(y, dnp.stack([u, -u]), (dnp.int32(u * u),)),
]
STEPS: list[Callable[[Any], Any]] = [
    lambda x: dnp.tanh(dnp.cumsum(x)),
    lambda x: dnp.sort(x) * 1.1,
    lambda x: dnp.tanh(dnp.sin(x)[:, None] * dnp.cos(x)[None, :]).sum(0),
    lambda x: dnp.flip(x) + dnp.sum(x),
]
VIEWS: list[Callable[[Any], Any]] = [
    lambda y: y,
    lambda y: y[1:],
    lambda y: y.reshape(1, -1)[0],
]
chains = st.lists(st.sampled_from(STEPS), max_size=3)


def run_chain(steps: list[Callable[[Any], Any]], x: Any) -> Any:
    for step in steps:
        x = step(x)
    return dnp.sum(x)


class Body(NamedTuple):
    """An update of an array, and reads of it, in some order."""

    write: Callable[[Any, Any], Any]
    view: Callable[[Any], Any]
    steps: list[list[Callable[[Any], Any]]]
    order: list[str]
    depends: bool
    place: str

    def parts(self, x: Any, y: Any) -> tuple[Any, Any, Any]:
        made = {}
        factor = dnp.tanh(run_chain(self.steps[0], y if self.depends else x))
        for part in self.order:
            if part == "write":
                made[part] = self.write(y, factor)
            elif part == "read":
                made[part] = run_chain(self.steps[1], dnp.sin(self.view(y)))
            elif part == "read with another":
                another = run_chain(self.steps[2], x)
                made[part] = run_chain(self.steps[3], dnp.cos(y) * another)
            else:
                made[part] = run_chain(self.steps[4], x)
        return made["write"], made["read"] + 0 * made["nothing"], made["read with another"]

    def __call__(self, x: Any) -> Any:
        y = dnp.tanh(dnp.sort(x) * 2)
        if self.place == "function":
            return self.parts(x, y)
        if self.place == "branch":
            read = dnp.sum(dnp.sin(y))
            return lax.cond(x[0] > 0, lambda: self.parts(x, y), lambda: (y, read, read)), read

        def step(i: Any, carried: Any) -> Any:
            written, one, other = self.parts(x + i, carried[0])
            return written, carried[1] + one, carried[2] + other

        return lax.fori_loop(0, 3, step, (y, 0 * dnp.sum(x), 0 * dnp.sum(x)))


bodies = st.builds(
    Body,
    st.sampled_from(WRITERS),
    st.sampled_from(VIEWS),
    st.lists(chains, min_size=5, max_size=5),
    st.permutations(["write", "read", "read with another", "nothing"]),
    st.booleans(),
    st.sampled_from(["function", "function", "loop", "branch"]),
)


@settings(max_examples=60 if breadth.IS_NIGHTLY else 2)
@given(st.lists(bodies, min_size=8, max_size=8), st.sampled_from([3, 5]))
def test_readers_of_overwritten_arrays(several: list[Body], size: int) -> None:
    """Reads that the write does not wait for see the old array."""

    def program(inputs: Any) -> Any:
        return [body(x) for body, x in zip(several, inputs, strict=True)]

    with config.enable_x64(True), config.merge_small_ops(False), config.compile("now"):
        values = np.random.default_rng(0).uniform(-1, 1, (len(several), size))
        inputs = [dnp.asarray(row) for row in values]
        results = dt.tree.leaves(dt.jit(program)(inputs))
        with dt.disable_jit():
            expected = dt.tree.leaves(program(inputs))
    for result, wanted in zip(results, expected, strict=True):
        np.testing.assert_allclose(result, wanted, rtol=1e-9, atol=1e-9)
