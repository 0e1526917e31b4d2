// IREE 3.13 fuses a chain of elementwise ops without limit, in quadratic time: the 512 pairs of ops here are one dispatch.
// RUN: dovetail-opt %s --dovetail-inline --dovetail-lower | %{compile} - --compile-to=flow -o - | FileCheck %s

// CHECK-COUNT-512: math.absf
// CHECK: flow.dispatch @
// CHECK-NOT: flow.dispatch @

func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = dovetail.call @f256(%x) : (tensor<8xf32>) -> tensor<8xf32>
  %1 = dovetail.call @f256(%0) : (tensor<8xf32>) -> tensor<8xf32>
  return %1 : tensor<8xf32>
}
func.func private @f256(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = dovetail.call @f64(%x) : (tensor<8xf32>) -> tensor<8xf32>
  %1 = dovetail.call @f64(%0) : (tensor<8xf32>) -> tensor<8xf32>
  %2 = dovetail.call @f64(%1) : (tensor<8xf32>) -> tensor<8xf32>
  %3 = dovetail.call @f64(%2) : (tensor<8xf32>) -> tensor<8xf32>
  return %3 : tensor<8xf32>
}
func.func private @f64(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = dovetail.call @f16(%x) : (tensor<8xf32>) -> tensor<8xf32>
  %1 = dovetail.call @f16(%0) : (tensor<8xf32>) -> tensor<8xf32>
  %2 = dovetail.call @f16(%1) : (tensor<8xf32>) -> tensor<8xf32>
  %3 = dovetail.call @f16(%2) : (tensor<8xf32>) -> tensor<8xf32>
  return %3 : tensor<8xf32>
}
func.func private @f16(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = dovetail.call @f4(%x) : (tensor<8xf32>) -> tensor<8xf32>
  %1 = dovetail.call @f4(%0) : (tensor<8xf32>) -> tensor<8xf32>
  %2 = dovetail.call @f4(%1) : (tensor<8xf32>) -> tensor<8xf32>
  %3 = dovetail.call @f4(%2) : (tensor<8xf32>) -> tensor<8xf32>
  return %3 : tensor<8xf32>
}
func.func private @f4(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = dovetail.call @f1(%x) : (tensor<8xf32>) -> tensor<8xf32>
  %1 = dovetail.call @f1(%0) : (tensor<8xf32>) -> tensor<8xf32>
  %2 = dovetail.call @f1(%1) : (tensor<8xf32>) -> tensor<8xf32>
  %3 = dovetail.call @f1(%2) : (tensor<8xf32>) -> tensor<8xf32>
  return %3 : tensor<8xf32>
}
func.func private @f1(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = dovetail.abs %x : tensor<8xf32>
  %1 = dovetail.sub %x, %0 : tensor<8xf32>
  return %1 : tensor<8xf32>
}
