// Sliding windows have no loop along the dimensions that they slide along; convolutions have one for each other label.
// RUN: dovetail-opt %s --verify-diagnostics --dovetail-print-factors

func.func @windows(%x: tensor<5x4xf32>, %offsets: tensor<4x4xi32>, %k: tensor<2x4x3xf32>) {
  // expected-remark @+1 {{([_,j])->([_,j])}}
  %0 = dovetail.reduce_window_sum %x window [2, 1] strides [1, 1] dilations [1, 1] : tensor<5x4xf32>
  // expected-remark @+1 {{([_,_])->([_,_])}}
  %1 = dovetail.window_argmax %x window [2, 1] strides [1, 2] dilations [1, 1] : tensor<5x4xf32>
  // expected-remark @+1 {{([_,j],[k,j])->([k,j])}}
  %2 = dovetail.window_take %x, %offsets window [2, 1] strides [1, 1] dilations [1, 1] : tensor<5x4xf32>, tensor<4x4xi32>
  // expected-remark @+1 {{([_,j],[_,j])->([_,j])}}
  %3 = dovetail.window_put %offsets, %offsets window [2, 1] dilations [1, 1] : tensor<4x4xi32>, tensor<4x4xi32>
  // expected-remark @+1 {{([_,j],[_,j,k])->([_,k]) {reduced j}}}
  %4 = dovetail.conv %x, %k dims [0, 1] x [0, 1, 2] to [0, 2] windows [0] strides [1] dilations [1] : tensor<5x4xf32>, tensor<2x4x3xf32>
  // expected-remark @+1 {{([i,j],[k,l,m])->([i,j],[k,l,m])}}
  %5:2 = dovetail.optimization_barrier %x, %k : tensor<5x4xf32>, tensor<2x4x3xf32>
  return
}
