// A batch of dynamic size: what is broadcast takes its size from an argument.
// RUN: dovetail-opt %s --split-input-file --dovetail-batch=dims=0,-1 --canonicalize | FileCheck %s

func.func @main(%arg0: tensor<3xf32>, %arg1: tensor<3xf32>) -> tensor<3xf32> {
  %0 = dovetail.mul %arg0, %arg1 : tensor<3xf32>
  return %0 : tensor<3xf32>
}
// CHECK-LABEL: func.func private @main.batch(%arg0: tensor<?x3xf32>, %arg1: tensor<3xf32>) -> tensor<?x3xf32>
// CHECK-NEXT:    %[[DIM:.+]] = dovetail.dim %arg0, 0 : tensor<?x3xf32>
// CHECK-NEXT:    %[[BROADCAST:.+]] = dovetail.broadcast %arg1 dims [1] sizes(%[[DIM]]) : tensor<3xf32> -> tensor<?x3xf32>
// CHECK-NEXT:    %[[MUL:.+]] = dovetail.mul %arg0, %[[BROADCAST]] : tensor<?x3xf32>
// CHECK-NEXT:    return %[[MUL]] : tensor<?x3xf32>

// -----

func.func @main(%arg0: tensor<?xf32>, %arg1: tensor<?xf32>) -> tensor<?xf32> {
  %0 = dovetail.mul %arg0, %arg1 : tensor<?xf32>
  return %0 : tensor<?xf32>
}
// CHECK-LABEL: func.func private @main.batch(%arg0: tensor<?x?xf32>, %arg1: tensor<?xf32>) -> tensor<?x?xf32>
// CHECK-NEXT:    %[[DIM:.+]] = dovetail.dim %arg0, 0 : tensor<?x?xf32>
// CHECK-NEXT:    %[[DIM_1:.+]] = dovetail.dim %arg1, 0 : tensor<?xf32>
// CHECK-NEXT:    %[[BROADCAST:.+]] = dovetail.broadcast %arg1 dims [1] sizes(%[[DIM]], %[[DIM_1]]) : tensor<?xf32> -> tensor<?x?xf32>
// CHECK-NEXT:    %[[MUL:.+]] = dovetail.mul %arg0, %[[BROADCAST]] : tensor<?x?xf32>
// CHECK-NEXT:    return %[[MUL]] : tensor<?x?xf32>

// -----

func.func @main(%arg0: tensor<?xf32>, %arg1: index) -> tensor<?x2xf32> {
  %0 = dovetail.reshape %arg0 sizes(%arg1) : tensor<?xf32> -> tensor<?x2xf32>
  return %0 : tensor<?x2xf32>
}
// CHECK-LABEL: func.func private @main.batch(%arg0: tensor<?x?xf32>, %arg1: index) -> tensor<?x?x2xf32>
// CHECK-NEXT:    %[[DIM:.+]] = dovetail.dim %arg0, 0 : tensor<?x?xf32>
// CHECK-NEXT:    %[[RESHAPE:.+]] = dovetail.reshape %arg0 sizes(%[[DIM]], %arg1) : tensor<?x?xf32> -> tensor<?x?x2xf32>
// CHECK-NEXT:    return %[[RESHAPE]] : tensor<?x?x2xf32>

// -----

func.func @main(%arg0: tensor<?xf32>, %arg1: index) -> tensor<?x?xf32> {
  %0 = dovetail.broadcast %arg0 dims [1] sizes(%arg1, %arg1) : tensor<?xf32> -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}
// CHECK-LABEL: func.func private @main.batch(%arg0: tensor<?x?xf32>, %arg1: index) -> tensor<?x?x?xf32>
// CHECK-NEXT:    %[[DIM:.+]] = dovetail.dim %arg0, 0 : tensor<?x?xf32>
// CHECK-NEXT:    %[[BROADCAST:.+]] = dovetail.broadcast %arg0 dims [0, 2] sizes(%[[DIM]], %arg1, %arg1) : tensor<?x?xf32> -> tensor<?x?x?xf32>
// CHECK-NEXT:    return %[[BROADCAST]] : tensor<?x?x?xf32>

// -----

func.func @main(%arg0: tensor<?xf32>, %arg1: index) -> tensor<?xf32> {
  %0 = dovetail.slice %arg0 starts [2] strides [1] sizes(%arg1) : tensor<?xf32> -> tensor<?xf32>
  return %0 : tensor<?xf32>
}
// CHECK-LABEL: func.func private @main.batch(%arg0: tensor<?x?xf32>, %arg1: index) -> tensor<?x?xf32>
// CHECK-NEXT:    %[[DIM:.+]] = dovetail.dim %arg0, 0 : tensor<?x?xf32>
// CHECK-NEXT:    %[[SLICE:.+]] = dovetail.slice %arg0 starts [0, 2] strides [1, 1] sizes(%[[DIM]], %arg1) : tensor<?x?xf32> -> tensor<?x?xf32>
// CHECK-NEXT:    return %[[SLICE]] : tensor<?x?xf32>

