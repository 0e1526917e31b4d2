// Values without vectors, where nobody uses these.
// RUN: dovetail-opt %s --canonicalize | FileCheck %s

// CHECK-LABEL: func @values
// CHECK-NEXT: dovetail.eigh %{{.*}} vectors = false
// CHECK-NEXT: dovetail.svd %{{.*}} vectors = false
// CHECK-NEXT: dovetail.eig %{{.*}} right = false
// CHECK-NEXT: dovetail.schur %{{.*}} vectors = false
func.func @values(%a: tensor<3x4x4xf32>)
    -> (tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xcomplex<f32>>, tensor<3x4x4xf32>) {
  %w, %v = dovetail.eigh %a : tensor<3x4x4xf32>
  %s, %u, %vh = dovetail.svd %a full_matrices = true : tensor<3x4x4xf32>
  %e, %vl, %vr = dovetail.eig %a left = true : tensor<3x4x4xf32>
  %t, %z = dovetail.schur %a : tensor<3x4x4xf32>
  return %w, %s, %e, %t : tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xcomplex<f32>>, tensor<3x4x4xf32>
}

// CHECK-LABEL: func @vectors
// CHECK-NEXT: %w, %v = dovetail.eigh %{{[^ ]*}} :
// CHECK-NEXT: %s, %u_and_vh:2 = dovetail.svd %{{[^ ]*}} :
func.func @vectors(%a: tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>) {
  %w, %v = dovetail.eigh %a : tensor<4x4xf32>
  %s, %u, %vh = dovetail.svd %a : tensor<4x4xf32>
  return %v, %vh : tensor<4x4xf32>, tensor<4x4xf32>
}
