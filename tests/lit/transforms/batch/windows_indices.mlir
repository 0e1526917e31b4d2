// Gathers and scatters over a batch of the indices.
// RUN: dovetail-opt %s --split-input-file --dovetail-batch='dims=-1,0 size=7' | FileCheck %s

func.func @main(%arg0: tensor<5x4xf32>, %arg1: tensor<3x1xi32>) -> tensor<3x2x4xf32> {
  %0 = dovetail.gather %arg0, %arg1 dims [0] window [2] : tensor<5x4xf32>, tensor<3x1xi32>
  return %0 : tensor<3x2x4xf32>
}
// CHECK-LABEL: func.func @main(%arg0: tensor<5x4xf32>, %arg1: tensor<3x1xi32>) -> tensor<3x2x4xf32>
// CHECK-NEXT:    %[[GATHER:.+]] = dovetail.gather %arg0, %arg1 dims [0] window [2] : tensor<5x4xf32>, tensor<3x1xi32>
// CHECK-NEXT:    return %[[GATHER]] : tensor<3x2x4xf32>
// CHECK-LABEL: func.func private @main.batch(%arg0: tensor<5x4xf32>, %arg1: tensor<7x3x1xi32>) -> tensor<7x3x2x4xf32>
// CHECK-NEXT:    %[[GATHER:.+]] = dovetail.gather %arg0, %arg1 dims [0] window [2] : tensor<5x4xf32>, tensor<7x3x1xi32>
// CHECK-NEXT:    return %[[GATHER]] : tensor<7x3x2x4xf32>
