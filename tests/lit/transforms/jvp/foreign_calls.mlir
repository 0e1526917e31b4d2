// Foreign functions have no derivatives of their own.
// RUN: dovetail-opt %s --dovetail-jvp=wrt=0 --verify-diagnostics

func.func @main(%x: tensor<f32>) -> tensor<f32> {
  // expected-error @+1 {{The FFI call to `f` cannot be differentiated, since nothing is known of what it computes. You can use custom_jvp or custom_vjp to give a rule to a function that makes the call, or pass it the stop_gradient of its arguments}}
  %0 = dovetail.ffi_call "f"(%x) : (tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}
