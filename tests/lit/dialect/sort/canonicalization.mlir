// Only those elements are sorted that are read.
// RUN: dovetail-opt %s --canonicalize | FileCheck %s

// CHECK-LABEL: func.func @first
// CHECK:         %[[SORTED:.+]]:2 = dovetail.sort %arg0, %arg1 dimension 1 keys 1 first 5 : tensor<3x9xf32>, tensor<3x9xi32>
// CHECK:         %[[FEW:.+]] = dovetail.slice %[[SORTED]]#0 starts [1, 0] strides [1, 1] : tensor<3x5xf32> -> tensor<2x2xf32>
// CHECK:         return %[[FEW]], %[[SORTED]]#1
func.func @first(%arg0: tensor<3x9xf32>, %arg1: tensor<3x9xi32>) -> (tensor<2x2xf32>, tensor<3x5xi32>) {
  %0:2 = dovetail.sort %arg0, %arg1 dimension 1 keys 1 : tensor<3x9xf32>, tensor<3x9xi32>
  %1 = dovetail.slice %0#0 starts [1, 0] strides [1, 1] : tensor<3x9xf32> -> tensor<2x2xf32>
  %2 = dovetail.slice %0#1 starts [0, 0] strides [1, 1] : tensor<3x9xi32> -> tensor<3x5xi32>
  return %1, %2 : tensor<2x2xf32>, tensor<3x5xi32>
}

// CHECK-LABEL: func.func @others
// CHECK:         dovetail.sort %arg0 dimension 0 keys 1 : tensor<9xf32>
func.func @others(%arg0: tensor<9xf32>) -> (tensor<5xf32>, tensor<5xf32>) {
  %0 = dovetail.sort %arg0 dimension 0 keys 1 : tensor<9xf32>
  %1 = dovetail.slice %0 starts [0] strides [1] : tensor<9xf32> -> tensor<5xf32>
  %2 = dovetail.slice %0 starts [4] strides [1] : tensor<9xf32> -> tensor<5xf32>
  return %1, %2 : tensor<5xf32>, tensor<5xf32>
}
