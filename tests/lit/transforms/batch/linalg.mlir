// Matrices over a batch that is in the middle: it comes first.
// RUN: dovetail-opt %s --split-input-file --dovetail-batch='dims=1 size=7' | FileCheck %s

func.func @main(%arg0: tensor<3x3xf32>) -> tensor<3xf32> {
  %0 = dovetail.eigh %arg0 vectors = false : tensor<3x3xf32>
  return %0 : tensor<3xf32>
}
// CHECK-LABEL: func.func private @main.batch(%arg0: tensor<3x7x3xf32>) -> tensor<7x3xf32>
// CHECK-NEXT:    %[[FIRST:.+]] = dovetail.transpose %arg0 [1, 0, 2] : tensor<3x7x3xf32>
// CHECK-NEXT:    %[[EIGH:.+]] = dovetail.eigh %[[FIRST]] vectors = false : tensor<7x3x3xf32>
// CHECK-NEXT:    return %[[EIGH]] : tensor<7x3xf32>
