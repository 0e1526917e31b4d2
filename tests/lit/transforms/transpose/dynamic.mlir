// Sizes of linear values, which have no elements in a transpose, come as arguments or follow from these.
// RUN: dovetail-opt %s --split-input-file --dovetail-transpose=linear=0 --canonicalize | FileCheck %s

func.func @main(%arg0: tensor<?x3xf32>) -> tensor<f32> {
  %0 = dovetail.reduce_sum %arg0 [0, 1] : tensor<?x3xf32>
  return %0 : tensor<f32>
}
// CHECK-LABEL: func.func private @main.transpose(%arg0: index, %arg1: tensor<f32>) -> tensor<?x3xf32>
// CHECK-NEXT:    %[[BROADCAST:.+]] = dovetail.broadcast %arg1 dims [] sizes(%arg0) : tensor<f32> -> tensor<?x3xf32>
// CHECK-NEXT:    return %[[BROADCAST]] : tensor<?x3xf32>

// -----

func.func @main(%arg0: tensor<?xf32>, %arg1: index) -> tensor<2xf32> {
  %1 = dovetail.reshape %arg0 sizes(%arg1) : tensor<?xf32> -> tensor<?x2xf32>
  %0 = dovetail.reduce_sum %1 [0] : tensor<?x2xf32>
  return %0 : tensor<2xf32>
}
// CHECK-LABEL: func.func private @main.transpose(%arg0: index, %arg1: index, %arg2: tensor<2xf32>) -> tensor<?xf32>
// CHECK-NEXT:    %[[BROADCAST:.+]] = dovetail.broadcast %arg2 dims [1] sizes(%arg0) : tensor<2xf32> -> tensor<?x2xf32>
// CHECK-NEXT:    %[[RESHAPE:.+]] = dovetail.reshape %[[BROADCAST]] sizes(%arg1) : tensor<?x2xf32> -> tensor<?xf32>
// CHECK-NEXT:    return %[[RESHAPE]] : tensor<?xf32>

// -----

func.func @main(%arg0: tensor<?xf32>, %arg1: index) -> tensor<?xf32> {
  %0 = dovetail.slice %arg0 starts [1] strides [2] sizes(%arg1) : tensor<?xf32> -> tensor<?xf32>
  return %0 : tensor<?xf32>
}
// CHECK-LABEL: func.func private @main.transpose(%arg0: index, %arg1: index, %arg2: tensor<?xf32>) -> tensor<?xf32>
// CHECK-NEXT:    %[[CONSTANT:.+]] = dovetail.constant dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT:    %[[PAD:.+]] = dovetail.pad %arg2, %[[CONSTANT]] low [1] interior [1] sizes(%arg1) : tensor<?xf32>, tensor<f32> -> tensor<?xf32>
// CHECK-NEXT:    return %[[PAD]] : tensor<?xf32>

// -----

func.func @main(%arg0: tensor<?xf32>, %arg1: tensor<f32>, %arg2: index) -> tensor<?xf32> {
  %0 = dovetail.pad %arg0, %arg1 low [1] interior [1] sizes(%arg2) : tensor<?xf32>, tensor<f32> -> tensor<?xf32>
  return %0 : tensor<?xf32>
}
// CHECK-LABEL: func.func private @main.transpose(%arg0: tensor<f32>, %arg1: index, %arg2: index, %arg3: tensor<?xf32>) -> tensor<?xf32>
// CHECK-NEXT:    %c2 = arith.constant 2 : index
// CHECK-NEXT:    %[[CONSTANT:.+]] = dovetail.constant dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT:    %c1 = arith.constant 1 : index
// CHECK-NEXT:    %c0 = arith.constant 0 : index
// CHECK-NEXT:    %[[SUBI:.+]] = arith.subi %arg2, %c1 : index
// CHECK-NEXT:    %[[MULI:.+]] = arith.muli %[[SUBI]], %c2 : index
// CHECK-NEXT:    %[[ADDI:.+]] = arith.addi %[[MULI]], %c1 : index
// CHECK-NEXT:    %[[MAXSI:.+]] = arith.maxsi %[[ADDI]], %c0 : index
// CHECK-NEXT:    %[[PAD:.+]] = dovetail.pad %arg3, %[[CONSTANT]] low [-1] interior [0] sizes(%[[MAXSI]]) : tensor<?xf32>, tensor<f32> -> tensor<?xf32>
// CHECK-NEXT:    %[[SLICE:.+]] = dovetail.slice %[[PAD]] starts [0] strides [2] sizes(%arg2) : tensor<?xf32> -> tensor<?xf32>
// CHECK-NEXT:    return %[[SLICE]] : tensor<?xf32>

