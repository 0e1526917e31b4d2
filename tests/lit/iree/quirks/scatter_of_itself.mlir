// IREE 3.13 computes what a scatter puts into an array in the loop that changes the array: each element that is twice
// the one before is twice a changed one, 2 * 8 instead of 2 * 6.
// RUN: %{compile} %s -o %t.vmfb
// RUN: %{run} --module=%t.vmfb --input='4x1xf32=1 2 3 4' | FileCheck %s

// CHECK: 4x1xf32=[2][4][8][16]

#id = affine_map<(d0, d1) -> (d0, d1)>
func.func @main(%x: tensor<4x1xf32>) -> tensor<4x1xf32> {
  %c0 = arith.constant 0 : index
  %mask = arith.constant dense<true> : tensor<3xi1>
  %places = arith.constant dense<[[1], [2], [3]]> : tensor<3x1xi32>
  %empty = tensor.empty() : tensor<4x1xf32>
  %array = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<4x1xf32>) outs(%empty : tensor<4x1xf32>) {
  ^bb0(%a: f32, %out: f32):
    %result = arith.addf %a, %a : f32
    linalg.yield %result : f32
  } -> tensor<4x1xf32>
  %three = tensor.empty() : tensor<3x1xf32>
  %doubled = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel", "parallel"]} outs(%three : tensor<3x1xf32>) {
  ^bb0(%out: f32):
    %i = linalg.index 0 : index
    %before = tensor.extract %array[%i, %c0] : tensor<4x1xf32>
    %result = arith.addf %before, %before : f32
    linalg.yield %result : f32
  } -> tensor<3x1xf32>
  %changed = "iree_linalg_ext.scatter"(%doubled, %places, %mask, %array) ({
  ^bb0(%new: f32, %old: f32):
    "iree_linalg_ext.yield"(%new) : (f32) -> ()
  }) {dimension_map = array<i64: 0>, operandSegmentSizes = array<i32: 3, 1>, unique_indices = true} : (tensor<3x1xf32>, tensor<3x1xi32>, tensor<3xi1>, tensor<4x1xf32>) -> tensor<4x1xf32>
  return %changed : tensor<4x1xf32>
}
