// For GPUs, IREE 3.13 does not compile a reduction to one number with which a `linalg.index` is fused.
// RUN: not %{compile-vulkan} %s -o %t.vmfb 2>&1 | FileCheck %s

// CHECK: failed to legalize operation 'memref.alloc'

#id = affine_map<(d0, d1) -> (d0, d1)>
#all = affine_map<(d0, d1) -> ()>
func.func @main(%x: tensor<16x16xf32>) -> tensor<f32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<f32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<f32>) -> tensor<f32>
  %above = linalg.generic {indexing_maps = [#id, #all], iterator_types = ["reduction", "reduction"]} ins(%x : tensor<16x16xf32>) outs(%init : tensor<f32>) {
  ^bb0(%in: f32, %out: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %isAbove = arith.cmpi ult, %i, %j : index
    %term = arith.select %isAbove, %in, %zero : f32
    %next = arith.addf %out, %term : f32
    linalg.yield %next : f32
  } -> tensor<f32>
  return %above : tensor<f32>
}
