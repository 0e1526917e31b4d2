// What the programs of a grid compute in several stages is kept together, also as a batch; its derivative is not.
// RUN: dovetail-opt %s --dovetail-vectorize-grids | FileCheck %s --check-prefix=KEPT
// RUN: dovetail-opt %s --dovetail-pipeline=to=simplify | FileCheck %s

// KEPT-LABEL: func.func private @rows(
// KEPT: dovetail.case {{.+}} {dovetail.kernel} : (tensor<i32>, tensor<8x3xf32>) -> tensor<8x3xf32>
// KEPT: dovetail.reduce_sum
// KEPT: dovetail.div
func.func private @rows(%arg0: tensor<8x3xf32>) -> tensor<8x3xf32> {
  %zero = dovetail.constant dense<0> : tensor<i32>
  %out = dovetail.constant dense<0.0> : tensor<8x3xf32>
  %0:2 = dovetail.scan length 4 init(%zero, %out) over() consts(%arg0) {dovetail.grid = true} : (tensor<i32>, tensor<8x3xf32>, tensor<8x3xf32>) -> (tensor<i32>, tensor<8x3xf32>) {
  ^bb0(%i: tensor<i32>, %o: tensor<8x3xf32>, %x: tensor<8x3xf32>):
    %one = dovetail.constant dense<1> : tensor<i32>
    %two = dovetail.constant dense<2> : tensor<i32>
    %none = dovetail.constant dense<0> : tensor<1xi32>
    %start = dovetail.mul %i, %two : tensor<i32>
    %1 = dovetail.reshape %start : tensor<i32> -> tensor<1xi32>
    %2 = dovetail.concatenate %1, %none dimension 0 : tensor<1xi32>, tensor<1xi32>
    %3 = dovetail.gather %x, %2 dims [0, 1] window [2, 3] : tensor<8x3xf32>, tensor<2xi32>
    %4 = dovetail.reduce_sum %3 [1] : tensor<2x3xf32>
    %5 = dovetail.broadcast %4 dims [0] : tensor<2xf32> -> tensor<2x3xf32>
    %6 = dovetail.div %3, %5 : tensor<2x3xf32>
    %7 = dovetail.scatter %o, %2, %6 dims [0, 1] window [2, 3] : tensor<8x3xf32>, tensor<2xi32>, tensor<2x3xf32>
    %8 = dovetail.add %i, %one : tensor<i32>
    dovetail.yield %8, %7 : tensor<i32>, tensor<8x3xf32>
  }
  return %0#1 : tensor<8x3xf32>
}

// One stage is fused with what is around it.
// KEPT-LABEL: func.func @exp(
// KEPT-NEXT: dovetail.exp
// KEPT-NEXT: return
func.func @exp(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %zero = dovetail.constant dense<0> : tensor<i32>
  %out = dovetail.constant dense<0.0> : tensor<8xf32>
  %0:2 = dovetail.scan length 8 init(%zero, %out) over() consts(%arg0) {dovetail.grid = true} : (tensor<i32>, tensor<8xf32>, tensor<8xf32>) -> (tensor<i32>, tensor<8xf32>) {
  ^bb0(%i: tensor<i32>, %o: tensor<8xf32>, %x: tensor<8xf32>):
    %one = dovetail.constant dense<1> : tensor<i32>
    %1 = dovetail.reshape %i : tensor<i32> -> tensor<1xi32>
    %2 = dovetail.gather %x, %1 dims [0] window [1] : tensor<8xf32>, tensor<1xi32>
    %3 = dovetail.exp %2 : tensor<1xf32>
    %4 = dovetail.scatter %o, %1, %3 dims [0] window [1] : tensor<8xf32>, tensor<1xi32>, tensor<1xf32>
    %5 = dovetail.add %i, %one : tensor<i32>
    dovetail.yield %5, %4 : tensor<i32>, tensor<8xf32>
  }
  return %0#1 : tensor<8xf32>
}

// Ops on all entries of the batch; and a loop over these, whose iterations are the kernel.
// CHECK-LABEL: func.func @batch(
// CHECK: dovetail.case {{.+}} {dovetail.kernel} : (tensor<i32>, tensor<5x8x3xf32>) -> tensor<5x8x3xf32>
// CHECK: dovetail.reduce_sum {{.+}} [2] : tensor<5x8x3xf32>
// CHECK: }, {
// CHECK: dovetail.scan length 5 {{.+}} {dovetail.entries} : (tensor<5x8x3xf32>) -> tensor<5x8x3xf32>
// CHECK: dovetail.reduce_sum {{.+}} [1] : tensor<8x3xf32>
func.func @batch(%arg0: tensor<5x8x3xf32>) -> tensor<5x8x3xf32> {
  %0 = dovetail.vmap @rows in [0] out [0](%arg0) : (tensor<5x8x3xf32>) -> tensor<5x8x3xf32>
  return %0 : tensor<5x8x3xf32>
}

// CHECK-LABEL: func.func @derivative(
// CHECK-NOT: dovetail.case
func.func @derivative(%arg0: tensor<8x3xf32>, %arg1: tensor<8x3xf32>) -> (tensor<8x3xf32>, tensor<8x3xf32>) {
  %0:2 = dovetail.jvp @rows wrt [0](%arg0) tangents(%arg1) : (tensor<8x3xf32>, tensor<8x3xf32>) -> (tensor<8x3xf32>, tensor<8x3xf32>)
  return %0#0, %0#1 : tensor<8x3xf32>, tensor<8x3xf32>
}

// Batches of batches are loops in loops.
// CHECK-LABEL: func.func @batches(
// CHECK: }, {
// CHECK: dovetail.scan length 2 {{.+}} {dovetail.entries}
// CHECK: dovetail.scan length 5 {{.+}} {dovetail.entries} : (tensor<5x8x3xf32>) -> tensor<5x8x3xf32>
func.func private @inner(%arg0: tensor<5x8x3xf32>) -> tensor<5x8x3xf32> {
  %0 = dovetail.vmap @rows in [0] out [0](%arg0) : (tensor<5x8x3xf32>) -> tensor<5x8x3xf32>
  return %0 : tensor<5x8x3xf32>
}
func.func @batches(%arg0: tensor<2x5x8x3xf32>) -> tensor<2x5x8x3xf32> {
  %0 = dovetail.vmap @inner in [0] out [0](%arg0) : (tensor<2x5x8x3xf32>) -> tensor<2x5x8x3xf32>
  return %0 : tensor<2x5x8x3xf32>
}
