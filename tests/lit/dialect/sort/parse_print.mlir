// Text of sort.
// RUN: dovetail-opt %s | FileCheck %s
// RUN: dovetail-opt %s --mlir-print-op-generic | dovetail-opt | FileCheck %s

func.func @sort(%arg0: tensor<2x?xf32>, %arg1: tensor<2x?xi1>, %arg2: tensor<300xcomplex<f64>>) {
  %0 = dovetail.sort %arg0 dimension 1 keys 1 : tensor<2x?xf32>
  %1:2 = dovetail.sort %arg1, %arg0 dimension 0 keys 2 : tensor<2x?xi1>, tensor<2x?xf32>
  %2 = dovetail.sort %arg2 dimension 0 keys 1 : tensor<300xcomplex<f64>>
  %3 = dovetail.sort %arg0 dimension 1 keys 1 first 4 descending = true : tensor<2x?xf32>
  return
}
// CHECK-LABEL: func.func @sort(%arg0: tensor<2x?xf32>, %arg1: tensor<2x?xi1>, %arg2: tensor<300xcomplex<f64>>)
// CHECK-NEXT:    %[[SORT:.+]] = dovetail.sort %arg0 dimension 1 keys 1 : tensor<2x?xf32>
// CHECK-NEXT:    %[[SORT_1:.+]]:2 = dovetail.sort %arg1, %arg0 dimension 0 keys 2 : tensor<2x?xi1>, tensor<2x?xf32>
// CHECK-NEXT:    %[[SORT_2:.+]] = dovetail.sort %arg2 dimension 0 keys 1 : tensor<300xcomplex<f64>>
// CHECK-NEXT:    %[[SORT_3:.+]] = dovetail.sort %arg0 dimension 1 keys 1 first 4 descending = true : tensor<2x?xf32>
// CHECK-NEXT:    return
