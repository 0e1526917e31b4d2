// Primal and rules are batched, and agree on which results carry the batch.
// RUN: dovetail-opt %s --split-input-file --dovetail-batch="dims=1,-1 size=5" | FileCheck %s

// The rule's result carries the batch though the function's does not.
func.func private @f(%x: tensor<2xf32>, %y: tensor<f32>) -> (tensor<2xf32>, tensor<f32>) {
  %0 = dovetail.sin %x : tensor<2xf32>
  return %0, %y : tensor<2xf32>, tensor<f32>
}
func.func private @rule(%x: tensor<2xf32>, %y: tensor<f32>, %dx: tensor<2xf32>, %dy: tensor<f32>) -> (tensor<2xf32>, tensor<f32>, tensor<2xf32>, tensor<f32>) {
  %0 = dovetail.reduce_sum %dx [0] : tensor<2xf32>
  return %x, %y, %dx, %0 : tensor<2xf32>, tensor<f32>, tensor<2xf32>, tensor<f32>
}

// CHECK-LABEL: func.func private @f.batch(
// CHECK-SAME:    -> (tensor<2x5xf32>, tensor<5xf32>)
// CHECK-LABEL: func.func private @rule.batch(
// CHECK-SAME:    %[[X:.+]]: tensor<2x5xf32>, %[[Y:.+]]: tensor<f32>, %[[DX:.+]]: tensor<2x5xf32>, %[[DY:.+]]: tensor<f32>)
// CHECK-DAG:     %[[SUM:.+]] = dovetail.reduce_sum %[[DX]] [0]
// CHECK-DAG:     %[[ALL:.+]] = dovetail.broadcast %[[Y]]
// CHECK:         return %[[X]], %[[ALL]], %[[DX]], %[[SUM]]
// CHECK-LABEL: func.func private @main.batch(%arg0: tensor<2x5xf32>, %arg1: tensor<f32>)
// CHECK-NEXT:    %[[OUT:.+]]:2 = dovetail.custom_jvp @f.batch rule @rule.batch(%arg0, %arg1) : (tensor<2x5xf32>, tensor<f32>) -> (tensor<2x5xf32>, tensor<5xf32>)
// CHECK-NEXT:    return %[[OUT]]#0, %[[OUT]]#1
func.func @main(%x: tensor<2xf32>, %y: tensor<f32>) -> (tensor<2xf32>, tensor<f32>) {
  %0:2 = dovetail.custom_jvp @f rule @rule(%x, %y) : (tensor<2xf32>, tensor<f32>) -> (tensor<2xf32>, tensor<f32>)
  return %0#0, %0#1 : tensor<2xf32>, tensor<f32>
}

// -----

// The cotangent of what the batch shares is the sum over the batch.
func.func private @f(%x: tensor<2xf32>, %y: tensor<f32>) -> tensor<2xf32> {
  return %x : tensor<2xf32>
}
func.func private @fwd(%x: tensor<2xf32>, %y: tensor<f32>) -> (tensor<2xf32>, tensor<f32>) {
  return %x, %y : tensor<2xf32>, tensor<f32>
}
func.func private @bwd(%r: tensor<f32>, %ct: tensor<2xf32>) -> (tensor<2xf32>, tensor<f32>) {
  %0 = dovetail.reduce_sum %ct [0] : tensor<2xf32>
  return %ct, %0 : tensor<2xf32>, tensor<f32>
}

// CHECK-LABEL: func.func private @bwd.batch(
// CHECK-SAME:    %[[R:.+]]: tensor<f32>, %[[CT:.+]]: tensor<2x5xf32>) -> (tensor<2x5xf32>, tensor<f32>)
// CHECK-NEXT:    %[[SUM:.+]] = dovetail.reduce_sum %[[CT]] [0] : tensor<2x5xf32>
// CHECK-NEXT:    %[[ALL:.+]] = dovetail.reduce_sum %[[SUM]] [0] : tensor<5xf32>
// CHECK-NEXT:    return %[[CT]], %[[ALL]]
// CHECK-LABEL: func.func private @main.batch(
// CHECK-NEXT:    dovetail.custom_vjp @f.batch fwd @fwd.batch bwd @bwd.batch wrt [0, 1](%arg0, %arg1) : (tensor<2x5xf32>, tensor<f32>) -> tensor<2x5xf32>
func.func @main(%x: tensor<2xf32>, %y: tensor<f32>) -> tensor<2xf32> {
  %0 = dovetail.custom_vjp @f fwd @fwd bwd @bwd wrt [0, 1](%x, %y) : (tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
