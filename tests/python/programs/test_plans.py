"""Shardings that are found by estimates."""

from __future__ import annotations

from typing import Any

import pytest

import dovetail as dt
import dovetail.numpy as dnp
from dovetail import lax
from dovetail.sharding import AbstractMesh, estimate, search
from dovetail.sharding import PartitionSpec as P

MESH = AbstractMesh((4, 2), ("data", "model"))
LENGTH, HEADS, WIDTH, HIDDEN = 128, 8, 512, 2048


def described(*shape: int) -> dt.ShapeDtypeStruct:
    return dt.ShapeDtypeStruct(shape, "float32")


def normal(x: Any) -> Any:
    return (x - dnp.mean(x, -1, keepdims=True)) * lax.rsqrt(dnp.var(x, -1, keepdims=True) + 1e-5)


def block(params: Any, x: Any) -> Any:
    """One block of a transformer."""
    h, shape = normal(x), (*x.shape[:2], HEADS, WIDTH // HEADS)
    q, k, v = (dnp.moveaxis((h @ params[name]).reshape(shape), 2, 1) for name in "qkv")
    a = dt.nn.softmax(q @ dnp.swapaxes(k, 2, 3) / 8, -1) @ v
    x = x + dnp.moveaxis(a, 1, 2).reshape(x.shape) @ params["o"]
    return x + dt.nn.gelu(normal(x) @ params["up"]) @ params["down"]


PARAMS = {name: described(WIDTH, WIDTH) for name in "qkvo"}
PARAMS |= {"up": described(WIDTH, HIDDEN), "down": described(HIDDEN, WIDTH)}
# As in M. Shoeybi et al., Megatron-LM, arXiv:1909.08053.
MEGATRON = {name: P(None, "model") for name in ("q", "k", "v", "up")}
MEGATRON |= {"o": P("model"), "down": P("model")}


@pytest.mark.parametrize("batch", [1, 4, 8])
def test_no_worse_than_the_plan_of_megatron(batch: int) -> None:
    x = described(batch, LENGTH, WIDTH)
    by_hand = estimate(block, MESH, PARAMS, x, in_shardings=(MEGATRON, P("data")))
    assert [each.op for each in by_hand.collectives].count("all_reduce_sum") == 2
    plan = search(block, MESH, PARAMS, x)
    assert plan.estimate.seconds <= by_hand.seconds
    # The plan is what was estimated.
    again = estimate(block, MESH, PARAMS, x, in_shardings=plan.in_shardings)
    assert again.seconds == pytest.approx(plan.estimate.seconds)
    first, last = plan.steps[0][1], plan.steps[-1][1]
    assert last.seconds < first.seconds / 2
    assert str(plan).count("\n") == len(plan.steps)


def test_what_is_recomputed_is_divided_alike() -> None:
    """The gradient of checkpointed layers sums products over devices, and gathers nothing."""
    x = described(8, LENGTH, WIDTH)
    layers = {name: described(3, *each.shape) for name, each in PARAMS.items()}
    specs = {name: P(None, *spec) for name, spec in MEGATRON.items()}

    def gradient(of: Any) -> Any:
        def loss(params: Any, x: Any) -> Any:
            return dnp.mean(lax.scan(lambda x, p: (of(p, x), None), x, params)[0] ** 2)

        found = estimate(dt.grad(loss), MESH, layers, x, in_shardings=(specs, P("data")))
        assert {each.op for each in found.collectives} == {"all_reduce_sum"}
        return [each.axes for each in found.collectives].count(("model",))

    # One of the products is needed once more.
    assert gradient(block) == 4
    assert gradient(dt.checkpoint(block)) == 5


def test_memory_divides_the_weights() -> None:
    x = described(8, LENGTH, WIDTH)
    free = search(block, MESH, PARAMS, x)
    assert all(spec == P() for spec in free.in_shardings[0].values())
    limit = 0.6 * free.estimate.peak_bytes
    plan = search(block, MESH, PARAMS, x, memory_per_device=limit)
    assert plan.estimate.peak_bytes <= limit
    assert any(spec != P() for spec in plan.in_shardings[0].values())
    assert plan.estimate.seconds >= free.estimate.seconds


def test_arguments_that_cannot_be_divided() -> None:
    plan = search(lambda x, n: x * n, AbstractMesh((8,), ("i",)), described(3), 2.0)
    assert plan.in_shardings == (P(), P())
    assert len(plan.steps) == 1


def test_bad_input() -> None:
    with pytest.raises(ValueError, match="memory_per_device must be positive, got: 0"):
        search(dnp.sin, MESH, described(4), memory_per_device=0)
    with pytest.raises(ValueError, match="search: latency must be positive, got: -1"):
        search(dnp.sin, MESH, described(4), latency=-1)
