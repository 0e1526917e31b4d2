// Transposes of the linear running reductions run the other way.
// RUN: dovetail-opt %s --split-input-file --dovetail-transpose=linear=1 | FileCheck %s

func.func @main(%arg0: tensor<2x3xf32>, %arg1: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = dovetail.cumsum %arg1, 1 : tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
// CHECK-LABEL: func.func private @main.transpose(%arg0: tensor<2x3xf32>, %arg1: tensor<2x3xf32>) -> tensor<2x3xf32>
// CHECK-NEXT:    %[[CUMSUM:.+]] = dovetail.cumsum %arg1, 1 reverse = true : tensor<2x3xf32>
// CHECK-NEXT:    return %[[CUMSUM]] : tensor<2x3xf32>

// -----

func.func @main(%arg0: tensor<?x3xf32>, %arg1: tensor<?x3xf32>) -> tensor<?x3xf32> {
  %0 = dovetail.cumsum %arg1, 0 reverse = true : tensor<?x3xf32>
  return %0 : tensor<?x3xf32>
}
// CHECK-LABEL: func.func private @main.transpose(%arg0: tensor<?x3xf32>, %arg1: index, %arg2: tensor<?x3xf32>) -> tensor<?x3xf32>
// CHECK-NEXT:    %[[CUMSUM:.+]] = dovetail.cumsum %arg2, 0 : tensor<?x3xf32>
// CHECK-NEXT:    return %[[CUMSUM]] : tensor<?x3xf32>

// -----

func.func @main(%arg0: tensor<2x3xf32>, %arg1: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = dovetail.linear_recurrence %arg0, %arg1, 1 : tensor<2x3xf32>, tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
// CHECK-LABEL: func.func private @main.transpose(%arg0: tensor<2x3xf32>, %arg1: tensor<2x3xf32>) -> tensor<2x3xf32>
// CHECK-NEXT:    %[[CONSTANT:.+]] = dovetail.constant dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT:    %[[PAD:.+]] = dovetail.pad %arg0, %[[CONSTANT]] low [0, -1] interior [0, 0] : tensor<2x3xf32>, tensor<f32> -> tensor<2x3xf32>
// CHECK-NEXT:    %[[LINEAR_RECURRENCE:.+]] = dovetail.linear_recurrence %[[PAD]], %arg1, 1 reverse = true : tensor<2x3xf32>, tensor<2x3xf32>
// CHECK-NEXT:    return %[[LINEAR_RECURRENCE]] : tensor<2x3xf32>

// -----

func.func @main(%arg0: tensor<2x3xf32>, %arg1: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = dovetail.linear_recurrence %arg0, %arg1, 1 reverse = true : tensor<2x3xf32>, tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
// CHECK-LABEL: func.func private @main.transpose(%arg0: tensor<2x3xf32>, %arg1: tensor<2x3xf32>) -> tensor<2x3xf32>
// CHECK-NEXT:    %[[CONSTANT:.+]] = dovetail.constant dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT:    %[[PAD:.+]] = dovetail.pad %arg0, %[[CONSTANT]] low [0, 1] interior [0, 0] : tensor<2x3xf32>, tensor<f32> -> tensor<2x3xf32>
// CHECK-NEXT:    %[[LINEAR_RECURRENCE:.+]] = dovetail.linear_recurrence %[[PAD]], %arg1, 1 : tensor<2x3xf32>, tensor<2x3xf32>
// CHECK-NEXT:    return %[[LINEAR_RECURRENCE]] : tensor<2x3xf32>
