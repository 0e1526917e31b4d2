// Callbacks over a batch: one call for each element, or one for all.
// RUN: dovetail-opt %s --split-input-file --dovetail-batch="dims=0,-1 size=4" --verify-diagnostics | FileCheck %s

func.func @main(%x: tensor<2xf32>, %y: tensor<i32>) -> (tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) {
  dovetail.callback "a" effect "debug"(%y) : (tensor<i32>) -> ()
  %0 = dovetail.callback "b" effect "none" vmap "sequential"(%y, %x) : (tensor<i32>, tensor<2xf32>) -> tensor<f32>
  %1 = dovetail.callback "c" effect "none" vmap "expand_dims"(%y, %x) : (tensor<i32>, tensor<2xf32>) -> tensor<f32>
  %2 = dovetail.callback "d" effect "none" vmap "broadcast_all"(%y, %x) : (tensor<i32>, tensor<2xf32>) -> tensor<f32>
  %3 = dovetail.callback "e" effect "none" vmap "legacy_vectorized"(%y, %x) : (tensor<i32>, tensor<2xf32>) -> tensor<f32>
  return %0, %1, %2, %3 : tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>
}
// CHECK-LABEL: @main.batch(%arg0: tensor<4x2xf32>, %arg1: tensor<i32>)
// CHECK-NEXT: dovetail.callback "a" effect "debug"(%arg1)
// CHECK: dovetail.scan length 4 init() over(%{{.*}}) consts(%arg1)
// CHECK-NEXT: ^bb0(%[[X:.*]]: tensor<2xf32>, %[[Y:.*]]: tensor<i32>):
// CHECK-NEXT: dovetail.callback "b" effect "none" vmap "sequential"(%[[Y]], %[[X]]) : (tensor<i32>, tensor<2xf32>) -> tensor<f32>
// CHECK: dovetail.callback "c" effect "none" vmap "expand_dims"(%{{.*}}) : (tensor<1xi32>, tensor<4x2xf32>) -> tensor<4xf32>
// CHECK: dovetail.callback "d" effect "none" vmap "broadcast_all"(%{{.*}}) : (tensor<4xi32>, tensor<4x2xf32>) -> tensor<4xf32>
// CHECK: dovetail.callback "e" effect "none" vmap "legacy_vectorized"(%arg1, %{{.*}}) : (tensor<i32>, tensor<4x2xf32>) -> tensor<4xf32>

// -----

// A callback for debugging is called for all elements, also where these part; its order is theirs.
func.func @main(%x: tensor<2xi32>, %y: tensor<f32>) {
  dovetail.callback "a" effect "debug" vmap "sequential"(%x) {ordered = true} : (tensor<2xi32>) -> ()
  return
}
// CHECK-LABEL: @main.batch(
// CHECK: dovetail.scan length 4
// CHECK: dovetail.callback "a" effect "debug" vmap "sequential"(%{{.*}}) {ordered = true} : (tensor<2xi32>) -> ()

// -----

func.func @main(%x: tensor<2xi32>, %y: tensor<f32>) {
  // expected-error @+1 {{Cannot `vmap` ordered IO callback, since the elements of a batch have no order; use ordered=False, or a loop such as lax.scan or lax.map}}
  dovetail.callback "a" effect "io" vmap "sequential"(%x) {ordered = true} : (tensor<2xi32>) -> ()
  return
}

// -----

func.func @main(%x: tensor<2xi32>, %y: tensor<f32>) {
  // expected-error @+1 {{vmap is only supported of pure callbacks with a vmap_method, got: None; say 'sequential', 'sequential_unrolled', 'expand_dims' or 'broadcast_all'}}
  dovetail.callback "a" effect "none"(%x) : (tensor<2xi32>) -> ()
  return
}

// -----

func.func @main(%x: tensor<i32>, %y: tensor<f32>) {
  // expected-error @+1 {{IO effect not supported in vmap-of-cond with batched predicate, since it would be called for all elements; move the callback out of it, or loop over the batch with lax.map}}
  dovetail.case %x of() : (tensor<i32>) -> () {
    dovetail.callback "b" effect "io"() : () -> ()
    dovetail.yield
  }, {
    dovetail.yield
  }
  return
}
