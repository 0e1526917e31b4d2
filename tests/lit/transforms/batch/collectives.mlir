// Collectives over the batch's axis alone become ordinary ops along its dimension.
// RUN: dovetail-opt %s --split-input-file --dovetail-batch='dims=0 size=3 axis=i' | FileCheck %s

func.func @main(%arg0: tensor<2x6xf32>) -> tensor<2x6xf32> {
  %0 = dovetail.all_reduce_sum %arg0 over ["i"] : tensor<2x6xf32>
  return %0 : tensor<2x6xf32>
}
// CHECK-LABEL: func.func private @main.batch(%arg0: tensor<3x2x6xf32>) -> tensor<2x6xf32>
// CHECK-NEXT:    %[[REDUCE_SUM:.+]] = dovetail.reduce_sum %arg0 [0] : tensor<3x2x6xf32>
// CHECK-NEXT:    return %[[REDUCE_SUM]] : tensor<2x6xf32>

// -----

func.func @main(%arg0: tensor<2x6xi1>) -> tensor<2x6xi1> {
  %0 = dovetail.all_reduce_max %arg0 over ["i"] : tensor<2x6xi1>
  return %0 : tensor<2x6xi1>
}
// CHECK-LABEL: func.func private @main.batch(%arg0: tensor<3x2x6xi1>) -> tensor<2x6xi1>
// CHECK-NEXT:    %[[REDUCE_MAX:.+]] = dovetail.reduce_max %arg0 [0] : tensor<3x2x6xi1>
// CHECK-NEXT:    return %[[REDUCE_MAX]] : tensor<2x6xi1>

// -----

func.func @main(%arg0: tensor<2x6xui8>) -> tensor<2x6xui8> {
  %0 = dovetail.all_reduce_min %arg0 over ["i"] : tensor<2x6xui8>
  return %0 : tensor<2x6xui8>
}
// CHECK-LABEL: func.func private @main.batch(%arg0: tensor<3x2x6xui8>) -> tensor<2x6xui8>
// CHECK-NEXT:    %[[REDUCE_MIN:.+]] = dovetail.reduce_min %arg0 [0] : tensor<3x2x6xui8>
// CHECK-NEXT:    return %[[REDUCE_MIN]] : tensor<2x6xui8>

// -----

func.func @main(%arg0: tensor<2x6xf32>) -> tensor<2x3x6xf32> {
  %0 = dovetail.all_gather %arg0 over ["i"] sizes [3] dimension 1 : tensor<2x6xf32>
  return %0 : tensor<2x3x6xf32>
}
// CHECK-LABEL: func.func private @main.batch(%arg0: tensor<3x2x6xf32>) -> tensor<2x3x6xf32>
// CHECK-NEXT:    %[[TRANSPOSE:.+]] = dovetail.transpose %arg0 [1, 0, 2] : tensor<3x2x6xf32>
// CHECK-NEXT:    return %[[TRANSPOSE]] : tensor<2x3x6xf32>

// -----

func.func @main(%arg0: tensor<2x3x4xf32>) -> tensor<2x4xf32> {
  %0 = dovetail.reduce_scatter %arg0 over ["i"] sizes [3] dimension 1 : tensor<2x3x4xf32>
  return %0 : tensor<2x4xf32>
}
// CHECK-LABEL: func.func private @main.batch(%arg0: tensor<3x2x3x4xf32>) -> tensor<2x3x4xf32>
// CHECK-NEXT:    %[[REDUCE_SUM:.+]] = dovetail.reduce_sum %arg0 [0] : tensor<3x2x3x4xf32>
// CHECK-NEXT:    return %[[REDUCE_SUM]] : tensor<2x3x4xf32>

// -----

func.func @main(%arg0: tensor<2x3x4xf32>) -> tensor<3x2x4xf32> {
  %0 = dovetail.all_to_all %arg0 over ["i"] sizes [3] from 1 to 0 : tensor<2x3x4xf32>
  return %0 : tensor<3x2x4xf32>
}
// CHECK-LABEL: func.func private @main.batch(%arg0: tensor<3x2x3x4xf32>) -> tensor<3x3x2x4xf32>
// CHECK-NEXT:    %[[TRANSPOSE:.+]] = dovetail.transpose %arg0 [2, 0, 1, 3] : tensor<3x2x3x4xf32>
// CHECK-NEXT:    return %[[TRANSPOSE]] : tensor<3x3x2x4xf32>

// -----

func.func @main(%arg0: tensor<2x6xf32>) -> tensor<2x6xf32> {
  %0 = dovetail.permute %arg0 over ["i"] sizes [3] from [0, 1] to [1, 2] : tensor<2x6xf32>
  return %0 : tensor<2x6xf32>
}
// CHECK-LABEL: func.func private @main.batch(%arg0: tensor<3x2x6xf32>) -> tensor<3x2x6xf32>
// CHECK-NEXT:    %[[CONSTANT:.+]] = dovetail.constant dense<{{\[\[}}-1], [0], [1]]> : tensor<3x1xi32>
// CHECK-NEXT:    %[[GATHER:.+]] = dovetail.gather %arg0, %[[CONSTANT]] dims [0] window [1] : tensor<3x2x6xf32>, tensor<3x1xi32>
// CHECK-NEXT:    %[[RESHAPE:.+]] = dovetail.reshape %[[GATHER]] : tensor<3x1x2x6xf32> -> tensor<3x2x6xf32>
// CHECK-NEXT:    return %[[RESHAPE]] : tensor<3x2x6xf32>

// -----

func.func @main(%arg0: tensor<f32>) -> tensor<i32> {
  %0 = dovetail.axis_index over ["i"] sizes [3]
  return %0 : tensor<i32>
}
// CHECK-LABEL: func.func private @main.batch(%arg0: tensor<3xf32>) -> tensor<3xi32>
// CHECK-NEXT:    %[[IOTA:.+]] = dovetail.iota 0 : tensor<3xi32>
// CHECK-NEXT:    %[[CONSTANT:.+]] = dovetail.constant dense<1> : tensor<3xi32>
// CHECK-NEXT:    return %[[IOTA]] : tensor<3xi32>
