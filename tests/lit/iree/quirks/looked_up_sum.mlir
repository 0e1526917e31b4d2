// IREE 3.13 computes a reduction in vectors that are too long for SPIR-V, if a read of elements at an op's own indices is
// fused with it.
// RUN: not %{compile-vulkan} %s -o %t.vmfb 2>&1 | FileCheck %s

// CHECK: failed to legalize operation 'arith.constant'{{.*}}vector<32xi32>

#id = affine_map<(i, j) -> (i, j)>
#all = affine_map<(i, j, k) -> (i, j, k)>
#rows = affine_map<(i, j, k) -> (i, j)>
func.func @main(%x: tensor<64x64x64xi32>, %table: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %zero = arith.constant 0 : i32
  %numbers = tensor.empty() : tensor<64x64xi32>
  %zeros = linalg.fill ins(%zero : i32) outs(%numbers : tensor<64x64xi32>) -> tensor<64x64xi32>
  %sums = linalg.generic {indexing_maps = [#all, #rows], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x : tensor<64x64x64xi32>) outs(%zeros : tensor<64x64xi32>) {
  ^bb0(%in: i32, %out: i32):
    %sum = arith.addi %out, %in : i32
    linalg.yield %sum : i32
  } -> tensor<64x64xi32>
  %empty = tensor.empty() : tensor<64x64xf32>
  %result = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%sums : tensor<64x64xi32>) outs(%empty : tensor<64x64xf32>) {
  ^bb0(%in: i32, %out: f32):
    %i = linalg.index 0 : index
    %column = arith.index_cast %in : i32 to index
    %element = tensor.extract %table[%i, %column] : tensor<64x64xf32>
    linalg.yield %element : f32
  } -> tensor<64x64xf32>
  return %result : tensor<64x64xf32>
}
