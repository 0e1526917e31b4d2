// The function of parts becomes the program; it is refused if there is more than one.
// RUN: dovetail-opt %s --split-input-file --verify-diagnostics --dovetail-localize | FileCheck %s

#mesh = #dovetail.mesh<["x" = 2]>

// CHECK-LABEL: module attributes {dovetail.mesh = #mesh}
// CHECK:         func.func @main(%arg0: tensor<2xf32> {dovetail.sharding = #dovetail.sharding<#mesh, [{"x"}]>})
// CHECK-SAME:      -> (tensor<f32> {dovetail.sharding = #dovetail.sharding<#mesh, []>})
// CHECK-NEXT:      dovetail.reduce_sum
// CHECK-NEXT:      dovetail.all_reduce_sum
module attributes {dovetail.partition = #mesh} {
  func.func private @part(%x: tensor<2xf32>) -> tensor<f32> {
    %0 = dovetail.reduce_sum %x [0] : tensor<2xf32>
    %1 = dovetail.all_reduce_sum %0 over ["x"] : tensor<f32>
    return %1 : tensor<f32>
  }
  func.func @main(%x: tensor<4xf32>) -> tensor<f32> {
    %0 = dovetail.shard_map @part on #mesh manual ["x"] in [#dovetail.sharding<#mesh, [{"x"}]>]
      out [#dovetail.sharding<#mesh, []>](%x) : (tensor<4xf32>) -> tensor<f32>
    return %0 : tensor<f32>
  }
}

// -----

#mesh = #dovetail.mesh<["x" = 2]>

module attributes {dovetail.partition = #mesh} {
  // expected-error@+1 {{'main' must be one shard_map over all axes of the mesh; run --dovetail-partition before}}
  func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
    %0 = dovetail.sin %x : tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}
