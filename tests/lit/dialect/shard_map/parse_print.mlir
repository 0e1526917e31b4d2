// Meshes, shardings and the ops that have them, as text.
// RUN: dovetail-opt %s | dovetail-opt | FileCheck %s

#mesh = #dovetail.mesh<["x" = 2, "y" = 4]>

// CHECK: #[[MESH:.+]] = #dovetail.mesh<["x" = 2, "y" = 4]>

// CHECK-LABEL: func.func @constraints
func.func @constraints(%a: tensor<8x16xf32>) -> tensor<8x16xf32> {
  // CHECK: dovetail.reshard %{{.+}} as <#[[MESH]], [{"x"}, {"y", ?}]> : tensor<8x16xf32>
  %0 = dovetail.reshard %a as <#mesh, [{"x"}, {"y", ?}]> : tensor<8x16xf32>
  // CHECK: dovetail.reshard %{{.+}} as <#[[MESH]], [{}, {"y":(2)2, "x"}p1], replicated = {"y":(1)2}> : tensor<8x16xf32>
  %1 = dovetail.reshard %0 as <#mesh, [{}, {"y":(2)2, "x"}p1], replicated = {"y":(1)2}> : tensor<8x16xf32>
  // CHECK: dovetail.reshard %{{.+}} as <#[[MESH]], [{?}, {}], unreduced = {"x", "y"}> : tensor<8x16xf32>
  %2 = dovetail.reshard %1 as <#mesh, [{?}, {}], unreduced = {"x", "y"}> : tensor<8x16xf32>
  // CHECK: dovetail.reshard %{{.+}} as <#[[MESH]], [{?}, {?}]> in "pinned_host" : tensor<8x16xf32>
  %3 = dovetail.reshard %2 as <#mesh, [{?}, {?}]> in "pinned_host" : tensor<8x16xf32>
  // CHECK: dovetail.reshard %{{.+}} as <#[[MESH]], [{"x", ?}, {?}]> closed ["x"] in "device" : tensor<8x16xf32>
  %4 = dovetail.reshard %3 as <#mesh, [{"x", ?}, {?}]> closed ["x"] in "device" : tensor<8x16xf32>
  return %4 : tensor<8x16xf32>
}

// CHECK-LABEL: func.func @whole
func.func @whole(%a: tensor<8x16xf32>) -> tensor<8xf32> {
  // CHECK: dovetail.shard_map @part on #[[MESH]] manual ["x", "y"] in [#dovetail.sharding<#[[MESH]], [{"x"}, {"y"}]>]
  // CHECK-SAME: out [#dovetail.sharding<#[[MESH]], [{"x"}]>] checked(%{{.+}}) : (tensor<8x16xf32>) -> tensor<8xf32>
  %0 = dovetail.shard_map @part on #mesh manual ["x", "y"] in [#dovetail.sharding<#mesh, [{"x"}, {"y"}]>]
    out [#dovetail.sharding<#mesh, [{"x"}]>] checked (%a) : (tensor<8x16xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

func.func private @part(%a: tensor<4x4xf32>) -> tensor<4xf32> {
  %0 = dovetail.reduce_sum %a [1] : tensor<4x4xf32>
  // CHECK: dovetail.all_reduce_sum %{{.+}} over ["y"] invariant : tensor<4xf32>
  %1 = dovetail.all_reduce_sum %0 over ["y"] invariant : tensor<4xf32>
  // CHECK: dovetail.vary %{{.+}} over ["y"] : tensor<4xf32>
  %2 = dovetail.vary %1 over ["y"] : tensor<4xf32>
  return %2 : tensor<4xf32>
}
