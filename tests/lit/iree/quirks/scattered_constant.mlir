// IREE 3.13 does not compile a scatter of a constant into an array that folds to the same constant: it takes both for one.
// RUN: not %{compile} %s -o %t.vmfb 2>&1 | FileCheck %s

// CHECK: write affecting operations on global resources are restricted to workgroup distributed contexts

#scalar = affine_map<(d0) -> ()>
#id = affine_map<(d0) -> (d0)>
func.func @main() -> tensor<1x1xf32> {
  %places = arith.constant dense<0> : tensor<1x1xi32>
  %mask = arith.constant dense<true> : tensor<1xi1>
  %zero = arith.constant dense<0.0> : tensor<f32>
  %zeros = arith.constant dense<0.0> : tensor<1x1xf32>
  %empty = tensor.empty() : tensor<1xf32>
  %filled = linalg.generic {indexing_maps = [#scalar, #id], iterator_types = ["parallel"]} ins(%zero : tensor<f32>) outs(%empty : tensor<1xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  } -> tensor<1xf32>
  %expanded = tensor.expand_shape %filled [[0, 1]] output_shape [1, 1] : tensor<1xf32> into tensor<1x1xf32>
  %updated = "iree_linalg_ext.scatter"(%zeros, %places, %mask, %expanded) ({
  ^bb0(%new: f32, %old: f32):
    "iree_linalg_ext.yield"(%new) : (f32) -> ()
  }) {dimension_map = array<i64: 0>, operandSegmentSizes = array<i32: 3, 1>, unique_indices = true} : (tensor<1x1xf32>, tensor<1x1xi32>, tensor<1xi1>, tensor<1x1xf32>) -> tensor<1x1xf32>
  return %updated : tensor<1x1xf32>
}
