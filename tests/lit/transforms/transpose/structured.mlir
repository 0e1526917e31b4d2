// The transpose of each structured op that is linear.
// RUN: dovetail-opt %s --split-input-file --dovetail-transpose=linear=0 | FileCheck %s

func.func @main(%arg0: tensor<2x3xf32>) -> tensor<6xf32> {
  %0 = dovetail.reshape %arg0 : tensor<2x3xf32> -> tensor<6xf32>
  return %0 : tensor<6xf32>
}
// CHECK-LABEL: func.func private @main.transpose(%arg0: tensor<6xf32>) -> tensor<2x3xf32>
// CHECK-NEXT:    %[[RESHAPE:.+]] = dovetail.reshape %arg0 : tensor<6xf32> -> tensor<2x3xf32>
// CHECK-NEXT:    return %[[RESHAPE]] : tensor<2x3xf32>

// -----

func.func @main(%arg0: tensor<2x3xf32>) -> tensor<2x4x3xf32> {
  %0 = dovetail.broadcast %arg0 dims [0, 2] : tensor<2x3xf32> -> tensor<2x4x3xf32>
  return %0 : tensor<2x4x3xf32>
}
// CHECK-LABEL: func.func private @main.transpose(%arg0: tensor<2x4x3xf32>) -> tensor<2x3xf32>
// CHECK-NEXT:    %[[REDUCE_SUM:.+]] = dovetail.reduce_sum %arg0 [1] : tensor<2x4x3xf32>
// CHECK-NEXT:    return %[[REDUCE_SUM]] : tensor<2x3xf32>

// -----

func.func @main(%arg0: tensor<2x3xf32>) -> tensor<2x1xf32> {
  %0 = dovetail.slice %arg0 starts [0, 1] strides [1, 2] : tensor<2x3xf32> -> tensor<2x1xf32>
  return %0 : tensor<2x1xf32>
}
// CHECK-LABEL: func.func private @main.transpose(%arg0: tensor<2x1xf32>) -> tensor<2x3xf32>
// CHECK-NEXT:    %[[CONSTANT:.+]] = dovetail.constant dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT:    %[[PAD:.+]] = dovetail.pad %arg0, %[[CONSTANT]] low [0, 1] interior [0, 1] : tensor<2x1xf32>, tensor<f32> -> tensor<2x3xf32>
// CHECK-NEXT:    return %[[PAD]] : tensor<2x3xf32>

// -----

func.func @main(%arg0: tensor<2x3xf32>, %arg1: tensor<f32>) -> tensor<4x6xf32> {
  %0 = dovetail.pad %arg0, %arg1 low [1, -1] interior [0, 2] : tensor<2x3xf32>, tensor<f32> -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}
// CHECK-LABEL: func.func private @main.transpose(%arg0: tensor<f32>, %arg1: tensor<4x6xf32>) -> tensor<2x3xf32>
// CHECK-NEXT:    %[[CONSTANT:.+]] = dovetail.constant dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT:    %[[PAD:.+]] = dovetail.pad %arg1, %[[CONSTANT]] low [-1, 1] interior [0, 0] : tensor<4x6xf32>, tensor<f32> -> tensor<2x7xf32>
// CHECK-NEXT:    %[[SLICE:.+]] = dovetail.slice %[[PAD]] starts [0, 0] strides [1, 3] : tensor<2x7xf32> -> tensor<2x3xf32>
// CHECK-NEXT:    return %[[SLICE]] : tensor<2x3xf32>

// -----

