// IREE 3.13 does not compute ahead what depends on a complex constant, and fails to compute from such a result.
// RUN: not %{compile} %s -o %t.vmfb 2>&1 | FileCheck %s

// CHECK: jit global source initialization order invalid

func.func @main(%x: tensor<f32>) -> (tensor<f32>, tensor<f32>) {
  %c = arith.constant dense<(0.0, 1.0)> : tensor<complex<f32>>
  %e = tensor.empty() : tensor<f32>
  %re = linalg.generic {indexing_maps = [affine_map<() -> ()>, affine_map<() -> ()>], iterator_types = []} ins(%c : tensor<complex<f32>>) outs(%e : tensor<f32>) {
  ^bb0(%in: complex<f32>, %out: f32):
    %a = complex.im %in : complex<f32>
    linalg.yield %a : f32
  } -> tensor<f32>
  %s = linalg.generic {indexing_maps = [affine_map<() -> ()>, affine_map<() -> ()>], iterator_types = []} ins(%re : tensor<f32>) outs(%e : tensor<f32>) {
  ^bb0(%in: f32, %out: f32):
    %a = math.absf %in : f32
    linalg.yield %a : f32
  } -> tensor<f32>
  %y = linalg.generic {indexing_maps = [affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>], iterator_types = []} ins(%re, %x : tensor<f32>, tensor<f32>) outs(%e : tensor<f32>) {
  ^bb0(%in: f32, %in2: f32, %out: f32):
    %a = arith.addf %in, %in2 : f32
    linalg.yield %a : f32
  } -> tensor<f32>
  %z = linalg.generic {indexing_maps = [affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>], iterator_types = []} ins(%s, %x : tensor<f32>, tensor<f32>) outs(%e : tensor<f32>) {
  ^bb0(%in: f32, %in2: f32, %out: f32):
    %a = arith.addf %in, %in2 : f32
    linalg.yield %a : f32
  } -> tensor<f32>
  return %y, %z : tensor<f32>, tensor<f32>
}
