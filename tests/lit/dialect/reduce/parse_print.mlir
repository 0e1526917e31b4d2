// Text of the reductions.
// RUN: dovetail-opt %s | FileCheck %s
// RUN: dovetail-opt %s --mlir-print-op-generic | dovetail-opt | FileCheck %s

func.func @numbers(%arg0: tensor<2x?xf32>, %arg1: tensor<?xcomplex<f32>>, %arg2: tensor<4x?xui8>) {
  %0 = dovetail.reduce_sum %arg0 [0] : tensor<2x?xf32>
  %1 = dovetail.reduce_prod %arg0 [0] : tensor<2x?xf32>
  %2 = dovetail.reduce_max %arg0 [0] : tensor<2x?xf32>
  %3 = dovetail.reduce_min %arg0 [0] : tensor<2x?xf32>
  %c = dovetail.reduce_sum %arg1 [0] : tensor<?xcomplex<f32>>
  %d = dovetail.reduce_prod %arg1 [] : tensor<?xcomplex<f32>>
  %e = dovetail.reduce_max %arg2 [1, 0] : tensor<4x?xui8>
  return
}
// CHECK-LABEL: func.func @numbers(%arg0: tensor<2x?xf32>, %arg1: tensor<?xcomplex<f32>>, %arg2: tensor<4x?xui8>)
// CHECK-NEXT:    %[[REDUCE_SUM:.+]] = dovetail.reduce_sum %arg0 [0] : tensor<2x?xf32>
// CHECK-NEXT:    %[[REDUCE_PROD:.+]] = dovetail.reduce_prod %arg0 [0] : tensor<2x?xf32>
// CHECK-NEXT:    %[[REDUCE_MAX:.+]] = dovetail.reduce_max %arg0 [0] : tensor<2x?xf32>
// CHECK-NEXT:    %[[REDUCE_MIN:.+]] = dovetail.reduce_min %arg0 [0] : tensor<2x?xf32>
// CHECK-NEXT:    %[[REDUCE_SUM_1:.+]] = dovetail.reduce_sum %arg1 [0] : tensor<?xcomplex<f32>>
// CHECK-NEXT:    %[[REDUCE_PROD_1:.+]] = dovetail.reduce_prod %arg1 [] : tensor<?xcomplex<f32>>
// CHECK-NEXT:    %[[REDUCE_MAX_1:.+]] = dovetail.reduce_max %arg2 [1, 0] : tensor<4x?xui8>
// CHECK-NEXT:    return

func.func @bits(%arg0: tensor<4x?xui8>, %arg1: tensor<?x3xi1>) {
  %0 = dovetail.reduce_and %arg0 [1] : tensor<4x?xui8>
  %1 = dovetail.reduce_or %arg0 [1] : tensor<4x?xui8>
  %2 = dovetail.reduce_xor %arg0 [1] : tensor<4x?xui8>
  %b0 = dovetail.reduce_and %arg1 [0, 1] : tensor<?x3xi1>
  %b1 = dovetail.reduce_or %arg1 [0, 1] : tensor<?x3xi1>
  %b2 = dovetail.reduce_xor %arg1 [0, 1] : tensor<?x3xi1>
  %b3 = dovetail.reduce_max %arg1 [0, 1] : tensor<?x3xi1>
  return
}
// CHECK-LABEL: func.func @bits(%arg0: tensor<4x?xui8>, %arg1: tensor<?x3xi1>)
// CHECK-NEXT:    %[[REDUCE_AND:.+]] = dovetail.reduce_and %arg0 [1] : tensor<4x?xui8>
// CHECK-NEXT:    %[[REDUCE_OR:.+]] = dovetail.reduce_or %arg0 [1] : tensor<4x?xui8>
// CHECK-NEXT:    %[[REDUCE_XOR:.+]] = dovetail.reduce_xor %arg0 [1] : tensor<4x?xui8>
// CHECK-NEXT:    %[[REDUCE_AND_1:.+]] = dovetail.reduce_and %arg1 [0, 1] : tensor<?x3xi1>
// CHECK-NEXT:    %[[REDUCE_OR_1:.+]] = dovetail.reduce_or %arg1 [0, 1] : tensor<?x3xi1>
// CHECK-NEXT:    %[[REDUCE_XOR_1:.+]] = dovetail.reduce_xor %arg1 [0, 1] : tensor<?x3xi1>
// CHECK-NEXT:    %[[REDUCE_MAX:.+]] = dovetail.reduce_max %arg1 [0, 1] : tensor<?x3xi1>
// CHECK-NEXT:    return

func.func @indices(%arg0: tensor<2x?xf32>, %arg1: tensor<4xi1>) {
  %0 = dovetail.argmax %arg0, 0 : tensor<2x?xf32> -> tensor<?xi32>
  %1 = dovetail.argmin %arg0, 1 : tensor<2x?xf32> -> tensor<2xui64>
  %2 = dovetail.argmax %arg1, 0 : tensor<4xi1> -> tensor<i64>
  return
}
// CHECK-LABEL: func.func @indices(%arg0: tensor<2x?xf32>, %arg1: tensor<4xi1>)
// CHECK-NEXT:    %[[ARGMAX:.+]] = dovetail.argmax %arg0, 0 : tensor<2x?xf32> -> tensor<?xi32>
// CHECK-NEXT:    %[[ARGMIN:.+]] = dovetail.argmin %arg0, 1 : tensor<2x?xf32> -> tensor<2xui64>
// CHECK-NEXT:    %[[ARGMAX_1:.+]] = dovetail.argmax %arg1, 0 : tensor<4xi1> -> tensor<i64>
// CHECK-NEXT:    return
