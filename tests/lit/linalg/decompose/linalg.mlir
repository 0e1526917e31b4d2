// Each op on matrices is loops over rows or columns, and iterations where eigenvalues are looked for; none is left.
// RUN: dovetail-opt %s --dovetail-decompose | FileCheck %s --implicit-check-not='dovetail.{{cholesky|lu|det|geqrf|qr|eigh|svd|eig|schur|hessenberg|tridiagonal|triangular_solve}} '

// CHECK-LABEL: @lu
// CHECK: dovetail.scan length 3 {{.*}} -> (tensor<3x4xf32>, tensor<4xi32>, tensor<3xi32>)
// CHECK: dovetail.argmax
// CHECK-NOT: dovetail.scan
func.func @lu(%a: tensor<4x3xf32>) -> (tensor<4x3xf32>, tensor<3xi32>, tensor<4xi32>) {
  %0:3 = dovetail.lu %a : tensor<4x3xf32>
  return %0#0, %0#1, %0#2 : tensor<4x3xf32>, tensor<3xi32>, tensor<4xi32>
}

// CHECK-LABEL: @lu_of_blocks
// CHECK: dovetail.scan length 3 {{.*}} -> (tensor<96x96xf32>, tensor<96xi32>, tensor<3x32xi32>)
// CHECK: dovetail.scan length 32 {{.*}} -> (tensor<32x96xf32>, tensor<96xi32>, tensor<32xi32>)
// CHECK: dovetail.dot_general {{.*}} : tensor<96x32xf32>, tensor<32x96xf32>
func.func @lu_of_blocks(%a: tensor<70x70xf32>) -> (tensor<70x70xf32>, tensor<70xi32>, tensor<70xi32>) {
  %0:3 = dovetail.lu %a : tensor<70x70xf32>
  return %0#0, %0#1, %0#2 : tensor<70x70xf32>, tensor<70xi32>, tensor<70xi32>
}

// CHECK-LABEL: @det
// CHECK: dovetail.scan length 4
// CHECK: dovetail.reduce_prod {{.*}} : tensor<4xf32>
func.func @det(%a: tensor<4x4xf32>) -> tensor<f32> {
  %0 = dovetail.det %a : tensor<4x4xf32>
  return %0 : tensor<f32>
}

// CHECK-LABEL: @lu_log_det
// CHECK: dovetail.abs
// CHECK: dovetail.log {{.*}} : tensor<4xf32>
// CHECK: dovetail.reduce_sum
func.func @lu_log_det(%a: tensor<4x4xf32>, %lu: tensor<4x4xf32>, %p: tensor<4xi32>) -> tensor<f32> {
  %0 = dovetail.lu_log_det %a, %lu, %p : tensor<4x4xf32>, tensor<4x4xf32>, tensor<4xi32>
  return %0 : tensor<f32>
}

// CHECK-LABEL: @geqrf
// CHECK: dovetail.scan length 3 {{.*}} -> (tensor<3x4xcomplex<f64>>, tensor<3xcomplex<f64>>)
func.func @geqrf(%a: tensor<4x3xcomplex<f64>>) -> (tensor<4x3xcomplex<f64>>, tensor<3xcomplex<f64>>) {
  %0:2 = dovetail.geqrf %a : tensor<4x3xcomplex<f64>>
  return %0#0, %0#1 : tensor<4x3xcomplex<f64>>, tensor<3xcomplex<f64>>
}

// The product of reflections takes no loop over them: a triangular solution between products of matrices.
// CHECK-LABEL: @qr
// CHECK: dovetail.scan length 3 {{.*}} -> (tensor<3x4xf32>, tensor<3xi32>, tensor<3xf32>)
// CHECK: dovetail.argmax
// CHECK: dovetail.scan length 3 {{.*}} -> tensor<3x4xf32>
// CHECK: dovetail.dot_general {{.*}} : tensor<4x3xf32>, tensor<3x4xf32>
// CHECK-NOT: dovetail.scan
func.func @qr(%a: tensor<4x3xf32>) -> (tensor<4x4xf32>, tensor<4x3xf32>, tensor<3xi32>) {
  %0:3 = dovetail.qr %a full_matrices = true pivoting = true : tensor<4x3xf32>
  return %0#0, %0#1, %0#2 : tensor<4x4xf32>, tensor<4x3xf32>, tensor<3xi32>
}

// CHECK-LABEL: @hessenberg
// CHECK: dovetail.scan length 4 {{.*}} -> (tensor<5x5xf32>, tensor<4xf32>)
func.func @hessenberg(%a: tensor<5x5xf32>) -> (tensor<5x5xf32>, tensor<4xf32>) {
  %0:2 = dovetail.hessenberg %a : tensor<5x5xf32>
  return %0#0, %0#1 : tensor<5x5xf32>, tensor<4xf32>
}

