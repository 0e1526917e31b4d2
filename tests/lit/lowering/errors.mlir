// What is left when nothing can lower it.
// RUN: dovetail-opt %s --split-input-file --verify-diagnostics --dovetail-lower

func.func private @inner(%arg0: tensor<f32>) -> tensor<f32> {
  return %arg0 : tensor<f32>
}

func.func @main(%arg0: tensor<f32>) -> tensor<f32> {
  // expected-error @+1 {{no lowering for 'dovetail.call'}}
  %0 = dovetail.call @inner(%arg0) : (tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}

// -----

func.func @main() -> tensor<2xui8> {
  // expected-error @+1 {{unsigned constants must be dense, got: dense_resource<weights> : tensor<2xui8>}}
  %0 = dovetail.constant dense_resource<weights> : tensor<2xui8>
  return %0 : tensor<2xui8>
}

// -----

func.func @main(%arg0: tensor<f32>) -> tensor<f32> {
  // expected-error @+1 {{'dovetail.all_reduce_sum' op axes must be bound by a vmap or a mesh that names them, got: ["i", "j"]}}
  %0 = dovetail.all_reduce_sum %arg0 over ["i", "j"] : tensor<f32>
  return %0 : tensor<f32>
}

// -----

module attributes {dovetail.mesh = #dovetail.mesh<["data" = 2]>} {
  func.func @main(%arg0: tensor<4xf32>) -> tensor<4xf32> {
    // expected-error @+1 {{'dovetail.all_reduce_max' op axes must be bound by a vmap or a mesh that names them, got: ["data", "model"]}}
    %0 = dovetail.all_reduce_max %arg0 over ["data", "model"] : tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}

// -----

module attributes {dovetail.mesh = #dovetail.mesh<["data" = 2]>} {
  func.func @main(%arg0: tensor<4xf32>) -> tensor<3x4xf32> {
    // expected-error @+1 {{'dovetail.all_gather' op axis "data" must have the size that the mesh states, 2, got: 3}}
    %0 = dovetail.all_gather %arg0 over ["data"] sizes [3] dimension 0 : tensor<4xf32>
    return %0 : tensor<3x4xf32>
  }
}

// -----

func.func @main(%arg0: tensor<4294967296xf32>) -> tensor<4294967296x4294967296xf32> {
  // expected-error @+1 {{an array of type 'tensor<4294967296x4294967296xf32>' has more bytes than an index can count}}
  %0 = dovetail.broadcast %arg0 dims [1] : tensor<4294967296xf32> -> tensor<4294967296x4294967296xf32>
  return %0 : tensor<4294967296x4294967296xf32>
}
