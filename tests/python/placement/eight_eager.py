"""Functions of sharded arrays outside of jit have results sharded as those of jitted functions are;
run by `test_devices`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import dovetail as dt
import dovetail.numpy as dnp
from dovetail import lax
from dovetail.sharding import AxisType, NamedSharding
from dovetail.sharding import PartitionSpec as P

MESH = dt.make_mesh((4, 2), ("a", "b"), axis_types=(AxisType.Auto,) * 2)
VALUES = np.random.default_rng(0).normal(size=(8, 16)).astype(np.float32)
W = np.random.default_rng(1).normal(size=(16, 4)).astype(np.float32)


def put(x: Any, *spec: Any) -> dt.Array:
    return dt.device_put(x, NamedSharding(MESH, P(*spec)))


X, Z, V = put(VALUES, "a"), put(VALUES, "a", "b"), put(VALUES[0], "b")

# A function, the arrays, and the spec of the result; all as in JAX.
CASES: dict[str, tuple[Callable[..., Any], tuple[Any, ...], P]] = {
    "add": (lambda x: x + 1, (X,), P("a")),
    "add of two": (lambda x, z: x + z, (X, Z), P("a", "b")),
    "sum": (lambda x: dnp.sum(x, axis=1), (X,), P("a")),
    "sum over shards": (lambda x: dnp.sum(x, axis=0), (X,), P()),
    "mean of all": (dnp.mean, (Z,), P()),
    "product": (lambda x, w: x @ w, (X, put(W, None, "b")), P("a", "b")),
    "einsum": (lambda z: dnp.einsum("ij,ij->i", z, z), (Z,), P("a")),
    "transpose": (dnp.transpose, (Z,), P("b", "a")),
    "softmax": (dt.nn.softmax, (Z,), P("a", "b")),
    "where": (lambda x, z: dnp.where(x > 0, x, z), (X, Z), P("a", "b")),
    "divmod": (lambda z: divmod(z, 2)[1], (Z,), P("a", "b")),
    "index": (lambda x: x[:, 1:3], (X,), P("a")),
    "sort": (lambda x: dnp.sort(x, axis=1), (X,), P("a")),
    "stack": (lambda x: dnp.stack([x, x]), (X,), P(None, "a")),
    "std": (lambda z: dnp.std(z, axis=0), (Z,), P("b")),
    "top_k": (lambda x: lax.top_k(x, 2)[1], (X,), P("a")),
    "grad": (dt.grad(lambda x: dnp.sum(dnp.sin(x) ** 2)), (X,), P("a")),
    "vmap": (dt.vmap(dnp.sum), (X,), P("a")),
    "jvp": (lambda z: dt.jvp(dnp.sin, (z,), (z,))[1], (Z,), P("a", "b")),
    "vjp": (lambda z: dt.vjp(dnp.sin, z)[1](z)[0], (Z,), P("a", "b")),
    "linearize": (lambda z: dt.linearize(dnp.sin, z)[1](z), (Z,), P("a", "b")),
    "hessian": (dt.hessian(lambda v: dnp.sum(v**3)), (V,), P("b")),
    "checkpoint": (dt.checkpoint(lambda z: z * 2), (Z,), P("a", "b")),
}


@pytest.mark.parametrize("name", CASES)
@dt.config.compile("never")
def test_results_are_sharded_as_those_of_jit(name: str) -> None:
    function, arrays, spec = CASES[name]
    # The third call with arrays on one device would be replayed.
    result, *others = [function(*arrays) for _ in range(3)]
    for each in (result, *others):
        assert each.sharding == NamedSharding(MESH, spec)
        assert each.committed
    expected = function(*map(dnp.asarray, map(np.asarray, arrays)))
    np.testing.assert_array_equal(result, expected)
    for shard in result.addressable_shards:
        np.testing.assert_array_equal(shard.data, np.asarray(expected)[shard.index])
    if name != "hessian":
        assert dt.jit(function)(*arrays).sharding == result.sharding


def test_arrays_of_the_same_shape_are_sharded_alike() -> None:
    assert dnp.zeros_like(Z).sharding == Z.sharding
    assert dnp.full_like(Z, 2).sharding == Z.sharding
    assert dnp.copy(Z).sharding == Z.sharding


def test_results_that_depend_on_values_are_replicated() -> None:
    for result in (dnp.nonzero(V)[0], dnp.unique(V), V[V > 0]):
        assert result.sharding == NamedSharding(MESH, P())


def test_callbacks_have_replicated_results() -> None:
    result = dt.pure_callback(np.sin, dt.ShapeDtypeStruct(V.shape, V.dtype), V)
    assert result.sharding == NamedSharding(MESH, P())


def test_results_are_arguments_of_programs() -> None:
    shifted = Z + 1
    result = dt.jit(lambda z: z * 2)(shifted)
    assert result.sharding == Z.sharding
    np.testing.assert_array_equal(result, (VALUES + 1) * 2)
