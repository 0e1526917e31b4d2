// Windows are loops over them and reductions over each; one that nothing reads says how far those go.
// RUN: dovetail-opt %s --dovetail-lower | FileCheck %s

func.func @sum(%x: tensor<5x?xf32>) -> tensor<1x?xf32> {
  %0 = dovetail.reduce_window_sum %x window [2, 1] strides [2, 1] dilations [3, 1] : tensor<5x?xf32>
  return %0 : tensor<1x?xf32>
}
// CHECK: affine_map<(d0, d1, d2) -> (d0 * 2 + d2 * 3, d1)>
// CHECK-LABEL: func.func @sum
// A loop over one window is dropped later, so the array ends where that window does.
// CHECK: %[[READ:.+]] = tensor.extract_slice %arg0[0, 0] [4, %{{.+}}] [1, 1]
// CHECK: %[[WINDOW:.+]] = tensor.empty() : tensor<2xi8>
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "parallel", "reduction"]} ins(%[[READ]], %[[WINDOW]]
// CHECK: arith.addf
