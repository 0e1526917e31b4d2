// A batch of matrices: of each a solution for the right hand sides that all have.
// RUN: dovetail-opt %s --split-input-file '--dovetail-batch=dims=1,-1 size=7' | FileCheck %s

func.func @main(%arg0: tensor<3x3xf32>, %arg1: tensor<3x2xf32>) -> tensor<3x2xf32> {
  %0 = dovetail.triangular_solve %arg0, %arg1 left_side = true lower = true : tensor<3x3xf32>, tensor<3x2xf32>
  return %0 : tensor<3x2xf32>
}
// CHECK-LABEL: func.func private @main.batch(%arg0: tensor<3x7x3xf32>, %arg1: tensor<3x2xf32>) -> tensor<7x3x2xf32>
// CHECK-NEXT:    %[[TRANSPOSE:.+]] = dovetail.transpose %arg0 [1, 0, 2] : tensor<3x7x3xf32>
// CHECK-NEXT:    %[[BROADCAST:.+]] = dovetail.broadcast %arg1 dims [1, 2] : tensor<3x2xf32> -> tensor<7x3x2xf32>
// CHECK-NEXT:    %[[TRIANGULAR_SOLVE:.+]] = dovetail.triangular_solve %[[TRANSPOSE]], %[[BROADCAST]] left_side = true lower = true : tensor<7x3x3xf32>, tensor<7x3x2xf32>
// CHECK-NEXT:    return %[[TRIANGULAR_SOLVE]] : tensor<7x3x2xf32>

// -----

func.func @main(%arg0: tensor<3xf32>, %arg1: tensor<3x2xf32>) -> tensor<3x2xf32> {
  %0 = dovetail.tridiagonal_solve %arg0, %arg0, %arg0, %arg1 : tensor<3xf32>, tensor<3x2xf32>
  return %0 : tensor<3x2xf32>
}
// CHECK-LABEL: func.func private @main.batch(%arg0: tensor<3x7xf32>, %arg1: tensor<3x2xf32>) -> tensor<7x3x2xf32>
// CHECK-NEXT:    %[[TRANSPOSE:.+]] = dovetail.transpose %arg0 [1, 0] : tensor<3x7xf32>
// CHECK-NEXT:    %[[TRANSPOSE_1:.+]] = dovetail.transpose %arg0 [1, 0] : tensor<3x7xf32>
// CHECK-NEXT:    %[[TRANSPOSE_2:.+]] = dovetail.transpose %arg0 [1, 0] : tensor<3x7xf32>
// CHECK-NEXT:    %[[BROADCAST:.+]] = dovetail.broadcast %arg1 dims [1, 2] : tensor<3x2xf32> -> tensor<7x3x2xf32>
// CHECK-NEXT:    %[[TRIDIAGONAL_SOLVE:.+]] = dovetail.tridiagonal_solve %[[TRANSPOSE]], %[[TRANSPOSE_1]], %[[TRANSPOSE_2]], %[[BROADCAST]] : tensor<7x3xf32>, tensor<7x3x2xf32>
// CHECK-NEXT:    return %[[TRIDIAGONAL_SOLVE]] : tensor<7x3x2xf32>
