// Constraints of gathers and scatters.
// RUN: dovetail-opt %s --split-input-file --verify-diagnostics

func.func @wrong(%arg0: tensor<5x4xf32>, %arg1: tensor<3x2xi32>) {
  // expected-error @+1 {{'dovetail.gather' op indices must end in a dimension of size 1, one index for each of dims, got: 'tensor<3x2xi32>'}}
  %0 = dovetail.gather %arg0, %arg1 dims [0] window [1] : tensor<5x4xf32>, tensor<3x2xi32>
  return
}

// -----

func.func @wrong(%arg0: tensor<5x4xf32>, %arg1: tensor<3x1xi32>) {
  // expected-error @+1 {{'dovetail.gather' op dims must be at least 0 and less than 2, got: 2}}
  %0 = dovetail.gather %arg0, %arg1 dims [2] window [1] : tensor<5x4xf32>, tensor<3x1xi32>
  return
}

// -----

func.func @wrong(%arg0: tensor<5x4xf32>, %arg1: tensor<3x1xi32>) {
  // expected-error @+1 {{'dovetail.gather' op window must have one size for each of dims, got: 2 and 1}}
  %0 = dovetail.gather %arg0, %arg1 dims [0] window [1, 4] : tensor<5x4xf32>, tensor<3x1xi32>
  return
}

// -----

func.func @wrong(%arg0: tensor<5x4xf32>, %arg1: tensor<3x1xi32>) {
  // expected-error @+1 {{'dovetail.gather' op window must fit dimension 0 of 'tensor<5x4xf32>', got: 6}}
  %0 = dovetail.gather %arg0, %arg1 dims [0] window [6] : tensor<5x4xf32>, tensor<3x1xi32>
  return
}

// -----

func.func @wrong(%arg0: tensor<5x4xf32>, %arg1: tensor<3x1xi32>, %arg2: tensor<3x1x4xf64>) {
  // expected-error @+1 {{'dovetail.scatter' op updates must have the operand's element type, got: 'tensor<3x1x4xf64>' and 'tensor<5x4xf32>'}}
  %0 = dovetail.scatter %arg0, %arg1, %arg2 dims [0] window [1] : tensor<5x4xf32>, tensor<3x1xi32>, tensor<3x1x4xf64>
  return
}

// -----

func.func @wrong(%arg0: tensor<5x4xf32>, %arg1: tensor<3x1xi32>, %arg2: tensor<3x4xf32>) {
  // expected-error @+1 {{'dovetail.scatter_add' op updates must have 1 dimensions of indices and 2 of a window, got: 'tensor<3x4xf32>'}}
  %0 = dovetail.scatter_add %arg0, %arg1, %arg2 dims [0] window [1] : tensor<5x4xf32>, tensor<3x1xi32>, tensor<3x4xf32>
  return
}

// -----

func.func @wrong(%arg0: tensor<5x4xf32>, %arg1: tensor<3x1xi32>, %arg2: tensor<2x1x4xf32>) {
  // expected-error @+1 {{'dovetail.scatter_mul' op dimension 0 must have one size in indices and updates, got: 'tensor<3x1xi32>' and 'tensor<2x1x4xf32>'}}
  %0 = dovetail.scatter_mul %arg0, %arg1, %arg2 dims [0] window [1] : tensor<5x4xf32>, tensor<3x1xi32>, tensor<2x1x4xf32>
  return
}

// -----

func.func @wrong(%arg0: tensor<5x4xf32>, %arg1: tensor<3x1xi32>, %arg2: tensor<3x1x3xf32>) {
  // expected-error @+1 {{'dovetail.scatter_max' op updates must have the window's size 4 along dimension 1 of the operand, got: 'tensor<3x1x3xf32>'}}
  %0 = dovetail.scatter_max %arg0, %arg1, %arg2 dims [0] window [1] : tensor<5x4xf32>, tensor<3x1xi32>, tensor<3x1x3xf32>
  return
}
