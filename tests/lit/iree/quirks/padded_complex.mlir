// IREE 3.13 crashes when it fuses a pad of complex numbers with ops before and behind it.
// RUN: not %{compile} %s -o %t.vmfb 2>&1 | FileCheck %s

// CHECK: Stack dump

#id = affine_map<(d0) -> (d0)>
func.func @main(%x: tensor<3xcomplex<f32>>) -> tensor<5xcomplex<f32>> {
  %zero = complex.constant [0.0 : f32, 0.0 : f32] : complex<f32>
  %three = tensor.empty() : tensor<3xcomplex<f32>>
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : tensor<3xcomplex<f32>>) outs(%three : tensor<3xcomplex<f32>>) {
  ^bb0(%in: complex<f32>, %out: complex<f32>):
    %square = complex.mul %in, %in : complex<f32>
    linalg.yield %square : complex<f32>
  } -> tensor<3xcomplex<f32>>
  %padded = tensor.pad %y low[1] high[1] {
  ^bb0(%i: index):
    tensor.yield %zero : complex<f32>
  } : tensor<3xcomplex<f32>> to tensor<5xcomplex<f32>>
  %five = tensor.empty() : tensor<5xcomplex<f32>>
  %z = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%padded : tensor<5xcomplex<f32>>) outs(%five : tensor<5xcomplex<f32>>) {
  ^bb0(%in: complex<f32>, %out: complex<f32>):
    %square = complex.mul %in, %in : complex<f32>
    linalg.yield %square : complex<f32>
  } -> tensor<5xcomplex<f32>>
  return %z : tensor<5xcomplex<f32>>
}
