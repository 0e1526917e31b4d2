// Constraints of the contraction.
// RUN: dovetail-opt %s --split-input-file --verify-diagnostics

func.func @wrong(%arg0: tensor<2x3xf32>, %arg1: tensor<4x5xf32>) {
  // expected-error @+1 {{'dovetail.dot_general' op contracting sizes must match, got: 3 and 4}}
  %0 = dovetail.dot_general %arg0, %arg1 batch [] x [] contract [1] x [0] : tensor<2x3xf32>, tensor<4x5xf32>
  return
}

// -----

func.func @wrong(%arg0: tensor<2x3xf32>, %arg1: tensor<4x3xf32>) {
  // expected-error @+1 {{'dovetail.dot_general' op batch sizes must match, got: 2 and 4}}
  %0 = dovetail.dot_general %arg0, %arg1 batch [0] x [0] contract [1] x [1] : tensor<2x3xf32>, tensor<4x3xf32>
  return
}

// -----

func.func @wrong(%arg0: tensor<2x3xf32>, %arg1: tensor<3x2xf64>) {
  // expected-error @+1 {{'dovetail.dot_general' op operands must have one element type, got: 'tensor<2x3xf32>' and 'tensor<3x2xf64>'}}
  %0 = dovetail.dot_general %arg0, %arg1 batch [] x [] contract [1] x [0] : tensor<2x3xf32>, tensor<3x2xf64>
  return
}

// -----

func.func @wrong(%arg0: tensor<2x3xf32>, %arg1: tensor<3x2xf32>) {
  // expected-error @+1 {{'dovetail.dot_general' op must have as many contracting dimensions left and right, got: 1 and 0}}
  %0 = dovetail.dot_general %arg0, %arg1 batch [] x [] contract [1] x [] : tensor<2x3xf32>, tensor<3x2xf32>
  return
}

// -----

func.func @wrong(%arg0: tensor<2x3xf32>, %arg1: tensor<3x2xf32>) {
  // expected-error @+1 {{'dovetail.dot_general' op must have as many batch dimensions left and right, got: 1 and 0}}
  %0 = dovetail.dot_general %arg0, %arg1 batch [0] x [] contract [] x [] : tensor<2x3xf32>, tensor<3x2xf32>
  return
}

// -----

func.func @wrong(%arg0: tensor<2x3xf32>, %arg1: tensor<3x2xf32>) {
  // expected-error @+1 {{'dovetail.dot_general' op left batch and contracting dimensions must be at least 0 and less than 2, got: 2}}
  %0 = dovetail.dot_general %arg0, %arg1 batch [] x [] contract [2] x [0] : tensor<2x3xf32>, tensor<3x2xf32>
  return
}

// -----

func.func @wrong(%arg0: tensor<2x3xf32>, %arg1: tensor<3x2xf32>) {
  // expected-error @+1 {{'dovetail.dot_general' op left batch and contracting dimensions must be distinct, got: 0 twice}}
  %0 = dovetail.dot_general %arg0, %arg1 batch [0] x [1] contract [0] x [1] : tensor<2x3xf32>, tensor<3x2xf32>
  return
}

// -----

func.func @wrong(%arg0: tensor<2xi1>) {
  // expected-error @+1 {{'dovetail.dot_general' op operand #0 must be tensor without encoding of integer, float or complex values, but got 'tensor<2xi1>'}}
  %0 = dovetail.dot_general %arg0, %arg0 batch [] x [] contract [0] x [0] : tensor<2xi1>, tensor<2xi1>
  return
}

// -----

func.func @wrong(%arg0: tensor<2xf32>) {
  // expected-error @+1 {{'dovetail.dot_general' op result #0 must be tensor without encoding of integer, float or complex values, but got 'tensor<i1>'}}
  %0 = dovetail.dot_general %arg0, %arg0 batch [] x [] contract [0] x [0] element i1 : tensor<2xf32>, tensor<2xf32>
  return
}

// -----

func.func @wrong(%arg0: tensor<2xf32>) {
  // expected-error @+1 {{'dovetail.dot_general' op result #0 must be tensor without encoding of integer, float or complex values, but got 'tensor<tensor<f32>>'}}
  %0 = dovetail.dot_general %arg0, %arg0 batch [] x [] contract [0] x [0] element tensor<f32> : tensor<2xf32>, tensor<2xf32>
  return
}

// -----

func.func @wrong(%arg0: tensor<2xf32>) {
  // expected-error @+1 {{'dovetail.dot_general' op result #0 must be tensor without encoding of integer, float or complex values, but got 'tensor<none>'}}
  %0 = dovetail.dot_general %arg0, %arg0 batch [] x [] contract [0] x [0] element none : tensor<2xf32>, tensor<2xf32>
  return
}
