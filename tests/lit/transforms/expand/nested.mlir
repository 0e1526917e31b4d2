// Requests on functions that make requests, three deep, innermost first; the pipeline leaves plain ops.
// RUN: dovetail-opt %s --split-input-file --dovetail-pipeline=to=simplify | FileCheck %s

func.func private @f(%arg0: tensor<f32>) -> tensor<f32> {
  %0 = dovetail.sin %arg0 : tensor<f32>
  return %0 : tensor<f32>
}

func.func private @df(%arg0: tensor<f32>) -> tensor<f32> {
  %0 = dovetail.constant dense<1.0> : tensor<f32>
  %1, %2 = dovetail.vjp @f wrt [0] of [0](%arg0) cotangents(%0) : (tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<f32>)
  return %2 : tensor<f32>
}

func.func private @ddf(%arg0: tensor<f32>) -> tensor<f32> {
  %0 = dovetail.constant dense<1.0> : tensor<f32>
  %1, %2 = dovetail.vjp @df wrt [0] of [0](%arg0) cotangents(%0) : (tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<f32>)
  return %2 : tensor<f32>
}

func.func @main(%arg0: tensor<f32>) -> (tensor<f32>, tensor<f32>) {
  %0, %1 = dovetail.jvp @ddf wrt [0](%arg0) tangents(%arg0) : (tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<f32>)
  return %0, %1 : tensor<f32>, tensor<f32>
}
// CHECK-LABEL: func.func @main(%arg0: tensor<f32>) -> (tensor<f32>, tensor<f32>)
// CHECK-NEXT:    %[[CONSTANT:.+]] = dovetail.constant dense<-1.000000e+00> : tensor<f32>
// CHECK-NEXT:    %[[SIN:.+]] = dovetail.sin %arg0 : tensor<f32>
// CHECK-NEXT:    %[[COS:.+]] = dovetail.cos %arg0 : tensor<f32>
// CHECK-NEXT:    %[[MUL:.+]] = dovetail.mul %arg0, %[[COS]] : tensor<f32>
// CHECK-NEXT:    %[[MUL_1:.+]] = dovetail.mul %[[SIN]], %[[CONSTANT]] : tensor<f32>
// CHECK-NEXT:    %[[MUL_2:.+]] = dovetail.mul %[[MUL]], %[[CONSTANT]] : tensor<f32>
// CHECK-NEXT:    return %[[MUL_1]], %[[MUL_2]] : tensor<f32>, tensor<f32>

// -----

func.func private @f(%arg0: tensor<f32>) -> tensor<f32> {
  %0 = dovetail.exp %arg0 : tensor<f32>
  return %0 : tensor<f32>
}

func.func private @df(%arg0: tensor<f32>) -> tensor<f32> {
  %0 = dovetail.constant dense<1.0> : tensor<f32>
  %1, %2 = dovetail.vjp @f wrt [0] of [0](%arg0) cotangents(%0) : (tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<f32>)
  return %2 : tensor<f32>
}

func.func private @batched(%arg0: tensor<?xf32>) -> tensor<?xf32> {
  %0 = dovetail.vmap @df in [0] out [0](%arg0) : (tensor<?xf32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

func.func @main(%arg0: tensor<?xf32>, %arg1: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>) {
  %0, %1 = dovetail.vjp @batched wrt [0] of [0](%arg0) cotangents(%arg1) : (tensor<?xf32>, tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>)
  return %0, %1 : tensor<?xf32>, tensor<?xf32>
}
// CHECK-LABEL: func.func @main(%arg0: tensor<?xf32>, %arg1: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>)
// CHECK-NEXT:    %[[CONSTANT:.+]] = dovetail.constant dense<1.000000e+00> : tensor<f32>
// CHECK-NEXT:    %[[EXP:.+]] = dovetail.exp %arg0 : tensor<?xf32>
// CHECK-NEXT:    %[[DIM:.+]] = dovetail.dim %arg0, 0 : tensor<?xf32>
// CHECK-NEXT:    %[[BROADCAST:.+]] = dovetail.broadcast %[[CONSTANT]] dims [] sizes(%[[DIM]]) : tensor<f32> -> tensor<?xf32>
// CHECK-NEXT:    %[[MUL:.+]] = dovetail.mul %[[BROADCAST]], %[[EXP]] : tensor<?xf32>
// CHECK-NEXT:    %[[MUL_1:.+]] = dovetail.mul %[[BROADCAST]], %arg1 : tensor<?xf32>
// CHECK-NEXT:    %[[MUL_2:.+]] = dovetail.mul %[[MUL_1]], %[[EXP]] : tensor<?xf32>
// CHECK-NEXT:    return %[[MUL]], %[[MUL_2]] : tensor<?xf32>, tensor<?xf32>
