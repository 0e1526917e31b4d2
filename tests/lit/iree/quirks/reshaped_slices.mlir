// IREE 3.13 reshapes the slices that an array is computed from instead of the array, and copies them to do so.
// RUN: %{compile} %s --compile-to=flow | FileCheck %s

// CHECK: slow_memcpy

#id = affine_map<(i, j) -> (i, j)>
#all = affine_map<(i, j, k) -> (i, j, k)>
#rows = affine_map<(i, j, k) -> (i)>
func.func @main(%x: tensor<258x258xf32>) -> (tensor<256x256xf32>, tensor<8xf32>) {
  %zero = arith.constant 0.0 : f32
  %0 = tensor.extract_slice %x[1, 2] [256, 256] [1, 1] : tensor<258x258xf32> to tensor<256x256xf32>
  %1 = tensor.extract_slice %x[1, 0] [256, 256] [1, 1] : tensor<258x258xf32> to tensor<256x256xf32>
  %e = tensor.empty() : tensor<256x256xf32>
  %d = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%0, %1 : tensor<256x256xf32>, tensor<256x256xf32>) outs(%e : tensor<256x256xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %r = arith.subf %p, %q : f32
    linalg.yield %r : f32
  } -> tensor<256x256xf32>
  %split = tensor.expand_shape %d [[0, 1], [2]] output_shape [8, 32, 256] : tensor<256x256xf32> into tensor<8x32x256xf32>
  %s = tensor.empty() : tensor<8xf32>
  %f = linalg.fill ins(%zero : f32) outs(%s : tensor<8xf32>) -> tensor<8xf32>
  %sums = linalg.generic {indexing_maps = [#all, #rows], iterator_types = ["parallel", "reduction", "reduction"]} ins(%split : tensor<8x32x256xf32>) outs(%f : tensor<8xf32>) {
  ^bb0(%p: f32, %o: f32):
    %r = arith.addf %p, %o : f32
    linalg.yield %r : f32
  } -> tensor<8xf32>
  return %d, %sums : tensor<256x256xf32>, tensor<8xf32>
}
