// Windows of an array that is the same along a dimension are those of the array without it.
// RUN: dovetail-opt %s --canonicalize | FileCheck %s

// CHECK-LABEL: func.func @counted(%arg0: tensor<6x4xf32>, %arg1: tensor<3x2xi32>)
// CHECK-NEXT: %[[ROWS:.+]] = dovetail.gather %arg0, %arg1 dims [0, 1] window [1, 2] : tensor<6x4xf32>, tensor<3x2xi32>
// CHECK-NEXT: %[[SHAPED:.+]] = dovetail.reshape %[[ROWS]] : tensor<3x1x2xf32> -> tensor<3x1x1x2xf32>
// CHECK-NEXT: return %[[SHAPED]]
func.func @counted(%arg0: tensor<6x4xf32>, %arg1: tensor<3x2xi32>) -> tensor<3x1x1x2xf32> {
  %0 = dovetail.broadcast %arg0 dims [1, 2] : tensor<6x4xf32> -> tensor<3x6x4xf32>
  %1 = dovetail.iota 0 : tensor<3x1xi32>
  %2 = dovetail.concatenate %1, %arg1 dimension 1 : tensor<3x1xi32>, tensor<3x2xi32>
  %3 = dovetail.gather %0, %2 dims [0, 1, 2] window [1, 1, 2] : tensor<3x6x4xf32>, tensor<3x3xi32>
  return %3 : tensor<3x1x1x2xf32>
}

// The index may be outside of the dimension, where a window reads as zeros.
// CHECK-LABEL: func.func @beyond
// CHECK: dovetail.broadcast
func.func @beyond(%arg0: tensor<6xf32>, %arg1: tensor<3x1xi32>) -> tensor<3x1x1xf32> {
  %0 = dovetail.broadcast %arg0 dims [1] : tensor<6xf32> -> tensor<2x6xf32>
  %1 = dovetail.iota 0 : tensor<3x1xi32>
  %2 = dovetail.concatenate %1, %arg1 dimension 1 : tensor<3x1xi32>, tensor<3x1xi32>
  %3 = dovetail.gather %0, %2 dims [0, 1] window [1, 1] : tensor<2x6xf32>, tensor<3x2xi32>
  return %3 : tensor<3x1x1xf32>
}
