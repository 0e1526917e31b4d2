// Constraints of reductions over sliding windows.
// RUN: dovetail-opt %s --split-input-file --verify-diagnostics

func.func @wrong(%x: tensor<5x4xf32>) {
  // expected-error @+1 {{'dovetail.reduce_window_sum' op window must have one entry for each dimension of 'tensor<5x4xf32>', got: 1}}
  %0 = dovetail.reduce_window_sum %x window [2] strides [2, 1] dilations [1, 2] : tensor<5x4xf32>
  return
}

// -----

func.func @wrong(%x: tensor<5x4xf32>) {
  // expected-error @+1 {{'dovetail.reduce_window_max' op strides must have one entry for each dimension of 'tensor<5x4xf32>', got: 3}}
  %0 = dovetail.reduce_window_max %x window [2, 1] strides [2, 1, 1] dilations [1, 2] : tensor<5x4xf32>
  return
}

// -----

func.func @wrong(%x: tensor<5x4xf32>) {
  // expected-error @+1 {{'dovetail.reduce_window_min' op dilations must have one entry for each dimension of 'tensor<5x4xf32>', got: 0}}
  %0 = dovetail.reduce_window_min %x window [2, 1] strides [2, 1] dilations [] : tensor<5x4xf32>
  return
}

// -----

func.func @wrong(%x: tensor<5x4xf32>) {
  // expected-error @+1 {{'dovetail.window_argmax' op window must be at least 1, got: 0}}
  %0 = dovetail.window_argmax %x window [2, 0] strides [2, 1] dilations [1, 1] : tensor<5x4xf32>
  return
}

// -----

func.func @wrong(%x: tensor<5x4xf32>) {
  // expected-error @+1 {{'dovetail.window_argmin' op strides must be at least 1, got: -1}}
  %0 = dovetail.window_argmin %x window [2, 1] strides [2, -1] dilations [1, 1] : tensor<5x4xf32>
  return
}

// -----

func.func @wrong(%x: tensor<5x4xf32>, %offsets: tensor<5x4xi32>) {
  // expected-error @+1 {{'dovetail.window_take' op offsets must have shape 'tensor<4x4xf32>', got: 'tensor<5x4xi32>'}}
  %0 = dovetail.window_take %x, %offsets window [2, 1] strides [1, 1] dilations [1, 1] : tensor<5x4xf32>, tensor<5x4xi32>
  return
}

// -----

func.func @wrong(%x: tensor<5x4xf32>, %offsets: tensor<4x4xi32>) {
  // expected-error @+1 {{'dovetail.window_put' op offsets must have shape 'tensor<5x4xf32>', got: 'tensor<4x4xi32>'}}
  %0 = dovetail.window_put %x, %offsets window [2, 1] dilations [1, 1] : tensor<5x4xf32>, tensor<4x4xi32>
  return
}

// -----

func.func @wrong(%x: tensor<5xf32>, %offsets: tensor<5xi32>) {
  // expected-error @+1 {{'dovetail.window_put' op dilations must be at least 1, got: 0}}
  %0 = dovetail.window_put %x, %offsets window [2] dilations [0] : tensor<5xf32>, tensor<5xi32>
  return
}
