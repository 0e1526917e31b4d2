// Derivatives that special functions do not have are refused, not taken for zero.
// RUN: dovetail-opt %s --split-input-file --verify-diagnostics --dovetail-jvp=wrt=0

func.func @main(%arg0: tensor<f32>, %arg1: tensor<f32>) -> tensor<f32> {
  // expected-error @+1 {{no derivative of 'dovetail.polygamma' by operand 0}}
  %0 = dovetail.polygamma %arg0, %arg1 : tensor<f32>
  return %0 : tensor<f32>
}

// -----

func.func @main(%arg0: tensor<f32>, %arg1: tensor<f32>) -> tensor<f32> {
  // expected-error @+1 {{no derivative of 'dovetail.zeta' by operand 0}}
  %0 = dovetail.zeta %arg0, %arg1 : tensor<f32>
  return %0 : tensor<f32>
}

// -----

func.func @main(%arg0: tensor<f32>, %arg1: tensor<f32>) -> tensor<f32> {
  // expected-error @+1 {{no derivative of 'dovetail.betainc' by operand 1}}
  %0 = dovetail.betainc %arg1, %arg0, %arg1 : tensor<f32>
  return %0 : tensor<f32>
}

// -----

func.func @main(%arg0: tensor<f32>, %arg1: tensor<f32>) -> tensor<f32> {
  // expected-error @+1 {{no derivative of 'dovetail.random_gamma_grad' by operand 1}}
  %0 = dovetail.random_gamma_grad %arg1, %arg0 : tensor<f32>
  return %0 : tensor<f32>
}
