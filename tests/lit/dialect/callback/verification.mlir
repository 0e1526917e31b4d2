// Constraints of callbacks.
// RUN: dovetail-opt %s --split-input-file --verify-diagnostics

func.func @wrong(%x: tensor<2xf32>) {
  // expected-error @+1 {{'dovetail.callback' op effect must be none, io or debug, got: "print"}}
  dovetail.callback "f" effect "print"(%x) : (tensor<2xf32>) -> ()
  return
}

// -----

func.func @wrong(%x: tensor<2xf32>) {
  // expected-error @+1 {{'dovetail.callback' op with effect debug must have no results, got: 1}}
  %0 = dovetail.callback "f" effect "debug"(%x) : (tensor<2xf32>) -> tensor<f32>
  return
}

// -----

func.func @wrong(%x: tensor<2xf32>) {
  // expected-error @+1 {{'dovetail.callback' op that is ordered must have an effect, got: none}}
  dovetail.callback "f" effect "none"(%x) {ordered = true} : (tensor<2xf32>) -> ()
  return
}

// -----

func.func @wrong(%x: tensor<2xf32>) {
  // expected-error @+1 {{'dovetail.callback' op vmap must be one of sequential, sequential_unrolled, expand_dims, broadcast_all, legacy_vectorized, got: "loop"}}
  dovetail.callback "f" effect "none" vmap "loop"(%x) : (tensor<2xf32>) -> ()
  return
}

// -----

func.func @wrong(%x: tensor<2xf32>) {
  // expected-error @+1 {{'dovetail.callback' op must have one size for each '?' of its results, 1, got: 0}}
  %0 = dovetail.callback "f" effect "io"(%x) : (tensor<2xf32>) -> tensor<?xf32>
  return
}
