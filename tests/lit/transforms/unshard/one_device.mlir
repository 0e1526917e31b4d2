// An axis of one device makes no batch.
// RUN: dovetail-opt %s --dovetail-unshard --dovetail-inline --dovetail-simplify | FileCheck %s

#mesh = #dovetail.mesh<["x" = 1]>

// CHECK-LABEL: func.func @main(%arg0: tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT:    %[[SIN:.+]] = dovetail.sin %arg0 : tensor<4xf32>
// CHECK-NEXT:    return %[[SIN]]
func.func private @part(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = dovetail.axis_index over ["x"] sizes [1]
  %1 = dovetail.case %0 of(%x) : (tensor<i32>, tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%y: tensor<4xf32>):
    %2 = dovetail.sin %y : tensor<4xf32>
    dovetail.yield %2 : tensor<4xf32>
  }, {
  ^bb0(%y: tensor<4xf32>):
    %2 = dovetail.cos %y : tensor<4xf32>
    dovetail.yield %2 : tensor<4xf32>
  }
  return %1 : tensor<4xf32>
}
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = dovetail.shard_map @part on #mesh manual ["x"] in [#dovetail.sharding<#mesh, [{"x"}]>] out [#dovetail.sharding<#mesh, [{"x"}]>] (%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
