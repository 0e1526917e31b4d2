// Gathers and scatters over a batch of operand and indices.
// RUN: dovetail-opt %s --split-input-file --dovetail-batch='dims=1,1 size=7' | FileCheck %s

func.func @main(%arg0: tensor<5x4xf32>, %arg1: tensor<3x1xi32>) -> tensor<3x2x4xf32> {
  %0 = dovetail.gather %arg0, %arg1 dims [0] window [2] : tensor<5x4xf32>, tensor<3x1xi32>
  return %0 : tensor<3x2x4xf32>
}
// CHECK-LABEL: func.func @main(%arg0: tensor<5x4xf32>, %arg1: tensor<3x1xi32>) -> tensor<3x2x4xf32>
// CHECK-NEXT:    %[[GATHER:.+]] = dovetail.gather %arg0, %arg1 dims [0] window [2] : tensor<5x4xf32>, tensor<3x1xi32>
// CHECK-NEXT:    return %[[GATHER]] : tensor<3x2x4xf32>
// CHECK-LABEL: func.func private @main.batch(%arg0: tensor<5x7x4xf32>, %arg1: tensor<3x7x1xi32>) -> tensor<7x3x2x4xf32>
// CHECK-NEXT:    %[[TRANSPOSE:.+]] = dovetail.transpose %arg1 [1, 0, 2] : tensor<3x7x1xi32>
// CHECK-NEXT:    %[[TRANSPOSE_1:.+]] = dovetail.transpose %arg0 [1, 0, 2] : tensor<5x7x4xf32>
// CHECK-NEXT:    %[[IOTA:.+]] = dovetail.iota 0 : tensor<7x3x1xi32>
// CHECK-NEXT:    %[[CONCATENATE:.+]] = dovetail.concatenate %[[IOTA]], %[[TRANSPOSE]] dimension 2 : tensor<7x3x1xi32>, tensor<7x3x1xi32>
// CHECK-NEXT:    %[[GATHER:.+]] = dovetail.gather %[[TRANSPOSE_1]], %[[CONCATENATE]] dims [0, 1] window [1, 2] : tensor<7x5x4xf32>, tensor<7x3x2xi32>
// CHECK-NEXT:    %[[RESHAPE:.+]] = dovetail.reshape %[[GATHER]] : tensor<7x3x1x2x4xf32> -> tensor<7x3x2x4xf32>
// CHECK-NEXT:    return %[[RESHAPE]] : tensor<7x3x2x4xf32>
