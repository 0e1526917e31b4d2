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
    "dimension of two axes": (
        lambda y: y.reshape(4, 2, 16),
        (put(VALUES, ("a", "b")),),
        P("a", "b"),
    ),
    "dimensions of an axis each": (
        lambda y: y.reshape(8, 16),
        (put(VALUES.reshape(4, 2, 16), "a", "b"),),
        P(("a", "b")),
    ),
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


# Under `set_mesh` ---------------------------------------------------------------------------------

ROW = np.arange(4, dtype=np.float32)
# Calls of arrays on no mesh: what they compute is on all devices of the context's mesh.
UNPLACED: dict[str, Callable[[], Any]] = {
    "zeros": lambda: dnp.zeros((2, 3)),
    "eye": lambda: dnp.eye(4),
    "asarray": lambda: dnp.asarray(ROW),
    "array of a list": lambda: dnp.array([1.0, 2.0]),
    "function of NumPy's arrays": lambda: dnp.sin(ROW),
    "operator": lambda: dnp.asarray(ROW) + 1,
    "method": lambda: dnp.asarray(ROW).reshape(2, 2),
    "index": lambda: dnp.arange(4)[1:2],
    "row": lambda: next(iter(dnp.eye(2))),
    "where": lambda: dnp.where(ROW > 1, 1.0, 2.0),
    "nonzero": lambda: dnp.nonzero(ROW)[0],
    "sum": lambda: dnp.sum(ROW),
    "svd": lambda: dnp.linalg.svd(np.eye(4, dtype=np.float32))[0],
    "key": lambda: dt.random.key_data(dt.random.key(0)),
    "random numbers": lambda: dt.random.normal(dt.random.key(0), (4,)),
    "cond": lambda: lax.cond(True, lambda x: x + 1, lambda x: x, ROW),
    "scan": lambda: lax.scan(lambda x, _: (x + 1, x), ROW, None, length=2)[1],
    "grad": lambda: dt.grad(lambda x: dnp.sum(x * x))(ROW),
    "vmap": lambda: dt.vmap(lambda x: x * x)(ROW),
    "scatter": lambda: dnp.zeros((2, 10)).at[:, np.array([1, 3])].add(5.0),
    "repeat": lambda: dnp.repeat(dnp.eye(3), np.array([1, 2, 1]), axis=0),
    "pure_callback": lambda: dt.pure_callback(
        np.sin, dt.ShapeDtypeStruct(ROW.shape, ROW.dtype), ROW
    ),
    "jit": lambda: dt.jit(lambda: dnp.ones(4))(),
    "jit of NumPy's arrays": lambda: dt.jit(lambda x: x + 1)(ROW),
}


@pytest.mark.parametrize("kind", [AxisType.Auto, AxisType.Explicit])
@pytest.mark.parametrize("name", UNPLACED)
@dt.config.compile("never")
def test_results_are_on_the_mesh_of_the_context(name: str, kind: AxisType) -> None:
    mesh = MESH.update(axis_types=(kind, kind))
    call = UNPLACED[name]
    expected = call()
    assert expected.sharding.num_devices == 1
    for _ in range(3):
        with dt.set_mesh(mesh):
            result = call()
        assert result.committed
        assert result.sharding.is_equivalent_to(NamedSharding(mesh, P()), result.ndim)
        assert result.sharding.mesh == mesh
        assert len(result.addressable_shards) == 8
        np.testing.assert_array_equal(result, expected)
    assert call().sharding == expected.sharding


def test_specs_of_results_state_explicit_dimensions() -> None:
    with dt.set_mesh(MESH.update(axis_types=(AxisType.Explicit,) * 2)):
        explicit: Any = dnp.zeros((2, 3))
        assert explicit.sharding.spec == dt.typeof(explicit).sharding.spec == P(None, None)
    with dt.set_mesh(MESH):
        automatic: Any = dnp.zeros((2, 3))
        assert automatic.sharding.spec == P()


