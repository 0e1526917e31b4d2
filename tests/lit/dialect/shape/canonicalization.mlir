// Folds and merges of the ops that move elements.
// RUN: dovetail-opt %s --canonicalize | FileCheck %s

func.func @reshape_same(%arg0: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = dovetail.reshape %arg0 : tensor<2x3xf32> -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
// CHECK-LABEL: func.func @reshape_same(%arg0: tensor<2x3xf32>) -> tensor<2x3xf32>
// CHECK-NEXT:    return %arg0 : tensor<2x3xf32>

func.func @reshape_same_dynamic(%arg0: tensor<?xf32>, %arg1: index) -> tensor<?xf32> {
  %0 = dovetail.reshape %arg0 sizes(%arg1) : tensor<?xf32> -> tensor<?xf32>
  return %0 : tensor<?xf32>
}
// CHECK-LABEL: func.func @reshape_same_dynamic(%arg0: tensor<?xf32>, %arg1: index) -> tensor<?xf32>
// CHECK-NEXT:    %[[RESHAPE:.+]] = dovetail.reshape %arg0 sizes(%arg1) : tensor<?xf32> -> tensor<?xf32>
// CHECK-NEXT:    return %[[RESHAPE]] : tensor<?xf32>

func.func @reshape_splat() -> tensor<6xf32> {
  %1 = dovetail.constant dense<1.0> : tensor<2x3xf32>
  %0 = dovetail.reshape %1 : tensor<2x3xf32> -> tensor<6xf32>
  return %0 : tensor<6xf32>
}
// CHECK-LABEL: func.func @reshape_splat() -> tensor<6xf32>
// CHECK-NEXT:    %[[CONSTANT:.+]] = dovetail.constant dense<1.000000e+00> : tensor<6xf32>
// CHECK-NEXT:    return %[[CONSTANT]] : tensor<6xf32>

func.func @reshape_constant() -> tensor<4xi32> {
  %1 = dovetail.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xi32>
  %0 = dovetail.reshape %1 : tensor<2x2xi32> -> tensor<4xi32>
  return %0 : tensor<4xi32>
}
// CHECK-LABEL: func.func @reshape_constant() -> tensor<4xi32>
// CHECK-NEXT:    %[[CONSTANT:.+]] = dovetail.constant dense<[1, 2, 3, 4]> : tensor<4xi32>
// CHECK-NEXT:    return %[[CONSTANT]] : tensor<4xi32>

func.func @reshape_twice(%arg0: tensor<2x3xf32>) -> tensor<3x2xf32> {
  %1 = dovetail.reshape %arg0 : tensor<2x3xf32> -> tensor<6xf32>
  %0 = dovetail.reshape %1 : tensor<6xf32> -> tensor<3x2xf32>
  return %0 : tensor<3x2xf32>
}
// CHECK-LABEL: func.func @reshape_twice(%arg0: tensor<2x3xf32>) -> tensor<3x2xf32>
// CHECK-NEXT:    %[[RESHAPE:.+]] = dovetail.reshape %arg0 : tensor<2x3xf32> -> tensor<3x2xf32>
// CHECK-NEXT:    return %[[RESHAPE]] : tensor<3x2xf32>

func.func @reshape_and_back(%arg0: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %1 = dovetail.reshape %arg0 : tensor<2x3xf32> -> tensor<6xf32>
  %0 = dovetail.reshape %1 : tensor<6xf32> -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
// CHECK-LABEL: func.func @reshape_and_back(%arg0: tensor<2x3xf32>) -> tensor<2x3xf32>
// CHECK-NEXT:    return %arg0 : tensor<2x3xf32>

func.func @broadcast_same(%arg0: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = dovetail.broadcast %arg0 dims [0, 1] : tensor<2x3xf32> -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
// CHECK-LABEL: func.func @broadcast_same(%arg0: tensor<2x3xf32>) -> tensor<2x3xf32>
// CHECK-NEXT:    return %arg0 : tensor<2x3xf32>

func.func @broadcast_splat() -> tensor<2x3xf32> {
  %1 = dovetail.constant dense<1.0> : tensor<f32>
  %0 = dovetail.broadcast %1 dims [] : tensor<f32> -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
// CHECK-LABEL: func.func @broadcast_splat() -> tensor<2x3xf32>
// CHECK-NEXT:    %[[CONSTANT:.+]] = dovetail.constant dense<1.000000e+00> : tensor<2x3xf32>
// CHECK-NEXT:    return %[[CONSTANT]] : tensor<2x3xf32>

func.func @broadcast_twice(%arg0: tensor<3xf32>) -> tensor<2x4x3xf32> {
  %1 = dovetail.broadcast %arg0 dims [1] : tensor<3xf32> -> tensor<2x3xf32>
  %0 = dovetail.broadcast %1 dims [0, 2] : tensor<2x3xf32> -> tensor<2x4x3xf32>
  return %0 : tensor<2x4x3xf32>
}
// CHECK-LABEL: func.func @broadcast_twice(%arg0: tensor<3xf32>) -> tensor<2x4x3xf32>
// CHECK-NEXT:    %[[BROADCAST:.+]] = dovetail.broadcast %arg0 dims [2] : tensor<3xf32> -> tensor<2x4x3xf32>
// CHECK-NEXT:    return %[[BROADCAST]] : tensor<2x4x3xf32>

func.func @slice_whole(%arg0: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = dovetail.slice %arg0 starts [0, 0] strides [1, 1] : tensor<2x3xf32> -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
// CHECK-LABEL: func.func @slice_whole(%arg0: tensor<2x3xf32>) -> tensor<2x3xf32>
// CHECK-NEXT:    return %arg0 : tensor<2x3xf32>

func.func @slice_splat() -> tensor<2x2xf32> {
  %1 = dovetail.constant dense<1.0> : tensor<2x3xf32>
  %0 = dovetail.slice %1 starts [0, 1] strides [1, 1] : tensor<2x3xf32> -> tensor<2x2xf32>
  return %0 : tensor<2x2xf32>
}
// CHECK-LABEL: func.func @slice_splat() -> tensor<2x2xf32>
// CHECK-NEXT:    %[[CONSTANT:.+]] = dovetail.constant dense<1.000000e+00> : tensor<2x2xf32>
// CHECK-NEXT:    return %[[CONSTANT]] : tensor<2x2xf32>

func.func @pad_nothing(%arg0: tensor<2x3xf32>, %arg1: tensor<f32>) -> tensor<2x3xf32> {
  %0 = dovetail.pad %arg0, %arg1 low [0, 0] interior [0, 0] : tensor<2x3xf32>, tensor<f32> -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
// CHECK-LABEL: func.func @pad_nothing(%arg0: tensor<2x3xf32>, %arg1: tensor<f32>) -> tensor<2x3xf32>
// CHECK-NEXT:    return %arg0 : tensor<2x3xf32>

func.func @pad_and_crop(%arg0: tensor<2x3xf32>, %arg1: tensor<f32>) -> tensor<2x3xf32> {
  %0 = dovetail.pad %arg0, %arg1 low [0, 1] interior [0, 0] : tensor<2x3xf32>, tensor<f32> -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
// CHECK-LABEL: func.func @pad_and_crop(%arg0: tensor<2x3xf32>, %arg1: tensor<f32>) -> tensor<2x3xf32>
// CHECK-NEXT:    %[[PAD:.+]] = dovetail.pad %arg0, %arg1 low [0, 1] interior [0, 0] : tensor<2x3xf32>, tensor<f32> -> tensor<2x3xf32>
// CHECK-NEXT:    return %[[PAD]] : tensor<2x3xf32>

func.func @transpose_identity(%arg0: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = dovetail.transpose %arg0 [0, 1] : tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
// CHECK-LABEL: func.func @transpose_identity(%arg0: tensor<2x3xf32>) -> tensor<2x3xf32>
// CHECK-NEXT:    return %arg0 : tensor<2x3xf32>

func.func @transpose_splat() -> tensor<3x2xf32> {
  %1 = dovetail.constant dense<1.0> : tensor<2x3xf32>
  %0 = dovetail.transpose %1 [1, 0] : tensor<2x3xf32>
  return %0 : tensor<3x2xf32>
}
// CHECK-LABEL: func.func @transpose_splat() -> tensor<3x2xf32>
// CHECK-NEXT:    %[[CONSTANT:.+]] = dovetail.constant dense<1.000000e+00> : tensor<3x2xf32>
// CHECK-NEXT:    return %[[CONSTANT]] : tensor<3x2xf32>

func.func @transpose_twice(%arg0: tensor<2x3x4xf32>) -> tensor<4x3x2xf32> {
  %1 = dovetail.transpose %arg0 [1, 2, 0] : tensor<2x3x4xf32>
  %0 = dovetail.transpose %1 [1, 0, 2] : tensor<3x4x2xf32>
  return %0 : tensor<4x3x2xf32>
}
// CHECK-LABEL: func.func @transpose_twice(%arg0: tensor<2x3x4xf32>) -> tensor<4x3x2xf32>
// CHECK-NEXT:    %[[TRANSPOSE:.+]] = dovetail.transpose %arg0 [2, 1, 0] : tensor<2x3x4xf32>
// CHECK-NEXT:    return %[[TRANSPOSE]] : tensor<4x3x2xf32>

func.func @transpose_and_back(%arg0: tensor<2x3x4xf32>) -> tensor<2x3x4xf32> {
  %1 = dovetail.transpose %arg0 [1, 2, 0] : tensor<2x3x4xf32>
  %0 = dovetail.transpose %1 [2, 0, 1] : tensor<3x4x2xf32>
  return %0 : tensor<2x3x4xf32>
}
// CHECK-LABEL: func.func @transpose_and_back(%arg0: tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
// CHECK-NEXT:    return %arg0 : tensor<2x3x4xf32>

func.func @reverse_nothing(%arg0: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = dovetail.reverse %arg0 [] : tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
// CHECK-LABEL: func.func @reverse_nothing(%arg0: tensor<2x3xf32>) -> tensor<2x3xf32>
// CHECK-NEXT:    return %arg0 : tensor<2x3xf32>

func.func @roll_by_whole_rounds(%arg0: tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>) {
  %0 = dovetail.roll %arg0 dimension 1 shift 6 : tensor<2x3xf32>
  %1 = dovetail.roll %arg0 dimension 1 shift -4 : tensor<2x3xf32>
  return %0, %1 : tensor<2x3xf32>, tensor<2x3xf32>
}
// CHECK-LABEL: func.func @roll_by_whole_rounds(%arg0: tensor<2x3xf32>)
// CHECK-NEXT:    %[[ROLL:.+]] = dovetail.roll %arg0 dimension 1 shift 2 : tensor<2x3xf32>
// CHECK-NEXT:    return %arg0, %[[ROLL]]

func.func @reverse_single_elements(%arg0: tensor<2x1xf32>, %arg1: tensor<1x1xf32>) -> (tensor<2x1xf32>, tensor<1x1xf32>) {
  %0 = dovetail.reverse %arg0 [0, 1] : tensor<2x1xf32>
  %1 = dovetail.reverse %arg1 [0, 1] : tensor<1x1xf32>
  return %0, %1 : tensor<2x1xf32>, tensor<1x1xf32>
}
// CHECK-LABEL: func.func @reverse_single_elements(
// CHECK-SAME: %[[ARG0:.*]]: tensor<2x1xf32>, %[[ARG1:.*]]: tensor<1x1xf32>
// CHECK: %[[ROWS:.*]] = dovetail.reverse %[[ARG0]] [0] : tensor<2x1xf32>
// CHECK: return %[[ROWS]], %[[ARG1]]

func.func @reverse_splat() -> tensor<2x3xf32> {
  %1 = dovetail.constant dense<1.0> : tensor<2x3xf32>
  %0 = dovetail.reverse %1 [0] : tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
// CHECK-LABEL: func.func @reverse_splat() -> tensor<2x3xf32>
// CHECK-NEXT:    %[[CONSTANT:.+]] = dovetail.constant dense<1.000000e+00> : tensor<2x3xf32>
// CHECK-NEXT:    return %[[CONSTANT]] : tensor<2x3xf32>

func.func @concatenate_one(%arg0: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = dovetail.concatenate %arg0 dimension 1 : tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
// CHECK-LABEL: func.func @concatenate_one(%arg0: tensor<2x3xf32>) -> tensor<2x3xf32>
// CHECK-NEXT:    return %arg0 : tensor<2x3xf32>

func.func @reshape_repeated(%arg0: tensor<3xf32>) -> tensor<8x3x2x2xf32> {
  %1 = dovetail.broadcast %arg0 dims [2] : tensor<3xf32> -> tensor<2x4x3x4xf32>
  %0 = dovetail.reshape %1 : tensor<2x4x3x4xf32> -> tensor<8x3x2x2xf32>
  return %0 : tensor<8x3x2x2xf32>
}
// CHECK-LABEL: func.func @reshape_repeated(%arg0: tensor<3xf32>) -> tensor<8x3x2x2xf32>
// CHECK-NEXT:    %[[BROADCAST:.+]] = dovetail.broadcast %arg0 dims [1] : tensor<3xf32> -> tensor<8x3x2x2xf32>
// CHECK-NEXT:    return %[[BROADCAST]] : tensor<8x3x2x2xf32>

func.func @reshape_of_repeated_and_own(%arg0: tensor<3xf32>) -> tensor<6xf32> {
  %1 = dovetail.broadcast %arg0 dims [1] : tensor<3xf32> -> tensor<2x3xf32>
  %0 = dovetail.reshape %1 : tensor<2x3xf32> -> tensor<6xf32>
  return %0 : tensor<6xf32>
}
// CHECK-LABEL: func.func @reshape_of_repeated_and_own(%arg0: tensor<3xf32>) -> tensor<6xf32>
// CHECK-NEXT:    dovetail.broadcast
// CHECK-NEXT:    dovetail.reshape
