// Text of the running reductions.
// RUN: dovetail-opt %s | FileCheck %s
// RUN: dovetail-opt %s --mlir-print-op-generic | dovetail-opt | FileCheck %s

func.func @numbers(%arg0: tensor<2x?xf32>, %arg1: tensor<?xcomplex<f32>>, %arg2: tensor<4x?xui8>, %arg3: tensor<3x1xf16>) {
  %0 = dovetail.cumsum %arg0, 0 : tensor<2x?xf32>
  %1 = dovetail.cumprod %arg0, 1 reverse = true : tensor<2x?xf32>
  %2 = dovetail.cummax %arg0, 1 : tensor<2x?xf32>
  %3 = dovetail.cummin %arg2, 1 reverse = false : tensor<4x?xui8>
  %4 = dovetail.cumlogsumexp %arg3, 0 : tensor<3x1xf16>
  %5 = dovetail.cumsum %arg1, 0 : tensor<?xcomplex<f32>>
  return
}

func.func @recurrence(%arg0: tensor<2x?xf32>, %arg1: tensor<?xcomplex<f64>>) {
  %0 = dovetail.linear_recurrence %arg0, %arg0, 1 : tensor<2x?xf32>, tensor<2x?xf32>
  %1 = dovetail.linear_recurrence %arg1, %arg1, 0 reverse = true : tensor<?xcomplex<f64>>, tensor<?xcomplex<f64>>
  return
}
// CHECK-LABEL: func.func @numbers(%arg0: tensor<2x?xf32>, %arg1: tensor<?xcomplex<f32>>, %arg2: tensor<4x?xui8>, %arg3: tensor<3x1xf16>)
// CHECK-NEXT:    %[[CUMSUM:.+]] = dovetail.cumsum %arg0, 0 : tensor<2x?xf32>
// CHECK-NEXT:    %[[CUMPROD:.+]] = dovetail.cumprod %arg0, 1 reverse = true : tensor<2x?xf32>
// CHECK-NEXT:    %[[CUMMAX:.+]] = dovetail.cummax %arg0, 1 : tensor<2x?xf32>
// CHECK-NEXT:    %[[CUMMIN:.+]] = dovetail.cummin %arg2, 1 : tensor<4x?xui8>
// CHECK-NEXT:    %[[CUMLOGSUMEXP:.+]] = dovetail.cumlogsumexp %arg3, 0 : tensor<3x1xf16>
// CHECK-NEXT:    %[[CUMSUM_1:.+]] = dovetail.cumsum %arg1, 0 : tensor<?xcomplex<f32>>
// CHECK-NEXT:    return
// CHECK-LABEL: func.func @recurrence(%arg0: tensor<2x?xf32>, %arg1: tensor<?xcomplex<f64>>)
// CHECK-NEXT:    %[[LINEAR_RECURRENCE:.+]] = dovetail.linear_recurrence %arg0, %arg0, 1 : tensor<2x?xf32>, tensor<2x?xf32>
// CHECK-NEXT:    %[[LINEAR_RECURRENCE_1:.+]] = dovetail.linear_recurrence %arg1, %arg1, 0 reverse = true : tensor<?xcomplex<f64>>, tensor<?xcomplex<f64>>
// CHECK-NEXT:    return
