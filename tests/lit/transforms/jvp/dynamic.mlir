// Sizes of `?` dimensions are asked of the operands where constants need them.
// RUN: dovetail-opt %s --split-input-file --dovetail-jvp=wrt=0 | FileCheck %s

func.func @main(%arg0: tensor<?xf32>) -> tensor<?xf32> {
  %0 = dovetail.log1p %arg0 : tensor<?xf32>
  return %0 : tensor<?xf32>
}
// CHECK-LABEL: func.func private @main.jvp(%arg0: tensor<?xf32>, %arg1: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>)
// CHECK-NEXT:    %[[LOG1P:.+]] = dovetail.log1p %arg0 : tensor<?xf32>
// CHECK-NEXT:    %[[DIM:.+]] = dovetail.dim %arg0, 0 : tensor<?xf32>
// CHECK-NEXT:    %[[CONSTANT:.+]] = dovetail.constant dense<1.000000e+00> : tensor<f32>
// CHECK-NEXT:    %[[BROADCAST:.+]] = dovetail.broadcast %[[CONSTANT]] dims [] sizes(%[[DIM]]) : tensor<f32> -> tensor<?xf32>
// CHECK-NEXT:    %[[ADD:.+]] = dovetail.add %arg0, %[[BROADCAST]] : tensor<?xf32>
// CHECK-NEXT:    %[[DIV:.+]] = dovetail.div %arg1, %[[ADD]] : tensor<?xf32>
// CHECK-NEXT:    return %[[LOG1P]], %[[DIV]] : tensor<?xf32>, tensor<?xf32>

// -----

func.func @main(%arg0: tensor<?xf32>) -> tensor<?xf32> {
  %0 = dovetail.integer_pow %arg0, 3 : tensor<?xf32>
  return %0 : tensor<?xf32>
}
// CHECK-LABEL: func.func private @main.jvp(%arg0: tensor<?xf32>, %arg1: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>)
// CHECK-NEXT:    %[[INTEGER_POW:.+]] = dovetail.integer_pow %arg0, 3 : tensor<?xf32>
// CHECK-NEXT:    %[[INTEGER_POW_1:.+]] = dovetail.integer_pow %arg0, 2 : tensor<?xf32>
// CHECK-NEXT:    %[[DIM:.+]] = dovetail.dim %arg0, 0 : tensor<?xf32>
// CHECK-NEXT:    %[[CONSTANT:.+]] = dovetail.constant dense<3.000000e+00> : tensor<f32>
// CHECK-NEXT:    %[[BROADCAST:.+]] = dovetail.broadcast %[[CONSTANT]] dims [] sizes(%[[DIM]]) : tensor<f32> -> tensor<?xf32>
// CHECK-NEXT:    %[[MUL:.+]] = dovetail.mul %[[INTEGER_POW_1]], %[[BROADCAST]] : tensor<?xf32>
// CHECK-NEXT:    %[[MUL_1:.+]] = dovetail.mul %arg1, %[[MUL]] : tensor<?xf32>
// CHECK-NEXT:    return %[[INTEGER_POW]], %[[MUL_1]] : tensor<?xf32>, tensor<?xf32>

// -----

