// Constraints of collectives.
// RUN: dovetail-opt %s --split-input-file --verify-diagnostics

func.func @wrong(%arg0: tensor<2x6xf32>) {
  // expected-error @+1 {{'dovetail.all_reduce_sum' op axes must name at least one axis, got: none}}
  %0 = dovetail.all_reduce_sum %arg0 over [] : tensor<2x6xf32>
  return
}

// -----

func.func @wrong(%arg0: tensor<2x6xf32>) {
  // expected-error @+1 {{'dovetail.all_reduce_max' op axes must be distinct, got: "i" twice}}
  %0 = dovetail.all_reduce_max %arg0 over ["i", "j", "i"] : tensor<2x6xf32>
  return
}

// -----

func.func @wrong(%arg0: tensor<2x6xf32>) {
  // expected-error @+1 {{'dovetail.all_gather' op must have one of sizes for each of 1 axes, got: 2}}
  %0 = dovetail.all_gather %arg0 over ["i"] sizes [2, 3] dimension 0 : tensor<2x6xf32>
  return
}

// -----

func.func @wrong(%arg0: tensor<2x6xf32>) {
  // expected-error @+1 {{'dovetail.all_gather' op sizes must be at least 0, got: -1}}
  %0 = dovetail.all_gather %arg0 over ["i"] sizes [-1] dimension 0 : tensor<2x6xf32>
  return
}

// -----

func.func @wrong(%arg0: tensor<2x6xf32>) {
  // expected-error @+1 {{'dovetail.all_gather' op dimension must be at least 0 and less than 3, got: 3}}
  %0 = dovetail.all_gather %arg0 over ["i"] sizes [2] dimension 3 : tensor<2x6xf32>
  return
}

// -----

func.func @wrong(%arg0: tensor<2x6xf32>) {
  // expected-error @+1 {{'dovetail.reduce_scatter' op dimension 0 must be as large as the axes, 3, got: 'tensor<2x6xf32>'}}
  %0 = dovetail.reduce_scatter %arg0 over ["i"] sizes [3] dimension 0 : tensor<2x6xf32>
  return
}

// -----

func.func @wrong(%arg0: tensor<2x6xf32>) {
  // expected-error @+1 {{'dovetail.reduce_scatter' op dimension must be at least 0 and less than 2, got: 2}}
  %0 = dovetail.reduce_scatter %arg0 over ["i"] sizes [3] dimension 2 : tensor<2x6xf32>
  return
}

// -----

func.func @wrong(%arg0: tensor<2x6xf32>) {
  // expected-error @+1 {{'dovetail.all_to_all' op dimension 0 must be as large as the axes, 6, got: 'tensor<2x6xf32>'}}
  %0 = dovetail.all_to_all %arg0 over ["i", "j"] sizes [2, 3] from 0 to 1 : tensor<2x6xf32>
  return
}

// -----

func.func @wrong(%arg0: tensor<2x6xf32>) {
  // expected-error @+1 {{'dovetail.all_to_all' op to must be at least 0 and less than 2, got: 2}}
  %0 = dovetail.all_to_all %arg0 over ["i"] sizes [2] from 0 to 2 : tensor<2x6xf32>
  return
}

// -----

func.func @wrong(%arg0: tensor<2x6xf32>) {
  // expected-error @+1 {{'dovetail.permute' op sources must be at least 0 and less than the size of the axes, 2, got: 2}}
  %0 = dovetail.permute %arg0 over ["i"] sizes [2] from [0, 2] to [1, 0] : tensor<2x6xf32>
  return
}

// -----

func.func @wrong(%arg0: tensor<2x6xf32>) {
  // expected-error @+1 {{'dovetail.permute' op targets must be distinct, got: 1 twice}}
  %0 = dovetail.permute %arg0 over ["i"] sizes [2] from [0, 1] to [1, 1] : tensor<2x6xf32>
  return
}

// -----

func.func @wrong(%arg0: tensor<2x6xf32>) {
  // expected-error @+1 {{'dovetail.permute' op must have as many sources as targets, got: 1 and 2}}
  %0 = dovetail.permute %arg0 over ["i"] sizes [2] from [0] to [1, 0] : tensor<2x6xf32>
  return
}

// -----

func.func @wrong(%arg0: tensor<2x6xf32>) {
  // expected-error @+1 {{'dovetail.axis_index' op axes must have at most 2147483647 elements together, got: 2147483647, 2}}
  %0 = dovetail.axis_index over ["i", "j"] sizes [2147483647, 2]
  return
}

// -----

func.func @wrong(%arg0: tensor<2x6xf32>) {
  // expected-error @+1 {{'dovetail.axis_index' op must have one of sizes for each of 1 axes, got: 0}}
  %0 = dovetail.axis_index over ["i"] sizes []
  return
}
