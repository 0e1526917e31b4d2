// Cotangents of windows are spread apart, and windows slide over them.
// RUN: dovetail-opt %s --split-input-file --dovetail-transpose=linear=1 | FileCheck %s

func.func @main(%arg0: tensor<5x9xf32>, %arg1: tensor<5x9xf32>) -> tensor<2x5xf32> {
  %0 = dovetail.reduce_window_sum %arg1 window [2, 3] strides [2, 1] dilations [1, 2] : tensor<5x9xf32>
  return %0 : tensor<2x5xf32>
}
// CHECK-LABEL: func.func private @main.transpose(%arg0: tensor<5x9xf32>, %arg1: tensor<2x5xf32>) -> tensor<5x9xf32>
// CHECK-NEXT:    %[[CONSTANT:.+]] = dovetail.constant dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT:    %[[PAD:.+]] = dovetail.pad %arg1, %[[CONSTANT]] low [1, 4] interior [1, 0] : tensor<2x5xf32>, tensor<f32> -> tensor<6x13xf32>
// CHECK-NEXT:    %[[REDUCE_WINDOW_SUM:.+]] = dovetail.reduce_window_sum %[[PAD]] window [2, 3] strides [1, 1] dilations [1, 2] : tensor<6x13xf32>
// CHECK-NEXT:    return %[[REDUCE_WINDOW_SUM]] : tensor<5x9xf32>

// -----

func.func @main(%arg0: tensor<2x5xi32>, %arg1: tensor<5x9xf32>) -> tensor<2x5xf32> {
  %0 = dovetail.window_take %arg1, %arg0 window [2, 3] strides [2, 1] dilations [1, 2] : tensor<5x9xf32>, tensor<2x5xi32>
  return %0 : tensor<2x5xf32>
}
// CHECK-LABEL: func.func private @main.transpose(%arg0: tensor<2x5xi32>, %arg1: tensor<2x5xf32>) -> tensor<5x9xf32>
// CHECK-NEXT:    %[[CONSTANT:.+]] = dovetail.constant dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT:    %[[PAD:.+]] = dovetail.pad %arg1, %[[CONSTANT]] low [1, 4] interior [1, 0] : tensor<2x5xf32>, tensor<f32> -> tensor<6x13xf32>
// CHECK-NEXT:    %[[CONSTANT_1:.+]] = dovetail.constant dense<-1> : tensor<i32>
// CHECK-NEXT:    %[[PAD_1:.+]] = dovetail.pad %arg0, %[[CONSTANT_1]] low [1, 4] interior [1, 0] : tensor<2x5xi32>, tensor<i32> -> tensor<6x13xi32>
// CHECK-NEXT:    %[[WINDOW_PUT:.+]] = dovetail.window_put %[[PAD]], %[[PAD_1]] window [2, 3] dilations [1, 2] : tensor<6x13xf32>, tensor<6x13xi32>
// CHECK-NEXT:    return %[[WINDOW_PUT]] : tensor<5x9xf32>

// -----

func.func @main(%arg0: tensor<6xi32>, %arg1: tensor<6xf32>) -> tensor<2xf32> {
  %0 = dovetail.window_put %arg1, %arg0 window [3] dilations [2] : tensor<6xf32>, tensor<6xi32>
  return %0 : tensor<2xf32>
}
// CHECK-LABEL: func.func private @main.transpose(%arg0: tensor<6xi32>, %arg1: tensor<2xf32>) -> tensor<6xf32>
// CHECK-NEXT:    %[[CONSTANT:.+]] = dovetail.constant dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT:    %[[PAD:.+]] = dovetail.pad %arg1, %[[CONSTANT]] low [4] interior [0] : tensor<2xf32>, tensor<f32> -> tensor<10xf32>
// CHECK-NEXT:    %[[WINDOW_TAKE:.+]] = dovetail.window_take %[[PAD]], %arg0 window [3] strides [1] dilations [2] : tensor<10xf32>, tensor<6xi32>
// CHECK-NEXT:    return %[[WINDOW_TAKE]] : tensor<6xf32>

// -----

func.func @main(%arg0: tensor<?xi32>, %arg1: tensor<?xf32>) -> tensor<?xf32> {
  %0 = dovetail.reduce_window_sum %arg1 window [3] strides [2] dilations [2] : tensor<?xf32>
  return %0 : tensor<?xf32>
}
// CHECK-LABEL: func.func private @main.transpose(%arg0: tensor<?xi32>, %arg1: index, %arg2: tensor<?xf32>) -> tensor<?xf32>
// CHECK-NEXT:    %[[CONSTANT:.+]] = dovetail.constant dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT:    %[[CONSTANT_1:.+]] = arith.constant 4 : index
// CHECK-NEXT:    %[[ADDI:.+]] = arith.addi %arg1, %[[CONSTANT_1]] : index
// CHECK-NEXT:    %[[PAD:.+]] = dovetail.pad %arg2, %[[CONSTANT]] low [4] interior [1] sizes(%[[ADDI]]) : tensor<?xf32>, tensor<f32> -> tensor<?xf32>
// CHECK-NEXT:    %[[REDUCE_WINDOW_SUM:.+]] = dovetail.reduce_window_sum %[[PAD]] window [3] strides [1] dilations [2] : tensor<?xf32>
// CHECK-NEXT:    return %[[REDUCE_WINDOW_SUM]] : tensor<?xf32>
