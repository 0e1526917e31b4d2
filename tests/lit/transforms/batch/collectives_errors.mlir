// Batches that are not those of which collectives name the axis.
// RUN: dovetail-opt %s --split-input-file --verify-diagnostics --dovetail-batch='dims=0 size=4 axis=i'
// RUN: dovetail-opt %S/Inputs/unknown_size.mlir --verify-diagnostics --dovetail-batch='dims=-1 axis=i'

func.func @main(%arg0: tensor<f32>) -> tensor<i32> {
  // expected-error @+1 {{axis "i" must have the size that was taken, 3, got: 4}}
  %0 = dovetail.axis_index over ["i"] sizes [3]
  return %0 : tensor<i32>
}

// -----

func.func @main(%arg0: tensor<f32>) -> tensor<3xf32> {
  // expected-error @+1 {{axis "i" must have the size that was taken, 3, got: 4}}
  %0 = dovetail.all_gather %arg0 over ["i"] sizes [3] dimension 0 : tensor<f32>
  return %0 : tensor<3xf32>
}
