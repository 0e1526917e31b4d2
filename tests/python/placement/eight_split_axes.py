"""Dimensions that are divided over less than a whole axis of a mesh; run by `test_devices`."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import dovetail as dt
import dovetail.numpy as dnp
from dovetail import nn
from dovetail.sharding import AxisType, NamedSharding
from dovetail.sharding import PartitionSpec as P

FOUR = dt.make_mesh((4,), ("x",), (AxisType.Auto,), devices=dt.devices()[:4])
EIGHT = dt.make_mesh((8,), ("x",), (AxisType.Auto,))
RNG = np.random.default_rng(0)


def normal(*shape: int) -> np.ndarray:
    return RNG.normal(size=shape).astype(np.float32)


def attention(x: Any, query: Any, key: Any, value: Any, out: Any, heads: int = 2) -> Any:
    parts = [(x @ w).reshape(4, 8, heads, -1).swapaxes(1, 2) for w in (query, key, value)]
    scores = nn.softmax(parts[0] @ parts[1].swapaxes(-1, -2), axis=-1)
    return (scores @ parts[2]).swapaxes(1, 2).reshape(4, 8, -1) @ out


def grouped(x: Any, groups: int) -> Any:
    y = x.reshape(4, 8, groups, -1)
    y = (y - y.mean((1, 3), keepdims=True)) / y.std((1, 3), keepdims=True)
    return y.reshape(x.shape)


WEIGHTS = [normal(64, 64) / 8 for _ in range(4)]
ROWS, COLUMNS = P("x", None), P(None, "x")
Case = tuple[Callable[..., Any], list[np.ndarray], list[Any], dict[str, int]]
# Functions, arguments, their shardings on four devices, and how many collectives there are.
CASES: dict[str, Case] = {
    "heads": (
        attention,
        [normal(4, 8, 64), *WEIGHTS],
        [P(), COLUMNS, COLUMNS, COLUMNS, ROWS],
        {"all_reduce_sum": 2, "all_gather": 0},
    ),
    "groups": (
        lambda x: grouped(x, 2),
        [normal(4, 8, 32)],
        [P(None, None, "x")],
        {"all_reduce_sum": 2, "all_gather": 0},
    ),
    "groups that the axis divides": (
        lambda x: grouped(x, 8),
        [normal(4, 8, 32)],
        [P(None, None, "x")],
        {"all_reduce_sum": 0, "all_gather": 0},
    ),
    "parts of rows": (
        lambda x: x.reshape(2, 4, 16).sum(1),
        [normal(8, 16)],
        [ROWS],
        {"all_reduce_sum": 1, "all_gather": 1},
    ),
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_collectives(case: Case) -> None:
    function, values, specs, counts = case
    given = [
        dt.device_put(x, NamedSharding(FOUR, spec)) for x, spec in zip(values, specs, strict=True)
    ]
    jitted = dt.jit(function, compile="now")
    text = jitted.lower(*given).as_text("shard")
    assert {name: text.count(f"dovetail.{name} ") for name in counts} == counts
    np.testing.assert_allclose(jitted(*given), jitted(*values), rtol=2e-3, atol=1e-4)
    numbers = tuple(range(len(given)))
    gradient = dt.jit(dt.grad(lambda *args: dnp.sum(function(*args) ** 2), numbers), compile="now")
    for found, expected in zip(gradient(*given), gradient(*values), strict=True):
        np.testing.assert_allclose(found, expected, rtol=2e-3, atol=1e-3)


SHAPES = [shape for n in (1, 2, 3) for shape in itertools.product((2, 3, 4, 8), repeat=n)]


def test_reshapes() -> None:
    """All reshapes among small shapes, with each dimension divided over four or eight devices."""
    for mesh in (FOUR, EIGHT):
        given, results = [], []
        for size in (8, 16, 24, 48):
            shapes = [shape for shape in SHAPES if math.prod(shape) == size] + [(size,)]
            for shape, dim in ((s, d) for s in shapes for d in range(len(s))):
                if shape[dim] % mesh.size == 0:
                    spec = P(*[None] * dim, "x")
                    given.append(dt.device_put(normal(*shape), NamedSharding(mesh, spec)))
                    results.append(shapes)

        @dt.jit
        def all_of(*arrays: Any, results: Any = results) -> Any:
            return [
                [(x.reshape(shape) * 2, x.reshape(shape).sum(-1)) for shape in shapes]
                for x, shapes in zip(arrays, results, strict=True)
            ]

        for x, shapes, found in zip(given, results, all_of(*given), strict=True):
            for shape, (twice, sums) in zip(shapes, found, strict=True):
                expected = np.asarray(x).reshape(shape)
                np.testing.assert_array_equal(twice, expected * 2)
                np.testing.assert_allclose(sums, expected.sum(-1), rtol=1e-4, atol=1e-5)
                # Callers know whole axes only.
                assert {*twice.sharding.mesh.axis_names} == {"x"}


def test_repeated_calls_estimates_and_names() -> None:
    """Parts of an axis that a mesh names itself are no parts of another one."""
    mesh = dt.make_mesh((4, 2), ("x", "x:0"), (AxisType.Auto,) * 2)
    x = normal(8, 16)
    given = dt.device_put(x, NamedSharding(mesh, P("x", "x:0")))
    jitted = dt.jit(lambda x: x.reshape(2, 4, 16).sum(1), compile="now")
    for _ in range(3):
        np.testing.assert_allclose(jitted(given), x.reshape(2, 4, 16).sum(1), rtol=1e-4)
