// A batch of right hand sides of one matrix is more right hand sides of it.
// RUN: dovetail-opt %s --split-input-file '--dovetail-batch=dims=-1,1 size=7' | FileCheck %s

func.func @main(%arg0: tensor<3x3xf32>, %arg1: tensor<3x2xf32>) -> tensor<3x2xf32> {
  %0 = dovetail.triangular_solve %arg0, %arg1 left_side = true lower = true : tensor<3x3xf32>, tensor<3x2xf32>
  return %0 : tensor<3x2xf32>
}
// CHECK-LABEL: func.func private @main.batch(%arg0: tensor<3x3xf32>, %arg1: tensor<3x7x2xf32>) -> tensor<3x2x7xf32>
// CHECK-NEXT:    %[[TRANSPOSE:.+]] = dovetail.transpose %arg1 [0, 2, 1] : tensor<3x7x2xf32>
// CHECK-NEXT:    %[[RESHAPE:.+]] = dovetail.reshape %[[TRANSPOSE]] : tensor<3x2x7xf32> -> tensor<3x14xf32>
// CHECK-NEXT:    %[[TRIANGULAR_SOLVE:.+]] = dovetail.triangular_solve %arg0, %[[RESHAPE]] left_side = true lower = true : tensor<3x3xf32>, tensor<3x14xf32>
// CHECK-NEXT:    %[[TRANSPOSE_1:.+]] = dovetail.transpose %arg1 [0, 2, 1] : tensor<3x7x2xf32>
// CHECK-NEXT:    %[[RESHAPE_1:.+]] = dovetail.reshape %[[TRIANGULAR_SOLVE]] : tensor<3x14xf32> -> tensor<3x2x7xf32>
// CHECK-NEXT:    return %[[RESHAPE_1]] : tensor<3x2x7xf32>

// -----

func.func @main(%arg0: tensor<3x3xf32>, %arg1: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = dovetail.triangular_solve %arg0, %arg1 : tensor<3x3xf32>, tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
// CHECK-LABEL: func.func private @main.batch(%arg0: tensor<3x3xf32>, %arg1: tensor<2x7x3xf32>) -> tensor<2x7x3xf32>
// CHECK-NEXT:    %[[RESHAPE:.+]] = dovetail.reshape %arg1 : tensor<2x7x3xf32> -> tensor<14x3xf32>
// CHECK-NEXT:    %[[TRIANGULAR_SOLVE:.+]] = dovetail.triangular_solve %arg0, %[[RESHAPE]] : tensor<3x3xf32>, tensor<14x3xf32>
// CHECK-NEXT:    %[[RESHAPE_1:.+]] = dovetail.reshape %[[TRIANGULAR_SOLVE]] : tensor<14x3xf32> -> tensor<2x7x3xf32>
// CHECK-NEXT:    return %[[RESHAPE_1]] : tensor<2x7x3xf32>

// -----

func.func @main(%arg0: tensor<?x?xf32>, %arg1: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %0 = dovetail.triangular_solve %arg0, %arg1 left_side = true : tensor<?x?xf32>, tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}
// CHECK-LABEL: func.func private @main.batch(%arg0: tensor<?x?xf32>, %arg1: tensor<?x7x?xf32>) -> tensor<?x?x7xf32>
// CHECK-NEXT:    %[[TRANSPOSE:.+]] = dovetail.transpose %arg1 [0, 2, 1] : tensor<?x7x?xf32>
// CHECK-NEXT:    %[[DIM:.+]] = dovetail.dim %arg1, 0 : tensor<?x7x?xf32>
// CHECK-NEXT:    %[[DIM_1:.+]] = dovetail.dim %arg1, 2 : tensor<?x7x?xf32>
// CHECK-NEXT:    %[[C7:.+]] = arith.constant 7 : index
// CHECK-NEXT:    %[[MULI:.+]] = arith.muli %[[DIM_1]], %[[C7]] : index
// CHECK-NEXT:    %[[RESHAPE:.+]] = dovetail.reshape %[[TRANSPOSE]] sizes(%[[DIM]], %[[MULI]]) : tensor<?x?x7xf32> -> tensor<?x?xf32>
// CHECK-NEXT:    %[[TRIANGULAR_SOLVE:.+]] = dovetail.triangular_solve %arg0, %[[RESHAPE]] left_side = true : tensor<?x?xf32>, tensor<?x?xf32>
// CHECK-NEXT:    %[[TRANSPOSE_1:.+]] = dovetail.transpose %arg1 [0, 2, 1] : tensor<?x7x?xf32>
// CHECK-NEXT:    %[[DIM_2:.+]] = dovetail.dim %arg1, 0 : tensor<?x7x?xf32>
// CHECK-NEXT:    %[[DIM_3:.+]] = dovetail.dim %arg1, 2 : tensor<?x7x?xf32>
// CHECK-NEXT:    %[[RESHAPE_1:.+]] = dovetail.reshape %[[TRIANGULAR_SOLVE]] sizes(%[[DIM_2]], %[[DIM_3]]) : tensor<?x?xf32> -> tensor<?x?x7xf32>
// CHECK-NEXT:    return %[[RESHAPE_1]] : tensor<?x?x7xf32>

// -----

func.func @main(%arg0: tensor<3xf32>, %arg1: tensor<3x2xf32>) -> tensor<3x2xf32> {
  %0 = dovetail.tridiagonal_solve %arg0, %arg0, %arg0, %arg1 : tensor<3xf32>, tensor<3x2xf32>
  return %0 : tensor<3x2xf32>
}
// CHECK-LABEL: func.func private @main.batch(%arg0: tensor<3xf32>, %arg1: tensor<3x7x2xf32>) -> tensor<3x2x7xf32>
// CHECK-NEXT:    %[[TRANSPOSE:.+]] = dovetail.transpose %arg1 [0, 2, 1] : tensor<3x7x2xf32>
// CHECK-NEXT:    %[[RESHAPE:.+]] = dovetail.reshape %[[TRANSPOSE]] : tensor<3x2x7xf32> -> tensor<3x14xf32>
// CHECK-NEXT:    %[[TRIDIAGONAL_SOLVE:.+]] = dovetail.tridiagonal_solve %arg0, %arg0, %arg0, %[[RESHAPE]] : tensor<3xf32>, tensor<3x14xf32>
// CHECK-NEXT:    %[[TRANSPOSE_1:.+]] = dovetail.transpose %arg1 [0, 2, 1] : tensor<3x7x2xf32>
// CHECK-NEXT:    %[[RESHAPE_1:.+]] = dovetail.reshape %[[TRIDIAGONAL_SOLVE]] : tensor<3x14xf32> -> tensor<3x2x7xf32>
// CHECK-NEXT:    return %[[RESHAPE_1]] : tensor<3x2x7xf32>
