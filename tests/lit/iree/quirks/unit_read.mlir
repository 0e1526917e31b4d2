// IREE 3.13 makes a slice of a loop that only reads elements by its own indices, of higher rank than the array if that
// has lost a dimension of size 1.
// RUN: not %{compile} %s -o %t.vmfb 2>&1 | FileCheck %s

// CHECK: expected rank to be smaller or equal to the other rank

#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
func.func @main(%x: tensor<1x8xf32>) -> (tensor<1x1xf32>, tensor<1xf32>) {
  %c0 = arith.constant 0 : index
  %whole = tensor.empty() : tensor<1x8xf32>
  %doubled = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<1x8xf32>) outs(%whole : tensor<1x8xf32>) {
  ^bb0(%in: f32, %out: f32):
    %sum = arith.addf %in, %in : f32
    linalg.yield %sum : f32
  } -> tensor<1x8xf32>
  %empty = tensor.empty() : tensor<1x1xf32>
  %read = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel", "parallel"]} outs(%empty : tensor<1x1xf32>) {
  ^bb0(%out: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %k = arith.subi %c0, %j : index
    %element = tensor.extract %doubled[%i, %k] : tensor<1x8xf32>
    linalg.yield %element : f32
  } -> tensor<1x1xf32>
  %zero = arith.constant dense<0.0> : tensor<1xf32>
  %total = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%read : tensor<1x1xf32>) outs(%zero : tensor<1xf32>) {
  ^bb0(%in: f32, %out: f32):
    %sum = arith.addf %out, %in : f32
    linalg.yield %sum : f32
  } -> tensor<1xf32>
  return %read, %total : tensor<1x1xf32>, tensor<1xf32>
}
