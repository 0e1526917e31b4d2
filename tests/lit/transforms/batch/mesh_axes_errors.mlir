// Axes over which a batch cannot be divided.
// RUN: dovetail-opt %s --split-input-file --verify-diagnostics --dovetail-batch='dims=0 size=6 mesh-axes=x'

#mesh = #dovetail.mesh<["x" = 2, "y" = 4]>

func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{vmap spmd_axis_name "x" cannot appear in with_sharding_constraint spec, got: #dovetail.sharding<#dovetail.mesh<["x" = 2, "y" = 4]>, [{"y", "x"}]>}}
  %0 = dovetail.reshard %a as <#mesh, [{"y", "x"}]> : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

#mesh = #dovetail.mesh<["y" = 4, "z" = 2]>

func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{vmap spmd_axis_name must name axes of #dovetail.mesh<["y" = 4, "z" = 2]>, got: "x"}}
  %0 = dovetail.reshard %a as <#mesh, [{"y"}]> : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

#mesh = #dovetail.mesh<["x" = 2, "y" = 4]>

func.func private @part(%a: tensor<2xf32>) -> tensor<2xf32> {
  return %a : tensor<2xf32>
}

func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{vmap spmd_axis_name cannot appear in shard_map in_specs, got: "x"}}
  %0 = dovetail.shard_map @part on #mesh manual ["x", "y"] in [#dovetail.sharding<#mesh, [{"x"}]>]
    out [#dovetail.sharding<#mesh, [{"x"}]>](%a) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

#mesh = #dovetail.mesh<["x" = 2, "y" = 4]>

func.func private @part(%a: tensor<4xf32>) -> tensor<4xf32> {
  return %a : tensor<4xf32>
}

func.func @main(%a: tensor<4xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{vmap spmd_axis_name cannot appear in shard_map out_specs, got: "x"}}
  %0 = dovetail.shard_map @part on #mesh manual ["x", "y"] in [#dovetail.sharding<#mesh, [{}]>]
    out [#dovetail.sharding<#mesh, [{"x"}]>](%a) : (tensor<4xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

#mesh = #dovetail.mesh<["x" = 2, "y" = 4]>

func.func private @part(%a: tensor<1xf32>) -> tensor<1xf32> {
  %0 = dovetail.all_reduce_sum %a over ["x"] : tensor<1xf32>
  return %0 : tensor<1xf32>
}

func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{vmap spmd_axis_name cannot be an axis over which shard_map's function has collectives, got: "x"}}
  %0 = dovetail.shard_map @part on #mesh manual ["x", "y"] in [#dovetail.sharding<#mesh, [{"y"}]>]
    out [#dovetail.sharding<#mesh, [{"y"}]>](%a) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

#mesh = #dovetail.mesh<["x" = 4, "y" = 2]>

func.func private @part(%a: tensor<2xf32>) -> tensor<2xf32> {
  return %a : tensor<2xf32>
}

func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{the size of the axis that vmap maps must be a multiple of 4, the number of devices along the axes in spmd_axis_name, got: 6}}
  %0 = dovetail.shard_map @part on #mesh manual ["x", "y"] in [#dovetail.sharding<#mesh, [{"y"}]>]
    out [#dovetail.sharding<#mesh, [{"y"}]>](%a) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
