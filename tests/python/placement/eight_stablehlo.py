"""Programs in StableHLO whose shardings and collectives are over devices; run by `test_devices`."""

# ruff: noqa: E501 - programs have lines of any length

from __future__ import annotations

import numpy as np

import dovetail as dt
from dovetail.sharding import AxisType

SHARDED = """
sdy.mesh @mesh = <["data"=2, "model"=4]>
func.func @main(%x: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}]>}, %w: tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"model"}]>}) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"model"}, {"data"}]>}) {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<8x4xf32>, tensor<4x8xf32>) -> tensor<8x8xf32>
  %1 = sdy.sharding_constraint %0 <@mesh, [{"data"}, {"model"}]> : tensor<8x8xf32>
  return %1 : tensor<8x8xf32>
}
"""
OF_EACH = """
module attributes {mhlo.num_replicas = 8 : i32} {
  func.func @main(%x: tensor<3xf32>) -> (tensor<3xf32>, tensor<8x3xf32>) {
    %0 = "stablehlo.all_reduce"(%x) <{replica_groups = dense<[[0, 1, 2, 3, 4, 5, 6, 7]]> : tensor<1x8xi64>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %s = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }) : (tensor<3xf32>) -> tensor<3xf32>
    %number = stablehlo.replica_id : tensor<ui32>
    %1 = stablehlo.convert %number : (tensor<ui32>) -> tensor<f32>
    %2 = stablehlo.broadcast_in_dim %1, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %3 = stablehlo.add %x, %2 : tensor<3xf32>
    %4 = stablehlo.reshape %3 : (tensor<3xf32>) -> tensor<1x3xf32>
    %5 = "stablehlo.all_gather"(%4) <{all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1, 2, 3, 4, 5, 6, 7]]> : tensor<1x8xi64>}> : (tensor<1x3xf32>) -> tensor<8x3xf32>
    return %0, %5 : tensor<3xf32>, tensor<8x3xf32>
  }
}
"""


def test_shardings_that_a_program_states() -> None:
    mesh = dt.make_mesh((2, 4), ("data", "model"), axis_types=(AxisType.Auto,) * 2)
    f = dt.stablehlo.load(SHARDED)
    assert isinstance(f, dt.stablehlo.Loaded)
    rng = np.random.default_rng(0)
    arrays = [rng.normal(size=shape).astype(np.float32) for shape in ((8, 4), (4, 8))]
    assert f.in_shardings[0] is not None
    assert f.in_shardings[0].mesh.axis_names == ("data", "model")
    placed = [
        dt.device_put(x, dt.NamedSharding(mesh, s.spec))
        for x, s in zip(arrays, f.in_shardings, strict=True)
        if s is not None
    ]
    for result in (f(*placed), dt.jit(f)(*placed)):
        np.testing.assert_allclose(result, arrays[0] @ arrays[1], rtol=1e-4, atol=1e-5)
        assert result.sharding.spec == dt.P("model", "data")
    # A program that contains it states the same.
    text = dt.jit(lambda x, w: f(x, w) * 2).lower(*placed).as_text("stablehlo")
    assert text.count("sdy.sharding_constraint") >= 2
    assert 'sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}]>' in text
    # Elsewhere the shardings mean nothing.
    np.testing.assert_allclose(f(*arrays), arrays[0] @ arrays[1], rtol=1e-4, atol=1e-5)


def test_the_program_of_each_device() -> None:
    f = dt.stablehlo.load(OF_EACH)
    x = np.arange(24, dtype=np.float32).reshape(8, 3)
    numbered = x + np.arange(8)[:, None]
    wanted = [np.tile(x.sum(0), (8, 1)), np.tile(numbered, (8, 1, 1))]
    for got, value in zip(dt.vmap(f, axis_name="replica")(x), wanted, strict=True):
        np.testing.assert_allclose(got, value)
    mesh = dt.make_mesh((8,), ("replica",))
    mapped = dt.shard_map(
        lambda x: [out[None] for out in f(x[0])],
        mesh=mesh,
        in_specs=dt.P("replica"),
        out_specs=dt.P("replica"),
    )
    for got, value in zip(dt.jit(mapped)(x), wanted, strict=True):
        np.testing.assert_allclose(got, value)
