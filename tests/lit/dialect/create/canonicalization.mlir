// Folds of sizes: a dimension has the size that its producer was given, or that of an operand's with the same factor.
// RUN: dovetail-opt %s --canonicalize | FileCheck %s

func.func @of_iota(%arg0: index) -> index {
  %1 = dovetail.iota 0 sizes(%arg0) : tensor<?x4xf32>
  %0 = dovetail.dim %1, 0 : tensor<?x4xf32>
  return %0 : index
}
// CHECK-LABEL: func.func @of_iota(%arg0: index) -> index
// CHECK-NEXT:    return %arg0 : index

func.func @of_broadcast(%arg0: tensor<?xf32>, %arg1: index, %arg2: index) -> index {
  %1 = dovetail.broadcast %arg0 dims [0] sizes(%arg1, %arg2) : tensor<?xf32> -> tensor<?x?xf32>
  %0 = dovetail.dim %1, 1 : tensor<?x?xf32>
  return %0 : index
}
// CHECK-LABEL: func.func @of_broadcast(%arg0: tensor<?xf32>, %arg1: index, %arg2: index) -> index
// CHECK-NEXT:    return %arg2 : index

func.func @through_pointwise(%arg0: tensor<?x4xf32>) -> index {
  %1 = dovetail.exp %arg0 : tensor<?x4xf32>
  %0 = dovetail.dim %1, 0 : tensor<?x4xf32>
  return %0 : index
}
// CHECK-LABEL: func.func @through_pointwise(%arg0: tensor<?x4xf32>) -> index
// CHECK-NEXT:    %[[DIM:.+]] = dovetail.dim %arg0, 0 : tensor<?x4xf32>
// CHECK-NEXT:    return %[[DIM]] : index

func.func @through_transpose(%arg0: tensor<?x4xf32>) -> index {
  %1 = dovetail.transpose %arg0 [1, 0] : tensor<?x4xf32>
  %0 = dovetail.dim %1, 1 : tensor<4x?xf32>
  return %0 : index
}
// CHECK-LABEL: func.func @through_transpose(%arg0: tensor<?x4xf32>) -> index
// CHECK-NEXT:    %[[DIM:.+]] = dovetail.dim %arg0, 0 : tensor<?x4xf32>
// CHECK-NEXT:    return %[[DIM]] : index

func.func @through_reduction(%arg0: tensor<4x?xf32>) -> index {
  %1 = dovetail.reduce_sum %arg0 [0] : tensor<4x?xf32>
  %0 = dovetail.dim %1, 0 : tensor<?xf32>
  return %0 : index
}
// CHECK-LABEL: func.func @through_reduction(%arg0: tensor<4x?xf32>) -> index
// CHECK-NEXT:    %[[DIM:.+]] = dovetail.dim %arg0, 1 : tensor<4x?xf32>
// CHECK-NEXT:    return %[[DIM]] : index

func.func @through_dot(%arg0: tensor<4x3xf32>, %arg1: tensor<3x?xf32>) -> index {
  %1 = dovetail.dot_general %arg0, %arg1 batch [] x [] contract [1] x [0] : tensor<4x3xf32>, tensor<3x?xf32>
  %0 = dovetail.dim %1, 1 : tensor<4x?xf32>
  return %0 : index
}
// CHECK-LABEL: func.func @through_dot(%arg0: tensor<4x3xf32>, %arg1: tensor<3x?xf32>) -> index
// CHECK-NEXT:    %[[DIM:.+]] = dovetail.dim %arg1, 1 : tensor<3x?xf32>
// CHECK-NEXT:    return %[[DIM]] : index

func.func @of_concatenation(%arg0: tensor<?xf32>) -> index {
  %1 = dovetail.concatenate %arg0, %arg0 dimension 0 : tensor<?xf32>, tensor<?xf32>
  %0 = dovetail.dim %1, 0 : tensor<?xf32>
  return %0 : index
}
// CHECK-LABEL: func.func @of_concatenation(%arg0: tensor<?xf32>) -> index
// CHECK-NEXT:    %[[CONCATENATE:.+]] = dovetail.concatenate %arg0, %arg0 dimension 0 : tensor<?xf32>, tensor<?xf32>
// CHECK-NEXT:    %[[DIM:.+]] = dovetail.dim %[[CONCATENATE]], 0 : tensor<?xf32>
// CHECK-NEXT:    return %[[DIM]] : index

func.func @of_argument(%arg0: tensor<?xf32>) -> index {
  %0 = dovetail.dim %arg0, 0 : tensor<?xf32>
  return %0 : index
}
// CHECK-LABEL: func.func @of_argument(%arg0: tensor<?xf32>) -> index
// CHECK-NEXT:    %[[DIM:.+]] = dovetail.dim %arg0, 0 : tensor<?xf32>
// CHECK-NEXT:    return %[[DIM]] : index
