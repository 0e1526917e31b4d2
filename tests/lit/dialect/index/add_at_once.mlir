// What is scattered onto zeros, only to be added to an array, is scattered onto that array.
// RUN: dovetail-opt %s --canonicalize | FileCheck %s

func.func @left(%arg0: tensor<8xf32>, %arg1: tensor<3x1xi32>, %arg2: tensor<3x1xf32>) -> tensor<8xf32> {
  %0 = dovetail.constant dense<0.0> : tensor<8xf32>
  %1 = dovetail.scatter_add %0, %arg1, %arg2 dims [0] window [1] {unique = true} : tensor<8xf32>, tensor<3x1xi32>, tensor<3x1xf32>
  %2 = dovetail.add %1, %arg0 : tensor<8xf32>
  return %2 : tensor<8xf32>
}
// CHECK-LABEL: func.func @left(
// CHECK-NEXT: %[[SUM:.+]] = dovetail.scatter_add %arg0, %arg1, %arg2 dims [0] window [1] {unique = true}
// CHECK-NEXT: return %[[SUM]]

func.func @several_uses(%arg0: tensor<8xf32>, %arg1: tensor<3x1xi32>, %arg2: tensor<3x1xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %0 = dovetail.constant dense<0.0> : tensor<8xf32>
  %1 = dovetail.scatter_add %0, %arg1, %arg2 dims [0] window [1] : tensor<8xf32>, tensor<3x1xi32>, tensor<3x1xf32>
  %2 = dovetail.add %arg0, %1 : tensor<8xf32>
  return %1, %2 : tensor<8xf32>, tensor<8xf32>
}
// CHECK-LABEL: func.func @several_uses(
// CHECK: dovetail.add

func.func @not_zero(%arg0: tensor<8xf32>, %arg1: tensor<3x1xi32>, %arg2: tensor<3x1xf32>) -> tensor<8xf32> {
  %0 = dovetail.constant dense<1.0> : tensor<8xf32>
  %1 = dovetail.scatter_add %0, %arg1, %arg2 dims [0] window [1] : tensor<8xf32>, tensor<3x1xi32>, tensor<3x1xf32>
  %2 = dovetail.add %arg0, %1 : tensor<8xf32>
  return %2 : tensor<8xf32>
}
// CHECK-LABEL: func.func @not_zero(
// CHECK: dovetail.add