def test_device_put_commits_to_no_mesh() -> None:
    with dt.set_mesh(MESH):
        plain = dt.device_put(ROW)
        assert not plain.committed
        assert plain.sharding.num_devices == 1
        assert (plain + 1).sharding == NamedSharding(MESH, P())


def test_arrays_on_other_devices_than_those_of_the_mesh() -> None:
    elsewhere = dt.device_put(ROW, dt.devices()[3])
    with dt.set_mesh(MESH):
        for call in (lambda: elsewhere + 1, lambda: dt.jit(dnp.sin)(elsewhere)):
            with pytest.raises(ValueError, match=r"incompatible devices .* ids \[3\]"):
                call()
    assert (elsewhere + 1).device == dt.devices()[3]


def test_axes_of_an_abstract_mesh_on_the_devices_of_the_context() -> None:
    renamed = dt.sharding.AbstractMesh((8,), ("c",))
    with dt.set_mesh(MESH), dt.sharding.use_abstract_mesh(renamed):
        result: Any = dnp.arange(8)
    assert result.sharding.mesh.axis_names == ("c",)
    assert result.sharding.device_set == {*dt.devices()}
    np.testing.assert_array_equal(result, np.arange(8))


# Dimensions that are sorted, transformed or cut ---------------------------------------------------

# Functions of an array of 16 × 32 elements, and by how many devices JAX 0.10.2 divides each
# dimension of the result if it divides those of the argument by (4, 1), (1, 4) and (4, 2).
DIVISIONS: dict[str, tuple[Callable[[Any], Any], list[tuple[int, ...]]]] = {
    "fft": (dnp.fft.fft, [(4, 1), (1, 4), (4, 2)]),
    "rfft": (dnp.fft.rfft, [(4, 1), (1, 1), (4, 1)]),
    "fft2": (dnp.fft.fft2, [(4, 1), (1, 4), (4, 2)]),
    "sort": (dnp.sort, [(4, 1), (1, 4), (4, 2)]),
    "argsort": (lambda x: dnp.argsort(x, axis=0), [(4, 1), (1, 4), (4, 2)]),
    "pairs": (lambda x: lax.sort((x, x), num_keys=1)[1], [(4, 1), (1, 4), (4, 2)]),
    "flip": (lambda x: dnp.flip(x, 1), [(4, 1), (1, 4), (4, 2)]),
    "concatenate": (lambda x: dnp.concatenate([x, x]), [(4, 1), (1, 4), (4, 2)]),
    "update": (
        lambda x: lax.dynamic_update_slice(x, dnp.ones((2, 32), x.dtype), (1, 0)),
        [(4, 1), (1, 4), (4, 2)],
    ),
}


@pytest.mark.parametrize("name", DIVISIONS)
def test_results_are_divided_as_those_of_jax(name: str) -> None:
    function, divisions = DIVISIONS[name]
    x = np.random.default_rng(0).normal(size=(16, 32)).astype(np.float32)
    expected = np.asarray(function(dnp.asarray(x)))
    for spec, wanted in zip((["a"], [None, "a"], ["a", "b"]), divisions, strict=True):
        given = put(x, *spec)
        for result in (function(given), dt.jit(function)(given)):
            part = result.sharding.shard_shape(result.shape)
            assert tuple(n // m for n, m in zip(result.shape, part, strict=True)) == wanted
            np.testing.assert_allclose(result, expected, rtol=1e-4, atol=1e-4)


@dt.config.compile("never")
def test_gradients_of_functions_of_parts_are_sharded_as_stated() -> None:
    # They depend on no value.
    first = dt.shard_map(
        lambda x: lax.all_gather(x, "a", axis=0, tiled=True, to="invarying"),
        mesh=MESH,
        in_specs=P("a", "b"),
        out_specs=P(None, "b"),
    )
    x = dt.device_put(np.ones((8, 4), np.float32), NamedSharding(MESH, P("a", "b")))
    assert dt.grad(lambda x: first(x).sum())(x).sharding == x.sharding
