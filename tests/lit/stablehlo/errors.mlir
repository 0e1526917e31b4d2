// RUN: dovetail-opt %s --split-input-file --verify-diagnostics --dovetail-from-stablehlo

func.func @main(%x: tensor<2xui64>) -> tensor<3xui32> {
  // expected-error @+1 {{rng_bit_generator: the algorithm must be THREE_FRY with a state of two ui64, and make ui32 or ui64, got: PHILOX, 'tensor<2xui64>' and 'tensor<3xui32>'}}
  %state, %bits = stablehlo.rng_bit_generator %x, algorithm = PHILOX : (tensor<2xui64>) -> (tensor<2xui64>, tensor<3xui32>)
  return %bits : tensor<3xui32>
}

// -----

func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  // expected-error @+1 {{an op of a StableHLO program must have a counterpart, got: 'stablehlo.collective_broadcast'}}
  %0 = "stablehlo.collective_broadcast"(%x) {replica_groups = dense<0> : tensor<1x1xi64>} : (tensor<2xf32>) -> tensor<2xf32>
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
