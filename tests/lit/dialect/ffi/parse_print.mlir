// Calls of foreign functions as text.
// RUN: dovetail-opt %s | dovetail-opt | FileCheck %s

// CHECK-LABEL: @main(
func.func @main(%x: tensor<4x3xf32>, %n: tensor<?xf64>, %size: index) {
  // CHECK-NEXT: dovetail.ffi_call "f"(%arg0) : (tensor<4x3xf32>) -> tensor<4xf32>
  %0 = dovetail.ffi_call "f"(%x) : (tensor<4x3xf32>) -> tensor<4xf32>
  // CHECK-NEXT: dovetail.ffi_call "g" vmap "sequential" over ["i"](%arg0, %arg1) sizes(%arg2) with {array = dense<[1, 2]> : tensor<2xi64>, by = 2.000000e+00 : f32, inner = {deep = true}, n = 3 : ui8, text = "x"} {aliases = array<i64: 0, -1>, batch_dims = 0 : i64, has_side_effect = true, input_layouts = [array<i64: 1, 0>, array<i64: 0>], output_layouts = [array<i64: 1, 0>, array<i64: 0>]} : (tensor<4x3xf32>, tensor<?xf64>) -> (tensor<4x3xf32>, tensor<?xi32>)
  %1:2 = dovetail.ffi_call "g" vmap "sequential" over ["i"](%x, %n) sizes(%size)
    with {by = 2.0 : f32, text = "x", n = 3 : ui8, array = dense<[1, 2]> : tensor<2xi64>, inner = {deep = true}}
    {has_side_effect = true, aliases = array<i64: 0, -1>, batch_dims = 0,
     input_layouts = [array<i64: 1, 0>, array<i64: 0>], output_layouts = [array<i64: 1, 0>, array<i64: 0>]}
    : (tensor<4x3xf32>, tensor<?xf64>) -> (tensor<4x3xf32>, tensor<?xi32>)
  // CHECK-NEXT: dovetail.ffi_call "h"() : () -> ()
  dovetail.ffi_call "h"() : () -> ()
  return
}
