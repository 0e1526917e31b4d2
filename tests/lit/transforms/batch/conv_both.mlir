// A batch of both operands is one more dimension that they share.
// RUN: dovetail-opt %s --dovetail-batch='dims=0,1 size=7' | FileCheck %s

func.func @main(%arg0: tensor<2x9x3xf32>, %arg1: tensor<3x3x4xf32>) -> tensor<2x3x4xf32> {
  %0 = dovetail.conv %arg0, %arg1 dims [0, 1, 2] x [1, 2, 3] to [0, 1, 3] windows [1] strides [2] dilations [2] : tensor<2x9x3xf32>, tensor<3x3x4xf32>
  return %0 : tensor<2x3x4xf32>
}
// CHECK-LABEL: func.func private @main.batch(%arg0: tensor<7x2x9x3xf32>, %arg1: tensor<3x7x3x4xf32>) -> tensor<7x2x3x4xf32>
// CHECK-NEXT:    %[[CONV:.+]] = dovetail.conv %arg0, %arg1 dims [4, 0, 1, 2] x [1, 4, 2, 3] to [4, 0, 1, 3] windows [1] strides [2] dilations [2] : tensor<7x2x9x3xf32>, tensor<3x7x3x4xf32>
// CHECK-NEXT:    return %[[CONV]] : tensor<7x2x3x4xf32>
