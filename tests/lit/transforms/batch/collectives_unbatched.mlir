// What does not carry the batch is the same for all of its elements.
// RUN: dovetail-opt %s --split-input-file --dovetail-batch='dims=-1 size=3 axis=i' | FileCheck %s

func.func @main(%arg0: tensor<2x6xf32>) -> tensor<2x6xf32> {
  %0 = dovetail.all_reduce_sum %arg0 over ["i"] : tensor<2x6xf32>
  return %0 : tensor<2x6xf32>
}
// CHECK-LABEL: func.func private @main.batch(%arg0: tensor<2x6xf32>) -> tensor<2x6xf32>
// CHECK-NEXT:    %[[CONSTANT:.+]] = dovetail.constant dense<3.000000e+00> : tensor<2x6xf32>
// CHECK-NEXT:    %[[MUL:.+]] = dovetail.mul %arg0, %[[CONSTANT]] : tensor<2x6xf32>
// CHECK-NEXT:    return %[[MUL]] : tensor<2x6xf32>

// -----

func.func @main(%arg0: tensor<2x6xi1>) -> tensor<2x6xi1> {
  %0 = dovetail.all_reduce_max %arg0 over ["i"] : tensor<2x6xi1>
  return %0 : tensor<2x6xi1>
}
// CHECK-LABEL: func.func private @main.batch(%arg0: tensor<2x6xi1>) -> tensor<2x6xi1>
// CHECK-NEXT:    return %arg0 : tensor<2x6xi1>

// -----

func.func @main(%arg0: tensor<2x6xui8>) -> tensor<2x6xui8> {
  %0 = dovetail.all_reduce_min %arg0 over ["i"] : tensor<2x6xui8>
  return %0 : tensor<2x6xui8>
}
// CHECK-LABEL: func.func private @main.batch(%arg0: tensor<2x6xui8>) -> tensor<2x6xui8>
// CHECK-NEXT:    return %arg0 : tensor<2x6xui8>

// -----

func.func @main(%arg0: tensor<2x6xf32>) -> tensor<2x3x6xf32> {
  %0 = dovetail.all_gather %arg0 over ["i"] sizes [3] dimension 1 : tensor<2x6xf32>
  return %0 : tensor<2x3x6xf32>
}
// CHECK-LABEL: func.func private @main.batch(%arg0: tensor<2x6xf32>) -> tensor<2x3x6xf32>
// CHECK-NEXT:    %[[BROADCAST:.+]] = dovetail.broadcast %arg0 dims [0, 2] : tensor<2x6xf32> -> tensor<2x3x6xf32>
// CHECK-NEXT:    return %[[BROADCAST]] : tensor<2x3x6xf32>

// -----

func.func @main(%arg0: tensor<2x3x4xf32>) -> tensor<2x4xf32> {
  %0 = dovetail.reduce_scatter %arg0 over ["i"] sizes [3] dimension 1 : tensor<2x3x4xf32>
  return %0 : tensor<2x4xf32>
}
// CHECK-LABEL: func.func private @main.batch(%arg0: tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
// CHECK-NEXT:    %[[CONSTANT:.+]] = dovetail.constant dense<3.000000e+00> : tensor<2x3x4xf32>
// CHECK-NEXT:    %[[MUL:.+]] = dovetail.mul %arg0, %[[CONSTANT]] : tensor<2x3x4xf32>
// CHECK-NEXT:    return %[[MUL]] : tensor<2x3x4xf32>

// -----

func.func @main(%arg0: tensor<2x3x4xf32>) -> tensor<3x2x4xf32> {
  %0 = dovetail.all_to_all %arg0 over ["i"] sizes [3] from 1 to 0 : tensor<2x3x4xf32>
  return %0 : tensor<3x2x4xf32>
}
// CHECK-LABEL: func.func private @main.batch(%arg0: tensor<2x3x4xf32>) -> tensor<3x3x2x4xf32>
// CHECK-NEXT:    %[[BROADCAST:.+]] = dovetail.broadcast %arg0 dims [1, 2, 3] : tensor<2x3x4xf32> -> tensor<3x2x3x4xf32>
// CHECK-NEXT:    %[[TRANSPOSE:.+]] = dovetail.transpose %[[BROADCAST]] [2, 0, 1, 3] : tensor<3x2x3x4xf32>
// CHECK-NEXT:    return %[[TRANSPOSE]] : tensor<3x3x2x4xf32>

// -----

func.func @main(%arg0: tensor<2x6xf32>) -> tensor<2x6xf32> {
  %0 = dovetail.permute %arg0 over ["i"] sizes [3] from [0, 1] to [1, 2] : tensor<2x6xf32>
  return %0 : tensor<2x6xf32>
}
// CHECK-LABEL: func.func private @main.batch(%arg0: tensor<2x6xf32>) -> tensor<3x2x6xf32>
// CHECK-NEXT:    %[[BROADCAST:.+]] = dovetail.broadcast %arg0 dims [1, 2] : tensor<2x6xf32> -> tensor<3x2x6xf32>
// CHECK-NEXT:    %[[CONSTANT:.+]] = dovetail.constant dense<{{\[\[}}-1], [0], [1]]> : tensor<3x1xi32>
// CHECK-NEXT:    %[[GATHER:.+]] = dovetail.gather %[[BROADCAST]], %[[CONSTANT]] dims [0] window [1] : tensor<3x2x6xf32>, tensor<3x1xi32>
// CHECK-NEXT:    %[[RESHAPE:.+]] = dovetail.reshape %[[GATHER]] : tensor<3x1x2x6xf32> -> tensor<3x2x6xf32>
// CHECK-NEXT:    return %[[RESHAPE]] : tensor<3x2x6xf32>

// -----

func.func @main(%arg0: tensor<2x6xf32>) -> tensor<2x6xf32> {
  %0 = dovetail.permute %arg0 over ["i"] sizes [3] from [0, 1, 2] to [1, 2, 0] : tensor<2x6xf32>
  return %0 : tensor<2x6xf32>
}
// CHECK-LABEL: func.func private @main.batch(%arg0: tensor<2x6xf32>) -> tensor<2x6xf32>
// CHECK-NEXT:    return %arg0 : tensor<2x6xf32>
