// What an axis whose size is not known leaves open.
// RUN: dovetail-opt %s --split-input-file --verify-diagnostics --dovetail-batch='dims=0 axis=i'

func.func @main(%arg0: tensor<i32>) -> tensor<i32> {
  // expected-error @+1 {{an axis of size ? must be the only one, got: ["i", "j"]}}
  %0 = dovetail.axis_index over ["i", "j"] sizes [-9223372036854775808, 3]
  %1 = dovetail.mul %arg0, %0 : tensor<i32>
  return %1 : tensor<i32>
}

// -----

func.func @main(%arg0: tensor<i32>) -> tensor<i32> {
  // expected-error @+1 {{sources must be of axes of known sizes, got: ?}}
  %0 = dovetail.permute %arg0 over ["i"] sizes [-9223372036854775808] from [0] to [1] : tensor<i32>
  return %0 : tensor<i32>
}
