// Places of the batch that do not fit the arguments.
// RUN: dovetail-opt %s --split-input-file --verify-diagnostics --dovetail-batch=dims=2,-1

// expected-error @+1 {{dims must be -1 or a place among the dimensions of 'tensor<2xf32>', got: 2}}
func.func @main(%arg0: tensor<2xf32>, %arg1: tensor<f32>) -> tensor<2xf32> {
  return %arg0 : tensor<2xf32>
}

// -----

// expected-error @+1 {{dims must have one entry for each of 1 arguments, got: 2}}
func.func @main(%arg0: tensor<2xf32>) -> tensor<2xf32> {
  return %arg0 : tensor<2xf32>
}

// -----

// expected-error @+1 {{dims must be -1 or a place among the dimensions of 'index', got: 2}}
func.func @main(%arg0: index, %arg1: tensor<f32>) {
  return
}
