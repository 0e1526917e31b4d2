// What meshes, shardings and functions of parts must be.
// RUN: dovetail-opt %s --split-input-file --verify-diagnostics

// expected-error @+1 {{mesh axes must be distinct, got: "x" twice}}
#mesh = #dovetail.mesh<["x" = 2, "x" = 4]>

// -----

// expected-error @+1 {{mesh sizes must be at least 1, got: 0 for "x"}}
#mesh = #dovetail.mesh<["x" = 0]>

// -----

#mesh = #dovetail.mesh<["x" = 2]>
func.func @unknown(%a: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{sharding must name axes of its mesh, #dovetail.mesh<["x" = 2]>, got: "y"}}
  %0 = dovetail.reshard %a as <#mesh, [{"y"}]> : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

#mesh = #dovetail.mesh<["x" = 4]>
func.func @twice(%a: tensor<8x8xf32>) -> tensor<8x8xf32> {
  // expected-error @+1 {{sharding must use each axis once, got: "x" twice}}
  %0 = dovetail.reshard %a as <#mesh, [{"x":(1)2}, {"x"}]> : tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// -----

#mesh = #dovetail.mesh<["x" = 4]>
func.func @part(%a: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{sub-axes must divide their axis, of size 4, got: #dovetail.axis<"x":(1)3>}}
  %0 = dovetail.reshard %a as <#mesh, [{"x":(1)3}]> : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

#mesh = #dovetail.mesh<["x" = 2]>
func.func @rank(%a: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{'dovetail.reshard' op sharding must have one entry for each dimension of 'tensor<8xf32>', got: #dovetail.sharding<#dovetail.mesh<["x" = 2]>, [{"x"}, {}]>}}
  %0 = dovetail.reshard %a as <#mesh, [{"x"}, {}]> : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

#mesh = #dovetail.mesh<["x" = 2]>
func.func @closed(%a: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{'dovetail.reshard' op closed axes must be axes of #dovetail.mesh<["x" = 2]>, got: "y"}}
  %0 = dovetail.reshard %a as <#mesh, [{?}]> closed ["y"] : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

#mesh = #dovetail.mesh<["x" = 2]>
func.func @last(%a: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{'?' must come last}}
  %0 = dovetail.reshard %a as <#mesh, [{?, "x"}]> : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

#mesh = #dovetail.mesh<["x" = 2]>
func.func @whole(%a: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{'dovetail.shard_map' op manual axes must be axes of #dovetail.mesh<["x" = 2]>, got: "y"}}
  %0 = dovetail.shard_map @part on #mesh manual ["y"] in [#dovetail.sharding<#mesh, [{}]>] out [#dovetail.sharding<#mesh, [{}]>](%a) : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
func.func private @part(%a: tensor<8xf32>) -> tensor<8xf32> { return %a : tensor<8xf32> }

// -----

#mesh = #dovetail.mesh<["x" = 2, "y" = 2]>
func.func @whole(%a: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{'dovetail.shard_map' op 'in' must name whole manual axes, got: #dovetail.axis<"y">}}
  %0 = dovetail.shard_map @part on #mesh manual ["x"] in [#dovetail.sharding<#mesh, [{"y"}]>] out [#dovetail.sharding<#mesh, [{}]>](%a) : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
func.func private @part(%a: tensor<4xf32>) -> tensor<8xf32> {
  %0 = dovetail.concatenate %a, %a dimension 0 : tensor<4xf32>, tensor<4xf32>
  return %0 : tensor<8xf32>
}

// -----

#mesh = #dovetail.mesh<["x" = 2]>
func.func @whole(%a: tensor<7xf32>) -> tensor<7xf32> {
  // expected-error @+1 {{'dovetail.shard_map' op 'in' must divide arrays into equal parts, got: #dovetail.sharding<#dovetail.mesh<["x" = 2]>, [{"x"}]> for 'tensor<7xf32>'}}
  %0 = dovetail.shard_map @part on #mesh manual ["x"] in [#dovetail.sharding<#mesh, [{"x"}]>] out [#dovetail.sharding<#mesh, [{}]>](%a) : (tensor<7xf32>) -> tensor<7xf32>
  return %0 : tensor<7xf32>
}
func.func private @part(%a: tensor<7xf32>) -> tensor<7xf32> { return %a : tensor<7xf32> }

// -----

#mesh = #dovetail.mesh<["x" = 2]>
func.func @whole(%a: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{'dovetail.shard_map' op the function's value 0 of 'in' must be 'tensor<4xf32>', got: 'tensor<8xf32>'}}
  %0 = dovetail.shard_map @part on #mesh manual ["x"] in [#dovetail.sharding<#mesh, [{"x"}]>] out [#dovetail.sharding<#mesh, [{}]>](%a) : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
func.func private @part(%a: tensor<8xf32>) -> tensor<8xf32> { return %a : tensor<8xf32> }

// -----

// expected-error @+1 {{mesh must have less than 2^31 devices, got: 65536, 65536}}
#mesh = #dovetail.mesh<["x" = 65536, "y" = 65536]>

// -----

func.func @none(%a: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{'dovetail.vary' op axes must name at least one axis, got: none}}
  %0 = dovetail.vary %a over [] : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

func.func @twice(%a: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{'dovetail.vary' op axes must be distinct, got: "x" twice}}
  %0 = dovetail.vary %a over ["x", "x"] : tensor<8xf32>
  return %0 : tensor<8xf32>
}
