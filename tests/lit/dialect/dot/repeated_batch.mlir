// A batch along which one side repeats is one more free dimension of the other.
// RUN: dovetail-opt %s --canonicalize | FileCheck %s

func.func @right(%arg0: tensor<5x3x4xf32>, %arg1: tensor<4x2xf32>) -> tensor<5x3x2xf32> {
  %0 = dovetail.broadcast %arg1 dims [1, 2] : tensor<4x2xf32> -> tensor<5x4x2xf32>
  %1 = dovetail.dot_general %arg0, %0 batch [0] x [0] contract [2] x [1] : tensor<5x3x4xf32>, tensor<5x4x2xf32>
  return %1 : tensor<5x3x2xf32>
}
// CHECK-LABEL: func.func @right
// CHECK-NEXT: %[[DOT:.*]] = dovetail.dot_general %arg0, %arg1 batch [] x [] contract [2] x [0] : tensor<5x3x4xf32>, tensor<4x2xf32>
// CHECK-NEXT: return %[[DOT]]

func.func @left(%arg0: tensor<3x4xf32>, %arg1: tensor<5x4x2xf32>) -> tensor<5x3x2xf32> {
  %0 = dovetail.broadcast %arg0 dims [1, 2] : tensor<3x4xf32> -> tensor<5x3x4xf32>
  %1 = dovetail.dot_general %0, %arg1 batch [0] x [0] contract [2] x [1] : tensor<5x3x4xf32>, tensor<5x4x2xf32>
  return %1 : tensor<5x3x2xf32>
}
// CHECK-LABEL: func.func @left
// CHECK-NEXT: %[[DOT:.*]] = dovetail.dot_general %arg0, %arg1 batch [] x [] contract [1] x [1] : tensor<3x4xf32>, tensor<5x4x2xf32>
// CHECK-NEXT: %[[MOVED:.*]] = dovetail.transpose %[[DOT]] [1, 0, 2]
// CHECK-NEXT: return %[[MOVED]]

// Only the second batch is repeated, and sizes are symbolic.
func.func @second(%arg0: tensor<?x?x3x4xf32>, %arg1: tensor<?x4x2xf32>, %size: index) -> tensor<?x?x3x2xf32> {
  %0 = dovetail.broadcast %arg1 dims [0, 2, 3] sizes(%size, %size) : tensor<?x4x2xf32> -> tensor<?x?x4x2xf32>
  %1 = dovetail.dot_general %arg0, %0 batch [0, 1] x [0, 1] contract [3] x [2] : tensor<?x?x3x4xf32>, tensor<?x?x4x2xf32>
  return %1 : tensor<?x?x3x2xf32>
}
// CHECK-LABEL: func.func @second
// CHECK-NEXT: %[[DOT:.*]] = dovetail.dot_general %arg0, %arg1 batch [0] x [0] contract [3] x [1]
// CHECK-NEXT: return %[[DOT]]

// Both have batches of their own.
func.func @neither(%arg0: tensor<5x3x4xf32>, %arg1: tensor<5x4x2xf32>) -> tensor<5x3x2xf32> {
  %0 = dovetail.dot_general %arg0, %arg1 batch [0] x [0] contract [2] x [1] : tensor<5x3x4xf32>, tensor<5x4x2xf32>
  return %0 : tensor<5x3x2xf32>
}
// CHECK-LABEL: func.func @neither
// CHECK-NEXT: dovetail.dot_general %arg0, %arg1 batch [0] x [0]
