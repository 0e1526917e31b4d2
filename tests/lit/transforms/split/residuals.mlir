// Residuals are the known values that the rest needs; ops without operands are repeated instead.
// RUN: dovetail-opt %s --split-input-file --dovetail-split=unknown=1 | FileCheck %s

func.func @main(%arg0: tensor<2x3xf32>, %arg1: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %1 = dovetail.exp %arg0 : tensor<2x3xf32>
  %0 = dovetail.mul %1, %arg1 : tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
// CHECK-LABEL: func.func private @main.rest(%arg0: tensor<2x3xf32>, %arg1: tensor<2x3xf32>) -> tensor<2x3xf32>
// CHECK-NEXT:    %[[MUL:.+]] = dovetail.mul %arg0, %arg1 : tensor<2x3xf32>
// CHECK-NEXT:    return %[[MUL]] : tensor<2x3xf32>

// CHECK-LABEL: func.func private @main.known(%arg0: tensor<2x3xf32>) -> tensor<2x3xf32>
// CHECK-NEXT:    %[[EXP:.+]] = dovetail.exp %arg0 : tensor<2x3xf32>
// CHECK-NEXT:    return %[[EXP]] : tensor<2x3xf32>

// -----

func.func @main(%arg0: tensor<2x3xf32>, %arg1: tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>) {
  %1 = dovetail.exp %arg0 : tensor<2x3xf32>
  %0 = dovetail.neg %arg1 : tensor<2x3xf32>
  return %0, %1 : tensor<2x3xf32>, tensor<2x3xf32>
}
// CHECK-LABEL: func.func private @main.rest(%arg0: tensor<2x3xf32>) -> tensor<2x3xf32>
// CHECK-NEXT:    %[[NEG:.+]] = dovetail.neg %arg0 : tensor<2x3xf32>
// CHECK-NEXT:    return %[[NEG]] : tensor<2x3xf32>

// CHECK-LABEL: func.func private @main.known(%arg0: tensor<2x3xf32>) -> tensor<2x3xf32>
// CHECK-NEXT:    %[[EXP:.+]] = dovetail.exp %arg0 : tensor<2x3xf32>
// CHECK-NEXT:    return %[[EXP]] : tensor<2x3xf32>

// -----

func.func @main(%arg0: tensor<2x3xf32>, %arg1: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %1 = dovetail.exp %arg0 : tensor<2x3xf32>
  %2 = dovetail.mul %1, %arg1 : tensor<2x3xf32>
  %0 = dovetail.mul %2, %1 : tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
// CHECK-LABEL: func.func private @main.rest(%arg0: tensor<2x3xf32>, %arg1: tensor<2x3xf32>) -> tensor<2x3xf32>
// CHECK-NEXT:    %[[MUL:.+]] = dovetail.mul %arg0, %arg1 : tensor<2x3xf32>
// CHECK-NEXT:    %[[MUL_1:.+]] = dovetail.mul %[[MUL]], %arg0 : tensor<2x3xf32>
// CHECK-NEXT:    return %[[MUL_1]] : tensor<2x3xf32>

// CHECK-LABEL: func.func private @main.known(%arg0: tensor<2x3xf32>) -> tensor<2x3xf32>
// CHECK-NEXT:    %[[EXP:.+]] = dovetail.exp %arg0 : tensor<2x3xf32>
// CHECK-NEXT:    return %[[EXP]] : tensor<2x3xf32>

// -----

func.func @main(%arg0: tensor<2x3xf32>, %arg1: tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>) {
  %1 = dovetail.constant dense<2.0> : tensor<2x3xf32>
  %2 = dovetail.mul %1, %arg0 : tensor<2x3xf32>
  %0 = dovetail.mul %1, %arg1 : tensor<2x3xf32>
  return %0, %1, %2 : tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>
}
// CHECK-LABEL: func.func private @main.rest(%arg0: tensor<2x3xf32>) -> tensor<2x3xf32>
// CHECK-NEXT:    %[[CONSTANT:.+]] = dovetail.constant dense<2.000000e+00> : tensor<2x3xf32>
// CHECK-NEXT:    %[[MUL:.+]] = dovetail.mul %[[CONSTANT]], %arg0 : tensor<2x3xf32>
// CHECK-NEXT:    return %[[MUL]] : tensor<2x3xf32>

// CHECK-LABEL: func.func private @main.known(%arg0: tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>)
// CHECK-NEXT:    %[[CONSTANT:.+]] = dovetail.constant dense<2.000000e+00> : tensor<2x3xf32>
// CHECK-NEXT:    %[[MUL:.+]] = dovetail.mul %[[CONSTANT]], %arg0 : tensor<2x3xf32>
// CHECK-NEXT:    return %[[CONSTANT]], %[[MUL]] : tensor<2x3xf32>, tensor<2x3xf32>

// -----

func.func @main(%arg0: tensor<2x3xf32>, %arg1: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = dovetail.mul %arg0, %arg1 : tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
// CHECK-LABEL: func.func private @main.rest(%arg0: tensor<2x3xf32>, %arg1: tensor<2x3xf32>) -> tensor<2x3xf32>
// CHECK-NEXT:    %[[MUL:.+]] = dovetail.mul %arg0, %arg1 : tensor<2x3xf32>
// CHECK-NEXT:    return %[[MUL]] : tensor<2x3xf32>

// CHECK-LABEL: func.func private @main.known(%arg0: tensor<2x3xf32>) -> tensor<2x3xf32>
// CHECK-NEXT:    return %arg0 : tensor<2x3xf32>

// -----

func.func @main(%arg0: tensor<2x3xf32>, %arg1: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = dovetail.neg %arg0 : tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
// CHECK-LABEL: func.func private @main.rest(%arg0: tensor<2x3xf32>)
// CHECK-NEXT:    return

// CHECK-LABEL: func.func private @main.known(%arg0: tensor<2x3xf32>) -> tensor<2x3xf32>
// CHECK-NEXT:    %[[NEG:.+]] = dovetail.neg %arg0 : tensor<2x3xf32>
// CHECK-NEXT:    return %[[NEG]] : tensor<2x3xf32>

// -----

func.func @main(%arg0: tensor<?xf32>, %arg1: tensor<?xf32>) -> tensor<?xf32> {
  %1 = dovetail.dim %arg0, 0 : tensor<?xf32>
  %2 = dovetail.iota 0 sizes(%1) : tensor<?xf32>
  %0 = dovetail.mul %2, %arg1 : tensor<?xf32>
  return %0 : tensor<?xf32>
}
// CHECK-LABEL: func.func private @main.rest(%arg0: tensor<?xf32>, %arg1: tensor<?xf32>) -> tensor<?xf32>
// CHECK-NEXT:    %[[MUL:.+]] = dovetail.mul %arg0, %arg1 : tensor<?xf32>
// CHECK-NEXT:    return %[[MUL]] : tensor<?xf32>

// CHECK-LABEL: func.func private @main.known(%arg0: tensor<?xf32>) -> tensor<?xf32>
// CHECK-NEXT:    %[[DIM:.+]] = dovetail.dim %arg0, 0 : tensor<?xf32>
// CHECK-NEXT:    %[[IOTA:.+]] = dovetail.iota 0 sizes(%[[DIM]]) : tensor<?xf32>
// CHECK-NEXT:    return %[[IOTA]] : tensor<?xf32>