// -----

func.func @main(%arg0: tensor<?x?xf32>) -> tensor<2x?xf32> {
  %1 = dovetail.dim %arg0, 1 : tensor<?x?xf32>
  %2 = dovetail.reduce_sum %arg0 [0] : tensor<?x?xf32>
  %0 = dovetail.broadcast %2 dims [1] sizes(%1) : tensor<?xf32> -> tensor<2x?xf32>
  return %0 : tensor<2x?xf32>
}
// CHECK-LABEL: func.func private @main.transpose(%arg0: index, %arg1: index, %arg2: tensor<2x?xf32>) -> tensor<?x?xf32>
// CHECK-NEXT:    %[[REDUCE_SUM:.+]] = dovetail.reduce_sum %arg2 [0] : tensor<2x?xf32>
// CHECK-NEXT:    %[[BROADCAST:.+]] = dovetail.broadcast %[[REDUCE_SUM]] dims [1] sizes(%arg0, %arg1) : tensor<?xf32> -> tensor<?x?xf32>
// CHECK-NEXT:    return %[[BROADCAST]] : tensor<?x?xf32>

// -----

func.func @main(%arg0: tensor<?xf32>, %arg1: tensor<4xf32>, %arg2: tensor<?xf32>) -> tensor<?xf32> {
  %0 = dovetail.concatenate %arg1, %arg0 dimension 0 : tensor<4xf32>, tensor<?xf32>
  return %0 : tensor<?xf32>
}
// CHECK-LABEL: func.func private @main.transpose(%arg0: tensor<4xf32>, %arg1: tensor<?xf32>, %arg2: index, %arg3: tensor<?xf32>) -> tensor<?xf32>
// CHECK-NEXT:    %[[SLICE:.+]] = dovetail.slice %arg3 starts [4] strides [1] sizes(%arg2) : tensor<?xf32> -> tensor<?xf32>
// CHECK-NEXT:    return %[[SLICE]] : tensor<?xf32>

// -----

func.func @main(%arg0: tensor<?xf32>, %arg1: tensor<4xf32>, %arg2: tensor<?xf32>) -> tensor<f32> {
  %1 = dovetail.concatenate %arg2, %arg0, %arg1 dimension 0 : tensor<?xf32>, tensor<?xf32>, tensor<4xf32>
  %0 = dovetail.reduce_sum %1 [0] : tensor<?xf32>
  return %0 : tensor<f32>
}
// CHECK-LABEL: func.func private @main.transpose(%arg0: tensor<4xf32>, %arg1: tensor<?xf32>, %arg2: index, %arg3: tensor<f32>) -> tensor<?xf32>
// CHECK-NEXT:    %[[CONSTANT:.+]] = arith.constant 4 : index
// CHECK-NEXT:    %[[DIM:.+]] = dovetail.dim %arg1, 0 : tensor<?xf32>
// CHECK-NEXT:    %[[ADDI:.+]] = arith.addi %[[DIM]], %arg2 : index
// CHECK-NEXT:    %[[ADDI_1:.+]] = arith.addi %[[ADDI]], %[[CONSTANT]] : index
// CHECK-NEXT:    %[[BROADCAST:.+]] = dovetail.broadcast %arg3 dims [] sizes(%[[ADDI_1]]) : tensor<f32> -> tensor<?xf32>
// CHECK-NEXT:    %[[ADDI_2:.+]] = arith.addi %arg2, %[[CONSTANT]] : index
// CHECK-NEXT:    %[[REVERSE:.+]] = dovetail.reverse %[[BROADCAST]] [0] : tensor<?xf32>
// CHECK-NEXT:    %[[SLICE:.+]] = dovetail.slice %[[REVERSE]] starts [0] strides [1] sizes(%[[ADDI_2]]) : tensor<?xf32> -> tensor<?xf32>
// CHECK-NEXT:    %[[REVERSE_1:.+]] = dovetail.reverse %[[SLICE]] [0] : tensor<?xf32>
// CHECK-NEXT:    %[[SLICE_1:.+]] = dovetail.slice %[[REVERSE_1]] starts [0] strides [1] sizes(%arg2) : tensor<?xf32> -> tensor<?xf32>
// CHECK-NEXT:    return %[[SLICE_1]] : tensor<?xf32>

