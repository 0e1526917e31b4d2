// Contractions over a batch of the left operand only: one more free dimension.
// RUN: dovetail-opt %s --split-input-file --dovetail-batch='dims=0,-1 size=7' | FileCheck %s

func.func @main(%arg0: tensor<2x3xf32>, %arg1: tensor<3x4xf32>) -> tensor<2x4xf32> {
  %0 = dovetail.dot_general %arg0, %arg1 batch [] x [] contract [1] x [0] : tensor<2x3xf32>, tensor<3x4xf32>
  return %0 : tensor<2x4xf32>
}
// CHECK-LABEL: func.func private @main.batch(%arg0: tensor<7x2x3xf32>, %arg1: tensor<3x4xf32>) -> tensor<7x2x4xf32>
// CHECK-NEXT:    %[[DOT_GENERAL:.+]] = dovetail.dot_general %arg0, %arg1 batch [] x [] contract [2] x [0] : tensor<7x2x3xf32>, tensor<3x4xf32>
// CHECK-NEXT:    return %[[DOT_GENERAL]] : tensor<7x2x4xf32>

// -----

func.func @main(%arg0: tensor<5x2x?xui8>, %arg1: tensor<5x?x4xui8>) -> tensor<5x2x4xi32> {
  %0 = dovetail.dot_general %arg0, %arg1 batch [0] x [0] contract [2] x [1] element i32 : tensor<5x2x?xui8>, tensor<5x?x4xui8>
  return %0 : tensor<5x2x4xi32>
}
// CHECK-LABEL: func.func private @main.batch(%arg0: tensor<7x5x2x?xui8>, %arg1: tensor<5x?x4xui8>) -> tensor<5x7x2x4xi32>
// CHECK-NEXT:    %[[DOT_GENERAL:.+]] = dovetail.dot_general %arg0, %arg1 batch [1] x [0] contract [3] x [1] element i32 : tensor<7x5x2x?xui8>, tensor<5x?x4xui8>
// CHECK-NEXT:    return %[[DOT_GENERAL]] : tensor<5x7x2x4xi32>
