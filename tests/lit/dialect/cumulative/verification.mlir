// Constraints of the running reductions.
// RUN: dovetail-opt %s --split-input-file --verify-diagnostics

func.func @wrong(%arg0: tensor<2x3xf32>) {
  // expected-error @+1 {{'dovetail.cumsum' op dimension must be at least 0 and less than 2, got: 2}}
  %0 = dovetail.cumsum %arg0, 2 : tensor<2x3xf32>
  return
}

// -----

func.func @wrong(%arg0: tensor<f32>) {
  // expected-error @+1 {{'dovetail.cumprod' op dimension must be at least 0 and less than 0, got: 0}}
  %0 = dovetail.cumprod %arg0, 0 : tensor<f32>
  return
}

// -----

func.func @wrong(%arg0: tensor<2xi1>) {
  // expected-error @+1 {{'dovetail.cummax' op operand #0 must be tensor without encoding of integer, float or complex values, but got 'tensor<2xi1>'}}
  %0 = dovetail.cummax %arg0, 0 : tensor<2xi1>
  return
}

// -----

func.func @wrong(%arg0: tensor<2xi32>) {
  // expected-error @+1 {{'dovetail.cumlogsumexp' op operand #0 must be tensor without encoding of float values, but got 'tensor<2xi32>'}}
  %0 = dovetail.cumlogsumexp %arg0, 0 : tensor<2xi32>
  return
}

// -----

func.func @wrong(%arg0: tensor<2x3xf32>, %arg1: tensor<3xf32>) {
  // expected-error @+1 {{'dovetail.linear_recurrence' op operands must have one type, got: 'tensor<2x3xf32>' and 'tensor<3xf32>'}}
  %0 = dovetail.linear_recurrence %arg0, %arg1, 0 : tensor<2x3xf32>, tensor<3xf32>
  return
}

// -----

func.func @wrong(%arg0: tensor<2x3xf32>) {
  // expected-error @+1 {{'dovetail.linear_recurrence' op dimension must be at least 0 and less than 2, got: -1}}
  %0 = dovetail.linear_recurrence %arg0, %arg0, -1 : tensor<2x3xf32>, tensor<2x3xf32>
  return
}