// -----

func.func private @inner(%arg0: tensor<?xf32>, %arg1: tensor<?xf32>) -> tensor<?xf32> {
  %0 = dovetail.mul %arg0, %arg1 : tensor<?xf32>
  return %0 : tensor<?xf32>
}

func.func @main(%arg0: tensor<?xf32>, %arg1: tensor<?xf32>) -> tensor<f32> {
  %1 = dovetail.call @inner(%arg0, %arg1) : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  %0 = dovetail.reduce_sum %1 [0] : tensor<?xf32>
  return %0 : tensor<f32>
}
// CHECK-LABEL: func.func private @inner.transpose(%arg0: tensor<?xf32>, %arg1: index, %arg2: tensor<?xf32>) -> tensor<?xf32>
// CHECK-NEXT:    %[[MUL:.+]] = dovetail.mul %arg2, %arg0 : tensor<?xf32>
// CHECK-NEXT:    return %[[MUL]] : tensor<?xf32>

// CHECK-LABEL: func.func private @inner.sizes(%arg0: tensor<?xf32>, %arg1: index) -> index
// CHECK-NEXT:    return %arg1 : index

// CHECK-LABEL: func.func private @main.transpose(%arg0: tensor<?xf32>, %arg1: index, %arg2: tensor<f32>) -> tensor<?xf32>
// CHECK-NEXT:    %[[CALL:.+]] = dovetail.call @inner.sizes(%arg0, %arg1) : (tensor<?xf32>, index) -> index
// CHECK-NEXT:    %[[BROADCAST:.+]] = dovetail.broadcast %arg2 dims [] sizes(%[[CALL]]) : tensor<f32> -> tensor<?xf32>
// CHECK-NEXT:    %[[CALL_1:.+]] = dovetail.call @inner.transpose(%arg0, %arg1, %[[BROADCAST]]) : (tensor<?xf32>, index, tensor<?xf32>) -> tensor<?xf32>
// CHECK-NEXT:    return %[[CALL_1]] : tensor<?xf32>

// -----

func.func @main(%arg0: tensor<2xf32>) -> tensor<?x2xf32> {
  %1 = dovetail.dim %arg0, 0 : tensor<2xf32>
  %0 = dovetail.broadcast %arg0 dims [1] sizes(%1) : tensor<2xf32> -> tensor<?x2xf32>
  return %0 : tensor<?x2xf32>
}
// CHECK-LABEL: func.func private @main.transpose(%arg0: tensor<?x2xf32>) -> tensor<2xf32>
// CHECK-NEXT:    %[[REDUCE_SUM:.+]] = dovetail.reduce_sum %arg0 [0] : tensor<?x2xf32>
// CHECK-NEXT:    return %[[REDUCE_SUM]] : tensor<2xf32>