func.func @main(%arg0: tensor<f32>, %arg1: tensor<2x3xf32>) -> tensor<4x3xf32> {
  %0 = dovetail.pad %arg1, %arg0 low [1, 0] interior [0, 0] : tensor<2x3xf32>, tensor<f32> -> tensor<4x3xf32>
  return %0 : tensor<4x3xf32>
}
// CHECK-LABEL: func.func private @main.transpose(%arg0: tensor<2x3xf32>, %arg1: tensor<4x3xf32>) -> tensor<f32>
// CHECK-NEXT:    %[[CONSTANT:.+]] = dovetail.constant dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT:    %[[PAD:.+]] = dovetail.pad %arg1, %[[CONSTANT]] low [-1, 0] interior [0, 0] : tensor<4x3xf32>, tensor<f32> -> tensor<2x3xf32>
// CHECK-NEXT:    %[[PAD_1:.+]] = dovetail.pad %[[PAD]], %[[CONSTANT]] low [1, 0] interior [0, 0] : tensor<2x3xf32>, tensor<f32> -> tensor<4x3xf32>
// CHECK-NEXT:    %[[SUB:.+]] = dovetail.sub %arg1, %[[PAD_1]] : tensor<4x3xf32>
// CHECK-NEXT:    %[[REDUCE_SUM:.+]] = dovetail.reduce_sum %[[SUB]] [0, 1] : tensor<4x3xf32>
// CHECK-NEXT:    return %[[REDUCE_SUM]] : tensor<f32>

// -----

func.func @main(%arg0: tensor<2x3x4xf32>) -> tensor<4x2x3xf32> {
  %0 = dovetail.transpose %arg0 [2, 0, 1] : tensor<2x3x4xf32>
  return %0 : tensor<4x2x3xf32>
}
// CHECK-LABEL: func.func private @main.transpose(%arg0: tensor<4x2x3xf32>) -> tensor<2x3x4xf32>
// CHECK-NEXT:    %[[TRANSPOSE:.+]] = dovetail.transpose %arg0 [1, 2, 0] : tensor<4x2x3xf32>
// CHECK-NEXT:    return %[[TRANSPOSE]] : tensor<2x3x4xf32>

// -----

