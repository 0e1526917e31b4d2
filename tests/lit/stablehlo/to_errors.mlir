// RUN: dovetail-opt %s --split-input-file --verify-diagnostics --dovetail-to-stablehlo

func.func @main(%x: tensor<f32>) -> tensor<f32> {
  // expected-error @+1 {{an op must have a counterpart in StableHLO, got: 'dovetail.callback'}}
  %0 = dovetail.callback "a" effect "io"(%x) : (tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}

// -----

func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {
  // expected-error @+1 {{sizes must be known for StableHLO, got: 'tensor<?xf32>'}}
  %0 = dovetail.reduce_window_sum %x window [1] strides [1] dilations [1] : tensor<?xf32>
  return %0 : tensor<?xf32>
}
