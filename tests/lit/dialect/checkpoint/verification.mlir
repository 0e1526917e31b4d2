// Constraints of checkpoints.
// RUN: dovetail-opt %s --split-input-file --verify-diagnostics

func.func @wrong(%x: tensor<2xf32>) {
  // expected-error @+1 {{'dovetail.checkpoint' op callee must be a function of this module, got: @nobody}}
  %0 = dovetail.checkpoint @nobody(%x) : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func private @f(tensor<2xf32>) -> tensor<f32>

func.func @wrong(%x: tensor<2xf32>) {
  // expected-error @+1 {{'dovetail.checkpoint' op results must be ('tensor<f32>'), got: ('tensor<2xf32>')}}
  %0 = dovetail.checkpoint @f(%x) : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func private @f(tensor<2xf32>) -> tensor<f32>

func.func @wrong(%x: tensor<2xf32>) {
  // expected-error @+1 {{'dovetail.checkpoint' op policy must consist of lists of strings, got: "dot"}}
  %0 = dovetail.checkpoint @f saving ["dot"](%x) : (tensor<2xf32>) -> tensor<f32>
  return
}

// -----

func.func private @f(tensor<2xf32>) -> tensor<f32>

func.func @wrong(%x: tensor<2xf32>) {
  // expected-error @+1 {{'dovetail.checkpoint' op policy must save all, all_but, dot, unbatched_dot, named, named_but or op, got: ["sin"]}}
  %0 = dovetail.checkpoint @f saving [["sin"]](%x) : (tensor<2xf32>) -> tensor<f32>
  return
}

// -----

func.func private @f(tensor<2xf32>) -> tensor<f32>

func.func @wrong(%x: tensor<2xf32>) {
  // expected-error @+1 {{'dovetail.checkpoint' op names must come with named, named_but, all_but or op, got: ["dot", "a"]}}
  %0 = dovetail.checkpoint @f saving [["dot", "a"]](%x) : (tensor<2xf32>) -> tensor<f32>
  return
}
