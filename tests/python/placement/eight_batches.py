"""Batches that are divided over eight devices by `spmd_axis_name`; run by `test_devices`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import dovetail as dt
import dovetail.numpy as dnp
from dovetail import lax
from dovetail.lax import with_sharding_constraint
from dovetail.sharding import AxisType, Mesh, NamedSharding
from dovetail.sharding import PartitionSpec as P
from support.parts_check import check

DEVICES = np.array(dt.devices()).reshape(2, 2, 2)
NAMES = ("replica", "data", "model")
MESH = Mesh(DEVICES, NAMES, axis_types=(AxisType.Auto,) * 3)
EXPLICIT = Mesh(DEVICES, NAMES, axis_types=(AxisType.Explicit,) * 3)
X = np.random.default_rng(0).normal(size=(8, 4, 2)).astype(np.float32)
W = np.random.default_rng(1).normal(size=(4, 2)).astype(np.float32)


def put(x: Any, *spec: Any, mesh: Mesh = MESH) -> dt.Array:
    return dt.device_put(x, NamedSharding(mesh, P(*spec)))


def constrained(x: Any) -> Any:
    return with_sharding_constraint(x * x, NamedSharding(MESH, P("data")))


def mapped(f: Callable[..., Any], *specs: Any) -> Any:
    return dt.shard_map(f, mesh=MESH, in_specs=specs or P("data"), out_specs=P("data"))


def product(x: Any, w: Any) -> Any:
    return dnp.tanh(x * w) * lax.psum(dnp.sum(x), "data")


WHOLE: list[tuple[Callable[[Any], Any], Callable[[Any], Any]]] = [
    (constrained, lambda x: x * x),
    (mapped(lambda x: x * lax.psum(dnp.sum(x), "data")), lambda x: x * dnp.sum(x)),
    (
        lambda x: lax.scan(lambda c, _: (constrained(c), None), x, None, length=2)[0],
        lambda x: x**4,
    ),
]


@pytest.mark.parametrize("axes", ["model", ("model", "replica")])
@pytest.mark.parametrize(("f", "plain"), WHOLE)
def test_the_batch_is_divided(f: Any, plain: Any, axes: Any) -> None:
    expected = dt.vmap(plain)(X)
    over = dt.jit(dt.vmap(f, spmd_axis_name=axes))
    check(over(X), expected, axes, "data")
    check(over(put(X, "data")), expected, axes, "data")
    over = dt.jit(dt.vmap(f, in_axes=2, out_axes=2, spmd_axis_name="model"))
    check(over(X), dt.vmap(plain, in_axes=2, out_axes=2)(X), "data", None, "model")


@pytest.mark.parametrize(("f", "plain"), WHOLE)
def test_outside_of_programs(f: Any, plain: Any) -> None:
    over = dt.vmap(f, spmd_axis_name="model")
    np.testing.assert_allclose(over(X), dt.vmap(plain)(X), rtol=1e-4)
    check(over(put(X, "replica")), dt.vmap(plain)(X), "model", "data")


def test_nested_batches() -> None:
    x = np.stack([X, -X])
    over = dt.vmap(dt.vmap(WHOLE[1][0], spmd_axis_name="model"), spmd_axis_name="replica")
    check(dt.jit(over)(x), dt.vmap(dt.vmap(WHOLE[1][1]))(x), "replica", "model", "data")


def test_a_device_has_a_part_of_the_batch() -> None:
    f = dt.jit(dt.vmap(mapped(lambda x: x + lax.psum(x, "data")), spmd_axis_name="model"))
    text = f.lower(put(X, "model", "data")).as_text("shard")
    assert "tensor<4x2x2xf32>" in text
    assert "all_gather" not in text


def test_derivatives() -> None:
    f = mapped(product, P("data"), P("data"))

    def plain(x: Any, w: Any) -> Any:
        return dnp.tanh(x * w) * dnp.sum(x)

    def loss(f: Any, **options: Any) -> Callable[..., Any]:
        return lambda x, w: dnp.sum(dt.vmap(f, in_axes=(0, None), **options)(x, w) ** 2)

    expected = dt.grad(loss(plain), (0, 1))(X, W)
    ours = dt.jit(dt.grad(loss(f, spmd_axis_name=("replica", "model")), (0, 1)))(X, W)
    check(ours[0], expected[0], ("replica", "model"), "data")
    np.testing.assert_allclose(ours[1], expected[1], rtol=1e-4)
    # Per example.
    grads = dt.vmap(
        dt.grad(lambda x, w: dnp.sum(f(x, w) ** 2), 1), (0, None), spmd_axis_name="model"
    )
    wanted = dt.vmap(dt.grad(lambda x, w: dnp.sum(plain(x, w) ** 2), 1), (0, None))
    check(dt.jit(grads)(X, W), wanted(X, W), "model", "data")


def test_types_may_state_the_same_axes() -> None:
    x = put(X, "model", mesh=EXPLICIT)
    with dt.set_mesh(EXPLICIT):
        check(dt.jit(dt.vmap(dnp.sin, spmd_axis_name="model"))(x), np.sin(X), "model", None, None)
        with pytest.raises(ValueError, match="Only one of spmd_axis_name or arrays sharded on"):
            dt.jit(dt.vmap(dnp.sin, spmd_axis_name="data"))(x)