func.func @main(%arg0: tensor<?xf32>, %arg1: tensor<?xf32>) -> tensor<?xf32> {
  %0 = dovetail.max %arg0, %arg1 : tensor<?xf32>
  return %0 : tensor<?xf32>
}
// CHECK-LABEL: func.func private @main.jvp(%arg0: tensor<?xf32>, %arg1: tensor<?xf32>, %arg2: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>)
// CHECK-NEXT:    %[[MAX:.+]] = dovetail.max %arg0, %arg1 : tensor<?xf32>
// CHECK-NEXT:    %[[COMPARE:.+]] = dovetail.compare eq %arg1, %[[MAX]] : tensor<?xf32>
// CHECK-NEXT:    %[[DIM:.+]] = dovetail.dim %arg0, 0 : tensor<?xf32>
// CHECK-NEXT:    %[[CONSTANT:.+]] = dovetail.constant dense<5.000000e-01> : tensor<f32>
// CHECK-NEXT:    %[[BROADCAST:.+]] = dovetail.broadcast %[[CONSTANT]] dims [] sizes(%[[DIM]]) : tensor<f32> -> tensor<?xf32>
// CHECK-NEXT:    %[[DIM_1:.+]] = dovetail.dim %arg0, 0 : tensor<?xf32>
// CHECK-NEXT:    %[[CONSTANT_1:.+]] = dovetail.constant dense<1.000000e+00> : tensor<f32>
// CHECK-NEXT:    %[[BROADCAST_1:.+]] = dovetail.broadcast %[[CONSTANT_1]] dims [] sizes(%[[DIM_1]]) : tensor<f32> -> tensor<?xf32>
// CHECK-NEXT:    %[[SELECT:.+]] = dovetail.select %[[COMPARE]], %[[BROADCAST]], %[[BROADCAST_1]] : tensor<?xi1>, tensor<?xf32>
// CHECK-NEXT:    %[[COMPARE_1:.+]] = dovetail.compare eq %arg0, %[[MAX]] : tensor<?xf32>
// CHECK-NEXT:    %[[DIM_2:.+]] = dovetail.dim %arg1, 0 : tensor<?xf32>
// CHECK-NEXT:    %[[CONSTANT_2:.+]] = dovetail.constant dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT:    %[[BROADCAST_2:.+]] = dovetail.broadcast %[[CONSTANT_2]] dims [] sizes(%[[DIM_2]]) : tensor<f32> -> tensor<?xf32>
// CHECK-NEXT:    %[[SELECT_1:.+]] = dovetail.select %[[COMPARE_1]], %[[SELECT]], %[[BROADCAST_2]] : tensor<?xi1>, tensor<?xf32>
// CHECK-NEXT:    %[[MUL:.+]] = dovetail.mul %arg2, %[[SELECT_1]] : tensor<?xf32>
// CHECK-NEXT:    return %[[MAX]], %[[MUL]] : tensor<?xf32>, tensor<?xf32>

// -----

func.func @main(%arg0: tensor<?xf32>) -> tensor<f32> {
  %0 = dovetail.reduce_max %arg0 [0] : tensor<?xf32>
  return %0 : tensor<f32>
}
// CHECK-LABEL: func.func private @main.jvp(%arg0: tensor<?xf32>, %arg1: tensor<?xf32>) -> (tensor<f32>, tensor<f32>)
// CHECK-NEXT:    %[[REDUCE_MAX:.+]] = dovetail.reduce_max %arg0 [0] : tensor<?xf32>
// CHECK-NEXT:    %[[DIM:.+]] = dovetail.dim %arg0, 0 : tensor<?xf32>
// CHECK-NEXT:    %[[BROADCAST:.+]] = dovetail.broadcast %[[REDUCE_MAX]] dims [] sizes(%[[DIM]]) : tensor<f32> -> tensor<?xf32>
// CHECK-NEXT:    %[[COMPARE:.+]] = dovetail.compare eq %arg0, %[[BROADCAST]] : tensor<?xf32>
// CHECK-NEXT:    %[[DIM_1:.+]] = dovetail.dim %arg0, 0 : tensor<?xf32>
// CHECK-NEXT:    %[[CONSTANT:.+]] = dovetail.constant dense<1.000000e+00> : tensor<f32>
// CHECK-NEXT:    %[[BROADCAST_1:.+]] = dovetail.broadcast %[[CONSTANT]] dims [] sizes(%[[DIM_1]]) : tensor<f32> -> tensor<?xf32>
// CHECK-NEXT:    %[[CONSTANT_1:.+]] = dovetail.constant dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT:    %[[BROADCAST_2:.+]] = dovetail.broadcast %[[CONSTANT_1]] dims [] sizes(%[[DIM_1]]) : tensor<f32> -> tensor<?xf32>
// CHECK-NEXT:    %[[SELECT:.+]] = dovetail.select %[[COMPARE]], %[[BROADCAST_1]], %[[BROADCAST_2]] : tensor<?xi1>, tensor<?xf32>
// CHECK-NEXT:    %[[REDUCE_SUM:.+]] = dovetail.reduce_sum %[[SELECT]] [0] : tensor<?xf32>
// CHECK-NEXT:    %[[DIM_2:.+]] = dovetail.dim %arg1, 0 : tensor<?xf32>
// CHECK-NEXT:    %[[CONSTANT_2:.+]] = dovetail.constant dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT:    %[[BROADCAST_3:.+]] = dovetail.broadcast %[[CONSTANT_2]] dims [] sizes(%[[DIM_2]]) : tensor<f32> -> tensor<?xf32>
// CHECK-NEXT:    %[[SELECT_1:.+]] = dovetail.select %[[COMPARE]], %arg1, %[[BROADCAST_3]] : tensor<?xi1>, tensor<?xf32>
// CHECK-NEXT:    %[[REDUCE_SUM_1:.+]] = dovetail.reduce_sum %[[SELECT_1]] [0] : tensor<?xf32>
// CHECK-NEXT:    %[[DIV:.+]] = dovetail.div %[[REDUCE_SUM_1]], %[[REDUCE_SUM]] : tensor<f32>
// CHECK-NEXT:    return %[[REDUCE_MAX]], %[[DIV]] : tensor<f32>, tensor<f32>

