// RUN: dovetail-opt %s --split-input-file --verify-diagnostics --dovetail-from-stablehlo

func.func @main(%x: tensor<2xui64>) -> tensor<3xui32> {
  // expected-error @+1 {{rng_bit_generator: the algorithm must be THREE_FRY with a state of two ui64, and make ui32 or ui64, got: PHILOX, 'tensor<2xui64>' and 'tensor<3xui32>'}}
  %state, %bits = stablehlo.rng_bit_generator %x, algorithm = PHILOX : (tensor<2xui64>) -> (tensor<2xui64>, tensor<3xui32>)
  return %bits : tensor<3xui32>
}

// -----

func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  // expected-error @+1 {{an op of a StableHLO program must have a counterpart, got: 'stablehlo.infeed'}}
  %0 = "stablehlo.infeed"(%x) {infeed_config = ""} : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// -----

func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  // expected-error @+1 {{custom_call: a function must have a counterpart, got: 'lapack_strange_ffi'}}
  %0 = stablehlo.custom_call @lapack_strange_ffi(%x) : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// -----

func.func @main(%x: tensor<4xf32>, %i: tensor<2x1xi32>, %u: tensor<2xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{scatter: elements that may be updated twice must be replaced, added, multiplied, or be the least or greatest, got: a body of other ops}}
  %0 = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.divide %a, %b : tensor<f32>
    %t = stablehlo.add %s, %b : tensor<f32>
    stablehlo.return %t : tensor<f32>
  }) : (tensor<4xf32>, tensor<2x1xi32>, tensor<2xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @main(%x: tensor<?x2xf32>, %i: tensor<1xi32>) -> tensor<2xf32> {
  // expected-error @+1 {{gather: sizes must be known, got: 'tensor<?x2xf32>'}}
  %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [0], collapsed_slice_dims = [0], start_index_map = [0]>, slice_sizes = array<i64: 1, 2>}> : (tensor<?x2xf32>, tensor<1xi32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// -----

// What the reader of text does not check.
func.func @main(%x: tensor<4xf32>) -> tensor<3x4xf32> {
  // expected-error @+1 {{broadcast_in_dim: broadcast_dimensions must be distinct dimensions of an array of rank 2, got: [-1]}}
  %0 = stablehlo.broadcast_in_dim %x, dims = [-1] : (tensor<4xf32>) -> tensor<3x4xf32>
  return %0 : tensor<3x4xf32>
}

// -----

func.func @main(%x: tensor<4xf32>) -> tensor<3x4xf32> {
  // expected-error @+1 {{broadcast_in_dim: broadcast_dimensions must be 1, got: 2}}
  %0 = stablehlo.broadcast_in_dim %x, dims = [0, 1] : (tensor<4xf32>) -> tensor<3x4xf32>
  return %0 : tensor<3x4xf32>
}

// -----

func.func @main(%x: tensor<3x4xindex>) -> tensor<3x4xindex> {
  // expected-error @+1 {{cosine: values must be arrays of integers, floats or complex numbers, got: 'tensor<3x4xindex>'}}
  %0 = stablehlo.cosine %x : tensor<3x4xindex>
  return %0 : tensor<3x4xindex>
}

// -----

func.func @main(%x: tensor<3x4xf32>, %i: tensor<3x1xi32>) -> tensor<3x4xf32> {
  // expected-error @+1 {{gather: index_vector_dim must be at most 2, got: 3}}
  %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 3>, slice_sizes = array<i64: 1, 4>}> : (tensor<3x4xf32>, tensor<3x1xi32>) -> tensor<3x4xf32>
  return %0 : tensor<3x4xf32>
}

// -----

func.func @main(%x: tensor<4xf32>, %i: tensor<2x1xi32>, %u: tensor<2xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{scatter: inserted and batching dimensions must be distinct dimensions of an array of rank 1, got: [2]}}
  %0 = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [2], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %b : tensor<f32>
  }) : (tensor<4xf32>, tensor<2x1xi32>, tensor<2xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @main(%x: tensor<3x4xf32>, %z: tensor<f32>) -> tensor<3x4xf32> {
  // expected-error @+1 {{reduce_window: windows must have 2 positive sizes, strides and dilations, got: [3, -1]}}
  %0 = "stablehlo.reduce_window"(%x, %z) <{window_dimensions = array<i64: 3, -1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<3x4xf32>, tensor<f32>) -> tensor<3x4xf32>
  return %0 : tensor<3x4xf32>
}

// -----

func.func @main(%i: tensor<3xf32>) -> tensor<3xf32> {
  // expected-error @+1 {{case: the index must be a scalar of i32, got: 'tensor<3xf32>'}}
  %0 = "stablehlo.case"(%i) : (tensor<3xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

// -----

func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  // expected-error @+1 {{a sharding must be over a mesh of the module, got: @mesh}}
  %0 = sdy.sharding_constraint %x <@mesh, [{}]> : tensor<2xf32>
  return %0 : tensor<2xf32>
}

// -----

sdy.mesh @mesh = <["x"=2]>
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  // expected-error @+1 {{a sharding must have one entry for each dimension of 'tensor<2xf32>', got: #sdy.sharding<@mesh, [{}, {}]>}}
  %0 = sdy.sharding_constraint %x <@mesh, [{}, {}]> : tensor<2xf32>
  return %0 : tensor<2xf32>
}

// -----

module attributes {mhlo.num_replicas = 4 : i32} {
  func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
    // expected-error @+1 {{all_reduce: groups of devices must lie along axes of #dovetail.mesh<["replica" = 4]>, got: dense<}}
    %0 = "stablehlo.all_reduce"(%x) <{replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %s = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }) : (tensor<2xf32>) -> tensor<2xf32>
    return %0 : tensor<2xf32>
  }
}

// -----

module attributes {mhlo.num_replicas = 2 : i32} {
  func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
    // expected-error @+1 {{collective_permute: devices must be numbered from 0 to 1, got: 2}}
    %0 = "stablehlo.collective_permute"(%x) <{source_target_pairs = dense<[[0, 2]]> : tensor<1x2xi64>}> : (tensor<2xf32>) -> tensor<2xf32>
    return %0 : tensor<2xf32>
  }
}
