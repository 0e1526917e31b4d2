"""Programs on eight devices, from JAX and to JAX; run by `test_stablehlo_shardings`."""

# pyright: reportMissingImports=false, reportOptionalMemberAccess=false
from __future__ import annotations

from typing import Any

import jax
import numpy as np
from jax import export
from jax._src import compiler

import dovetail as dt

X = np.random.default_rng(0).normal(size=(8, 64)).astype(np.float32)
W = np.random.default_rng(1).normal(size=(64, 16)).astype(np.float32)


def mesh_of(library: Any) -> Any:
    types = (library.sharding.AxisType.Auto,) * 2
    return library.make_mesh((2, 4), ("data", "model"), axis_types=types)


def sharded(library: Any, *spec: Any) -> Any:
    return library.NamedSharding(mesh_of(library), library.P(*spec))


def layers(library: Any, x: Any, w: Any) -> Any:
    hidden = library.numpy.tanh(x @ w)
    hidden = library.lax.with_sharding_constraint(hidden, sharded(library, "data", "model"))
    return (hidden**2).sum(0)


def exchanges(library: Any, x: Any) -> Any:
    """All collectives, on the parts of an array."""
    lax = library.lax
    ring = [(0, 1), (1, 2), (2, 3), (3, 0)]
    summed = lax.psum(x, "data") + lax.pmax(x, "model") - lax.pmin(x, ("data", "model"))
    moved = lax.ppermute(x, "model", ring) * (1 + lax.axis_index("data"))
    scattered = lax.psum_scatter(x, "model", scatter_dimension=1, tiled=True)
    exchanged = lax.all_to_all(x, "model", 1, 0, tiled=True)
    gathered = lax.all_gather(x, "data", axis=1, tiled=True)
    return summed + moved, scattered, exchanged, gathered + lax.axis_index("model")


def mapped(library: Any) -> Any:
    return library.shard_map(
        lambda x: exchanges(library, x),
        mesh=mesh_of(library),
        in_specs=library.P("data", "model"),
        out_specs=library.P("data", "model"),
        check_vma=False,
    )


def check(ours: Any, theirs: Any) -> None:
    ours, theirs = dt.tree_util.tree_leaves(ours), jax.tree_util.tree_leaves(theirs)
    assert len(ours) == len(theirs)
    for a, b in zip(map(np.asarray, ours), map(np.asarray, theirs), strict=True):
        assert (a.shape, a.dtype) == (b.shape, b.dtype)
        np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-4)


def compiled_by_jax(text: str, args: list[Any]) -> list[list[np.ndarray]]:
    """The parts of the results of a program on eight devices that JAX's client compiles."""
    devices = np.array(jax.devices())
    options = compiler.get_compile_options(
        num_replicas=1,
        num_partitions=8,
        device_assignment=np.arange(8).reshape(1, 8),
    )
    options.executable_build_options.use_spmd_partitioning = True
    options.executable_build_options.use_shardy_partitioner = True
    executable = devices[0].client.compile_and_load(text, devices.tolist(), options)
    results = executable.execute_sharded(args)
    outs = results.disassemble_into_single_device_arrays()
    return [[np.asarray(part) for part in parts] for parts in outs]


def from_jax() -> None:
    w_sharding, x_sharding = sharded(jax, None, "model"), sharded(jax, "data", None)
    function = jax.jit(
        lambda x, w: layers(jax, x, w),
        in_shardings=(x_sharding, w_sharding),
        out_shardings=sharded(jax, ("data", "model")),
    )
    text = export.export(function)(X, W).mlir_module()
    wanted = function(X, W)
    loaded = dt.stablehlo.load(text)
    assert isinstance(loaded, dt.stablehlo.Loaded)
    assert [s.spec for s in loaded.in_shardings] == [dt.P("data"), dt.P(None, "model")]
    assert [s.spec for s in loaded.out_shardings] == [dt.P(("data", "model"))]
    assert loaded.in_shardings[0].mesh.shape == {"data": 2, "model": 4}
    # On one device, and on eight.
    check(loaded(X, W), wanted)
    args = [
        dt.device_put(x, dt.NamedSharding(mesh_of(dt), sharding.spec))
        for x, sharding in zip((X, W), loaded.in_shardings, strict=True)
    ]
    ours = dt.jit(loaded)(*args)
    assert len(ours.sharding.device_set) == 8
    assert ours.sharding.spec == dt.P(("data", "model"))
    check(ours, wanted)
    gradient = dt.jit(dt.grad(lambda x, w: loaded(x, w).sum(), 1))(*args)
    check(gradient, jax.grad(lambda x, w: function(x, w).sum(), 1)(X, W))


def collectives_from_jax() -> None:
    function = jax.jit(mapped(jax))
    loaded = dt.stablehlo.load(export.export(function)(X).mlir_module())
    wanted = function(X)
    check(loaded(X), wanted)
    check(dt.jit(loaded)(dt.device_put(X, sharded(dt, "data", "model"))), wanted)


def parts_of(x: np.ndarray, sharding: Any) -> Any:
    return jax.device_put(x, sharding)


def to_jax() -> None:
    x, w = (
        dt.device_put(X, sharded(dt, "data", None)),
        dt.device_put(W, sharded(dt, None, "model")),
    )
    text = dt.jit(lambda x, w: layers(dt, x, w)).lower(x, w).as_text("stablehlo")
    assert "sdy.sharding_constraint" in text
    args = [
        jax.device_put(X, sharded(jax, "data", None)),
        jax.device_put(W, sharded(jax, None, "model")),
    ]
    wanted = layers(jax, X, W)
    # Each device has a part of the result, along "model" or all of it.
    parts = compiled_by_jax(text, args)[0]
    size = parts[0].shape[0]
    whole = np.concatenate(parts[: 16 // size]) if size < 16 else parts[0]
    check(whole, wanted)

    text = (
        dt.jit(mapped(dt))
        .lower(dt.device_put(X, sharded(dt, "data", "model")))
        .as_text("stablehlo")
    )
    assert "sdy.manual_computation" in text
    args = [jax.device_put(X, sharded(jax, "data", "model"))]
    for parts, whole in zip(compiled_by_jax(text, args), jax.jit(mapped(jax))(X), strict=True):
        rows = [np.concatenate(parts[i : i + 4], 1) for i in (0, 4)]
        check(np.concatenate(rows), whole)


if __name__ == "__main__":
    from_jax()
    collectives_from_jax()
    to_jax()
    print("done")