func.func @main(%arg0: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = dovetail.reverse %arg0 [1] : tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
// CHECK-LABEL: func.func private @main.transpose(%arg0: tensor<2x3xf32>) -> tensor<2x3xf32>
// CHECK-NEXT:    %[[REVERSE:.+]] = dovetail.reverse %arg0 [1] : tensor<2x3xf32>
// CHECK-NEXT:    return %[[REVERSE]] : tensor<2x3xf32>

// -----

func.func @main(%arg0: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = dovetail.roll %arg0 dimension 1 shift 1 : tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
// CHECK-LABEL: func.func private @main.transpose(%arg0: tensor<2x3xf32>) -> tensor<2x3xf32>
// CHECK-NEXT:    %[[ROLL:.+]] = dovetail.roll %arg0 dimension 1 shift 2 : tensor<2x3xf32>
// CHECK-NEXT:    return %[[ROLL]] : tensor<2x3xf32>

// -----

func.func @main(%arg0: tensor<2x3xf32>, %arg1: tensor<2x3xf32>) -> tensor<2x9xf32> {
  %0 = dovetail.concatenate %arg1, %arg0, %arg0 dimension 1 : tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>
  return %0 : tensor<2x9xf32>
}
// CHECK-LABEL: func.func private @main.transpose(%arg0: tensor<2x3xf32>, %arg1: tensor<2x9xf32>) -> tensor<2x3xf32>
// CHECK-NEXT:    %[[SLICE:.+]] = dovetail.slice %arg1 starts [0, 3] strides [1, 1] : tensor<2x9xf32> -> tensor<2x3xf32>
// CHECK-NEXT:    %[[SLICE_1:.+]] = dovetail.slice %arg1 starts [0, 6] strides [1, 1] : tensor<2x9xf32> -> tensor<2x3xf32>
// CHECK-NEXT:    %[[ADD:.+]] = dovetail.add %[[SLICE]], %[[SLICE_1]] : tensor<2x3xf32>
// CHECK-NEXT:    return %[[ADD]] : tensor<2x3xf32>

// -----

func.func @main(%arg0: tensor<2x3xf32>) -> tensor<3xf32> {
  %0 = dovetail.reduce_sum %arg0 [0] : tensor<2x3xf32>
  return %0 : tensor<3xf32>
}
// CHECK-LABEL: func.func private @main.transpose(%arg0: tensor<3xf32>) -> tensor<2x3xf32>
// CHECK-NEXT:    %[[BROADCAST:.+]] = dovetail.broadcast %arg0 dims [1] : tensor<3xf32> -> tensor<2x3xf32>
// CHECK-NEXT:    return %[[BROADCAST]] : tensor<2x3xf32>

// -----

func.func @main(%arg0: tensor<2x3xf32>, %arg1: tensor<3x4xf32>) -> tensor<2x4xf32> {
  %0 = dovetail.dot_general %arg0, %arg1 batch [] x [] contract [1] x [0] : tensor<2x3xf32>, tensor<3x4xf32>
  return %0 : tensor<2x4xf32>
}
// CHECK-LABEL: func.func private @main.transpose(%arg0: tensor<3x4xf32>, %arg1: tensor<2x4xf32>) -> tensor<2x3xf32>
// CHECK-NEXT:    %[[DOT_GENERAL:.+]] = dovetail.dot_general %arg1, %arg0 batch [] x [] contract [1] x [1] : tensor<2x4xf32>, tensor<3x4xf32>
// CHECK-NEXT:    return %[[DOT_GENERAL]] : tensor<2x3xf32>

// -----

func.func @main(%arg0: tensor<3x4xf32>, %arg1: tensor<2x3xf32>) -> tensor<2x4xf32> {
  %0 = dovetail.dot_general %arg1, %arg0 batch [] x [] contract [1] x [0] : tensor<2x3xf32>, tensor<3x4xf32>
  return %0 : tensor<2x4xf32>
}
// CHECK-LABEL: func.func private @main.transpose(%arg0: tensor<2x3xf32>, %arg1: tensor<2x4xf32>) -> tensor<3x4xf32>
// CHECK-NEXT:    %[[DOT_GENERAL:.+]] = dovetail.dot_general %arg1, %arg0 batch [] x [] contract [0] x [0] : tensor<2x4xf32>, tensor<2x3xf32>
// CHECK-NEXT:    %[[TRANSPOSE:.+]] = dovetail.transpose %[[DOT_GENERAL]] [1, 0] : tensor<4x3xf32>
// CHECK-NEXT:    return %[[TRANSPOSE]] : tensor<3x4xf32>

// -----

func.func @main(%arg0: tensor<5x2x3x7xf32>, %arg1: tensor<7x3x5x4xf32>) -> tensor<5x2x4xf32> {
  %0 = dovetail.dot_general %arg0, %arg1 batch [0] x [2] contract [2, 3] x [1, 0] : tensor<5x2x3x7xf32>, tensor<7x3x5x4xf32>
  return %0 : tensor<5x2x4xf32>
}
// CHECK-LABEL: func.func private @main.transpose(%arg0: tensor<7x3x5x4xf32>, %arg1: tensor<5x2x4xf32>) -> tensor<5x2x3x7xf32>
// CHECK-NEXT:    %[[DOT_GENERAL:.+]] = dovetail.dot_general %arg1, %arg0 batch [0] x [2] contract [2] x [3] : tensor<5x2x4xf32>, tensor<7x3x5x4xf32>
// CHECK-NEXT:    %[[TRANSPOSE:.+]] = dovetail.transpose %[[DOT_GENERAL]] [0, 1, 3, 2] : tensor<5x2x7x3xf32>
// CHECK-NEXT:    return %[[TRANSPOSE]] : tensor<5x2x3x7xf32>

// -----

func.func @main(%arg0: tensor<2xbf16>, %arg1: tensor<2xbf16>) -> tensor<f32> {
  %0 = dovetail.dot_general %arg0, %arg1 batch [] x [] contract [0] x [0] element f32 : tensor<2xbf16>, tensor<2xbf16>
  return %0 : tensor<f32>
}
// CHECK-LABEL: func.func private @main.transpose(%arg0: tensor<2xbf16>, %arg1: tensor<f32>) -> tensor<2xbf16>
// CHECK-NEXT:    %[[CONVERT:.+]] = dovetail.convert %arg0 : tensor<2xbf16> -> tensor<2xf32>
// CHECK-NEXT:    %[[DOT_GENERAL:.+]] = dovetail.dot_general %arg1, %[[CONVERT]] batch [] x [] contract [] x [] : tensor<f32>, tensor<2xf32>
// CHECK-NEXT:    %[[CONVERT_1:.+]] = dovetail.convert %[[DOT_GENERAL]] : tensor<2xf32> -> tensor<2xbf16>
// CHECK-NEXT:    return %[[CONVERT_1]] : tensor<2xbf16>
