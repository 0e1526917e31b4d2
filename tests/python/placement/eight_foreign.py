"""Foreign functions on sharded arrays, over eight devices; run by `test_devices`."""

from __future__ import annotations

import ctypes
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dovetail as dt
import dovetail.numpy as dnp
from dovetail import ffi, lax
from dovetail.sharding import Mesh, NamedSharding
from dovetail.sharding import PartitionSpec as P
from support.native_libraries import library
from support.parts_check import check

LINE = Mesh(dt.devices(), "i")
X = np.arange(48, dtype=np.float32).reshape(16, 3)
FUNCTIONS = ctypes.CDLL(str(library(Path(__file__).parents[1] / "ffi" / "functions.c")))
for name in ("scale", "count", "fails", "shapes"):
    ffi.register_c_function(name, getattr(FUNCTIONS, name))
ffi.register_c_function("scale_parts", FUNCTIONS.scale)
ffi.register_ffi_target_as_batch_partitionable("scale_parts")
ffi.register_c_function("scale_matrices", FUNCTIONS.scale)
ffi.register_ffi_target_as_batch_partitionable("scale_matrices", core_ndim=2)


def scale(x: Any, name: str = "scale_parts", **options: Any) -> Any:
    call = ffi.ffi_call(name, dt.ShapeDtypeStruct(x.shape, x.dtype), **options)
    return call(x, by=np.float32(2))


def put(x: Any, *spec: Any) -> dt.Array:
    return dt.device_put(x, NamedSharding(LINE, P(*spec)))


@pytest.mark.parametrize(
    ("name", "spec", "is_local"),
    [
        ("scale_parts", ("i",), True),
        ("scale_parts", (None, None), False),
        ("scale_matrices", ("i",), False),
        ("scale", ("i",), False),
    ],
)
def test_parts_of_a_batch(name: str, spec: Any, is_local: bool) -> None:
    x = put(X, *spec)
    compiled = dt.jit(lambda x: scale(x, name) + 1)
    check(compiled(x), 2 * X + 1, *(["i"] if is_local else []))
    assert ("all_gather" in compiled.lower(x).as_text("shard")) == (not is_local and spec[0] == "i")


def test_types_over_explicit_axes() -> None:
    mesh = dt.make_mesh((8,), ("i",), axis_types=(dt.sharding.AxisType.Explicit,))
    x = dt.device_put(X, NamedSharding(mesh, P("i")))

    def doubled(x: Any) -> Any:
        return dt.pure_callback(lambda x: 2 * x, dt.ShapeDtypeStruct(x.shape, x.dtype), x)

    whole = P(None, None)
    for f, spec in (
        (doubled, whole),
        (lambda x: scale(x, "scale"), whole),
        (lambda x: scale(x, "scale_matrices"), whole),
        (scale, P("i", None)),
        (lambda x: dt.reshard(doubled(x), P(None, "i")), P(None, "i")),
    ):
        with dt.set_mesh(mesh):
            types = []
            result = dt.jit(lambda x, f=f, types=types: types.append(dt.typeof(y := f(x))) or y)(x)
        assert types[0].sharding.spec == spec
        np.testing.assert_array_equal(result, 2 * X)


def test_a_batch_of_vmap() -> None:
    x = put(np.stack([X] * 8), "i")
    doubled = dt.jit(dt.vmap(lambda x: scale(x, "scale_matrices", vmap_method="broadcast_all")))
    check(doubled(x), 2 * np.stack([X] * 8), "i")
    assert "all_gather" not in doubled.lower(x).as_text("shard")


def test_functions_of_parts() -> None:
    def part(x: Any) -> Any:
        assert x.shape == (2, 3)
        return lax.psum(scale(x, "scale"), "i")

    total = dt.jit(dt.shard_map(part, mesh=LINE, in_specs=P("i"), out_specs=P()))
    expected = 2 * X.reshape(8, 2, 3).sum(0)
    np.testing.assert_allclose(total(put(X, "i")), expected)
    with dt.config.compile("never"):
        np.testing.assert_allclose(dt.jit(total)(X), expected)


def test_effects_happen_once() -> None:
    def f(x: Any) -> Any:
        ffi.ffi_call("count", (), has_side_effect=True)(x)
        return x + 1

    before = FUNCTIONS.number_of_calls()
    check(dt.jit(f)(put(X, "i")), X + 1, "i")
    assert FUNCTIONS.number_of_calls() == before + 1


def test_a_failure_on_a_device() -> None:
    def part(x: Any) -> Any:
        x = ffi.ffi_call("fails", dt.ShapeDtypeStruct((), x.dtype))(x[0, 0])
        return lax.psum(x, "i")

    f = dt.jit(dt.shard_map(part, mesh=LINE, in_specs=P("i"), out_specs=P()))
    with pytest.raises(RuntimeError, match=r"`fails` failed: x must not be negative, called at"):
        f(put(X - 5, "i"))
    np.testing.assert_allclose(f(put(X, "i")), dnp.sum(X[::2, 0]))
