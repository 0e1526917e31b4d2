// The cotangent of the operand: the reversed kernel slides along the cotangent of the result, spread apart.
// RUN: dovetail-opt %s --split-input-file --dovetail-transpose=linear=0 | FileCheck %s

func.func @main(%arg0: tensor<2x9x3xf32>, %arg1: tensor<3x3x4xf32>) -> tensor<2x3x4xf32> {
  %0 = dovetail.conv %arg0, %arg1 dims [0, 1, 2] x [1, 2, 3] to [0, 1, 3] windows [1] strides [2] dilations [2] : tensor<2x9x3xf32>, tensor<3x3x4xf32>
  return %0 : tensor<2x3x4xf32>
}
// CHECK-LABEL: func.func private @main.transpose(%arg0: tensor<3x3x4xf32>, %arg1: tensor<2x3x4xf32>) -> tensor<2x9x3xf32>
// CHECK-NEXT:    %[[CONSTANT:.+]] = dovetail.constant dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT:    %[[PAD:.+]] = dovetail.pad %arg1, %[[CONSTANT]] low [0, 4, 0] interior [0, 1, 0] : tensor<2x3x4xf32>, tensor<f32> -> tensor<2x13x4xf32>
// CHECK-NEXT:    %[[REVERSE:.+]] = dovetail.reverse %arg0 [0] : tensor<3x3x4xf32>
// CHECK-NEXT:    %[[CONV:.+]] = dovetail.conv %[[PAD]], %[[REVERSE]] dims [0, 1, 3] x [1, 2, 3] to [0, 1, 2] windows [1] strides [1] dilations [2] : tensor<2x13x4xf32>, tensor<3x3x4xf32>
// CHECK-NEXT:    return %[[CONV]] : tensor<2x9x3xf32>

// -----

func.func @main(%arg0: tensor<?x3xf32>, %arg1: tensor<2x3xf32>) -> tensor<?xf32> {
  %0 = dovetail.conv %arg0, %arg1 dims [0, 1] x [0, 1] to [0] windows [0] strides [3] dilations [1] : tensor<?x3xf32>, tensor<2x3xf32>
  return %0 : tensor<?xf32>
}
// CHECK-LABEL: func.func private @main.transpose(%arg0: tensor<2x3xf32>, %arg1: index, %arg2: tensor<?xf32>) -> tensor<?x3xf32>
// CHECK-NEXT:    %[[CONSTANT:.+]] = dovetail.constant dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT:    %[[CONSTANT_1:.+]] = arith.constant 1 : index
// CHECK-NEXT:    %[[ADDI:.+]] = arith.addi %arg1, %[[CONSTANT_1]] : index
// CHECK-NEXT:    %[[PAD:.+]] = dovetail.pad %arg2, %[[CONSTANT]] low [1] interior [2] sizes(%[[ADDI]]) : tensor<?xf32>, tensor<f32> -> tensor<?xf32>
// CHECK-NEXT:    %[[REVERSE:.+]] = dovetail.reverse %arg0 [0] : tensor<2x3xf32>
// CHECK-NEXT:    %[[CONV:.+]] = dovetail.conv %[[PAD]], %[[REVERSE]] dims [0] x [0, 1] to [0, 1] windows [0] strides [1] dilations [1] : tensor<?xf32>, tensor<2x3xf32>
// CHECK-NEXT:    return %[[CONV]] : tensor<?x3xf32>
