// Tangents of ops that are not pointwise: linear ones act on the tangents, bilinear ones on each in turn.
// RUN: dovetail-opt %s --split-input-file --dovetail-jvp=wrt=0 | FileCheck %s

func.func @main(%arg0: tensor<2x3xf32>) -> tensor<2x4x3xf32> {
  %0 = dovetail.broadcast %arg0 dims [0, 2] : tensor<2x3xf32> -> tensor<2x4x3xf32>
  return %0 : tensor<2x4x3xf32>
}
// CHECK-LABEL: func.func private @main.jvp(%arg0: tensor<2x3xf32>, %arg1: tensor<2x3xf32>) -> (tensor<2x4x3xf32>, tensor<2x4x3xf32>)
// CHECK-NEXT:    %[[BROADCAST:.+]] = dovetail.broadcast %arg0 dims [0, 2] : tensor<2x3xf32> -> tensor<2x4x3xf32>
// CHECK-NEXT:    %[[BROADCAST_1:.+]] = dovetail.broadcast %arg1 dims [0, 2] : tensor<2x3xf32> -> tensor<2x4x3xf32>
// CHECK-NEXT:    return %[[BROADCAST]], %[[BROADCAST_1]] : tensor<2x4x3xf32>, tensor<2x4x3xf32>

// -----

func.func @main(%arg0: tensor<2x3xf32>) -> tensor<2x6xf32> {
  %0 = dovetail.concatenate %arg0, %arg0 dimension 1 : tensor<2x3xf32>, tensor<2x3xf32>
  return %0 : tensor<2x6xf32>
}
// CHECK-LABEL: func.func private @main.jvp(%arg0: tensor<2x3xf32>, %arg1: tensor<2x3xf32>) -> (tensor<2x6xf32>, tensor<2x6xf32>)
// CHECK-NEXT:    %[[CONCATENATE:.+]] = dovetail.concatenate %arg0, %arg0 dimension 1 : tensor<2x3xf32>, tensor<2x3xf32>
// CHECK-NEXT:    %[[CONCATENATE_1:.+]] = dovetail.concatenate %arg1, %arg1 dimension 1 : tensor<2x3xf32>, tensor<2x3xf32>
// CHECK-NEXT:    return %[[CONCATENATE]], %[[CONCATENATE_1]] : tensor<2x6xf32>, tensor<2x6xf32>

// -----

func.func @main(%arg0: tensor<2x3xf32>) -> tensor<2xf32> {
  %0 = dovetail.reduce_sum %arg0 [1] : tensor<2x3xf32>
  return %0 : tensor<2xf32>
}
// CHECK-LABEL: func.func private @main.jvp(%arg0: tensor<2x3xf32>, %arg1: tensor<2x3xf32>) -> (tensor<2xf32>, tensor<2xf32>)
// CHECK-NEXT:    %[[REDUCE_SUM:.+]] = dovetail.reduce_sum %arg0 [1] : tensor<2x3xf32>
// CHECK-NEXT:    %[[REDUCE_SUM_1:.+]] = dovetail.reduce_sum %arg1 [1] : tensor<2x3xf32>
// CHECK-NEXT:    return %[[REDUCE_SUM]], %[[REDUCE_SUM_1]] : tensor<2xf32>, tensor<2xf32>

// -----

func.func @main(%arg0: tensor<2x3xf32>) -> tensor<2xf32> {
  %0 = dovetail.reduce_max %arg0 [1] : tensor<2x3xf32>
  return %0 : tensor<2xf32>
}
// CHECK-LABEL: func.func private @main.jvp(%arg0: tensor<2x3xf32>, %arg1: tensor<2x3xf32>) -> (tensor<2xf32>, tensor<2xf32>)
// CHECK-NEXT:    %[[REDUCE_MAX:.+]] = dovetail.reduce_max %arg0 [1] : tensor<2x3xf32>
// CHECK-NEXT:    %[[BROADCAST:.+]] = dovetail.broadcast %[[REDUCE_MAX]] dims [0] : tensor<2xf32> -> tensor<2x3xf32>
// CHECK-NEXT:    %[[COMPARE:.+]] = dovetail.compare eq %arg0, %[[BROADCAST]] : tensor<2x3xf32>
// CHECK-NEXT:    %[[CONSTANT:.+]] = dovetail.constant dense<1.000000e+00> : tensor<2x3xf32>
// CHECK-NEXT:    %[[CONSTANT_1:.+]] = dovetail.constant dense<0.000000e+00> : tensor<2x3xf32>
// CHECK-NEXT:    %[[SELECT:.+]] = dovetail.select %[[COMPARE]], %[[CONSTANT]], %[[CONSTANT_1]] : tensor<2x3xi1>, tensor<2x3xf32>
// CHECK-NEXT:    %[[REDUCE_SUM:.+]] = dovetail.reduce_sum %[[SELECT]] [1] : tensor<2x3xf32>
// CHECK-NEXT:    %[[CONSTANT_2:.+]] = dovetail.constant dense<0.000000e+00> : tensor<2x3xf32>
// CHECK-NEXT:    %[[SELECT_1:.+]] = dovetail.select %[[COMPARE]], %arg1, %[[CONSTANT_2]] : tensor<2x3xi1>, tensor<2x3xf32>
// CHECK-NEXT:    %[[REDUCE_SUM_1:.+]] = dovetail.reduce_sum %[[SELECT_1]] [1] : tensor<2x3xf32>
// CHECK-NEXT:    %[[DIV:.+]] = dovetail.div %[[REDUCE_SUM_1]], %[[REDUCE_SUM]] : tensor<2xf32>
// CHECK-NEXT:    return %[[REDUCE_MAX]], %[[DIV]] : tensor<2xf32>, tensor<2xf32>

