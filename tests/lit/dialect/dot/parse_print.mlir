// Text of the contraction.
// RUN: dovetail-opt %s | FileCheck %s
// RUN: dovetail-opt %s --mlir-print-op-generic | dovetail-opt | FileCheck %s

func.func @contractions(%arg0: tensor<2x3xf32>, %arg1: tensor<3x4xf32>, %arg2: tensor<5x?x3xui8>, %arg3: tensor<5x3x?xui8>, %arg4: tensor<?xcomplex<f32>>) {
  %0 = dovetail.dot_general %arg0, %arg1 batch [] x [] contract [1] x [0] : tensor<2x3xf32>, tensor<3x4xf32>
  %1 = dovetail.dot_general %arg2, %arg3 batch [0] x [0] contract [2] x [1] : tensor<5x?x3xui8>, tensor<5x3x?xui8>
  %2 = dovetail.dot_general %arg2, %arg3 batch [0] x [0] contract [2] x [1] element i32 : tensor<5x?x3xui8>, tensor<5x3x?xui8>
  %3 = dovetail.dot_general %arg4, %arg4 batch [] x [] contract [] x [] : tensor<?xcomplex<f32>>, tensor<?xcomplex<f32>>
  %4 = dovetail.dot_general %arg0, %arg1 batch [] x [] contract [] x [] element f64 : tensor<2x3xf32>, tensor<3x4xf32>
  return
}
// CHECK-LABEL: func.func @contractions(%arg0: tensor<2x3xf32>, %arg1: tensor<3x4xf32>, %arg2: tensor<5x?x3xui8>, %arg3: tensor<5x3x?xui8>, %arg4: tensor<?xcomplex<f32>>)
// CHECK-NEXT:    %[[DOT_GENERAL:.+]] = dovetail.dot_general %arg0, %arg1 batch [] x [] contract [1] x [0] : tensor<2x3xf32>, tensor<3x4xf32>
// CHECK-NEXT:    %[[DOT_GENERAL_1:.+]] = dovetail.dot_general %arg2, %arg3 batch [0] x [0] contract [2] x [1] : tensor<5x?x3xui8>, tensor<5x3x?xui8>
// CHECK-NEXT:    %[[DOT_GENERAL_2:.+]] = dovetail.dot_general %arg2, %arg3 batch [0] x [0] contract [2] x [1] element i32 : tensor<5x?x3xui8>, tensor<5x3x?xui8>
// CHECK-NEXT:    %[[DOT_GENERAL_3:.+]] = dovetail.dot_general %arg4, %arg4 batch [] x [] contract [] x [] : tensor<?xcomplex<f32>>, tensor<?xcomplex<f32>>
// CHECK-NEXT:    %[[DOT_GENERAL_4:.+]] = dovetail.dot_general %arg0, %arg1 batch [] x [] contract [] x [] element f64 : tensor<2x3xf32>, tensor<3x4xf32>
// CHECK-NEXT:    return
