// The cotangent of a kernel: the cotangent of the result slides along the operand.
// RUN: dovetail-opt %s --split-input-file --dovetail-transpose=linear=1 | FileCheck %s

func.func @main(%arg0: tensor<2x9x3xf32>, %arg1: tensor<3x3x4xf32>) -> tensor<2x3x4xf32> {
  %0 = dovetail.conv %arg0, %arg1 dims [0, 1, 2] x [1, 2, 3] to [0, 1, 3] windows [1] strides [2] dilations [2] : tensor<2x9x3xf32>, tensor<3x3x4xf32>
  return %0 : tensor<2x3x4xf32>
}
// CHECK-LABEL: func.func private @main.transpose(%arg0: tensor<2x9x3xf32>, %arg1: tensor<2x3x4xf32>) -> tensor<3x3x4xf32>
// CHECK-NEXT:    %[[CONV:.+]] = dovetail.conv %arg0, %arg1 dims [0, 1, 2] x [0, 1, 3] to [1, 2, 3] windows [1] strides [2] dilations [2] : tensor<2x9x3xf32>, tensor<2x3x4xf32>
// CHECK-NEXT:    %[[CONSTANT:.+]] = dovetail.constant dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT:    return %[[CONV]] : tensor<3x3x4xf32>

// -----

func.func @main(%arg0: tensor<2x9x3xbf16>, %arg1: tensor<3x3x4xbf16>) -> tensor<2x7x4xf32> {
  %0 = dovetail.conv %arg0, %arg1 dims [0, 1, 2] x [1, 2, 3] to [0, 1, 3] windows [1] strides [1] dilations [1] element f32 : tensor<2x9x3xbf16>, tensor<3x3x4xbf16>
  return %0 : tensor<2x7x4xf32>
}
// CHECK-LABEL: func.func private @main.transpose(%arg0: tensor<2x9x3xbf16>, %arg1: tensor<2x7x4xf32>) -> tensor<3x3x4xbf16>
// CHECK-NEXT:    %[[CONVERT:.+]] = dovetail.convert %arg0 : tensor<2x9x3xbf16> -> tensor<2x9x3xf32>
// CHECK-NEXT:    %[[CONV:.+]] = dovetail.conv %[[CONVERT]], %arg1 dims [0, 1, 2] x [0, 1, 3] to [1, 2, 3] windows [1] strides [1] dilations [1] : tensor<2x9x3xf32>, tensor<2x7x4xf32>
// CHECK-NEXT:    %[[CONSTANT:.+]] = dovetail.constant dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT:    %[[CONVERT_1:.+]] = dovetail.convert %[[CONV]] : tensor<3x3x4xf32> -> tensor<3x3x4xbf16>
// CHECK-NEXT:    return %[[CONVERT_1]] : tensor<3x3x4xbf16>
