// Effects happen in the part that is known, once.
// RUN: dovetail-opt %s --split-input-file --dovetail-split=unknown=1 --verify-diagnostics | FileCheck %s

// What a callback without operands returns is kept, not asked for again.
func.func @main(%x: tensor<f32>, %t: tensor<f32>) -> tensor<f32> {
  dovetail.callback "a" effect "debug"(%x) : (tensor<f32>) -> ()
  %0 = dovetail.callback "b" effect "io"() : () -> tensor<f32>
  %1 = dovetail.mul %0, %t : tensor<f32>
  return %1 : tensor<f32>
}
// CHECK-LABEL: @main.rest(
// CHECK-NOT: dovetail.callback
// CHECK-LABEL: @main.known(
// CHECK-NEXT: dovetail.callback "a" effect "debug"(%arg0)
// CHECK-NEXT: %[[B:.*]] = dovetail.callback "b" effect "io"()
// CHECK-NEXT: return %[[B]]

// -----

// The known part of a loop runs for its effects alone.
func.func @main(%x: tensor<f32>, %t: tensor<f32>) -> tensor<f32> {
  %0 = dovetail.scan length 3 init(%t) over() consts(%x) : (tensor<f32>, tensor<f32>) -> tensor<f32> {
  ^bb0(%c: tensor<f32>, %k: tensor<f32>):
    dovetail.callback "a" effect "debug"(%k) : (tensor<f32>) -> ()
    %1 = dovetail.mul %c, %k : tensor<f32>
    dovetail.yield %1 : tensor<f32>
  }
  return %0 : tensor<f32>
}
// CHECK-LABEL: @main.rest(
// CHECK-NOT: dovetail.callback
// CHECK-LABEL: @main.known(
// CHECK-NEXT: dovetail.scan length 3 init() over() consts(%arg0)
// CHECK: dovetail.callback "a"

// -----

// So does that of branches and of what is computed again.
func.func private @f(%x: tensor<f32>, %t: tensor<f32>) -> tensor<f32> {
  %0 = dovetail.callback "a" effect "io"(%x) : (tensor<f32>) -> tensor<f32>
  %1 = dovetail.sin %0 : tensor<f32>
  %2 = dovetail.mul %1, %t : tensor<f32>
  return %2 : tensor<f32>
}
func.func @main(%x: tensor<f32>, %t: tensor<f32>, %i: tensor<i32>) -> (tensor<f32>, tensor<f32>) {
  %0 = dovetail.checkpoint @f(%x, %t) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %1 = dovetail.case %i of(%x, %t) : (tensor<i32>, tensor<f32>, tensor<f32>) -> tensor<f32> {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    dovetail.callback "b" effect "io"() : () -> ()
    dovetail.yield %b : tensor<f32>
  }, {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    dovetail.yield %b : tensor<f32>
  }
  return %0, %1 : tensor<f32>, tensor<f32>
}
// CHECK-LABEL: @f.rest(
// CHECK-NOT: dovetail.callback
// CHECK-LABEL: @f.known(
// CHECK-NEXT: %[[A:.*]] = dovetail.callback "a" effect "io"(%arg0)
// CHECK: return %[[A]]
// CHECK-LABEL: @main.rest(
// CHECK-NOT: dovetail.callback
// CHECK-LABEL: @main.known(
// CHECK-NEXT: dovetail.checkpoint @f.known
// CHECK-NEXT: dovetail.case
// CHECK: dovetail.callback "b"

// -----

// The steps of a loop are counted without what callbacks for debugging do.
func.func @main(%x: tensor<f32>, %t: tensor<f32>) -> tensor<f32> {
  %0:2 = dovetail.while init(%x, %t) consts() : (tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<f32>) {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = dovetail.compare lt %a, %a : tensor<f32>
    dovetail.yield %1 : tensor<i1>
  } do {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    dovetail.callback "a" effect "debug"(%a) : (tensor<f32>) -> ()
    %1 = dovetail.sin %a : tensor<f32>
    %2 = dovetail.mul %a, %b : tensor<f32>
    dovetail.yield %1, %2 : tensor<f32>, tensor<f32>
  }
  return %0#1 : tensor<f32>
}
// CHECK-LABEL: @main.rest(
// CHECK-NOT: dovetail.callback
// CHECK-LABEL: @main.known(
// CHECK: dovetail.while
// CHECK-NOT: dovetail.callback
// CHECK: dovetail.scan
// CHECK: dovetail.callback "a"

// -----

func.func @main(%x: tensor<f32>, %t: tensor<f32>) -> tensor<f32> {
  %0:2 = dovetail.while init(%x, %t) consts() : (tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<f32>) {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = dovetail.compare lt %a, %a : tensor<f32>
    dovetail.yield %1 : tensor<i1>
  } do {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    // expected-error @+1 {{what a derivative computes a second time, here the steps of a while loop, must not depend on callbacks with effects; use lax.scan or forward mode, or keep the callback out of it}}
    %1 = dovetail.callback "a" effect "io"(%a) : (tensor<f32>) -> tensor<f32>
    %2 = dovetail.mul %a, %b : tensor<f32>
    dovetail.yield %1, %2 : tensor<f32>, tensor<f32>
  }
  return %0#1 : tensor<f32>
}
