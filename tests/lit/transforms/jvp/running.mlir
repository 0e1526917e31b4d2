// Tangents of running reductions are linear recurrences, and those of sorted arrays go where the elements went.
// RUN: dovetail-opt %s --split-input-file --dovetail-jvp=wrt=0 | FileCheck %s

func.func @main(%arg0: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = dovetail.cumsum %arg0, 1 : tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
// CHECK-LABEL: func.func private @main.jvp(%arg0: tensor<2x3xf32>, %arg1: tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>)
// CHECK-NEXT:    %[[CUMSUM:.+]] = dovetail.cumsum %arg0, 1 : tensor<2x3xf32>
// CHECK-NEXT:    %[[CUMSUM_1:.+]] = dovetail.cumsum %arg1, 1 : tensor<2x3xf32>
// CHECK-NEXT:    return %[[CUMSUM]], %[[CUMSUM_1]] : tensor<2x3xf32>, tensor<2x3xf32>

// -----

func.func @main(%arg0: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = dovetail.cumprod %arg0, 1 reverse = true : tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
// CHECK-LABEL: func.func private @main.jvp(%arg0: tensor<2x3xf32>, %arg1: tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>)
// CHECK-NEXT:    %[[CUMPROD:.+]] = dovetail.cumprod %arg0, 1 reverse = true : tensor<2x3xf32>
// CHECK-NEXT:    %[[CONSTANT:.+]] = dovetail.constant dense<1.000000e+00> : tensor<f32>
// CHECK-NEXT:    %[[PAD:.+]] = dovetail.pad %[[CUMPROD]], %[[CONSTANT]] low [0, -1] interior [0, 0] : tensor<2x3xf32>, tensor<f32> -> tensor<2x3xf32>
// CHECK-NEXT:    %[[MUL:.+]] = dovetail.mul %arg1, %[[PAD]] : tensor<2x3xf32>
// CHECK-NEXT:    %[[LINEAR_RECURRENCE:.+]] = dovetail.linear_recurrence %arg0, %[[MUL]], 1 reverse = true : tensor<2x3xf32>, tensor<2x3xf32>
// CHECK-NEXT:    return %[[CUMPROD]], %[[LINEAR_RECURRENCE]] : tensor<2x3xf32>, tensor<2x3xf32>

// -----

func.func @main(%arg0: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = dovetail.cummax %arg0, 1 : tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
// CHECK-LABEL: func.func private @main.jvp(%arg0: tensor<2x3xf32>, %arg1: tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>)
// CHECK-NEXT:    %[[CUMMAX:.+]] = dovetail.cummax %arg0, 1 : tensor<2x3xf32>
// CHECK-NEXT:    %[[CONSTANT:.+]] = dovetail.constant dense<0x7FC00000> : tensor<f32>
// CHECK-NEXT:    %[[PAD:.+]] = dovetail.pad %[[CUMMAX]], %[[CONSTANT]] low [0, 1] interior [0, 0] : tensor<2x3xf32>, tensor<f32> -> tensor<2x3xf32>
// CHECK-NEXT:    %[[COMPARE:.+]] = dovetail.compare eq %[[PAD]], %[[CUMMAX]] : tensor<2x3xf32>
// CHECK-NEXT:    %[[CONSTANT_1:.+]] = dovetail.constant dense<5.000000e-01> : tensor<2x3xf32>
// CHECK-NEXT:    %[[CONSTANT_2:.+]] = dovetail.constant dense<1.000000e+00> : tensor<2x3xf32>
// CHECK-NEXT:    %[[SELECT:.+]] = dovetail.select %[[COMPARE]], %[[CONSTANT_1]], %[[CONSTANT_2]] : tensor<2x3xi1>, tensor<2x3xf32>
// CHECK-NEXT:    %[[COMPARE_1:.+]] = dovetail.compare eq %arg0, %[[CUMMAX]] : tensor<2x3xf32>
// CHECK-NEXT:    %[[CONSTANT_3:.+]] = dovetail.constant dense<0.000000e+00> : tensor<2x3xf32>
// CHECK-NEXT:    %[[SELECT_1:.+]] = dovetail.select %[[COMPARE_1]], %[[SELECT]], %[[CONSTANT_3]] : tensor<2x3xi1>, tensor<2x3xf32>
// CHECK-NEXT:    %[[CONSTANT_4:.+]] = dovetail.constant dense<1.000000e+00> : tensor<2x3xf32>
// CHECK-NEXT:    %[[SUB:.+]] = dovetail.sub %[[CONSTANT_4]], %[[SELECT_1]] : tensor<2x3xf32>
// CHECK-NEXT:    %[[MUL:.+]] = dovetail.mul %arg1, %[[SELECT_1]] : tensor<2x3xf32>
// CHECK-NEXT:    %[[LINEAR_RECURRENCE:.+]] = dovetail.linear_recurrence %[[SUB]], %[[MUL]], 1 : tensor<2x3xf32>, tensor<2x3xf32>
// CHECK-NEXT:    return %[[CUMMAX]], %[[LINEAR_RECURRENCE]] : tensor<2x3xf32>, tensor<2x3xf32>

// -----

func.func @main(%arg0: tensor<2x3xf32>, %arg1: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = dovetail.linear_recurrence %arg0, %arg1, 1 : tensor<2x3xf32>, tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
// CHECK-LABEL: func.func private @main.jvp(%arg0: tensor<2x3xf32>, %arg1: tensor<2x3xf32>, %arg2: tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>)
// CHECK-NEXT:    %[[LINEAR_RECURRENCE:.+]] = dovetail.linear_recurrence %arg0, %arg1, 1 : tensor<2x3xf32>, tensor<2x3xf32>
// CHECK-NEXT:    %[[CONSTANT:.+]] = dovetail.constant dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT:    %[[PAD:.+]] = dovetail.pad %[[LINEAR_RECURRENCE]], %[[CONSTANT]] low [0, 1] interior [0, 0] : tensor<2x3xf32>, tensor<f32> -> tensor<2x3xf32>
// CHECK-NEXT:    %[[MUL:.+]] = dovetail.mul %arg2, %[[PAD]] : tensor<2x3xf32>
// CHECK-NEXT:    %[[LINEAR_RECURRENCE_1:.+]] = dovetail.linear_recurrence %arg0, %[[MUL]], 1 : tensor<2x3xf32>, tensor<2x3xf32>
// CHECK-NEXT:    return %[[LINEAR_RECURRENCE]], %[[LINEAR_RECURRENCE_1]] : tensor<2x3xf32>, tensor<2x3xf32>

// -----

func.func @main(%arg0: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = dovetail.sort %arg0 dimension 1 keys 1 : tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
// CHECK-LABEL: func.func private @main.jvp(%arg0: tensor<2x3xf32>, %arg1: tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>)
// CHECK-NEXT:    %[[IOTA:.+]] = dovetail.iota 1 : tensor<2x3xi32>
// CHECK-NEXT:    %[[SORT:.+]]:2 = dovetail.sort %arg0, %[[IOTA]] dimension 1 keys 1 : tensor<2x3xf32>, tensor<2x3xi32>
// CHECK-NEXT:    %[[IOTA_1:.+]] = dovetail.iota 0 : tensor<2x3x1xi32>
// CHECK-NEXT:    %[[RESHAPE:.+]] = dovetail.reshape %[[SORT]]#1 : tensor<2x3xi32> -> tensor<2x3x1xi32>
// CHECK-NEXT:    %[[CONCATENATE:.+]] = dovetail.concatenate %[[IOTA_1]], %[[RESHAPE]] dimension 2 : tensor<2x3x1xi32>, tensor<2x3x1xi32>
// CHECK-NEXT:    %[[GATHER:.+]] = dovetail.gather %arg1, %[[CONCATENATE]] dims [0, 1] window [1, 1] : tensor<2x3xf32>, tensor<2x3x2xi32>
// CHECK-NEXT:    %[[RESHAPE_1:.+]] = dovetail.reshape %[[GATHER]] : tensor<2x3x1x1xf32> -> tensor<2x3xf32>
// CHECK-NEXT:    return %[[SORT]]#0, %[[RESHAPE_1]] : tensor<2x3xf32>, tensor<2x3xf32>
