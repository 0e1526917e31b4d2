// Constraints of the ops that make an array, or a size, out of no array.
// RUN: dovetail-opt %s --split-input-file --verify-diagnostics

func.func @wrong() {
  // expected-error @+1 {{'dovetail.iota' op dimension must be at least 0 and less than 2, got: 2}}
  %0 = dovetail.iota 2 : tensor<3x4xi32>
  return
}

// -----

func.func @wrong() {
  // expected-error @+1 {{'dovetail.iota' op dimension must be at least 0 and less than 2, got: -1}}
  %0 = dovetail.iota -1 : tensor<3x4xi32>
  return
}

// -----

func.func @wrong() {
  // expected-error @+1 {{'dovetail.iota' op dimension must be at least 0 and less than 0, got: 0}}
  %0 = dovetail.iota 0 : tensor<i32>
  return
}

// -----

func.func @wrong() {
  // expected-error @+1 {{'dovetail.iota' op result #0 must be tensor without encoding of integer, float or complex values, but got 'tensor<3xi1>'}}
  %0 = dovetail.iota 0 : tensor<3xi1>
  return
}

// -----

func.func @wrong() {
  // expected-error @+1 {{'dovetail.iota' op must have one size for each '?' of 'tensor<?xi32>', got: 0}}
  %0 = dovetail.iota 0 : tensor<?xi32>
  return
}

// -----

func.func @wrong(%arg0: index) {
  // expected-error @+1 {{'dovetail.iota' op must have one size for each '?' of 'tensor<3xi32>', got: 1}}
  %0 = dovetail.iota 0 sizes(%arg0) : tensor<3xi32>
  return
}

// -----

func.func @wrong(%arg0: tensor<?xf32>) {
  // expected-error @+1 {{'dovetail.dim' op dimension must be at least 0 and less than 1, got: 1}}
  %0 = dovetail.dim %arg0, 1 : tensor<?xf32>
  return
}

// -----

func.func @wrong(%arg0: tensor<?xf32>) {
  // expected-error @+1 {{'dovetail.dim' op dimension must be at least 0 and less than 1, got: -1}}
  %0 = dovetail.dim %arg0, -1 : tensor<?xf32>
  return
}

// -----

func.func @wrong() {
  // expected-error @+2 {{'dovetail.constant' op inferred type(s) 'tensor<2xf32>' are incompatible with return type(s) of operation 'tensor<3xf32>'}}
  // expected-error @+1 {{'dovetail.constant' op failed to infer returned types}}
  %0 = "dovetail.constant"() <{value = dense<1.0> : tensor<2xf32>}> : () -> tensor<3xf32>
  return
}

// -----

func.func @wrong() {
  // expected-error @+1 {{custom op 'dovetail.constant' invalid kind of attribute specified}}
  %0 = dovetail.constant 1.0 : f32
  return
}

// -----

func.func @wrong() {
  // expected-error @+1 {{'dovetail.constant' op result #0 must be tensor without encoding of bool, integer, float or complex values, but got 'tensor<2xindex>'}}
  %0 = dovetail.constant dense<1> : tensor<2xindex>
  return
}

// -----

func.func @wrong() {
  // expected-error @+1 {{'dovetail.constant' op result #0 must be tensor without encoding of bool, integer, float or complex values, but got 'vector<2xi32>'}}
  %0 = dovetail.constant dense<1> : vector<2xi32>
  return
}
