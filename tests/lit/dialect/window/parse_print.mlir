// Text of reductions over sliding windows.
// RUN: dovetail-opt %s | FileCheck %s
// RUN: dovetail-opt %s --mlir-print-op-generic | dovetail-opt | FileCheck %s

func.func @windows(%x: tensor<5x?xf32>, %offsets: tensor<2x?xi32>, %b: tensor<4xi1>, %z: tensor<6xcomplex<f64>>, %i: tensor<6xi32>) {
  %0 = dovetail.reduce_window_sum %x window [2, 3] strides [2, 1] dilations [1, 2] : tensor<5x?xf32>
  %1 = dovetail.reduce_window_max %b window [2] strides [1] dilations [1] : tensor<4xi1>
  %2 = dovetail.reduce_window_min %x window [1, 1] strides [1, 1] dilations [1, 1] : tensor<5x?xf32>
  %3 = dovetail.window_argmax %x window [2, 3] strides [2, 1] dilations [1, 2] : tensor<5x?xf32>
  %4 = dovetail.window_argmin %b window [2] strides [2] dilations [2] : tensor<4xi1>
  %5 = dovetail.window_take %x, %offsets window [2, 3] strides [2, 1] dilations [1, 2] : tensor<5x?xf32>, tensor<2x?xi32>
  %6 = dovetail.window_put %z, %i window [7] dilations [1] : tensor<6xcomplex<f64>>, tensor<6xi32>
  return
}
// CHECK-LABEL: func.func @windows
// CHECK-NEXT: dovetail.reduce_window_sum %arg0 window [2, 3] strides [2, 1] dilations [1, 2] : tensor<5x?xf32>
// CHECK-NEXT: dovetail.reduce_window_max %arg2 window [2] strides [1] dilations [1] : tensor<4xi1>
// CHECK-NEXT: dovetail.reduce_window_min %arg0 window [1, 1] strides [1, 1] dilations [1, 1] : tensor<5x?xf32>
// CHECK-NEXT: dovetail.window_argmax %arg0 window [2, 3] strides [2, 1] dilations [1, 2] : tensor<5x?xf32>
// CHECK-NEXT: dovetail.window_argmin %arg2 window [2] strides [2] dilations [2] : tensor<4xi1>
// CHECK-NEXT: dovetail.window_take %arg0, %arg1 window [2, 3] strides [2, 1] dilations [1, 2] : tensor<5x?xf32>, tensor<2x?xi32>
// CHECK-NEXT: dovetail.window_put %arg3, %arg4 window [7] dilations [1] : tensor<6xcomplex<f64>>, tensor<6xi32>
