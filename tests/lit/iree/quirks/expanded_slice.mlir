// IREE 3.13 moves new dimensions of an array to the slice that the array is, where that is of one element, and crashes.
// RUN: not %{compile} %s -o %t.vmfb 2>&1 | FileCheck %s

// CHECK: Stack dump

#id = affine_map<(d0) -> (d0)>
func.func @main(%x: tensor<4xf32>) -> tensor<1x1xf32> {
  %empty = tensor.empty() : tensor<4xf32>
  %doubled = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : tensor<4xf32>) outs(%empty : tensor<4xf32>) {
  ^bb0(%in: f32, %out: f32):
    %sum = arith.addf %in, %in : f32
    linalg.yield %sum : f32
  } -> tensor<4xf32>
  %first = tensor.extract_slice %doubled[0] [1] [1] : tensor<4xf32> to tensor<1xf32>
  %expanded = tensor.expand_shape %first [[0, 1]] output_shape [1, 1] : tensor<1xf32> into tensor<1x1xf32>
  %behind = "iree_tensor_ext.compute_barrier.start"(%expanded) : (tensor<1x1xf32>) -> tensor<1x1xf32>
  return %behind : tensor<1x1xf32>
}
