// Callbacks for debugging see primal values; others have no derivative.
// RUN: dovetail-opt %s --split-input-file --dovetail-jvp=wrt=0 --verify-diagnostics | FileCheck %s

func.func @main(%x: tensor<f32>) -> tensor<f32> {
  %0 = dovetail.sin %x : tensor<f32>
  dovetail.callback "a" effect "debug"(%0) : (tensor<f32>) -> ()
  return %0 : tensor<f32>
}
// CHECK-LABEL: @main.jvp(%arg0: tensor<f32>, %arg1: tensor<f32>)
// CHECK-NEXT: %[[SIN:.*]] = dovetail.sin %arg0
// CHECK: dovetail.callback "a" effect "debug"(%[[SIN]])
// CHECK-NOT: dovetail.callback
// CHECK: return

// -----

func.func @main(%x: tensor<f32>) -> tensor<f32> {
  // expected-error @+1 {{Pure callbacks do not support JVP, since nothing is known of what they compute; call them in a function that has a rule, by custom_jvp or custom_vjp, or on the stop_gradient of their arguments}}
  %0 = dovetail.callback "a" effect "none"(%x) : (tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}

// -----

func.func @main(%x: tensor<f32>) -> tensor<f32> {
  // expected-error @+1 {{IO callbacks do not support JVP}}
  dovetail.callback "a" effect "io"(%x) : (tensor<f32>) -> ()
  return %x : tensor<f32>
}
