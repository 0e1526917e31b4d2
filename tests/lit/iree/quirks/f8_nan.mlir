// IREE 3.13 converts the negative NaN of f8E4M3FN to -480.
// RUN: %{compile} %s -o %t.vmfb
// RUN: %{run} --module=%t.vmfb --input='3xf8E4M3FN=nan -nan -2' | FileCheck %s

// CHECK: 3xf32=NAN -480 -2

#id = affine_map<(d0) -> (d0)>
func.func @main(%x: tensor<3xf8E4M3FN>) -> tensor<3xf32> {
  %empty = tensor.empty() : tensor<3xf32>
  %wide = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : tensor<3xf8E4M3FN>) outs(%empty : tensor<3xf32>) {
  ^bb0(%in: f8E4M3FN, %out: f32):
    %value = arith.extf %in : f8E4M3FN to f32
    linalg.yield %value : f32
  } -> tensor<3xf32>
  return %wide : tensor<3xf32>
}
