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
from dovetail.experimental.custom_partitioning import custom_partitioning
from dovetail.sharding import Mesh, NamedSharding
from dovetail.sharding import PartitionSpec as P
from support.native_libraries import library
from support.parts_check import check

LINE = Mesh(dt.devices(), "i")
X = np.arange(48, dtype=np.float32).reshape(16, 3)
FUNCTIONS = ctypes.CDLL(str(library(Path(__file__).parents[1] / "ffi" / "functions.c")))
for name in ("scale", "count", "fails", "shapes", "products"):
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


def locally(function: Any, keeps: Any = lambda spec: spec) -> Any:
    """A rule: the function on parts of arguments, of whose specs some entries are kept."""

    def partition(mesh: Any, arguments: Any, result: Any) -> Any:
        given = [NamedSharding(mesh, P(*keeps(x.sharding.spec))) for x in arguments]
        return mesh, function, result.sharding, tuple(given)

    return partition


def times(x: Any, y: Any) -> Any:
    """The products of rows and columns, by a foreign function."""
    shape = dt.ShapeDtypeStruct((x.shape[0], y.shape[1]), x.dtype)
    return ffi.ffi_call("products", shape)(x, y)


GRID = Mesh(np.array(dt.devices()[:4]).reshape(2, 2), ("i", "j"))
SMALL = Mesh(dt.devices()[:2], "i")
FOUR = Mesh(dt.devices()[:4], "i")


@pytest.mark.parametrize(
    ("mesh", "rule", "specs", "spec"),
    [
        (SMALL, "i k, k j -> i j", (P("i"), P()), P("i")),
        (FOUR, "i k, k j -> i j", (P(), P(None, "i")), P(None, "i")),
        (LINE, "i k, k j -> i j", (P("i"), P()), P("i")),
        (GRID, "i k, k j -> i j", (P("i"), P(None, "j")), P("i", "j")),
        (GRID, "i k, k j -> i j", (P(("i", "j")), P()), P(("i", "j"))),
        # The contracted dimension is not divided: its parts would have to be added up.
        (GRID, "i k, k j -> i j", (P("i", "j"), P("j")), P("i")),
        # Neither are dimensions of two factors, nor those of which all elements are needed.
        (FOUR, "i (k l), (k l) j -> i j", (P("i"), P()), P("i")),
    ],
)
def test_rules_of_functions(mesh: Mesh, rule: str, specs: Any, spec: Any) -> None:
    x = np.arange(64, dtype=np.float32).reshape(16, 4)
    y = np.arange(32, dtype=np.float32).reshape(4, 8)
    product = custom_partitioning(times)
    sizes: dict[str, Any] = {"k": 2, "l": 2} if "l" in rule else {}

    def partition(mesh: Any, arguments: Any, result: Any) -> Any:
        rows, columns = (NamedSharding(mesh, P(*each)) for each in _kept(result.sharding.spec))
        return mesh, times, result.sharding, (rows, columns)

    product.def_partition(partition, sharding_rule=rule, **sizes)
    args = [dt.device_put(v, NamedSharding(mesh, s)) for v, s in zip((x, y), specs, strict=True)]
    compiled = dt.jit(lambda x, y: product(x, y) + 1)
    result = compiled(*args)
    np.testing.assert_allclose(result, x @ y + 1)
    assert result.sharding.is_equivalent_to(NamedSharding(mesh, spec), 2)
    text = compiled.lower(*args).as_text("shard")
    parts = [size // divided for size, divided in zip((16, 8), _divided(mesh, spec), strict=True)]
    assert f"tensor<{parts[0]}x{parts[1]}xf32>" in _line("products", text)
    assert ("all_gather" in text) == (specs[0] == P("i", "j"))


def _kept(spec: Any) -> tuple[Any, Any]:
    """The specs of the operands of a product of this spec, whose contracted dimension is whole."""
    rows, columns = (*spec, None, None)[:2]
    return (rows, None), (None, columns)


def _divided(mesh: Mesh, spec: Any) -> list[int]:
    sizes = []
    for axes in (*spec, None)[:2]:
        names = axes if isinstance(axes, tuple) else (axes,) * (axes is not None)
        sizes.append(int(np.prod([mesh.shape[name] for name in names], dtype=int)))
    return [*sizes, *[1] * (2 - len(sizes))]


def _line(call: str, text: str) -> str:
    return next(line for line in text.splitlines() if call in line)


def test_rules_and_vmap() -> None:
    product = custom_partitioning(lambda x: scale(x, "scale", vmap_method="broadcast_all"))
    product.def_partition(locally(product.fun), sharding_rule="... i -> ... i")
    for spec in (P("i"), P(None, "i"), P(None, None, "i")):
        x = put(np.stack([np.stack([X[:8, :1]] * 8, -1)[:, 0]] * 8), *spec)
        compiled = dt.jit(dt.vmap(product))
        check(compiled(x), 2 * np.asarray(x), *spec)
        assert "all_gather" not in compiled.lower(x).as_text("shard")


def test_replicated_factors() -> None:
    function = custom_partitioning(lambda x: scale(x, "scale"))
    whole = locally(function.fun, lambda spec: [])

    def partition(mesh: Any, arguments: Any, result: Any) -> Any:
        _, local, _, given = whole(mesh, arguments, result)
        return mesh, local, given[0], given

    function.def_partition(partition, sharding_rule="i j -> i j", need_replication_factors=("i",))
    compiled = dt.jit(function)
    x = put(X, "i")
    np.testing.assert_array_equal(compiled(x), 2 * X)
    assert "all_gather" in compiled.lower(x).as_text("shard")
    # Called before it gets a rule.
    later = custom_partitioning(lambda x: scale(x, "scale"))
    np.testing.assert_array_equal(later(x), 2 * X)
    later.def_partition(locally(later.fun), sharding_rule="i j -> i j")
    assert "all_gather" not in dt.jit(later).lower(x).as_text("shard")
