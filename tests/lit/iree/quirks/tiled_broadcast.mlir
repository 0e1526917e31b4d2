// IREE 3.13 crashes where it lays out in tiles an array that is repeated along a batch, and its transpose.
// RUN: not %{compile} --iree-opt-data-tiling %s -o %t.vmfb 2>&1 | FileCheck %s

// CHECK: include the crash backtrace

#whole = affine_map<(b, i, j) -> (b, i, j)>
#repeated = affine_map<(b, i, j) -> (i, j)>
#left = affine_map<(b, i, j, k) -> (b, i, k)>
#right = affine_map<(b, i, j, k) -> (b, j, k)>
#product = affine_map<(b, i, j, k) -> (b, i, j)>
func.func @main(%x: tensor<64x32xf32>) -> tensor<4x64x64xf32> {
  %noBatch = tensor.empty() : tensor<4x64x32xf32>
  %batch = linalg.generic {indexing_maps = [#repeated, #whole], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x : tensor<64x32xf32>) outs(%noBatch : tensor<4x64x32xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  } -> tensor<4x64x32xf32>
  %zero = arith.constant 0.0 : f32
  %none = tensor.empty() : tensor<4x64x64xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%none : tensor<4x64x64xf32>) -> tensor<4x64x64xf32>
  %products = linalg.generic {indexing_maps = [#left, #right, #product], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%batch, %batch : tensor<4x64x32xf32>, tensor<4x64x32xf32>) outs(%zeros : tensor<4x64x64xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %ab = arith.mulf %a, %b : f32
    %sum = arith.addf %out, %ab : f32
    linalg.yield %sum : f32
  } -> tensor<4x64x64xf32>
  return %products : tensor<4x64x64xf32>
}
