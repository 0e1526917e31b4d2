// Functions of parts become functions of whole arrays: collectives along an axis are ops along a dimension.
// RUN: dovetail-opt %s --dovetail-unshard --canonicalize | FileCheck %s

#mesh = #dovetail.mesh<["x" = 2, "y" = 4]>

// CHECK-LABEL: func.func @main
// CHECK-SAME:    %[[A:.+]]: tensor<8x16xf32>
// CHECK:         %[[SPLIT:.+]] = dovetail.reshape %[[A]] : tensor<8x16xf32> -> tensor<2x4x4x4xf32>
// CHECK:         %[[PARTS:.+]] = dovetail.transpose %[[SPLIT]] [0, 2, 1, 3] : tensor<2x4x4x4xf32>
// CHECK:         %[[SUM:.+]] = dovetail.call @part{{.*}}(%[[PARTS]]) : (tensor<2x4x4x4xf32>) -> tensor<2x4xf32>
// CHECK:         %[[WHOLE:.+]] = dovetail.reshape %[[SUM]] : tensor<2x4xf32> -> tensor<8xf32>
// CHECK:         return %[[WHOLE]]
func.func @main(%a: tensor<8x16xf32>) -> tensor<8xf32> {
  %0 = dovetail.reshard %a as <#mesh, [{"x"}, {?}]> : tensor<8x16xf32>
  %1 = dovetail.shard_map @part on #mesh manual ["x", "y"] in [#dovetail.sharding<#mesh, [{"x"}, {"y"}]>]
    out [#dovetail.sharding<#mesh, [{"x"}]>](%0) : (tensor<8x16xf32>) -> tensor<8xf32>
  return %1 : tensor<8xf32>
}

// CHECK:       func.func private @part{{.*}}(%[[A:.+]]: tensor<2x4x4x4xf32>) -> tensor<2x4xf32>
// CHECK-NEXT:    %[[ROWS:.+]] = dovetail.reduce_sum %[[A]] [3] : tensor<2x4x4x4xf32>
// CHECK-NEXT:    %[[SUM:.+]] = dovetail.reduce_sum %[[ROWS]] [1] : tensor<2x4x4xf32>
// CHECK-NEXT:    return %[[SUM]]
func.func private @part(%a: tensor<4x4xf32>) -> tensor<4xf32> {
  %0 = dovetail.reduce_sum %a [1] : tensor<4x4xf32>
  %1 = dovetail.all_reduce_sum %0 over ["y"] : tensor<4xf32>
  return %1 : tensor<4xf32>
}

// An operand is the term of the first device, a result the sum of all terms: one that does not vary counts for each.
// CHECK-LABEL: func.func @terms
// CHECK-SAME:    %[[A:.+]]: tensor<3xf32>
// CHECK:         %[[ROW:.+]] = dovetail.reshape %[[A]] : tensor<3xf32> -> tensor<1x3xf32>
// CHECK:         %[[TERMS:.+]] = dovetail.pad %[[ROW]], {{.+}} -> tensor<2x3xf32>
// CHECK:         %[[OUT:.+]]:2 = dovetail.call @double{{.*}}(%[[TERMS]]) : (tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<3xf32>)
// CHECK-DAG:     %[[SUM:.+]] = dovetail.reduce_sum %[[OUT]]#0 [0]
// CHECK-DAG:     %[[TWICE:.+]] = dovetail.mul %[[OUT]]#1,
// CHECK:         return %[[SUM]], %[[TWICE]]
func.func @terms(%a: tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>) {
  %0:2 = dovetail.shard_map @double on #mesh manual ["x"] in [#dovetail.sharding<#mesh, [{}], unreduced = {"x"}>]
    out [#dovetail.sharding<#mesh, [{}], unreduced = {"x"}>, #dovetail.sharding<#mesh, [{}], unreduced = {"x"}>](%a)
    : (tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>)
  return %0#0, %0#1 : tensor<3xf32>, tensor<3xf32>
}

func.func private @double(%a: tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>) {
  %0 = dovetail.add %a, %a : tensor<3xf32>
  %1 = dovetail.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
  return %0, %1 : tensor<3xf32>, tensor<3xf32>
}
