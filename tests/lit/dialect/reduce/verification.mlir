// Constraints of the reductions.
// RUN: dovetail-opt %s --split-input-file --verify-diagnostics

func.func @wrong(%arg0: tensor<2x3xf32>) {
  // expected-error @+1 {{'dovetail.reduce_sum' op dims must be at least 0 and less than 2, got: 2}}
  %0 = dovetail.reduce_sum %arg0 [2] : tensor<2x3xf32>
  return
}

// -----

func.func @wrong(%arg0: tensor<2x3xf32>) {
  // expected-error @+1 {{'dovetail.reduce_max' op dims must be at least 0 and less than 2, got: -1}}
  %0 = dovetail.reduce_max %arg0 [-1] : tensor<2x3xf32>
  return
}

// -----

func.func @wrong(%arg0: tensor<2x3xf32>) {
  // expected-error @+1 {{'dovetail.reduce_prod' op dims must be distinct, got: 1 twice}}
  %0 = dovetail.reduce_prod %arg0 [1, 1] : tensor<2x3xf32>
  return
}

// -----

func.func @wrong(%arg0: tensor<2xi1>) {
  // expected-error @+1 {{'dovetail.reduce_sum' op operand #0 must be tensor without encoding of integer, float or complex values, but got 'tensor<2xi1>'}}
  %0 = dovetail.reduce_sum %arg0 [0] : tensor<2xi1>
  return
}

// -----

func.func @wrong(%arg0: tensor<2xcomplex<f32>>) {
  // expected-error @+1 {{'dovetail.reduce_min' op operand #0 must be tensor without encoding of bool, integer or float values, but got 'tensor<2xcomplex<f32>>'}}
  %0 = dovetail.reduce_min %arg0 [0] : tensor<2xcomplex<f32>>
  return
}

// -----

func.func @wrong(%arg0: tensor<2xf32>) {
  // expected-error @+1 {{'dovetail.reduce_and' op operand #0 must be tensor without encoding of integer or bool values, but got 'tensor<2xf32>'}}
  %0 = dovetail.reduce_and %arg0 [0] : tensor<2xf32>
  return
}

// -----

func.func @wrong(%arg0: tensor<2x3xf32>) {
  // expected-error @+2 {{'dovetail.reduce_sum' op inferred type(s) 'tensor<3xf32>' are incompatible with return type(s) of operation 'tensor<2xf32>'}}
  // expected-error @+1 {{'dovetail.reduce_sum' op failed to infer returned types}}
  %0 = "dovetail.reduce_sum"(%arg0) <{dims = array<i64: 0>}> : (tensor<2x3xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @wrong(%arg0: tensor<2x3xf32>) {
  // expected-error @+1 {{'dovetail.argmax' op dims must be at least 0 and less than 2, got: 2}}
  %0 = dovetail.argmax %arg0, 2 : tensor<2x3xf32> -> tensor<2xi32>
  return
}

// -----

func.func @wrong(%arg0: tensor<2x3xf32>) {
  // expected-error @+1 {{'dovetail.argmin' op result must have the operand's shape without dimension 0, got: 'tensor<2xi32>'}}
  %0 = dovetail.argmin %arg0, 0 : tensor<2x3xf32> -> tensor<2xi32>
  return
}

// -----

func.func @wrong(%arg0: tensor<2x0xf32>) {
  // expected-error @+1 {{'dovetail.argmax' op dimension 1 must not be empty, got: 'tensor<2x0xf32>'}}
  %0 = dovetail.argmax %arg0, 1 : tensor<2x0xf32> -> tensor<2xi32>
  return
}

// -----

func.func @wrong(%arg0: tensor<2x3xf32>) {
  // expected-error @+1 {{'dovetail.argmax' op result #0 must be tensor without encoding of integer values, but got 'tensor<3xf32>'}}
  %0 = dovetail.argmax %arg0, 0 : tensor<2x3xf32> -> tensor<3xf32>
  return
}

// -----

func.func @wrong(%arg0: tensor<2xcomplex<f32>>) {
  // expected-error @+1 {{'dovetail.argmax' op operand #0 must be tensor without encoding of bool, integer or float values, but got 'tensor<2xcomplex<f32>>'}}
  %0 = dovetail.argmax %arg0, 0 : tensor<2xcomplex<f32>> -> tensor<i32>
  return
}
