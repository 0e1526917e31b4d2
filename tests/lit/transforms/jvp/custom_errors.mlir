// What functions with rules close over has no derivative.
// RUN: dovetail-opt %s --split-input-file --verify-diagnostics --dovetail-jvp="wrt=0"

func.func private @f(tensor<f32>, tensor<f32>) -> tensor<f32>
func.func private @rule(tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<f32>)

func.func @main(%x: tensor<f32>) -> tensor<f32> {
  // expected-error @+1 {{the derivative of 'f' with respect to a value that it closes over is not known, since its custom rule gives derivatives for its arguments only; pass the value as an argument}}
  %0 = dovetail.custom_jvp @f rule @rule(%x) captured(%x) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}

// -----

func.func private @f(tensor<f32>, tensor<f32>) -> tensor<f32>
func.func private @bwd(tensor<f32>, tensor<f32>) -> tensor<f32>

func.func @main(%x: tensor<f32>) -> tensor<f32> {
  // expected-error @+1 {{the derivative of 'f' with respect to a value that it closes over is not known}}
  %0 = dovetail.custom_vjp @f fwd @f bwd @bwd wrt [0](%x) captured(%x) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}

// -----

func.func private @bwd(tensor<f32>, tensor<f32>) -> tensor<f32>

func.func @main(%x: tensor<f32>) -> tensor<f32> {
  // expected-error @+1 {{can't apply forward-mode autodiff (jvp) to a custom_vjp function; use reverse mode (grad, vjp, jacrev), or give it a custom jvp rule}}
  %0 = dovetail.custom_tangent @bwd of [0](%x) tangents(%x) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}
