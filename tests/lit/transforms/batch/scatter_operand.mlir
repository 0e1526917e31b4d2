// Scatters over a batch of the operand.
// RUN: dovetail-opt %s --split-input-file --dovetail-batch='dims=0,-1,-1 size=7' | FileCheck %s

func.func @main(%arg0: tensor<5x4xf32>, %arg1: tensor<3x1xi32>, %arg2: tensor<3x2x4xf32>) -> tensor<5x4xf32> {
  %0 = dovetail.scatter_add %arg0, %arg1, %arg2 dims [0] window [2] : tensor<5x4xf32>, tensor<3x1xi32>, tensor<3x2x4xf32>
  return %0 : tensor<5x4xf32>
}
// CHECK-LABEL: func.func @main(%arg0: tensor<5x4xf32>, %arg1: tensor<3x1xi32>, %arg2: tensor<3x2x4xf32>) -> tensor<5x4xf32>
// CHECK-NEXT:    %[[SCATTER_ADD:.+]] = dovetail.scatter_add %arg0, %arg1, %arg2 dims [0] window [2] : tensor<5x4xf32>, tensor<3x1xi32>, tensor<3x2x4xf32>
// CHECK-NEXT:    return %[[SCATTER_ADD]] : tensor<5x4xf32>
// CHECK-LABEL: func.func private @main.batch(%arg0: tensor<7x5x4xf32>, %arg1: tensor<3x1xi32>, %arg2: tensor<3x2x4xf32>) -> tensor<7x5x4xf32>
// CHECK-NEXT:    %[[BROADCAST:.+]] = dovetail.broadcast %arg2 dims [0, 2, 3] : tensor<3x2x4xf32> -> tensor<3x7x2x4xf32>
// CHECK-NEXT:    %[[SCATTER_ADD:.+]] = dovetail.scatter_add %arg0, %arg1, %[[BROADCAST]] dims [1] window [2] : tensor<7x5x4xf32>, tensor<3x1xi32>, tensor<3x7x2x4xf32>
// CHECK-NEXT:    return %[[SCATTER_ADD]] : tensor<7x5x4xf32>
