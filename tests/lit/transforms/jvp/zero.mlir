// Zero tangents are not emitted: of functions that are constant in pieces, of integers and of unused arguments.
// RUN: dovetail-opt %s --split-input-file --dovetail-jvp=wrt=0 | FileCheck %s

func.func @main(%arg0: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = dovetail.floor %arg0 : tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
// CHECK-LABEL: func.func private @main.jvp(%arg0: tensor<2x3xf32>, %arg1: tensor<2x3xf32>) -> tensor<2x3xf32>
// CHECK-NEXT:    %[[FLOOR:.+]] = dovetail.floor %arg0 : tensor<2x3xf32>
// CHECK-NEXT:    return %[[FLOOR]] : tensor<2x3xf32>

// -----

func.func @main(%arg0: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = dovetail.stop_gradient %arg0 : tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
// CHECK-LABEL: func.func private @main.jvp(%arg0: tensor<2x3xf32>, %arg1: tensor<2x3xf32>) -> tensor<2x3xf32>
// CHECK-NEXT:    %[[STOP_GRADIENT:.+]] = dovetail.stop_gradient %arg0 : tensor<2x3xf32>
// CHECK-NEXT:    return %[[STOP_GRADIENT]] : tensor<2x3xf32>

// -----

func.func @main(%arg0: tensor<2x3xf32>, %arg1: tensor<2x3xf32>) -> tensor<2x3xi1> {
  %0 = dovetail.compare lt %arg0, %arg1 : tensor<2x3xf32>
  return %0 : tensor<2x3xi1>
}
// CHECK-LABEL: func.func private @main.jvp(%arg0: tensor<2x3xf32>, %arg1: tensor<2x3xf32>, %arg2: tensor<2x3xf32>) -> tensor<2x3xi1>
// CHECK-NEXT:    %[[COMPARE:.+]] = dovetail.compare lt %arg0, %arg1 : tensor<2x3xf32>
// CHECK-NEXT:    return %[[COMPARE]] : tensor<2x3xi1>

// -----

func.func @main(%arg0: tensor<2x3xf32>) -> tensor<2x3xi32> {
  %0 = dovetail.convert %arg0 : tensor<2x3xf32> -> tensor<2x3xi32>
  return %0 : tensor<2x3xi32>
}
// CHECK-LABEL: func.func private @main.jvp(%arg0: tensor<2x3xf32>, %arg1: tensor<2x3xf32>) -> tensor<2x3xi32>
// CHECK-NEXT:    %[[CONVERT:.+]] = dovetail.convert %arg0 : tensor<2x3xf32> -> tensor<2x3xi32>
// CHECK-NEXT:    return %[[CONVERT]] : tensor<2x3xi32>

// -----

func.func @main(%arg0: tensor<2x3xf32>) -> tensor<2x3xi32> {
  %0 = dovetail.bitcast %arg0 : tensor<2x3xf32> -> tensor<2x3xi32>
  return %0 : tensor<2x3xi32>
}
// CHECK-LABEL: func.func private @main.jvp(%arg0: tensor<2x3xf32>, %arg1: tensor<2x3xf32>) -> tensor<2x3xi32>
// CHECK-NEXT:    %[[BITCAST:.+]] = dovetail.bitcast %arg0 : tensor<2x3xf32> -> tensor<2x3xi32>
// CHECK-NEXT:    return %[[BITCAST]] : tensor<2x3xi32>

// -----

func.func @main(%arg0: tensor<2x3xf32>) -> tensor<2xi32> {
  %0 = dovetail.argmax %arg0, 1 : tensor<2x3xf32> -> tensor<2xi32>
  return %0 : tensor<2xi32>
}
// CHECK-LABEL: func.func private @main.jvp(%arg0: tensor<2x3xf32>, %arg1: tensor<2x3xf32>) -> tensor<2xi32>
// CHECK-NEXT:    %[[ARGMAX:.+]] = dovetail.argmax %arg0, 1 : tensor<2x3xf32> -> tensor<2xi32>
// CHECK-NEXT:    return %[[ARGMAX]] : tensor<2xi32>

// -----

func.func @main(%arg0: tensor<2x3xf32>, %arg1: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = dovetail.exp %arg1 : tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
// CHECK-LABEL: func.func private @main.jvp(%arg0: tensor<2x3xf32>, %arg1: tensor<2x3xf32>, %arg2: tensor<2x3xf32>) -> tensor<2x3xf32>
// CHECK-NEXT:    %[[EXP:.+]] = dovetail.exp %arg1 : tensor<2x3xf32>
// CHECK-NEXT:    return %[[EXP]] : tensor<2x3xf32>

// -----

func.func @main(%arg0: tensor<2x3xf32>, %arg1: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %1 = dovetail.stop_gradient %arg0 : tensor<2x3xf32>
  %0 = dovetail.mul %1, %arg1 : tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
// CHECK-LABEL: func.func private @main.jvp(%arg0: tensor<2x3xf32>, %arg1: tensor<2x3xf32>, %arg2: tensor<2x3xf32>) -> tensor<2x3xf32>
// CHECK-NEXT:    %[[STOP_GRADIENT:.+]] = dovetail.stop_gradient %arg0 : tensor<2x3xf32>
// CHECK-NEXT:    %[[MUL:.+]] = dovetail.mul %[[STOP_GRADIENT]], %arg1 : tensor<2x3xf32>
// CHECK-NEXT:    return %[[MUL]] : tensor<2x3xf32>

// -----

func.func @main(%arg0: tensor<?xf32>) -> tensor<?xf32> {
  %1 = dovetail.dim %arg0, 0 : tensor<?xf32>
  %0 = dovetail.iota 0 sizes(%1) : tensor<?xf32>
  return %0 : tensor<?xf32>
}
// CHECK-LABEL: func.func private @main.jvp(%arg0: tensor<?xf32>, %arg1: tensor<?xf32>) -> tensor<?xf32>
// CHECK-NEXT:    %[[DIM:.+]] = dovetail.dim %arg0, 0 : tensor<?xf32>
// CHECK-NEXT:    %[[IOTA:.+]] = dovetail.iota 0 sizes(%[[DIM]]) : tensor<?xf32>
// CHECK-NEXT:    return %[[IOTA]] : tensor<?xf32>
