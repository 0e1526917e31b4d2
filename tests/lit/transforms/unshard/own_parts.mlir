// A function with a rule for its parts is called on one device, and in derivatives and batches.
// RUN: dovetail-opt %s --dovetail-pipeline=to=shard | FileCheck %s

func.func private @f(%x: tensor<4xf32>, %w: tensor<4xf32>) -> tensor<4xf32> {
  %0 = dovetail.sin %x : tensor<4xf32>
  %1 = dovetail.mul %0, %w : tensor<4xf32>
  return %1 : tensor<4xf32>
}
func.func private @g(%x: tensor<4xf32>, %w: tensor<4xf32>) -> tensor<4xf32> {
  %0 = dovetail.custom_partition @f rules "p.0" factors [array<i64: 0>, array<i64: 0>](%x) captured(%w) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: func.func @main(
// CHECK-SAME:    %[[X:.+]]: tensor<4xf32>, %[[W:.+]]: tensor<4xf32>, %[[BATCH:.+]]: tensor<3x4xf32>)
// CHECK-DAG:     %[[COS:.+]] = dovetail.cos %[[X]] : tensor<4xf32>
// CHECK-DAG:     %[[SIN:.+]] = dovetail.sin %[[X]] : tensor<4xf32>
// CHECK-DAG:     dovetail.mul %[[SIN]], %[[W]] : tensor<4xf32>
// CHECK-DAG:     dovetail.mul %{{.*}}, %[[COS]] : tensor<4xf32>
// CHECK-DAG:     dovetail.sin %[[BATCH]] : tensor<3x4xf32>
// CHECK:         return
func.func @main(%x: tensor<4xf32>, %w: tensor<4xf32>, %b: tensor<3x4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<3x4xf32>) {
  %0 = dovetail.custom_partition @f rules "p.0"(%x) captured(%w) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %1:2 = dovetail.vjp @g wrt [0] of [0](%x, %w) cotangents(%w) : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  %2 = dovetail.vmap @g in [0, -1] out [0](%b, %w) : (tensor<3x4xf32>, tensor<4xf32>) -> tensor<3x4xf32>
  return %0, %1#1, %2 : tensor<4xf32>, tensor<4xf32>, tensor<3x4xf32>
}
