// Text of the hashes.
// RUN: dovetail-opt %s | FileCheck %s
// RUN: dovetail-opt %s --mlir-print-op-generic | dovetail-opt | FileCheck %s

func.func @threefry2x32(%arg0: tensor<2x?xui32>, %arg1: tensor<ui32>) {
  %0:2 = dovetail.threefry2x32 %arg0, %arg0, %arg0, %arg0 : tensor<2x?xui32>
  %1:2 = dovetail.threefry2x32 %arg1, %arg1, %arg1, %arg1 : tensor<ui32>
  return
}
// CHECK-LABEL: func.func @threefry2x32(%arg0: tensor<2x?xui32>, %arg1: tensor<ui32>)
// CHECK-NEXT:    %[[FIRST:.+]], %[[SECOND:.+]] = dovetail.threefry2x32 %arg0, %arg0, %arg0, %arg0 : tensor<2x?xui32>
// CHECK-NEXT:    %[[FIRST_1:.+]], %[[SECOND_1:.+]] = dovetail.threefry2x32 %arg1, %arg1, %arg1, %arg1 : tensor<ui32>
// CHECK-NEXT:    return
