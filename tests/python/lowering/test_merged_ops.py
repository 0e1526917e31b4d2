"""Small ops merged into one dispatch, against the same programs with a dispatch for each."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import dovetail as dt
import dovetail.numpy as dnp
from dovetail import config, lax, nn

X = np.random.default_rng(0).normal(size=(6, 10)).astype(np.float32)
LABELS = np.arange(6, dtype=np.int32)


def loss(x: Any, labels: Any) -> Any:
    return -dnp.mean(dnp.sum(nn.log_softmax(x) * nn.one_hot(labels, 10), axis=-1))


def network(x: Any, w: Any) -> Any:
    return dnp.sum(dnp.tanh(dnp.tanh(x @ w) @ w.T) ** 2)


def running(x: Any) -> Any:
    sums = dnp.cumsum(x, axis=1)
    return dnp.argmax(sums, axis=1), dnp.sort(sums, axis=0), sums.max(0)


def scattered(x: Any) -> Any:
    counts = dnp.zeros((10,), dnp.int32).at[dnp.argmax(x, axis=1)].add(1)
    return counts, dnp.concatenate([counts, counts * 2]).sum()


def logical(x: Any) -> Any:
    is_large = x > x.mean()
    return dnp.any(is_large, axis=0), dnp.all(is_large, axis=1), is_large


def spectrum(x: Any) -> Any:
    z = lax.complex(x, x[::-1])
    return dnp.sum(z * dnp.conj(z), axis=0), dnp.abs(dnp.sum(z, axis=1))


def of_other_types(x: Any) -> Any:
    half = x.astype(dnp.bfloat16)
    return dnp.max(half, axis=1), dnp.sum(x.astype(dnp.int8), axis=0), dnp.sum(half * 2, axis=1)


def around_a_large_product(x: Any, w: Any) -> Any:
    scaled = x * (x.max(1) + x.sum(1))[:, None]
    y = dnp.tanh(scaled @ w).max(0)
    return y - y.mean(), y.std()


def of_no_elements(x: Any) -> Any:
    nothing = x[:0]
    return nothing.sum(0) + x.sum(0), dnp.prod(nothing, axis=1), x.max(1)


def power_iteration(x: Any) -> Any:
    """Before the loop a product, behind it ops that return it in other shapes."""
    gram = x @ x.T / 8
    v = lax.fori_loop(0, 20, lambda _, v: gram @ v / dnp.linalg.norm(gram @ v), dnp.tanh(x[:, 0]))
    return v.reshape(2, 3), (v @ gram @ v)[None], v > 0


def two_loops(x: Any) -> Any:
    """The second needs the first, and the number of its steps what is between."""
    rows, sums = lax.scan(lambda c, row: (0.5 * c + row, c.sum()), x[0], x)
    most = dnp.argmax(sums)
    _, found = lax.while_loop(lambda s: s[0] < most, lambda s: (s[0] + 1, s[1] * 1.5), (0, rows))
    return found.reshape(5, 2).T, sums[::-1], most


def branches(x: Any) -> Any:
    """The inputs of branches are bools and parts of arrays, and are used behind them, too."""
    is_large = (x > 0).reshape(-1)[:20]
    half = lax.cond(is_large.any(), lambda m: (m, x[1]), lambda m: (~m, x[2]), is_large)
    rest = lax.switch(half[0].sum() % 3, [dnp.sin, dnp.cos, dnp.tanh], half[1] + x[1])
    return dnp.where(half[0][:10], rest, 0), ~half[0], is_large


PROGRAMS: dict[str, tuple[Callable[..., Any], tuple[np.ndarray, ...]]] = {
    "loss": (dt.value_and_grad(loss), (X, LABELS)),
    "network": (dt.grad(network, argnums=(0, 1)), (X, X.T.copy())),
    "running": (running, (X,)),
    "scattered": (scattered, (X,)),
    "logical": (logical, (X,)),
    "spectrum": (spectrum, (X,)),
    "other types": (of_other_types, (X,)),
    "around a large product": (around_a_large_product, (X, np.ones((10, 9000), np.float32))),
    "no elements": (of_no_elements, (X,)),
    "power iteration": (power_iteration, (X,)),
    "two loops": (two_loops, (X,)),
    "branches": (branches, (X,)),
    "gradient of loops": (dt.grad(lambda x: sum(y.sum() for y in two_loops(x)[:2])), (X,)),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_merged_programs_agree_with_others(name: str) -> None:
    function, arguments = PROGRAMS[name]
    with config.merge_small_ops(False):
        apart = dt.jit(function)(*arguments)
    merged = dt.jit(function)(*arguments)
    with config.compile("never"):
        evaluated = dt.jit(function)(*arguments)
    leaves = [dt.tree_util.tree_leaves(each) for each in (merged, apart, evaluated)]
    for ours, theirs, wanted in zip(*leaves, strict=True):
        assert ours.dtype == theirs.dtype == wanted.dtype
        tolerance = 1e-2 if ours.dtype == dnp.bfloat16 else 2e-5
        for each in (ours, theirs):
            np.testing.assert_allclose(
                *(np.asarray(x).astype(np.complex128) for x in (each, wanted)),
                rtol=tolerance,
                atol=tolerance,
            )


def test_a_softmax_is_one_dispatch() -> None:
    lowered = dt.jit(nn.softmax).lower(X)
    assert "flow.dispatch" not in lowered.as_text("lower")
    merged = lowered.as_text("merge")
    assert merged.count('"flow.dispatch"') == 1
    assert "linalg.generic" not in merged


@pytest.mark.parametrize("function", [power_iteration, two_loops, branches])
def test_loops_and_small_ops_are_one_dispatch(function: Callable[..., Any]) -> None:
    lowered = dt.jit(function).lower(X)
    assert "linalg.generic" in lowered.as_text("lower")
    merged = lowered.as_text("merge")
    assert merged.count('"flow.dispatch"') == merged.count("hal.executable.source_end") == 1
    assert "linalg.generic" not in merged


def test_large_ops_are_not_merged() -> None:
    lowered = dt.jit(nn.softmax).lower(np.ones((1000, 1000), np.float32))
    assert "flow.dispatch" not in lowered.as_text("merge")


def test_a_module_for_several_processors_computes_the_same(tmp_path: Any) -> None:
    path = tmp_path / "softmax.vmfb"
    dt.export(nn.softmax, X, path=path, targets=["cpu:x86-64-v3", "cpu:aarch64"])
    np.testing.assert_allclose(
        dt.runtime.load(path).main(X), np.exp(X) / np.exp(X).sum(-1, keepdims=True), rtol=2e-5
    )


def running_totals(*values: Any) -> list[Any]:
    totals = [values[0]]
    for value in values[1:]:
        totals.append(totals[-1] * 0.5 + value)
    return totals


@pytest.mark.parametrize("shape", [(), (3,)])
@pytest.mark.parametrize("count", [16, 32, 100])
def test_many_arrays_that_meet(count: int, shape: tuple[int, ...]) -> None:
    # A dispatch reads and writes 32 arrays at most.
    values = [np.full(shape, i, np.float32) for i in range(count)]
    total = dt.jit(lambda *xs: sum(xs), compile="now")(*values)
    np.testing.assert_array_equal(total, np.full(shape, sum(range(count)), np.float32))
    for actual, expected in zip(
        dt.jit(running_totals, compile="now")(*values), running_totals(*values), strict=True
    ):
        np.testing.assert_allclose(actual, expected, rtol=1e-6)


# Functions of arrays that the program itself makes, so that IREE computes them when it compiles it.
ON_CONSTANTS: list[Callable[[Any, Any], Any]] = [
    lambda x, i: x.at[i, 0 * i].set(7),
    lambda x, i: x.at[i, i].add(dnp.abs(x[0, :3])),
    lambda x, i: x.at[i[:2]].multiply(2.0),
    lambda x, i: x.at[dnp.array([5, 1]), i[:2]].set(1.0, mode="drop"),
    lambda x, i: x[i, ::-1],
    lambda x, i: dnp.take_along_axis(x, dnp.argsort(x, 1), 1),
    lambda x, i: dnp.put_along_axis(x, i[:, None], 9.0, 1, inplace=False),
    lambda x, i: dnp.fill_diagonal(x, 3.0, inplace=False),
    lambda x, i: dnp.sort(x, 0, descending=True),
    lambda x, i: lax.top_k(x, 2),
    lambda x, i: dnp.any(x > 0.5, 0),
    lambda x, i: dnp.cumsum(x > 0, 1),
    lambda x, i: dnp.nonzero(x > 0, size=5, fill_value=-1),
    lambda x, i: dnp.searchsorted(dnp.sort(x.ravel()), x),
    lambda x, i: dnp.bincount(i * i, length=5),
    lambda x, i: dnp.where(dnp.isin(i, dnp.array([0, 2])), 1, i),
    lambda x, i: nn.one_hot(i, 4, dtype=bool),
    lambda x, i: dnp.packbits(x > 0, 1),
    lambda x, i: dnp.concatenate([x > 0, x < 1], 1).T,
    lambda x, i: dnp.roll(x, 1, 1) @ x.T,
    lambda x, i: nn.softmax(x) * lax.rev(x, (0,)),
    lambda x, i: (x + 1j * x[::-1]) ** 2,
    lambda x, i: dnp.unique(i % 2, size=3, return_counts=True),
    lambda x, i: dnp.logical_xor(x > 0, i[:, None] > 0),
]


@pytest.mark.parametrize("merges", [True, False])
@pytest.mark.parametrize("rows", [3, 40])
def test_on_constants(rows: int, merges: bool) -> None:
    def arrays() -> tuple[Any, Any]:
        x = dnp.sin(dnp.arange(rows * 4.0) * 1.7).reshape(rows, 4) * 2
        return x, dnp.arange(3)

    def program(n: Any) -> Any:
        x, i = arrays()
        rest = [f(x, i) for f in ON_CONSTANTS if rows == 3]
        masks = (x > 0.5, dnp.any(x > 1.5, 1), x.at[dnp.arange(rows), 0 * dnp.arange(rows)].set(7))
        return n, rest, masks

    with config.merge_small_ops(merges), config.compile("now"):
        results = dt.tree.leaves(dt.jit(program)(1.0))
    with dt.disable_jit():
        expected = dt.tree.leaves(program(1.0))
    for result, wanted in zip(results, expected, strict=True):
        np.testing.assert_allclose(result, wanted, rtol=1e-5, atol=1e-6)
