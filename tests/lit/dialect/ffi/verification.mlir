// Errors of calls of foreign functions.
// RUN: dovetail-opt %s --split-input-file --verify-diagnostics

func.func @main() {
  // expected-error @+1 {{'dovetail.ffi_call' op target must be a name, got: ""}}
  dovetail.ffi_call ""() : () -> ()
  return
}

// -----

func.func @main() {
  // expected-error @+1 {{'dovetail.ffi_call' op vmap must be one of sequential, sequential_unrolled, expand_dims, broadcast_all, legacy_vectorized, got: "all"}}
  dovetail.ffi_call "f" vmap "all"() : () -> ()
  return
}

// -----

func.func @main() {
  // expected-error @+1 {{'dovetail.ffi_call' op must have one size for each '?' of its results, 1, got: 0}}
  %0 = dovetail.ffi_call "f"() : () -> tensor<?xf32>
  return
}

// -----

func.func @main() {
  // expected-error @+1 {{'dovetail.ffi_call' op config must have numbers, texts, dense arrays and dictionaries, got: list = [1, 2]}}
  dovetail.ffi_call "f"() with {list = [1, 2]} : () -> ()
  return
}

// -----

func.func @main(%x: tensor<2xf32>) {
  // expected-error @+1 {{'dovetail.ffi_call' op aliases must have one entry for each of 1 results, got: 2}}
  %0 = dovetail.ffi_call "f"(%x) {aliases = array<i64: 0, 0>} : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @main(%x: tensor<2xf32>) {
  // expected-error @+1 {{'dovetail.ffi_call' op aliases must be -1 or different arguments, of 1, got: 1}}
  %0 = dovetail.ffi_call "f"(%x) {aliases = array<i64: 1>} : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @main(%x: tensor<2xf32>) {
  // expected-error @+1 {{'dovetail.ffi_call' op aliases must be -1 or different arguments, of 1, got: 0}}
  %0:2 = dovetail.ffi_call "f"(%x) {aliases = array<i64: 0, 0>} : (tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>)
  return
}

// -----

func.func @main(%x: tensor<2xf32>) {
  // expected-error @+1 {{'dovetail.ffi_call' op a result must have the type and the layout of the argument that it is written over, 'tensor<2xf32>', got: 'tensor<2xi32>'}}
  %0 = dovetail.ffi_call "f"(%x) {aliases = array<i64: 0>} : (tensor<2xf32>) -> tensor<2xi32>
  return
}

// -----

func.func @main(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{'dovetail.ffi_call' op input_layouts must have one entry for each of 1 arrays, got: []}}
  dovetail.ffi_call "f"(%x) {input_layouts = []} : (tensor<2x3xf32>) -> ()
  return
}

// -----

func.func @main(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{'dovetail.ffi_call' op output_layouts must list the dimensions of 'tensor<2x3xf32>' from major to minor, got: array<i64: 0, 0>}}
  %0 = dovetail.ffi_call "f"(%x) {output_layouts = [array<i64: 0, 0>]} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @main(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{'dovetail.ffi_call' op input_layouts must list the dimensions of 'tensor<2x3xf32>' from major to minor, got: 64}}
  %0 = dovetail.ffi_call "f"(%x) {aliases = array<i64: 0>, input_layouts = [64]} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @main(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{'dovetail.ffi_call' op batch_dims must be a number of leading dimensions that all arrays have in common, got: 2}}
  %0 = dovetail.ffi_call "f"(%x) {batch_dims = 2} : (tensor<2x3xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @main(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{'dovetail.ffi_call' op factors must have one entry for each of 2 arrays, got: [array<i64: 0, 1>]}}
  %0 = dovetail.ffi_call "f"(%x) {factors = [array<i64: 0, 1>]} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @main(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{'dovetail.ffi_call' op factors must have a number for each dimension of 'tensor<2x3xf32>', got: array<i64: 0>}}
  %0 = dovetail.ffi_call "f"(%x) {factors = [array<i64: 0, 1>, array<i64: 0>]} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @main(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{'dovetail.ffi_call' op factors must be -1 or numbers of loops, of which an array has each once, and all arrays in the same size, got: 0 in array<i64: 1, 0> of 'tensor<2x3xf32>'}}
  %0 = dovetail.ffi_call "f"(%x) {factors = [array<i64: 0, -1>, array<i64: 1, 0>]} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}
