// Each kind of request becomes calls of transformed functions.
// RUN: dovetail-opt %s --split-input-file --dovetail-expand | FileCheck %s

func.func private @f(%arg0: tensor<f32>) -> tensor<f32> {
  %0 = dovetail.sin %arg0 : tensor<f32>
  return %0 : tensor<f32>
}

func.func @main(%arg0: tensor<f32>, %arg1: tensor<f32>) -> (tensor<f32>, tensor<f32>) {
  %0, %1 = dovetail.jvp @f wrt [0](%arg0) tangents(%arg1) : (tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<f32>)
  return %0, %1 : tensor<f32>, tensor<f32>
}
// CHECK-LABEL: func.func private @f.jvp(%arg0: tensor<f32>, %arg1: tensor<f32>) -> (tensor<f32>, tensor<f32>)
// CHECK-NEXT:    %[[SIN:.+]] = dovetail.sin %arg0 : tensor<f32>
// CHECK-NEXT:    %[[COS:.+]] = dovetail.cos %arg0 : tensor<f32>
// CHECK-NEXT:    %[[MUL:.+]] = dovetail.mul %arg1, %[[COS]] : tensor<f32>
// CHECK-NEXT:    return %[[SIN]], %[[MUL]] : tensor<f32>, tensor<f32>

// CHECK-LABEL: func.func @main(%arg0: tensor<f32>, %arg1: tensor<f32>) -> (tensor<f32>, tensor<f32>)
// CHECK-NEXT:    %[[CALL:.+]]:2 = dovetail.call @f.jvp(%arg0, %arg1) : (tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<f32>)
// CHECK-NEXT:    return %[[CALL]]#0, %[[CALL]]#1 : tensor<f32>, tensor<f32>

// -----

func.func private @f(%arg0: tensor<f32>) -> tensor<f32> {
  %0 = dovetail.sin %arg0 : tensor<f32>
  return %0 : tensor<f32>
}

func.func @main(%arg0: tensor<f32>, %arg1: tensor<f32>) -> (tensor<f32>, tensor<f32>) {
  %0, %1 = dovetail.vjp @f wrt [0] of [0](%arg0) cotangents(%arg1) : (tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<f32>)
  return %0, %1 : tensor<f32>, tensor<f32>
}
// CHECK-LABEL: func.func private @f.jvp.rest.transpose(%arg0: tensor<f32>, %arg1: tensor<f32>) -> tensor<f32>
// CHECK-NEXT:    %[[MUL:.+]] = dovetail.mul %arg1, %arg0 : tensor<f32>
// CHECK-NEXT:    return %[[MUL]] : tensor<f32>

// CHECK-LABEL: func.func private @f.jvp.known(%arg0: tensor<f32>) -> (tensor<f32>, tensor<f32>)
// CHECK-NEXT:    %[[SIN:.+]] = dovetail.sin %arg0 : tensor<f32>
// CHECK-NEXT:    %[[COS:.+]] = dovetail.cos %arg0 : tensor<f32>
// CHECK-NEXT:    return %[[SIN]], %[[COS]] : tensor<f32>, tensor<f32>

// CHECK-LABEL: func.func @main(%arg0: tensor<f32>, %arg1: tensor<f32>) -> (tensor<f32>, tensor<f32>)
// CHECK-NEXT:    %[[CALL:.+]]:2 = dovetail.call @f.jvp.known(%arg0) : (tensor<f32>) -> (tensor<f32>, tensor<f32>)
// CHECK-NEXT:    %[[CALL_1:.+]] = dovetail.call @f.jvp.rest.transpose(%[[CALL]]#1, %arg1) : (tensor<f32>, tensor<f32>) -> tensor<f32>
// CHECK-NEXT:    return %[[CALL]]#0, %[[CALL_1]] : tensor<f32>, tensor<f32>

// -----

func.func private @f(%arg0: tensor<f32>) -> tensor<f32> {
  %0 = dovetail.sin %arg0 : tensor<f32>
  return %0 : tensor<f32>
}

func.func @main(%arg0: tensor<7xf32>) -> tensor<7xf32> {
  %0 = dovetail.vmap @f in [0] out [0](%arg0) : (tensor<7xf32>) -> tensor<7xf32>
  return %0 : tensor<7xf32>
}
// CHECK-LABEL: func.func private @f.batch(%arg0: tensor<7xf32>) -> tensor<7xf32>
// CHECK-NEXT:    %[[SIN:.+]] = dovetail.sin %arg0 : tensor<7xf32>
// CHECK-NEXT:    return %[[SIN]] : tensor<7xf32>

// CHECK-LABEL: func.func @main(%arg0: tensor<7xf32>) -> tensor<7xf32>
// CHECK-NEXT:    %[[CALL:.+]] = dovetail.call @f.batch(%arg0) : (tensor<7xf32>) -> tensor<7xf32>
// CHECK-NEXT:    return %[[CALL]] : tensor<7xf32>

// -----

func.func private @f(%arg0: tensor<f32>) -> tensor<f32> {
  %0 = dovetail.floor %arg0 : tensor<f32>
  return %0 : tensor<f32>
}

func.func @main(%arg0: tensor<f32>, %arg1: tensor<f32>) -> (tensor<f32>, tensor<f32>) {
  %0, %1 = dovetail.jvp @f wrt [0](%arg0) tangents(%arg1) : (tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<f32>)
  return %0, %1 : tensor<f32>, tensor<f32>
}
// CHECK-LABEL: func.func private @f.jvp(%arg0: tensor<f32>, %arg1: tensor<f32>) -> tensor<f32>
// CHECK-NEXT:    %[[FLOOR:.+]] = dovetail.floor %arg0 : tensor<f32>
// CHECK-NEXT:    return %[[FLOOR]] : tensor<f32>