// -----

func.func @main(%arg0: tensor<?xf32>, %arg1: tensor<f32>, %arg2: index) -> tensor<?xf32> {
  %0 = dovetail.pad %arg0, %arg1 low [1] interior [0] sizes(%arg2) : tensor<?xf32>, tensor<f32> -> tensor<?xf32>
  return %0 : tensor<?xf32>
}
// CHECK-LABEL: func.func private @main.jvp(%arg0: tensor<?xf32>, %arg1: tensor<f32>, %arg2: index, %arg3: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>)
// CHECK-NEXT:    %[[PAD:.+]] = dovetail.pad %arg0, %arg1 low [1] interior [0] sizes(%arg2) : tensor<?xf32>, tensor<f32> -> tensor<?xf32>
// CHECK-NEXT:    %[[CONSTANT:.+]] = dovetail.constant dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT:    %[[PAD_1:.+]] = dovetail.pad %arg3, %[[CONSTANT]] low [1] interior [0] sizes(%arg2) : tensor<?xf32>, tensor<f32> -> tensor<?xf32>
// CHECK-NEXT:    return %[[PAD]], %[[PAD_1]] : tensor<?xf32>, tensor<?xf32>

// -----

func.func @main(%arg0: tensor<?xf32>) -> tensor<f32> {
  %0 = dovetail.reduce_prod %arg0 [0] : tensor<?xf32>
  return %0 : tensor<f32>
}
// CHECK-LABEL: func.func private @main.jvp(%arg0: tensor<?xf32>, %arg1: tensor<?xf32>) -> (tensor<f32>, tensor<f32>)
// CHECK:         %[[PAD:.+]] = dovetail.pad %arg0, %{{.+}} low [0] interior [0] sizes(%[[SIZE:.+]]) : tensor<?xf32>, tensor<f32> -> tensor<?xf32>
// CHECK:         %[[PAD_1:.+]] = dovetail.pad %arg1, %{{.+}} low [0] interior [0] sizes(%[[SIZE]]) : tensor<?xf32>, tensor<f32> -> tensor<?xf32>
// CHECK-NEXT:    %[[CUMPROD:.+]] = dovetail.cumprod %[[PAD]], 0 reverse = true : tensor<?xf32>
// CHECK:         %[[PAD_2:.+]] = dovetail.pad %[[CUMPROD]], %{{.+}} low [-1] interior [0] sizes(%[[SIZE]]) : tensor<?xf32>, tensor<f32> -> tensor<?xf32>
// CHECK-NEXT:    %[[MUL:.+]] = dovetail.mul %[[PAD_1]], %[[PAD_2]] : tensor<?xf32>
// CHECK-NEXT:    %[[LINEAR_RECURRENCE:.+]] = dovetail.linear_recurrence %[[PAD]], %[[MUL]], 0 reverse = true : tensor<?xf32>, tensor<?xf32>
// CHECK:         %[[SLICE:.+]] = dovetail.slice %[[LINEAR_RECURRENCE]] starts [0] strides [1] : tensor<?xf32> -> tensor<1xf32>
// CHECK-NEXT:    %[[REDUCE_SUM:.+]] = dovetail.reduce_sum %[[SLICE]] [0] : tensor<1xf32>
