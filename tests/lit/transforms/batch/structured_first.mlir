// Structured ops over a batch that is the first dimension of the operand.
// RUN: dovetail-opt %s --split-input-file --dovetail-batch='dims=0 size=7' | FileCheck %s

func.func @main(%arg0: tensor<2x3xf32>) -> tensor<6xf32> {
  %0 = dovetail.reshape %arg0 : tensor<2x3xf32> -> tensor<6xf32>
  return %0 : tensor<6xf32>
}
// CHECK-LABEL: func.func private @main.batch(%arg0: tensor<7x2x3xf32>) -> tensor<7x6xf32>
// CHECK-NEXT:    %[[RESHAPE:.+]] = dovetail.reshape %arg0 : tensor<7x2x3xf32> -> tensor<7x6xf32>
// CHECK-NEXT:    return %[[RESHAPE]] : tensor<7x6xf32>

// -----

func.func @main(%arg0: tensor<2x3xf32>) -> tensor<2x4x3xf32> {
  %0 = dovetail.broadcast %arg0 dims [0, 2] : tensor<2x3xf32> -> tensor<2x4x3xf32>
  return %0 : tensor<2x4x3xf32>
}
// CHECK-LABEL: func.func private @main.batch(%arg0: tensor<7x2x3xf32>) -> tensor<7x2x4x3xf32>
// CHECK-NEXT:    %[[BROADCAST:.+]] = dovetail.broadcast %arg0 dims [0, 1, 3] : tensor<7x2x3xf32> -> tensor<7x2x4x3xf32>
// CHECK-NEXT:    return %[[BROADCAST]] : tensor<7x2x4x3xf32>

// -----

func.func @main(%arg0: tensor<2x3xf32>) -> tensor<2x1xf32> {
  %0 = dovetail.slice %arg0 starts [0, 1] strides [1, 2] : tensor<2x3xf32> -> tensor<2x1xf32>
  return %0 : tensor<2x1xf32>
}
// CHECK-LABEL: func.func private @main.batch(%arg0: tensor<7x2x3xf32>) -> tensor<7x2x1xf32>
// CHECK-NEXT:    %[[SLICE:.+]] = dovetail.slice %arg0 starts [0, 0, 1] strides [1, 1, 2] : tensor<7x2x3xf32> -> tensor<7x2x1xf32>
// CHECK-NEXT:    return %[[SLICE]] : tensor<7x2x1xf32>

// -----

func.func @main(%arg0: tensor<2x3xf32>) -> tensor<3x2xf32> {
  %0 = dovetail.transpose %arg0 [1, 0] : tensor<2x3xf32>
  return %0 : tensor<3x2xf32>
}
// CHECK-LABEL: func.func private @main.batch(%arg0: tensor<7x2x3xf32>) -> tensor<7x3x2xf32>
// CHECK-NEXT:    %[[TRANSPOSE:.+]] = dovetail.transpose %arg0 [0, 2, 1] : tensor<7x2x3xf32>
// CHECK-NEXT:    return %[[TRANSPOSE]] : tensor<7x3x2xf32>

// -----

func.func @main(%arg0: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = dovetail.reverse %arg0 [1] : tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
// CHECK-LABEL: func.func private @main.batch(%arg0: tensor<7x2x3xf32>) -> tensor<7x2x3xf32>
// CHECK-NEXT:    %[[REVERSE:.+]] = dovetail.reverse %arg0 [2] : tensor<7x2x3xf32>
// CHECK-NEXT:    return %[[REVERSE]] : tensor<7x2x3xf32>

// -----

func.func @main(%arg0: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = dovetail.roll %arg0 dimension 1 shift 1 : tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
// CHECK-LABEL: func.func private @main.batch(%arg0: tensor<7x2x3xf32>) -> tensor<7x2x3xf32>
// CHECK-NEXT:    %[[ROLL:.+]] = dovetail.roll %arg0 dimension 2 shift 1 : tensor<7x2x3xf32>
// CHECK-NEXT:    return %[[ROLL]] : tensor<7x2x3xf32>

// -----

func.func @main(%arg0: tensor<2x3xf32>) -> tensor<2x6xf32> {
  %0 = dovetail.concatenate %arg0, %arg0 dimension 1 : tensor<2x3xf32>, tensor<2x3xf32>
  return %0 : tensor<2x6xf32>
}
// CHECK-LABEL: func.func private @main.batch(%arg0: tensor<7x2x3xf32>) -> tensor<7x2x6xf32>
// CHECK-NEXT:    %[[CONCATENATE:.+]] = dovetail.concatenate %arg0, %arg0 dimension 2 : tensor<7x2x3xf32>, tensor<7x2x3xf32>
// CHECK-NEXT:    return %[[CONCATENATE]] : tensor<7x2x6xf32>

// -----

func.func @main(%arg0: tensor<2x3xf32>) -> tensor<3xf32> {
  %0 = dovetail.reduce_sum %arg0 [0] : tensor<2x3xf32>
  return %0 : tensor<3xf32>
}
// CHECK-LABEL: func.func private @main.batch(%arg0: tensor<7x2x3xf32>) -> tensor<7x3xf32>
// CHECK-NEXT:    %[[REDUCE_SUM:.+]] = dovetail.reduce_sum %arg0 [1] : tensor<7x2x3xf32>
// CHECK-NEXT:    return %[[REDUCE_SUM]] : tensor<7x3xf32>

// -----

func.func @main(%arg0: tensor<2x3xf32>) -> tensor<f32> {
  %0 = dovetail.reduce_max %arg0 [0, 1] : tensor<2x3xf32>
  return %0 : tensor<f32>
}
// CHECK-LABEL: func.func private @main.batch(%arg0: tensor<7x2x3xf32>) -> tensor<7xf32>
// CHECK-NEXT:    %[[REDUCE_MAX:.+]] = dovetail.reduce_max %arg0 [1, 2] : tensor<7x2x3xf32>
// CHECK-NEXT:    return %[[REDUCE_MAX]] : tensor<7xf32>

// -----

func.func @main(%arg0: tensor<2x3xf32>) -> tensor<2xi32> {
  %0 = dovetail.argmax %arg0, 1 : tensor<2x3xf32> -> tensor<2xi32>
  return %0 : tensor<2xi32>
}
// CHECK-LABEL: func.func private @main.batch(%arg0: tensor<7x2x3xf32>) -> tensor<7x2xi32>
// CHECK-NEXT:    %[[ARGMAX:.+]] = dovetail.argmax %arg0, 2 : tensor<7x2x3xf32> -> tensor<7x2xi32>
// CHECK-NEXT:    return %[[ARGMAX]] : tensor<7x2xi32>

// -----

func.func @main(%arg0: tensor<2x3xf32>) -> tensor<2xf32> {
  %0 = dovetail.dot_general %arg0, %arg0 batch [0] x [0] contract [1] x [1] : tensor<2x3xf32>, tensor<2x3xf32>
  return %0 : tensor<2xf32>
}
// CHECK-LABEL: func.func private @main.batch(%arg0: tensor<7x2x3xf32>) -> tensor<7x2xf32>
// CHECK-NEXT:    %[[DOT_GENERAL:.+]] = dovetail.dot_general %arg0, %arg0 batch [0, 1] x [0, 1] contract [2] x [2] : tensor<7x2x3xf32>, tensor<7x2x3xf32>
// CHECK-NEXT:    return %[[DOT_GENERAL]] : tensor<7x2xf32>