// CHECK-LABEL: func.func @main(%arg0: tensor<f32>, %arg1: tensor<f32>) -> (tensor<f32>, tensor<f32>)
// CHECK-NEXT:    %[[CALL:.+]] = dovetail.call @f.jvp(%arg0, %arg1) : (tensor<f32>, tensor<f32>) -> tensor<f32>
// CHECK-NEXT:    %[[CONSTANT:.+]] = dovetail.constant dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT:    return %[[CALL]], %[[CONSTANT]] : tensor<f32>, tensor<f32>

// -----

func.func private @f(%arg0: tensor<?xf32>) -> tensor<?xf32> {
  %0 = dovetail.floor %arg0 : tensor<?xf32>
  return %0 : tensor<?xf32>
}

func.func @main(%arg0: tensor<?xf32>, %arg1: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>) {
  %0, %1 = dovetail.vjp @f wrt [0] of [0](%arg0) cotangents(%arg1) : (tensor<?xf32>, tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>)
  return %0, %1 : tensor<?xf32>, tensor<?xf32>
}
// CHECK-LABEL: func.func private @f.jvp.known(%arg0: tensor<?xf32>) -> tensor<?xf32>
// CHECK-NEXT:    %[[FLOOR:.+]] = dovetail.floor %arg0 : tensor<?xf32>
// CHECK-NEXT:    return %[[FLOOR]] : tensor<?xf32>

// CHECK-LABEL: func.func @main(%arg0: tensor<?xf32>, %arg1: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>)
// CHECK-NEXT:    %[[CALL:.+]] = dovetail.call @f.jvp.known(%arg0) : (tensor<?xf32>) -> tensor<?xf32>
// CHECK-NEXT:    %[[DIM:.+]] = dovetail.dim %arg0, 0 : tensor<?xf32>
// CHECK-NEXT:    %[[CONSTANT:.+]] = dovetail.constant dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT:    %[[BROADCAST:.+]] = dovetail.broadcast %[[CONSTANT]] dims [] sizes(%[[DIM]]) : tensor<f32> -> tensor<?xf32>
// CHECK-NEXT:    return %[[CALL]], %[[BROADCAST]] : tensor<?xf32>, tensor<?xf32>

// -----

func.func private @f(%arg0: tensor<3xf32>) -> tensor<3xf32> {
  %0 = dovetail.exp %arg0 : tensor<3xf32>
  return %0 : tensor<3xf32>
}

func.func @main(%arg0: tensor<?x3xf32>) -> tensor<3x?xf32> {
  %0 = dovetail.vmap @f in [0] out [1](%arg0) : (tensor<?x3xf32>) -> tensor<3x?xf32>
  return %0 : tensor<3x?xf32>
}
// CHECK-LABEL: func.func private @f.batch(%arg0: tensor<?x3xf32>) -> tensor<?x3xf32>
// CHECK-NEXT:    %[[DIM:.+]] = dovetail.dim %arg0, 0 : tensor<?x3xf32>
// CHECK-NEXT:    %[[EXP:.+]] = dovetail.exp %arg0 : tensor<?x3xf32>
// CHECK-NEXT:    return %[[EXP]] : tensor<?x3xf32>

// CHECK-LABEL: func.func @main(%arg0: tensor<?x3xf32>) -> tensor<3x?xf32>
// CHECK-NEXT:    %[[DIM:.+]] = dovetail.dim %arg0, 0 : tensor<?x3xf32>
// CHECK-NEXT:    %[[CALL:.+]] = dovetail.call @f.batch(%arg0) : (tensor<?x3xf32>) -> tensor<?x3xf32>
// CHECK-NEXT:    %[[TRANSPOSE:.+]] = dovetail.transpose %[[CALL]] [1, 0] : tensor<?x3xf32>
// CHECK-NEXT:    return %[[TRANSPOSE]] : tensor<3x?xf32>

// -----

func.func private @f(%arg0: tensor<f32>, %arg1: tensor<f32>) -> tensor<f32> {
  %0 = dovetail.exp %arg1 : tensor<f32>
  return %0 : tensor<f32>
}

func.func @main(%arg0: tensor<?xf32>, %arg1: tensor<f32>) -> tensor<?xf32> {
  %0 = dovetail.vmap @f in [0, -1] out [0](%arg0, %arg1) : (tensor<?xf32>, tensor<f32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}
// CHECK-LABEL: func.func private @f.batch(%arg0: tensor<?xf32>, %arg1: tensor<f32>) -> tensor<f32>
// CHECK-NEXT:    %[[DIM:.+]] = dovetail.dim %arg0, 0 : tensor<?xf32>
// CHECK-NEXT:    %[[EXP:.+]] = dovetail.exp %arg1 : tensor<f32>
// CHECK-NEXT:    return %[[EXP]] : tensor<f32>

// CHECK-LABEL: func.func @main(%arg0: tensor<?xf32>, %arg1: tensor<f32>) -> tensor<?xf32>
// CHECK-NEXT:    %[[DIM:.+]] = dovetail.dim %arg0, 0 : tensor<?xf32>
// CHECK-NEXT:    %[[CALL:.+]] = dovetail.call @f.batch(%arg0, %arg1) : (tensor<?xf32>, tensor<f32>) -> tensor<f32>
// CHECK-NEXT:    %[[BROADCAST:.+]] = dovetail.broadcast %[[CALL]] dims [] sizes(%[[DIM]]) : tensor<f32> -> tensor<?xf32>
// CHECK-NEXT:    return %[[BROADCAST]] : tensor<?xf32>