// -----

func.func @main(%arg0: tensor<f32>, %arg1: tensor<3xf32>) -> tensor<5xf32> {
  %0 = dovetail.pad %arg1, %arg0 low [1] interior [0] : tensor<3xf32>, tensor<f32> -> tensor<5xf32>
  return %0 : tensor<5xf32>
}
// CHECK-LABEL: func.func private @main.batch(%arg0: tensor<?xf32>, %arg1: tensor<3xf32>) -> tensor<?x5xf32>
// CHECK-NEXT:    %[[CONSTANT:.+]] = dovetail.constant dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT:    %[[CONSTANT_1:.+]] = dovetail.constant dense<false> : tensor<i1>
// CHECK-NEXT:    %[[CONSTANT_2:.+]] = dovetail.constant dense<true> : tensor<i1>
// CHECK-NEXT:    %[[DIM:.+]] = dovetail.dim %arg0, 0 : tensor<?xf32>
// CHECK-NEXT:    %[[BROADCAST:.+]] = dovetail.broadcast %arg1 dims [1] sizes(%[[DIM]]) : tensor<3xf32> -> tensor<?x3xf32>
// CHECK-NEXT:    %[[BROADCAST_1:.+]] = dovetail.broadcast %[[CONSTANT_2]] dims [] sizes(%[[DIM]]) : tensor<i1> -> tensor<?x3xi1>
// CHECK-NEXT:    %[[PAD:.+]] = dovetail.pad %[[BROADCAST_1]], %[[CONSTANT_1]] low [0, 1] interior [0, 0] sizes(%[[DIM]]) : tensor<?x3xi1>, tensor<i1> -> tensor<?x5xi1>
// CHECK-NEXT:    %[[BROADCAST_2:.+]] = dovetail.broadcast %arg0 dims [0] sizes(%[[DIM]]) : tensor<?xf32> -> tensor<?x5xf32>
// CHECK-NEXT:    %[[PAD_1:.+]] = dovetail.pad %[[BROADCAST]], %[[CONSTANT]] low [0, 1] interior [0, 0] sizes(%[[DIM]]) : tensor<?x3xf32>, tensor<f32> -> tensor<?x5xf32>
// CHECK-NEXT:    %[[SELECT:.+]] = dovetail.select %[[PAD]], %[[PAD_1]], %[[BROADCAST_2]] : tensor<?x5xi1>, tensor<?x5xf32>
// CHECK-NEXT:    return %[[SELECT]] : tensor<?x5xf32>

// -----

func.func @main(%arg0: tensor<?xf32>, %arg1: tensor<?xf32>) -> tensor<?xf32> {
  %1 = dovetail.dim %arg0, 0 : tensor<?xf32>
  %0 = dovetail.iota 0 sizes(%1) : tensor<?xf32>
  return %0 : tensor<?xf32>
}
// CHECK-LABEL: func.func private @main.batch(%arg0: tensor<?x?xf32>, %arg1: tensor<?xf32>) -> tensor<?xf32>
// CHECK-NEXT:    %[[DIM:.+]] = dovetail.dim %arg0, 1 : tensor<?x?xf32>
// CHECK-NEXT:    %[[IOTA:.+]] = dovetail.iota 0 sizes(%[[DIM]]) : tensor<?xf32>
// CHECK-NEXT:    return %[[IOTA]] : tensor<?xf32>

// -----

func.func @main(%arg0: tensor<?xf32>, %arg1: tensor<f32>) -> tensor<?xf32> {
  %1 = dovetail.dim %arg0, 0 : tensor<?xf32>
  %2 = dovetail.broadcast %arg1 dims [] sizes(%1) : tensor<f32> -> tensor<?xf32>
  %0 = dovetail.mul %arg0, %2 : tensor<?xf32>
  return %0 : tensor<?xf32>
}
// CHECK-LABEL: func.func private @main.batch(%arg0: tensor<?x?xf32>, %arg1: tensor<f32>) -> tensor<?x?xf32>
// CHECK-NEXT:    %[[DIM:.+]] = dovetail.dim %arg0, 0 : tensor<?x?xf32>
// CHECK-NEXT:    %[[DIM_1:.+]] = dovetail.dim %arg0, 1 : tensor<?x?xf32>
// CHECK-NEXT:    %[[BROADCAST:.+]] = dovetail.broadcast %arg1 dims [] sizes(%[[DIM]], %[[DIM_1]]) : tensor<f32> -> tensor<?x?xf32>
// CHECK-NEXT:    %[[MUL:.+]] = dovetail.mul %arg0, %[[BROADCAST]] : tensor<?x?xf32>
// CHECK-NEXT:    return %[[MUL]] : tensor<?x?xf32>
