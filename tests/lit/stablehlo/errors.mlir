// RUN: dovetail-opt %s --split-input-file --verify-diagnostics --dovetail-from-stablehlo

func.func @main(%x: tensor<4xui32>) -> tensor<3xui32> {
  // expected-error @+1 {{rng_bit_generator: the state must be two ui64, and the bits unsigned integers, got: 'tensor<4xui32>' and 'tensor<3xui32>'}}
  %state, %bits = stablehlo.rng_bit_generator %x, algorithm = PHILOX : (tensor<4xui32>) -> (tensor<4xui32>, tensor<3xui32>)
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
    // expected-error @+1 {{all_reduce: groups of devices must lie along axes, or have each device of all axes once, of #dovetail.mesh<["replica" = 4]>, got: dense<}}
    %0 = "stablehlo.all_reduce"(%x) <{replica_groups = dense<[[0, 1], [1, 3]]> : tensor<2x2xi64>}> ({
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

// -----

// Sizes of values are read once for each dimension.
func.func @main(%x: tensor<5xf32>, %z: tensor<f32>, %n: tensor<1xi32>) -> tensor<?xf32> {
  %many = stablehlo.constant dense<1> : tensor<1099511627776xi32>
  // expected-error @+1 {{dynamic_pad: sizes and positions must be integers, one for each of 1 dimensions, got: 'tensor<1099511627776xi32>'}}
  %0 = stablehlo.dynamic_pad %x, %z, %many, %many, %many : (tensor<5xf32>, tensor<f32>, tensor<1099511627776xi32>, tensor<1099511627776xi32>, tensor<1099511627776xi32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

func.func @main(%x: tensor<5xf32>, %n: tensor<2xi32>) -> tensor<?xf32> {
  // expected-error @+1 {{dynamic_reshape: sizes and positions must be integers, one for each of 1 dimensions, got: 'tensor<2xi32>'}}
  %0 = stablehlo.dynamic_reshape %x, %n : (tensor<5xf32>, tensor<2xi32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

func.func @main(%x: tensor<5xf32>) -> tensor<i32> {
  // expected-error @+1 {{get_dimension_size: dimension must be distinct dimensions of an array of rank 1, got: [7]}}
  %0 = stablehlo.get_dimension_size %x, dim = 7 : (tensor<5xf32>) -> tensor<i32>
  return %0 : tensor<i32>
}

// -----

func.func @main(%x: tensor<4x3xf32>, %z: tensor<f32>) -> tensor<3x4xf32> {
  // expected-error @+1 {{reduce_window: windows of a body that applies several ops must have at most 65536 elements, got: [3, 1099511627776]}}
  %0 = "stablehlo.reduce_window"(%x, %z) <{window_dimensions = array<i64: 3, 1099511627776>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    %t = stablehlo.divide %s, %b : tensor<f32>
    stablehlo.return %t : tensor<f32>
  }) : (tensor<4x3xf32>, tensor<f32>) -> tensor<3x4xf32>
  return %0 : tensor<3x4xf32>
}

// -----

func.func @main(%x: tensor<0x3xui32>) -> tensor<0xui64> {
  // expected-error @+1 {{bitcast_convert: the array of narrower elements must have their number in a wider one as its last size, got: 'tensor<0x3xui32>' and 'tensor<0xui64>'}}
  %0 = stablehlo.bitcast_convert %x : (tensor<0x3xui32>) -> tensor<0xui64>
  return %0 : tensor<0xui64>
}

// -----

func.func @main(%x: tensor<3xf32>, %y: tensor<4xf32>) -> tensor<3xf32> {
  // expected-error @+2 {{'dovetail.div' op operands must have one shape, got: 'tensor<3xf32>' and 'tensor<4xf32>'}}
  // expected-error @+1 {{a rule applies 'dovetail.div' to operands that it does not take, got: 'tensor<3xf32>', 'tensor<4xf32>'}}
  %0 = "stablehlo.divide"(%x, %y) : (tensor<3xf32>, tensor<4xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

// -----

func.func @main(%x: tensor<4x1x4x4xf32>, %y: tensor<1x1x3x3xf32>) -> tensor<4x1x4x4xf32> {
  // expected-error @+1 {{convolution: dim_numbers must name each dimension of arrays of one rank once, got: #stablehlo.conv<[0]x[o, i, 0, 1]->[b, f, 0, 1]> for 'tensor<4x1x4x4xf32>'}}
  %0 = stablehlo.convolution(%x, %y) dim_numbers = [0]x[o, i, 0, 1]->[b, f, 0, 1], window = {pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<4x1x4x4xf32>, tensor<1x1x3x3xf32>) -> tensor<4x1x4x4xf32>
  return %0 : tensor<4x1x4x4xf32>
}

// -----

func.func @main(%x: tensor<4x3x4x4xf32>, %y: tensor<4x1x3x3xf32>) -> tensor<4x4x2x2xf32> {
  // expected-error @+1 {{convolution: one of the numbers of groups may be greater than 1, and divides sizes, got: feature_group_count 2, batch_group_count 1}}
  %0 = stablehlo.convolution(%x, %y) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {} {batch_group_count = 1 : i64, feature_group_count = 2 : i64} : (tensor<4x3x4x4xf32>, tensor<4x1x3x3xf32>) -> tensor<4x4x2x2xf32>
  return %0 : tensor<4x4x2x2xf32>
}

// -----

func.func @main(%x: tensor<4x3xf32>) -> tensor<4x3xf32> {
  // expected-error @+1 {{custom_call: 'lapack_sorgqr_ffi' must have 2 arrays, got: 1 operands}}
  %0 = stablehlo.custom_call @lapack_sorgqr_ffi(%x) : (tensor<4x3xf32>) -> tensor<4x3xf32>
  return %0 : tensor<4x3xf32>
}

// -----

func.func @main(%x: tensor<?x3x3xf32>, %n: tensor<3xi32>, %m: tensor<1xi32>) -> tensor<?x3x3xf32> {
  // expected-error @+1 {{custom_call: 'lapack_spotrf_ffi' must have batches of matrices and vectors of known sizes, got: 'tensor<?x3x3xf32>'}}
  %0:2 = stablehlo.custom_call @lapack_spotrf_ffi(%x, %n, %m) {indices_of_shape_operands = dense<[1, 2]> : tensor<2xi64>, mhlo.backend_config = {uplo = 76 : ui8}} : (tensor<?x3x3xf32>, tensor<3xi32>, tensor<1xi32>) -> (tensor<?x3x3xf32>, tensor<?xi32>)
  return %0#0 : tensor<?x3x3xf32>
}

// -----

func.func @main(%x: tensor<4x3xf32>) -> tensor<4x3xf32> {
  // expected-error @+1 {{'stablehlo.custom_call' must have as many results as its counterpart, which has 2, got: 1}}
  %0 = stablehlo.custom_call @lapack_sgeqrf_ffi(%x) : (tensor<4x3xf32>) -> tensor<4x3xf32>
  return %0 : tensor<4x3xf32>
}

// -----

func.func @main(%x: tensor<4x3xf32>, %z: tensor<f32>, %n: tensor<2xi32>, %p: tensor<2x2xi32>) -> tensor<4x?xf32> {
  %none = stablehlo.constant dense<0> : tensor<2xi32>
  %some = stablehlo.constant dense<0> : tensor<2x2xi32>
  // expected-error @+1 {{dynamic_reduce_window: windows must have positive sizes, strides and dilations, got: [0, 0]}}
  %0 = stablehlo.custom_call @stablehlo.dynamic_reduce_window(%x, %z, %none, %none, %none, %none, %some) {called_computations = [@sum]} : (tensor<4x3xf32>, tensor<f32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2x2xi32>) -> tensor<4x?xf32>
  return %0 : tensor<4x?xf32>
}
func.func @sum(%x: tensor<f32>, %y: tensor<f32>) -> tensor<f32> {
  %0 = stablehlo.add %x, %y : tensor<f32>
  return %0 : tensor<f32>
}

// -----

func.func @main(%x: tensor<4xi1>, %y: tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>> {
  // expected-error @+1 {{clamp: operands must have one element type, got: 'i1' and 'complex<f32>'}}
  %0 = "stablehlo.clamp"(%x, %y, %y) : (tensor<4xi1>, tensor<4xcomplex<f32>>, tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>>
  return %0 : tensor<4xcomplex<f32>>
}

// -----

func.func @main(%x: tensor<4x4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{custom_call: result 2 of 'lapack_sgees_ffi' holds intermediate values and must not be used, got: a use}}
  %0:6 = stablehlo.custom_call @lapack_sgees_ffi(%x) {mhlo.backend_config = {mode = 86 : ui8, sort = 78 : ui8}} : (tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<i32>, tensor<i32>)
  return %0#2 : tensor<4xf32>
}

// -----

func.func @main(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  // expected-error @+1 {{custom_call: gees must not sort eigenvalues, got: sort = 'S'}}
  %0:6 = stablehlo.custom_call @lapack_sgees_ffi(%x) {mhlo.backend_config = {mode = 86 : ui8, sort = 83 : ui8}} : (tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<i32>, tensor<i32>)
  return %0#0 : tensor<4x4xf32>
}

// -----

func.func @main(%x: tensor<4x4xf32>, %order: tensor<4xi32>) -> tensor<4x4xf32> {
  // expected-error @+1 {{custom_call: geqp3 must choose the order of all columns, got: columns that are first}}
  %0:3 = stablehlo.custom_call @lapack_sgeqp3_ffi(%x, %order) : (tensor<4x4xf32>, tensor<4xi32>) -> (tensor<4x4xf32>, tensor<4xi32>, tensor<4xf32>)
  return %0#0 : tensor<4x4xf32>
}
