// Constraints of linear algebra.
// RUN: dovetail-opt %s --split-input-file --verify-diagnostics

func.func @wrong(%a: tensor<3xf32>) {
  // expected-error @+1 {{'dovetail.lu' op operands must have at least 2 dimensions, got: 'tensor<3xf32>'}}
  %0:3 = dovetail.lu %a : tensor<3xf32>
  return
}

// -----

func.func @wrong(%a: tensor<2x3x4xf32>) {
  // expected-error @+1 {{'dovetail.det' op matrices must be square, got: 'tensor<2x3x4xf32>'}}
  %0 = dovetail.det %a : tensor<2x3x4xf32>
  return
}

// -----

func.func @wrong(%a: tensor<3x3xf32>, %b: tensor<3x2xf64>) {
  // expected-error @+1 {{'dovetail.triangular_solve' op operands must have one element type, got: 'tensor<3x3xf32>' and 'tensor<3x2xf64>'}}
  %0 = dovetail.triangular_solve %a, %b left_side = true : tensor<3x3xf32>, tensor<3x2xf64>
  return
}

// -----

func.func @wrong(%a: tensor<3x3xf32>, %b: tensor<3x2xf32>) {
  // expected-error @+1 {{'dovetail.triangular_solve' op sizes of matrices and right hand sides must be equal, got: 3 and 2}}
  %0 = dovetail.triangular_solve %a, %b : tensor<3x3xf32>, tensor<3x2xf32>
  return
}

// -----

func.func @wrong(%a: tensor<2x3x3xf32>, %b: tensor<4x3x2xf32>) {
  // expected-error @+1 {{'dovetail.triangular_solve' op operands must have one batch, got: 'tensor<2x3x3xf32>' and 'tensor<4x3x2xf32>'}}
  %0 = dovetail.triangular_solve %a, %b left_side = true : tensor<2x3x3xf32>, tensor<4x3x2xf32>
  return
}

// -----

func.func @wrong(%d: tensor<3xf32>, %b: tensor<3xf32>) {
  // expected-error @+1 {{'dovetail.tridiagonal_solve' op right hand sides must be matrices in one batch with the others, got: 'tensor<3xf32>' and 'tensor<3xf32>'}}
  %0 = dovetail.tridiagonal_solve %d, %d, %d, %b : tensor<3xf32>, tensor<3xf32>
  return
}

// -----

func.func @wrong(%a: tensor<3x3xf32>, %p: tensor<4xi32>) {
  // expected-error @+1 {{'dovetail.lu_log_det' op sizes of matrices and permutations must be equal, got: 3 and 4}}
  %0 = dovetail.lu_log_det %a, %a, %p : tensor<3x3xf32>, tensor<3x3xf32>, tensor<4xi32>
  return
}

// -----

func.func @wrong(%a: tensor<3x3xf32>, %p: tensor<4xi32>, %b: tensor<3x2xf32>) {
  // expected-error @+1 {{'dovetail.lu_solve' op sizes of matrices and permutations must be equal, got: 3 and 4}}
  %0 = dovetail.lu_solve %a, %a, %p, %b : tensor<3x3xf32>, tensor<3x3xf32>, tensor<4xi32>, tensor<3x2xf32>
  return
}
