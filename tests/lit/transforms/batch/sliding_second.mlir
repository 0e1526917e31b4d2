// The same over a batch of the second operand.
// RUN: dovetail-opt %s --split-input-file --dovetail-batch='dims=-1,2 size=7' | FileCheck %s

func.func @main(%arg0: tensor<2x9x3xf32>, %arg1: tensor<3x3x4xf32>) -> tensor<2x3x4xf32> {
  %0 = dovetail.conv %arg0, %arg1 dims [0, 1, 2] x [1, 2, 3] to [0, 1, 3] windows [1] strides [2] dilations [2] : tensor<2x9x3xf32>, tensor<3x3x4xf32>
  return %0 : tensor<2x3x4xf32>
}
// CHECK-LABEL: func.func private @main.batch(%arg0: tensor<2x9x3xf32>, %arg1: tensor<3x3x7x4xf32>) -> tensor<7x2x3x4xf32>
// CHECK-NEXT:    %[[CONV:.+]] = dovetail.conv %arg0, %arg1 dims [0, 1, 2] x [1, 2, 4, 3] to [4, 0, 1, 3] windows [1] strides [2] dilations [2] : tensor<2x9x3xf32>, tensor<3x3x7x4xf32>
// CHECK-NEXT:    return %[[CONV]] : tensor<7x2x3x4xf32>

// -----

func.func @main(%arg0: tensor<5x9xf32>, %arg1: tensor<2x5xi32>) -> tensor<2x5xf32> {
  %0 = dovetail.window_take %arg0, %arg1 window [2, 3] strides [2, 1] dilations [1, 2] : tensor<5x9xf32>, tensor<2x5xi32>
  return %0 : tensor<2x5xf32>
}
// CHECK-LABEL: func.func private @main.batch(%arg0: tensor<5x9xf32>, %arg1: tensor<2x5x7xi32>) -> tensor<2x5x7xf32>
// CHECK-NEXT:    %[[BROADCAST:.+]] = dovetail.broadcast %arg0 dims [0, 1] : tensor<5x9xf32> -> tensor<5x9x7xf32>
// CHECK-NEXT:    %[[WINDOW_TAKE:.+]] = dovetail.window_take %[[BROADCAST]], %arg1 window [2, 3, 1] strides [2, 1, 1] dilations [1, 2, 1] : tensor<5x9x7xf32>, tensor<2x5x7xi32>
// CHECK-NEXT:    return %[[WINDOW_TAKE]] : tensor<2x5x7xf32>