// -----

// Of no elements, the extreme is a constant.
func.func @main(%arg0: tensor<0x2xf32>) -> tensor<2xf32> {
  %0 = dovetail.reduce_max %arg0 [0] : tensor<0x2xf32>
  return %0 : tensor<2xf32>
}
// CHECK-LABEL: func.func private @main.jvp(%arg0: tensor<0x2xf32>, %arg1: tensor<0x2xf32>) -> tensor<2xf32>
// CHECK-NEXT:    %[[REDUCE_MAX:.+]] = dovetail.reduce_max %arg0 [0] : tensor<0x2xf32>
// CHECK-NEXT:    return %[[REDUCE_MAX]] : tensor<2xf32>

// -----

func.func @main(%arg0: tensor<2x3xf32>) -> tensor<2xf32> {
  %0 = dovetail.reduce_prod %arg0 [1] : tensor<2x3xf32>
  return %0 : tensor<2xf32>
}
// CHECK-LABEL: func.func private @main.jvp(%arg0: tensor<2x3xf32>, %arg1: tensor<2x3xf32>) -> (tensor<2xf32>, tensor<2xf32>)
// CHECK-NEXT:    %[[REDUCE_PROD:.+]] = dovetail.reduce_prod %arg0 [1] : tensor<2x3xf32>
// CHECK-NEXT:    %[[SLICE:.+]] = dovetail.slice %arg0 starts [0, 0] strides [1, 1] : tensor<2x3xf32> -> tensor<2x1xf32>
// CHECK-NEXT:    %[[SLICE_1:.+]] = dovetail.slice %arg0 starts [0, 1] strides [1, 1] : tensor<2x3xf32> -> tensor<2x1xf32>
// CHECK-NEXT:    %[[SLICE_2:.+]] = dovetail.slice %arg1 starts [0, 0] strides [1, 1] : tensor<2x3xf32> -> tensor<2x1xf32>
// CHECK-NEXT:    %[[SLICE_3:.+]] = dovetail.slice %arg1 starts [0, 1] strides [1, 1] : tensor<2x3xf32> -> tensor<2x1xf32>
// CHECK-NEXT:    %[[MUL:.+]] = dovetail.mul %[[SLICE]], %[[SLICE_1]] : tensor<2x1xf32>
// CHECK-NEXT:    %[[MUL_1:.+]] = dovetail.mul %[[SLICE_2]], %[[SLICE_1]] : tensor<2x1xf32>
// CHECK-NEXT:    %[[MUL_2:.+]] = dovetail.mul %[[SLICE]], %[[SLICE_3]] : tensor<2x1xf32>
// CHECK-NEXT:    %[[ADD:.+]] = dovetail.add %[[MUL_1]], %[[MUL_2]] : tensor<2x1xf32>
// CHECK-NEXT:    %[[SLICE_4:.+]] = dovetail.slice %arg0 starts [0, 2] strides [1, 1] : tensor<2x3xf32> -> tensor<2x1xf32>
// CHECK-NEXT:    %[[CONCATENATE:.+]] = dovetail.concatenate %[[MUL]], %[[SLICE_4]] dimension 1 : tensor<2x1xf32>, tensor<2x1xf32>
// CHECK-NEXT:    %[[SLICE_5:.+]] = dovetail.slice %arg1 starts [0, 2] strides [1, 1] : tensor<2x3xf32> -> tensor<2x1xf32>
// CHECK-NEXT:    %[[CONCATENATE_1:.+]] = dovetail.concatenate %[[ADD]], %[[SLICE_5]] dimension 1 : tensor<2x1xf32>, tensor<2x1xf32>
// CHECK-NEXT:    %[[SLICE_6:.+]] = dovetail.slice %[[CONCATENATE]] starts [0, 0] strides [1, 1] : tensor<2x2xf32> -> tensor<2x1xf32>
// CHECK-NEXT:    %[[SLICE_7:.+]] = dovetail.slice %[[CONCATENATE]] starts [0, 1] strides [1, 1] : tensor<2x2xf32> -> tensor<2x1xf32>
// CHECK-NEXT:    %[[SLICE_8:.+]] = dovetail.slice %[[CONCATENATE_1]] starts [0, 0] strides [1, 1] : tensor<2x2xf32> -> tensor<2x1xf32>
// CHECK-NEXT:    %[[SLICE_9:.+]] = dovetail.slice %[[CONCATENATE_1]] starts [0, 1] strides [1, 1] : tensor<2x2xf32> -> tensor<2x1xf32>
// CHECK-NEXT:    %[[MUL_3:.+]] = dovetail.mul %[[SLICE_6]], %[[SLICE_7]] : tensor<2x1xf32>
// CHECK-NEXT:    %[[MUL_4:.+]] = dovetail.mul %[[SLICE_8]], %[[SLICE_7]] : tensor<2x1xf32>
// CHECK-NEXT:    %[[MUL_5:.+]] = dovetail.mul %[[SLICE_6]], %[[SLICE_9]] : tensor<2x1xf32>
// CHECK-NEXT:    %[[ADD_1:.+]] = dovetail.add %[[MUL_4]], %[[MUL_5]] : tensor<2x1xf32>
// CHECK-NEXT:    %[[REDUCE_SUM:.+]] = dovetail.reduce_sum %[[ADD_1]] [1] : tensor<2x1xf32>
// CHECK-NEXT:    return %[[REDUCE_PROD]], %[[REDUCE_SUM]] : tensor<2xf32>, tensor<2xf32>

