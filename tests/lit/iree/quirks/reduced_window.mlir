// IREE 3.13 keeps the index of a window that starts at a computed place in memory of the workgroup, which does not
// compile, if the window is fused with a reduction.
// RUN: not %{compile-vulkan} %s -o %t.vmfb 2>&1 | FileCheck %s

// CHECK: failed to legalize operation 'memref.alloc'

#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
func.func @main(%x: tensor<12x10xf32>, %start: tensor<i32>) -> tensor<10xf32> {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %empty = tensor.empty() : tensor<10x8xf32>
  %window = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel", "parallel"]} outs(%empty : tensor<10x8xf32>) {
  ^bb0(%out: f32):
    %number = tensor.extract %start[] : tensor<i32>
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %asked = arith.index_cast %number : i32 to index
    %low = arith.maxsi %asked, %c0 : index
    %first = arith.minsi %low, %c2 : index
    %column = arith.addi %first, %j : index
    %element = tensor.extract %x[%i, %column] : tensor<12x10xf32>
    linalg.yield %element : f32
  } -> tensor<10x8xf32>
  %least = arith.constant dense<0xFF800000> : tensor<10xf32>
  %largest = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%window : tensor<10x8xf32>) outs(%least : tensor<10xf32>) {
  ^bb0(%in: f32, %out: f32):
    %larger = arith.maximumf %out, %in : f32
    linalg.yield %larger : f32
  } -> tensor<10xf32>
  return %largest : tensor<10xf32>
}
