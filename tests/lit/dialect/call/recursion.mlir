// RUN: dovetail-opt %s --canonicalize | FileCheck %s
// The effects of functions that call themselves or each other are found.

// CHECK-LABEL: func.func @itself
// CHECK: dovetail.call @itself
func.func @itself(%x: tensor<f32>) -> tensor<f32> {
  %0 = dovetail.call @itself(%x) : (tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}

// CHECK-LABEL: func.func @one
// CHECK-NOT: @other
func.func @one(%x: tensor<f32>) -> tensor<f32> {
  %0 = dovetail.call @other(%x) : (tensor<f32>) -> tensor<f32>
  return %x : tensor<f32>
}

// CHECK-LABEL: func.func @other
// CHECK: dovetail.call @one
func.func @other(%x: tensor<f32>) -> tensor<f32> {
  %0 = dovetail.call @one(%x) : (tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}
