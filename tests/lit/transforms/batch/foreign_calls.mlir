// Foreign functions over a batch: one call for each element, or one for all.
// RUN: dovetail-opt %s --split-input-file --dovetail-batch="dims=0,-1 size=4" --verify-diagnostics | FileCheck %s

func.func @main(%x: tensor<2x3xf32>, %y: tensor<5xf32>) -> (tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) {
  %0 = dovetail.ffi_call "b" vmap "sequential"(%y, %x) {input_layouts = [array<i64: 0>, array<i64: 1, 0>]} : (tensor<5xf32>, tensor<2x3xf32>) -> tensor<f32>
  %1 = dovetail.ffi_call "c" vmap "expand_dims"(%y, %x) with {by = 1} {input_layouts = [array<i64: 0>, array<i64: 1, 0>]} : (tensor<5xf32>, tensor<2x3xf32>) -> tensor<f32>
  %2 = dovetail.ffi_call "d" vmap "broadcast_all"(%y, %x) {output_layouts = [array<i64>]} : (tensor<5xf32>, tensor<2x3xf32>) -> tensor<f32>
  %3 = dovetail.ffi_call "e" vmap "legacy_vectorized"(%y, %x) {input_layouts = [array<i64: 0>, array<i64: 1, 0>]} : (tensor<5xf32>, tensor<2x3xf32>) -> tensor<f32>
  return %0, %1, %2, %3 : tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>
}
// CHECK-LABEL: @main.batch(%arg0: tensor<4x2x3xf32>, %arg1: tensor<5xf32>)
// CHECK: dovetail.scan length 4
// CHECK-NEXT: ^bb0(%[[X:.*]]: tensor<2x3xf32>, %[[Y:.*]]: tensor<5xf32>):
// CHECK-NEXT: dovetail.ffi_call "b" vmap "sequential"(%[[Y]], %[[X]]) {input_layouts = [array<i64: 0>, array<i64: 1, 0>]}
// CHECK: dovetail.ffi_call "c" vmap "expand_dims"(%{{.*}}) with {by = 1 : i64} {input_layouts = [array<i64: 0, 1>, array<i64: 0, 2, 1>]} : (tensor<1x5xf32>, tensor<4x2x3xf32>) -> tensor<4xf32>
// CHECK: dovetail.ffi_call "d" vmap "broadcast_all"(%{{.*}}) {output_layouts = [array<i64: 0>]} : (tensor<4x5xf32>, tensor<4x2x3xf32>) -> tensor<4xf32>
// CHECK: dovetail.ffi_call "e" vmap "legacy_vectorized"(%arg1, %{{.*}}) {input_layouts = [array<i64: 0>, array<i64: 0, 2, 1>]} : (tensor<5xf32>, tensor<4x2x3xf32>) -> tensor<4xf32>

// -----

// The batch is another loop, if all arguments have it.
func.func @main(%x: tensor<6x2xf32>, %y: tensor<6xf32>) -> (tensor<6x2xf32>, tensor<6x2xf32>) {
  %0 = dovetail.ffi_call "f" vmap "broadcast_all"(%x, %y) {factors = [array<i64: 0, 1>, array<i64: 0>, array<i64: 0, 1>]} : (tensor<6x2xf32>, tensor<6xf32>) -> tensor<6x2xf32>
  %1 = dovetail.ffi_call "g" vmap "expand_dims"(%x, %y) {factors = [array<i64: 0, 1>, array<i64: 0>, array<i64: 0, 1>]} : (tensor<6x2xf32>, tensor<6xf32>) -> tensor<6x2xf32>
  return %0, %1 : tensor<6x2xf32>, tensor<6x2xf32>
}
// CHECK-LABEL: @main.batch(
// CHECK: dovetail.ffi_call "f" vmap "broadcast_all"(%{{.*}}) {factors = [array<i64: 2, 0, 1>, array<i64: 2, 0>, array<i64: 2, 0, 1>]}
// CHECK: dovetail.ffi_call "g" vmap "expand_dims"(%{{.*}}) {factors = [array<i64: -1, 0, 1>, array<i64: -1, 0>, array<i64: -1, 0, 1>]}

// -----

// A batch is one more dimension of a batch, and what elements share is not written over.
func.func @main(%x: tensor<6x2xf32>, %y: tensor<6x2xf32>) -> (tensor<6x2xf32>, tensor<6x2xf32>) {
  %0:2 = dovetail.ffi_call "f" vmap "broadcast_all"(%x, %y) {batch_dims = 1, aliases = array<i64: 1, 0>} : (tensor<6x2xf32>, tensor<6x2xf32>) -> (tensor<6x2xf32>, tensor<6x2xf32>)
  %1:2 = dovetail.ffi_call "g" vmap "expand_dims"(%x, %y) {batch_dims = 1, aliases = array<i64: 1, 0>} : (tensor<6x2xf32>, tensor<6x2xf32>) -> (tensor<6x2xf32>, tensor<6x2xf32>)
  return %0#0, %1#0 : tensor<6x2xf32>, tensor<6x2xf32>
}
// CHECK-LABEL: @main.batch(
// CHECK: dovetail.ffi_call "f" vmap "broadcast_all"(%{{.*}}) {aliases = array<i64: 1, 0>, batch_dims = 2 : i64}
// CHECK: dovetail.ffi_call "g" vmap "expand_dims"(%{{.*}}) {aliases = array<i64: -1, 0>} : (tensor<4x6x2xf32>, tensor<1x6x2xf32>)

// -----

func.func @main(%x: tensor<2xi32>, %y: tensor<f32>) {
  // expected-error @+1 {{vmap is only supported of the FFI call to `a` with a vmap_method, got: None; say 'sequential', 'sequential_unrolled', 'expand_dims' or 'broadcast_all'}}
  dovetail.ffi_call "a"(%x) : (tensor<2xi32>) -> ()
  return
}
