"""Functions exported for eight devices; run by `test_devices`."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dovetail as dt
from dovetail import P, export
from dovetail.sharding import AbstractMesh, AxisType, Mesh, NamedSharding

X = np.arange(32, dtype=np.float32).reshape(8, 4)
SPECS = [P(), P("x"), P("y"), P(None, "y"), P("x", "y"), P(("x", "y")), P("y", None)]


def _mesh(kind: AxisType = AxisType.Auto) -> Mesh:
    return dt.make_mesh((4, 2), ("x", "y"), axis_types=(kind,) * 2)


def _reversed(kind: AxisType = AxisType.Auto) -> Mesh:
    devices = np.array(dt.devices()[::-1]).reshape(4, 2)
    return Mesh(devices, ("x", "y"), (kind,) * 2)


def _double(x: Any) -> Any:
    return x * 2


@given(
    st.sampled_from(SPECS),
    st.none() | st.sampled_from(SPECS),
    st.sampled_from(["array", "description", "in_shardings"]),
    st.booleans(),
)
def test_shardings_are_stated(taken: P, returned: P | None, way: str, is_stored: bool) -> None:
    mesh, run = _mesh(), _reversed()
    sharding = NamedSharding(mesh, taken)
    out = None if returned is None else NamedSharding(mesh, returned)
    given_in = sharding if way == "in_shardings" else None
    jitted = dt.jit(_double, in_shardings=given_in, out_shardings=out)
    arguments = {
        "array": dt.device_put(X, sharding),
        "description": dt.ShapeDtypeStruct(X.shape, X.dtype, sharding=sharding),
        "in_shardings": X,
    }
    exported = export.export(jitted)(arguments[way])
    if is_stored:
        exported = export.deserialize(exported.serialize())
    assert exported.nr_devices == 8
    assert exported.in_shardings_jax(run) == (NamedSharding(run, taken),)
    assert exported.out_shardings_jax(run) == (
        None if returned is None else NamedSharding(run, returned),
    )
    [abstract] = exported.in_shardings_jax(None)
    assert abstract is not None
    assert isinstance(abstract.mesh, AbstractMesh)
    # On other devices, in another order, of an argument that is sharded in another way.
    result = exported.call(dt.device_put(X, NamedSharding(run, P(None, "x"))))
    np.testing.assert_array_equal(result, 2 * X)
    assert result.sharding.device_set == set(dt.devices())
    if returned is not None:
        assert result.sharding.is_equivalent_to(NamedSharding(run, returned), 2)


@pytest.mark.parametrize("kind", [AxisType.Auto, AxisType.Explicit])
def test_of_derivatives(kind: AxisType) -> None:
    mesh = _mesh(kind)
    x = dt.device_put(X, NamedSharding(mesh, P("x")))
    vjp = export.export(dt.jit(lambda a: a * a))(x).vjp()
    assert vjp.nr_devices == 8
    taken, cotangent = vjp.in_shardings_jax(mesh)
    assert taken == x.sharding
    assert cotangent is not None
    assert cotangent.spec == (P("x", None) if kind is AxisType.Explicit else P(None, None))
    assert vjp.out_shardings_jax(mesh) == (x.sharding,)
    [gradient] = vjp.call(x, x)
    np.testing.assert_array_equal(gradient, 2 * X * X)


def test_gradients_of_calls() -> None:
    x = dt.device_put(X, NamedSharding(_mesh(), P("x")))
    exported = export.export(dt.jit(lambda a: (a * a).sum()))(x)
    np.testing.assert_array_equal(dt.grad(exported.call)(x), 2 * X)
    np.testing.assert_array_equal(dt.jit(dt.grad(exported.call))(x), 2 * X)
    batched = dt.vmap(lambda a: exported.call(a))(dt.numpy.stack([x, 2 * x]))
    np.testing.assert_array_equal(batched, [(X * X).sum(), 4 * (X * X).sum()])


def test_the_number_of_devices_must_be_that() -> None:
    exported = export.export(dt.jit(_double))(dt.device_put(X, NamedSharding(_mesh(), P("x"))))
    few = dt.make_mesh((4,), ("x",), devices=dt.devices()[:4])
    for x, count in ((X, 1), (dt.device_put(X, NamedSharding(few, P("x"))), 4)):
        with pytest.raises(ValueError, match=f"exported for 8 devices and is called in .* {count}"):
            exported.call(x)
    with pytest.raises(ValueError, match="does not match the mesh used for export"):
        exported.in_shardings_jax(few)


def test_of_one_device_runs_anywhere() -> None:
    exported = export.export(dt.jit(_double))(X)
    assert exported.nr_devices == 1
    assert exported.in_shardings_jax(_mesh()) == exported.out_shardings_jax(_mesh()) == (None,)
    result = exported.call(dt.device_put(X, NamedSharding(_mesh(), P("x"))))
    assert result.sharding.spec == P("x")
    np.testing.assert_array_equal(result, 2 * X)
