// Eigenvalues and singular values: a loop over reflections, and one that waits for convergence, in which numbers alone are
// computed one after the other; rotations of whole matrices are recurrences. In a batch the loop masks what has converged.
// RUN: dovetail-opt %s --dovetail-decompose | FileCheck %s --implicit-check-not=dovetail.eigh --implicit-check-not=dovetail.svd

// CHECK-LABEL: @eigh
// CHECK: dovetail.scan length 5 {{.*}} -> (tensor<6x6xf32>, tensor<5xf32>, tensor<5xf32>)
// CHECK: dovetail.while
// CHECK: dovetail.scan length 6
// CHECK: dovetail.scan length 6
// CHECK-NOT: dovetail.scan
// CHECK: dovetail.linear_recurrence {{.*}} : tensor<6x6xf32>, tensor<6x6xf32>
func.func @eigh(%a: tensor<6x6xf32>) -> (tensor<6xf32>, tensor<6x6xf32>) {
  %w, %v = dovetail.eigh %a : tensor<6x6xf32>
  return %w, %v : tensor<6xf32>, tensor<6x6xf32>
}

// CHECK-LABEL: @svd
// CHECK: dovetail.while
// CHECK-COUNT-2: dovetail.linear_recurrence {{.*}} : tensor<4x4xf64>, tensor<4x4xf64>
func.func @svd(%a: tensor<7x4xf64>) -> (tensor<4xf64>, tensor<7x4xf64>, tensor<4x4xf64>) {
  %s, %u:2 = dovetail.svd %a : tensor<7x4xf64>
  return %s, %u#0, %u#1 : tensor<4xf64>, tensor<7x4xf64>, tensor<4x4xf64>
}

// CHECK-LABEL: @batch
// CHECK: dovetail.while
// CHECK: dovetail.linear_recurrence {{.*}} : tensor<6x3x6xf32>
// CHECK: dovetail.select {{.*}} : tensor<3x6x6xi1>, tensor<3x6x6xf32>
func.func @batch(%a: tensor<3x6x6xf32>) -> (tensor<3x6xf32>, tensor<3x6x6xf32>) {
  %w, %v = dovetail.eigh %a : tensor<3x6x6xf32>
  return %w, %v : tensor<3x6xf32>, tensor<3x6x6xf32>
}

// CHECK-LABEL: @values
// CHECK: dovetail.while
// CHECK-NOT: dovetail.linear_recurrence
// CHECK: return
func.func @values(%a: tensor<6x6xf32>) -> tensor<6xf32> {
  %w = dovetail.eigh %a vectors = false : tensor<6x6xf32>
  return %w : tensor<6xf32>
}
