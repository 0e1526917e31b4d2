// Arguments and results that take no part: no cotangent, nothing emitted.
// RUN: dovetail-opt %s --split-input-file --dovetail-transpose=linear=0,1 | FileCheck %s

func.func @main(%arg0: tensor<2x3xf32>, %arg1: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = dovetail.neg %arg1 : tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
// CHECK-LABEL: func.func private @main.transpose(%arg0: tensor<2x3xf32>) -> tensor<2x3xf32>
// CHECK-NEXT:    %[[NEG:.+]] = dovetail.neg %arg0 : tensor<2x3xf32>
// CHECK-NEXT:    return %[[NEG]] : tensor<2x3xf32>

// -----

func.func @main(%arg0: tensor<2x3xf32>, %arg1: tensor<2x3xf32>, %arg2: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = dovetail.exp %arg2 : tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
// CHECK-LABEL: func.func private @main.transpose(%arg0: tensor<2x3xf32>, %arg1: tensor<2x3xf32>)
// CHECK-NEXT:    %[[EXP:.+]] = dovetail.exp %arg0 : tensor<2x3xf32>
// CHECK-NEXT:    return

// -----

func.func @main(%arg0: tensor<2x3xf32>, %arg1: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %1 = dovetail.neg %arg0 : tensor<2x3xf32>
  %0 = dovetail.neg %arg1 : tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
// CHECK-LABEL: func.func private @main.transpose(%arg0: tensor<2x3xf32>) -> tensor<2x3xf32>
// CHECK-NEXT:    %[[NEG:.+]] = dovetail.neg %arg0 : tensor<2x3xf32>
// CHECK-NEXT:    return %[[NEG]] : tensor<2x3xf32>
