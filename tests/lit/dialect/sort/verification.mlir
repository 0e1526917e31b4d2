// Constraints of sort.
// RUN: dovetail-opt %s --split-input-file --verify-diagnostics

func.func @wrong(%arg0: tensor<2x3xf32>) {
  // expected-error @+1 {{'dovetail.sort' op dimension must be at least 0 and less than 2, got: 2}}
  %0 = dovetail.sort %arg0 dimension 2 keys 1 : tensor<2x3xf32>
  return
}

// -----

func.func @wrong(%arg0: tensor<2x3xf32>) {
  // expected-error @+1 {{'dovetail.sort' op number of keys must be at least 1 and at most that of operands, 1, got: 2}}
  %0 = dovetail.sort %arg0 dimension 0 keys 2 : tensor<2x3xf32>
  return
}

// -----

func.func @wrong(%arg0: tensor<2x3xf32>) {
  // expected-error @+1 {{'dovetail.sort' op number of keys must be at least 1 and at most that of operands, 1, got: 0}}
  %0 = dovetail.sort %arg0 dimension 0 keys 0 : tensor<2x3xf32>
  return
}

// -----

func.func @wrong(%arg0: tensor<2x3xf32>, %arg1: tensor<2x?xi32>) {
  // expected-error @+1 {{'dovetail.sort' op operands must have one shape, got: 'tensor<2x3xf32>' and 'tensor<2x?xi32>'}}
  %0:2 = dovetail.sort %arg0, %arg1 dimension 0 keys 1 : tensor<2x3xf32>, tensor<2x?xi32>
  return
}

// -----

func.func @wrong(%arg0: tensor<2x3xf32>) {
  // expected-error @+1 {{'dovetail.sort' op number of first elements must be at least 0 and at most 3, the size of the dimension, got: 4}}
  %0 = dovetail.sort %arg0 dimension 1 keys 1 first 4 : tensor<2x3xf32>
  return
}
