// Where one operand has no tangent, only the other's share is emitted.
// RUN: dovetail-opt %s --split-input-file --dovetail-jvp=wrt=1 | FileCheck %s

func.func @main(%arg0: tensor<2x3xf32>, %arg1: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = dovetail.add %arg0, %arg1 : tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
// CHECK-LABEL: func.func private @main.jvp(%arg0: tensor<2x3xf32>, %arg1: tensor<2x3xf32>, %arg2: tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>)
// CHECK-NEXT:    %[[ADD:.+]] = dovetail.add %arg0, %arg1 : tensor<2x3xf32>
// CHECK-NEXT:    return %[[ADD]], %arg2 : tensor<2x3xf32>, tensor<2x3xf32>

// -----

func.func @main(%arg0: tensor<2x3xf32>, %arg1: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = dovetail.mul %arg0, %arg1 : tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
// CHECK-LABEL: func.func private @main.jvp(%arg0: tensor<2x3xf32>, %arg1: tensor<2x3xf32>, %arg2: tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>)
// CHECK-NEXT:    %[[MUL:.+]] = dovetail.mul %arg0, %arg1 : tensor<2x3xf32>
// CHECK-NEXT:    %[[MUL_1:.+]] = dovetail.mul %arg0, %arg2 : tensor<2x3xf32>
// CHECK-NEXT:    return %[[MUL]], %[[MUL_1]] : tensor<2x3xf32>, tensor<2x3xf32>

// -----

func.func @main(%arg0: tensor<2x3xf32>, %arg1: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = dovetail.max %arg0, %arg1 : tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
// CHECK-LABEL: func.func private @main.jvp(%arg0: tensor<2x3xf32>, %arg1: tensor<2x3xf32>, %arg2: tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>)
// CHECK-NEXT:    %[[MAX:.+]] = dovetail.max %arg0, %arg1 : tensor<2x3xf32>
// CHECK-NEXT:    %[[COMPARE:.+]] = dovetail.compare eq %arg0, %[[MAX]] : tensor<2x3xf32>
// CHECK-NEXT:    %[[CONSTANT:.+]] = dovetail.constant dense<5.000000e-01> : tensor<2x3xf32>
// CHECK-NEXT:    %[[CONSTANT_1:.+]] = dovetail.constant dense<1.000000e+00> : tensor<2x3xf32>
// CHECK-NEXT:    %[[SELECT:.+]] = dovetail.select %[[COMPARE]], %[[CONSTANT]], %[[CONSTANT_1]] : tensor<2x3xi1>, tensor<2x3xf32>
// CHECK-NEXT:    %[[COMPARE_1:.+]] = dovetail.compare eq %arg1, %[[MAX]] : tensor<2x3xf32>
// CHECK-NEXT:    %[[CONSTANT_2:.+]] = dovetail.constant dense<0.000000e+00> : tensor<2x3xf32>
// CHECK-NEXT:    %[[SELECT_1:.+]] = dovetail.select %[[COMPARE_1]], %[[SELECT]], %[[CONSTANT_2]] : tensor<2x3xi1>, tensor<2x3xf32>
// CHECK-NEXT:    %[[MUL:.+]] = dovetail.mul %arg2, %[[SELECT_1]] : tensor<2x3xf32>
// CHECK-NEXT:    return %[[MAX]], %[[MUL]] : tensor<2x3xf32>, tensor<2x3xf32>

// -----

func.func @main(%arg0: tensor<2x3xi1>, %arg1: tensor<2x3xf32>, %arg2: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = dovetail.select %arg0, %arg1, %arg2 : tensor<2x3xi1>, tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
// CHECK-LABEL: func.func private @main.jvp(%arg0: tensor<2x3xi1>, %arg1: tensor<2x3xf32>, %arg2: tensor<2x3xf32>, %arg3: tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>)
// CHECK-NEXT:    %[[SELECT:.+]] = dovetail.select %arg0, %arg1, %arg2 : tensor<2x3xi1>, tensor<2x3xf32>
// CHECK-NEXT:    %[[CONSTANT:.+]] = dovetail.constant dense<0.000000e+00> : tensor<2x3xf32>
// CHECK-NEXT:    %[[SELECT_1:.+]] = dovetail.select %arg0, %arg3, %[[CONSTANT]] : tensor<2x3xi1>, tensor<2x3xf32>
// CHECK-NEXT:    return %[[SELECT]], %[[SELECT_1]] : tensor<2x3xf32>, tensor<2x3xf32>

// -----

func.func @main(%arg0: tensor<f32>, %arg1: tensor<2x3xf32>) -> tensor<4x5xf32> {
  %0 = dovetail.pad %arg1, %arg0 low [1, 0] interior [0, 1] : tensor<2x3xf32>, tensor<f32> -> tensor<4x5xf32>
  return %0 : tensor<4x5xf32>
}
// CHECK-LABEL: func.func private @main.jvp(%arg0: tensor<f32>, %arg1: tensor<2x3xf32>, %arg2: tensor<2x3xf32>) -> (tensor<4x5xf32>, tensor<4x5xf32>)
// CHECK-NEXT:    %[[PAD:.+]] = dovetail.pad %arg1, %arg0 low [1, 0] interior [0, 1] : tensor<2x3xf32>, tensor<f32> -> tensor<4x5xf32>
// CHECK-NEXT:    %[[CONSTANT:.+]] = dovetail.constant dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT:    %[[PAD_1:.+]] = dovetail.pad %arg2, %[[CONSTANT]] low [1, 0] interior [0, 1] : tensor<2x3xf32>, tensor<f32> -> tensor<4x5xf32>
// CHECK-NEXT:    return %[[PAD]], %[[PAD_1]] : tensor<4x5xf32>, tensor<4x5xf32>

// -----

func.func @main(%arg0: tensor<2x3xf32>, %arg1: tensor<2x3xf32>) -> tensor<4x3xf32> {
  %0 = dovetail.concatenate %arg0, %arg1 dimension 0 : tensor<2x3xf32>, tensor<2x3xf32>
  return %0 : tensor<4x3xf32>
}
// CHECK-LABEL: func.func private @main.jvp(%arg0: tensor<2x3xf32>, %arg1: tensor<2x3xf32>, %arg2: tensor<2x3xf32>) -> (tensor<4x3xf32>, tensor<4x3xf32>)
// CHECK-NEXT:    %[[CONCATENATE:.+]] = dovetail.concatenate %arg0, %arg1 dimension 0 : tensor<2x3xf32>, tensor<2x3xf32>
// CHECK-NEXT:    %[[CONSTANT:.+]] = dovetail.constant dense<0.000000e+00> : tensor<2x3xf32>
// CHECK-NEXT:    %[[CONCATENATE_1:.+]] = dovetail.concatenate %[[CONSTANT]], %arg2 dimension 0 : tensor<2x3xf32>, tensor<2x3xf32>
// CHECK-NEXT:    return %[[CONCATENATE]], %[[CONCATENATE_1]] : tensor<4x3xf32>, tensor<4x3xf32>