// CHECK-LABEL: @tridiagonal
// CHECK: dovetail.reverse
// CHECK: dovetail.scan length 4 {{.*}} -> (tensor<5x5xcomplex<f32>>, tensor<4xf32>, tensor<4xcomplex<f32>>)
func.func @tridiagonal(%a: tensor<5x5xcomplex<f32>>) -> (tensor<5x5xcomplex<f32>>, tensor<5xf32>, tensor<4xf32>, tensor<4xcomplex<f32>>) {
  %0:4 = dovetail.tridiagonal %a lower = false : tensor<5x5xcomplex<f32>>
  return %0#0, %0#1, %0#2, %0#3 : tensor<5x5xcomplex<f32>>, tensor<5xf32>, tensor<4xf32>, tensor<4xcomplex<f32>>
}

// Of a complex number, the real part.
// CHECK-LABEL: @tridiagonal_of_one
// CHECK: %[[REAL:.+]] = dovetail.real %arg0 : tensor<1x1xcomplex<f32>>
// CHECK: %[[T:.+]] = dovetail.complex %[[REAL]], %{{.+}} : tensor<1x1xf32>
// CHECK: return %[[T]]
func.func @tridiagonal_of_one(%a: tensor<1x1xcomplex<f32>>) -> (tensor<1x1xcomplex<f32>>, tensor<1xf32>) {
  %0:4 = dovetail.tridiagonal %a : tensor<1x1xcomplex<f32>>
  return %0#0, %0#1 : tensor<1x1xcomplex<f32>>, tensor<1xf32>
}

// In complex numbers each step is a loop over rows and a recurrence over columns.
// CHECK-LABEL: @schur
// CHECK: dovetail.while
// CHECK: dovetail.linear_recurrence {{.*}} : tensor<5x5xcomplex<f32>>, tensor<5x5xcomplex<f32>>
func.func @schur(%a: tensor<5x5xcomplex<f32>>) -> (tensor<5x5xcomplex<f32>>, tensor<5x5xcomplex<f32>>) {
  %0:2 = dovetail.schur %a : tensor<5x5xcomplex<f32>>
  return %0#0, %0#1 : tensor<5x5xcomplex<f32>>, tensor<5x5xcomplex<f32>>
}

// In real ones, a loop over rows that finds reflections, and one over columns, those of z beside them.
// CHECK-LABEL: @real_schur
// CHECK: dovetail.while
// CHECK: dovetail.scan length 5 {{.*}} -> (tensor<5xf32>, tensor<5xf32>, tensor<5xf32>, tensor<5x5xf32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>)
// CHECK: dovetail.scan length 5 {{.*}} -> (tensor<10xf32>, tensor<10xf32>, tensor<5x10xf32>)
// CHECK-NOT: complex
func.func @real_schur(%a: tensor<5x5xf32>) -> (tensor<5x5xf32>, tensor<5x5xf32>) {
  %0:2 = dovetail.schur %a : tensor<5x5xf32>
  return %0#0, %0#1 : tensor<5x5xf32>, tensor<5x5xf32>
}

// Blocks of two rows need no iteration.
// CHECK-LABEL: @schur_of_two
// CHECK-NOT: dovetail.while
// CHECK: return
func.func @schur_of_two(%a: tensor<2x2xf32>) -> tensor<2x2xf32> {
  %0 = dovetail.schur %a vectors = false : tensor<2x2xf32>
  return %0 : tensor<2x2xf32>
}

// Eigenvalues of a real matrix are found in real numbers, its eigenvectors in complex ones.
// CHECK-LABEL: @eig
// CHECK: dovetail.while {{.*}}tensor<5x5xf32>
// CHECK: dovetail.complex
// CHECK: dovetail.scan length 5 {{.*}} -> tensor<5x5xcomplex<f32>>
func.func @eig(%a: tensor<5x5xf32>) -> (tensor<5xcomplex<f32>>, tensor<5x5xcomplex<f32>>) {
  %0:2 = dovetail.eig %a : tensor<5x5xf32>
  return %0#0, %0#1 : tensor<5xcomplex<f32>>, tensor<5x5xcomplex<f32>>
}

// CHECK-LABEL: @lu_solve
// CHECK: dovetail.gather
// CHECK-COUNT-2: dovetail.scan length 5 {{.*}} -> tensor<5x2xf32>
func.func @lu_solve(%a: tensor<5x5xf32>, %lu: tensor<5x5xf32>, %p: tensor<5xi32>, %b: tensor<5x2xf32>) -> tensor<5x2xf32> {
  %0 = dovetail.lu_solve %a, %lu, %p, %b : tensor<5x5xf32>, tensor<5x5xf32>, tensor<5xi32>, tensor<5x2xf32>
  return %0 : tensor<5x2xf32>
}

// CHECK-LABEL: @tridiagonal_solve
// CHECK-COUNT-2: dovetail.scan length 5
// CHECK-NOT: dovetail.scan
func.func @tridiagonal_solve(%d: tensor<5xf32>, %b: tensor<5x2xf32>) -> tensor<5x2xf32> {
  %0 = dovetail.tridiagonal_solve %d, %d, %d, %b : tensor<5xf32>, tensor<5x2xf32>
  return %0 : tensor<5x2xf32>
}