// -----

func.func @main(%arg0: tensor<0xf32>) -> tensor<f32> {
  %0 = dovetail.reduce_prod %arg0 [0] : tensor<0xf32>
  return %0 : tensor<f32>
}
// CHECK-LABEL: func.func private @main.jvp(%arg0: tensor<0xf32>, %arg1: tensor<0xf32>) -> tensor<f32>
// CHECK-NEXT:    %[[REDUCE_PROD:.+]] = dovetail.reduce_prod %arg0 [0] : tensor<0xf32>
// CHECK-NEXT:    return %[[REDUCE_PROD]] : tensor<f32>

// -----

func.func @main(%arg0: tensor<2x3xf32>) -> tensor<2x2xf32> {
  %0 = dovetail.dot_general %arg0, %arg0 batch [] x [] contract [1] x [1] : tensor<2x3xf32>, tensor<2x3xf32>
  return %0 : tensor<2x2xf32>
}
// CHECK-LABEL: func.func private @main.jvp(%arg0: tensor<2x3xf32>, %arg1: tensor<2x3xf32>) -> (tensor<2x2xf32>, tensor<2x2xf32>)
// CHECK-NEXT:    %[[DOT_GENERAL:.+]] = dovetail.dot_general %arg0, %arg0 batch [] x [] contract [1] x [1] : tensor<2x3xf32>, tensor<2x3xf32>
// CHECK-NEXT:    %[[DOT_GENERAL_1:.+]] = dovetail.dot_general %arg1, %arg0 batch [] x [] contract [1] x [1] : tensor<2x3xf32>, tensor<2x3xf32>
// CHECK-NEXT:    %[[DOT_GENERAL_2:.+]] = dovetail.dot_general %arg0, %arg1 batch [] x [] contract [1] x [1] : tensor<2x3xf32>, tensor<2x3xf32>
// CHECK-NEXT:    %[[ADD:.+]] = dovetail.add %[[DOT_GENERAL_1]], %[[DOT_GENERAL_2]] : tensor<2x2xf32>
// CHECK-NEXT:    return %[[DOT_GENERAL]], %[[ADD]] : tensor<2x2xf32>, tensor<2x2xf32>

// -----

func.func @main(%arg0: tensor<2x3xf32>, %arg1: tensor<3xf32>) -> tensor<2xf32> {
  %0 = dovetail.dot_general %arg0, %arg1 batch [] x [] contract [1] x [0] : tensor<2x3xf32>, tensor<3xf32>
  return %0 : tensor<2xf32>
}
// CHECK-LABEL: func.func private @main.jvp(%arg0: tensor<2x3xf32>, %arg1: tensor<3xf32>, %arg2: tensor<2x3xf32>) -> (tensor<2xf32>, tensor<2xf32>)
// CHECK-NEXT:    %[[DOT_GENERAL:.+]] = dovetail.dot_general %arg0, %arg1 batch [] x [] contract [1] x [0] : tensor<2x3xf32>, tensor<3xf32>
// CHECK-NEXT:    %[[DOT_GENERAL_1:.+]] = dovetail.dot_general %arg2, %arg1 batch [] x [] contract [1] x [0] : tensor<2x3xf32>, tensor<3xf32>
// CHECK-NEXT:    return %[[DOT_GENERAL]], %[[DOT_GENERAL_1]] : tensor<2xf32>, tensor<2xf32>
