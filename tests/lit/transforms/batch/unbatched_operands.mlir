// Operands without a batch are broadcast only where the op has no other way.
// RUN: dovetail-opt %s --split-input-file --dovetail-batch='dims=-1,0 size=7' | FileCheck %s

func.func @main(%arg0: tensor<f32>, %arg1: tensor<3xf32>) -> tensor<5xf32> {
  %0 = dovetail.pad %arg1, %arg0 low [1] interior [0] : tensor<3xf32>, tensor<f32> -> tensor<5xf32>
  return %0 : tensor<5xf32>
}
// CHECK-LABEL: func.func private @main.batch(%arg0: tensor<f32>, %arg1: tensor<7x3xf32>) -> tensor<7x5xf32>
// CHECK-NEXT:    %[[PAD:.+]] = dovetail.pad %arg1, %arg0 low [0, 1] interior [0, 0] : tensor<7x3xf32>, tensor<f32> -> tensor<7x5xf32>
// CHECK-NEXT:    return %[[PAD]] : tensor<7x5xf32>

// -----

func.func @main(%arg0: tensor<3xf32>, %arg1: tensor<f32>) -> tensor<5xf32> {
  %0 = dovetail.pad %arg0, %arg1 low [1] interior [0] : tensor<3xf32>, tensor<f32> -> tensor<5xf32>
  return %0 : tensor<5xf32>
}
// CHECK-LABEL: func.func private @main.batch(%arg0: tensor<3xf32>, %arg1: tensor<7xf32>) -> tensor<7x5xf32>
// CHECK-NEXT:    %[[BROADCAST:.+]] = dovetail.broadcast %arg0 dims [1] : tensor<3xf32> -> tensor<7x3xf32>
// CHECK-NEXT:    %[[CONSTANT:.+]] = dovetail.constant dense<true> : tensor<7x3xi1>
// CHECK-NEXT:    %[[CONSTANT_1:.+]] = dovetail.constant dense<false> : tensor<i1>
// CHECK-NEXT:    %[[PAD:.+]] = dovetail.pad %[[CONSTANT]], %[[CONSTANT_1]] low [0, 1] interior [0, 0] : tensor<7x3xi1>, tensor<i1> -> tensor<7x5xi1>
// CHECK-NEXT:    %[[CONSTANT_2:.+]] = dovetail.constant dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT:    %[[BROADCAST_1:.+]] = dovetail.broadcast %arg1 dims [0] : tensor<7xf32> -> tensor<7x5xf32>
// CHECK-NEXT:    %[[PAD_1:.+]] = dovetail.pad %[[BROADCAST]], %[[CONSTANT_2]] low [0, 1] interior [0, 0] : tensor<7x3xf32>, tensor<f32> -> tensor<7x5xf32>
// CHECK-NEXT:    %[[SELECT:.+]] = dovetail.select %[[PAD]], %[[PAD_1]], %[[BROADCAST_1]] : tensor<7x5xi1>, tensor<7x5xf32>
// CHECK-NEXT:    return %[[SELECT]] : tensor<7x5xf32>

// -----

func.func @main(%arg0: tensor<3xf32>, %arg1: tensor<3xf32>) -> tensor<6xf32> {
  %0 = dovetail.concatenate %arg0, %arg1 dimension 0 : tensor<3xf32>, tensor<3xf32>
  return %0 : tensor<6xf32>
}
// CHECK-LABEL: func.func private @main.batch(%arg0: tensor<3xf32>, %arg1: tensor<7x3xf32>) -> tensor<7x6xf32>
// CHECK-NEXT:    %[[BROADCAST:.+]] = dovetail.broadcast %arg0 dims [1] : tensor<3xf32> -> tensor<7x3xf32>
// CHECK-NEXT:    %[[CONCATENATE:.+]] = dovetail.concatenate %[[BROADCAST]], %arg1 dimension 1 : tensor<7x3xf32>, tensor<7x3xf32>
// CHECK-NEXT:    return %[[CONCATENATE]] : tensor<7x6xf32>

// -----

func.func @main(%arg0: tensor<3xf32>, %arg1: tensor<3xf32>) -> tensor<f32> {
  %1 = dovetail.reduce_sum %arg0 [0] : tensor<3xf32>
  %2 = dovetail.constant dense<2.0> : tensor<f32>
  %0 = dovetail.mul %1, %2 : tensor<f32>
  return %0 : tensor<f32>
}
// CHECK-LABEL: func.func private @main.batch(%arg0: tensor<3xf32>, %arg1: tensor<7x3xf32>) -> tensor<f32>
// CHECK-NEXT:    %[[REDUCE_SUM:.+]] = dovetail.reduce_sum %arg0 [0] : tensor<3xf32>
// CHECK-NEXT:    %[[CONSTANT:.+]] = dovetail.constant dense<2.000000e+00> : tensor<f32>
// CHECK-NEXT:    %[[MUL:.+]] = dovetail.mul %[[REDUCE_SUM]], %[[CONSTANT]] : tensor<f32>
// CHECK-NEXT:    return %[[MUL]] : tensor<f32>
