// The tangent of an extreme element is that of the first; convolutions and barriers are linear.
// RUN: dovetail-opt %s --split-input-file --dovetail-jvp=wrt=0 | FileCheck %s

func.func @main(%arg0: tensor<5x9xf32>) -> tensor<2x5xf32> {
  %0 = dovetail.reduce_window_sum %arg0 window [2, 3] strides [2, 1] dilations [1, 2] : tensor<5x9xf32>
  return %0 : tensor<2x5xf32>
}
// CHECK-LABEL: func.func private @main.jvp(%arg0: tensor<5x9xf32>, %arg1: tensor<5x9xf32>) -> (tensor<2x5xf32>, tensor<2x5xf32>)
// CHECK-NEXT:    %[[REDUCE_WINDOW_SUM:.+]] = dovetail.reduce_window_sum %arg0 window [2, 3] strides [2, 1] dilations [1, 2] : tensor<5x9xf32>
// CHECK-NEXT:    %[[REDUCE_WINDOW_SUM_1:.+]] = dovetail.reduce_window_sum %arg1 window [2, 3] strides [2, 1] dilations [1, 2] : tensor<5x9xf32>
// CHECK-NEXT:    return %[[REDUCE_WINDOW_SUM]], %[[REDUCE_WINDOW_SUM_1]] : tensor<2x5xf32>, tensor<2x5xf32>

// -----

func.func @main(%arg0: tensor<5x9xf32>) -> tensor<2x5xf32> {
  %0 = dovetail.reduce_window_max %arg0 window [2, 3] strides [2, 1] dilations [1, 2] : tensor<5x9xf32>
  return %0 : tensor<2x5xf32>
}
// CHECK-LABEL: func.func private @main.jvp(%arg0: tensor<5x9xf32>, %arg1: tensor<5x9xf32>) -> (tensor<2x5xf32>, tensor<2x5xf32>)
// CHECK-NEXT:    %[[REDUCE_WINDOW_MAX:.+]] = dovetail.reduce_window_max %arg0 window [2, 3] strides [2, 1] dilations [1, 2] : tensor<5x9xf32>
// CHECK-NEXT:    %[[WINDOW_ARGMAX:.+]] = dovetail.window_argmax %arg0 window [2, 3] strides [2, 1] dilations [1, 2] : tensor<5x9xf32>
// CHECK-NEXT:    %[[WINDOW_TAKE:.+]] = dovetail.window_take %arg1, %[[WINDOW_ARGMAX]] window [2, 3] strides [2, 1] dilations [1, 2] : tensor<5x9xf32>, tensor<2x5xi32>
// CHECK-NEXT:    return %[[REDUCE_WINDOW_MAX]], %[[WINDOW_TAKE]] : tensor<2x5xf32>, tensor<2x5xf32>

// -----

func.func @main(%arg0: tensor<2x9x3xf32>, %arg1: tensor<3x3x4xf32>) -> tensor<2x3x4xf32> {
  %0 = dovetail.conv %arg0, %arg1 dims [0, 1, 2] x [1, 2, 3] to [0, 1, 3] windows [1] strides [2] dilations [2] : tensor<2x9x3xf32>, tensor<3x3x4xf32>
  return %0 : tensor<2x3x4xf32>
}
// CHECK-LABEL: func.func private @main.jvp(%arg0: tensor<2x9x3xf32>, %arg1: tensor<3x3x4xf32>, %arg2: tensor<2x9x3xf32>) -> (tensor<2x3x4xf32>, tensor<2x3x4xf32>)
// CHECK-NEXT:    %[[CONV:.+]] = dovetail.conv %arg0, %arg1 dims [0, 1, 2] x [1, 2, 3] to [0, 1, 3] windows [1] strides [2] dilations [2] : tensor<2x9x3xf32>, tensor<3x3x4xf32>
// CHECK-NEXT:    %[[CONV_1:.+]] = dovetail.conv %arg2, %arg1 dims [0, 1, 2] x [1, 2, 3] to [0, 1, 3] windows [1] strides [2] dilations [2] : tensor<2x9x3xf32>, tensor<3x3x4xf32>
// CHECK-NEXT:    return %[[CONV]], %[[CONV_1]] : tensor<2x3x4xf32>, tensor<2x3x4xf32>

// -----

func.func @main(%arg0: tensor<3xf32>, %arg1: tensor<2xi32>, %arg2: tensor<4xf32>) -> (tensor<3xf32>, tensor<2xi32>, tensor<4xf32>) {
  %0:3 = dovetail.optimization_barrier %arg0, %arg1, %arg2 : tensor<3xf32>, tensor<2xi32>, tensor<4xf32>
  return %0#0, %0#1, %0#2 : tensor<3xf32>, tensor<2xi32>, tensor<4xf32>
}
// CHECK-LABEL: func.func private @main.jvp(%arg0: tensor<3xf32>, %arg1: tensor<2xi32>, %arg2: tensor<4xf32>, %arg3: tensor<3xf32>) -> (tensor<3xf32>, tensor<2xi32>, tensor<4xf32>, tensor<3xf32>)
// CHECK-NEXT:    %[[OPTIMIZATION_BARRIER:.+]]:3 = dovetail.optimization_barrier %arg0, %arg1, %arg2 : tensor<3xf32>, tensor<2xi32>, tensor<4xf32>
// CHECK-NEXT:    %[[OPTIMIZATION_BARRIER_1:.+]] = dovetail.optimization_barrier %arg3 : tensor<3xf32>
// CHECK-NEXT:    return %[[OPTIMIZATION_BARRIER]]#0, %[[OPTIMIZATION_BARRIER]]#1, %[[OPTIMIZATION_BARRIER]]#2, %[[OPTIMIZATION_BARRIER_1]] : tensor<3xf32>, tensor<2xi32>, tensor<4xf32>, tensor<3xf32>
