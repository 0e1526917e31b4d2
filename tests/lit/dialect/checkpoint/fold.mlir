// Names mean nothing once all derivatives are there.
// RUN: dovetail-opt %s --canonicalize | FileCheck %s

// CHECK-LABEL: func.func @main(
// CHECK-NEXT:    return %arg0 : tensor<2xf32>
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = dovetail.name %x "a" : tensor<2xf32>
  return %0 : tensor<2xf32>
}
