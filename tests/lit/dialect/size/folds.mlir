// Folds of ops on sizes.
// RUN: dovetail-opt %s --canonicalize | FileCheck %s

// CHECK-LABEL: func.func @known
// CHECK-DAG:     %[[THREE:.+]] = dovetail.constant dense<3> : tensor<i32>
// CHECK:         return %[[THREE]], %arg0
func.func @known(%x: tensor<3xf32>) -> (tensor<i32>, tensor<3xf32>) {
  %0 = arith.constant 3 : index
  %1 = dovetail.from_index %0 : tensor<i32>
  %2 = dovetail.with_sizes %x : tensor<3xf32>
  return %1, %2 : tensor<i32>, tensor<3xf32>
}

// The size of an array is the one that it was given.
// CHECK-LABEL: func.func @given
// CHECK:         return %arg1 : index
func.func @given(%x: tensor<?x3xf32>, %size: index) -> index {
  %0 = dovetail.with_sizes %x sizes(%size) : tensor<?x3xf32>
  %1 = dovetail.exp %0 : tensor<?x3xf32>
  %2 = dovetail.dim %1, 0 : tensor<?x3xf32>
  return %2 : index
}
