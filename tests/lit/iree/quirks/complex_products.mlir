// For Vulkan, IREE 3.13 does not compile two real products that are fused with the op that joins them to complex numbers.
// RUN: not %{compile-vulkan} %s -o %t.vmfb 2>&1 | FileCheck %s

// CHECK: failed to legalize unresolved source materialization from ('memref<1xcomplex<f32>

#lhs = affine_map<(d0, d1, d2) -> (d0, d2)>
#rhs = affine_map<(d0, d1, d2) -> (d2, d1)>
#out = affine_map<(d0, d1, d2) -> (d0, d1)>
#id = affine_map<(d0, d1) -> (d0, d1)>
func.func @main(%x: tensor<4x8xf32>, %y: tensor<8x4xf32>, %z: tensor<8x4xf32>) -> tensor<4x4xcomplex<f32>> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<4x4xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<4x4xf32>) -> tensor<4x4xf32>
  %re = linalg.generic {indexing_maps = [#lhs, #rhs, #out], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %y : tensor<4x8xf32>, tensor<8x4xf32>) outs(%init : tensor<4x4xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %product = arith.mulf %a, %b : f32
    %next = arith.addf %out, %product : f32
    linalg.yield %next : f32
  } -> tensor<4x4xf32>
  %im = linalg.generic {indexing_maps = [#lhs, #rhs, #out], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %z : tensor<4x8xf32>, tensor<8x4xf32>) outs(%init : tensor<4x4xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %product = arith.mulf %a, %b : f32
    %next = arith.addf %out, %product : f32
    linalg.yield %next : f32
  } -> tensor<4x4xf32>
  %joined = tensor.empty() : tensor<4x4xcomplex<f32>>
  %complex = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%re, %im : tensor<4x4xf32>, tensor<4x4xf32>) outs(%joined : tensor<4x4xcomplex<f32>>) {
  ^bb0(%a: f32, %b: f32, %out: complex<f32>):
    %c = complex.create %a, %b : complex<f32>
    linalg.yield %c : complex<f32>
  } -> tensor<4x4xcomplex<f32>>
  return %complex : tensor<4x4xcomplex<f32>>
}
