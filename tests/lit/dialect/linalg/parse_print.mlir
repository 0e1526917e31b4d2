// Text of linear algebra.
// RUN: dovetail-opt %s | FileCheck %s
// RUN: dovetail-opt %s --mlir-print-op-generic | dovetail-opt | FileCheck %s

func.func @factorizations(%a: tensor<2x?x?xf32>, %b: tensor<4x3xcomplex<f64>>, %c: tensor<?x5x5xf64>) {
  %0 = dovetail.cholesky %c : tensor<?x5x5xf64>
  %1:3 = dovetail.lu %a : tensor<2x?x?xf32>
  %2 = dovetail.det %c : tensor<?x5x5xf64>
  %3:2 = dovetail.geqrf %b : tensor<4x3xcomplex<f64>>
  %4:3 = dovetail.geqrf %b pivoting = true : tensor<4x3xcomplex<f64>>
  %5:2 = dovetail.qr %b : tensor<4x3xcomplex<f64>>
  %6:3 = dovetail.qr %a full_matrices = true pivoting = true : tensor<2x?x?xf32>
  %7:2 = dovetail.eigh %c : tensor<?x5x5xf64>
  %8 = dovetail.eigh %c vectors = false : tensor<?x5x5xf64>
  %9:3 = dovetail.svd %b full_matrices = true : tensor<4x3xcomplex<f64>>
  %10 = dovetail.svd %a vectors = false : tensor<2x?x?xf32>
  %11:2 = dovetail.eig %c : tensor<?x5x5xf64>
  %12:2 = dovetail.eig %c left = true right = false : tensor<?x5x5xf64>
  %13:2 = dovetail.schur %c : tensor<?x5x5xf64>
  %14:2 = dovetail.hessenberg %c : tensor<?x5x5xf64>
  %15:4 = dovetail.tridiagonal %c lower = false : tensor<?x5x5xf64>
  return
}
func.func @equations(%a: tensor<5x5xf32>, %p: tensor<5xi32>, %b: tensor<5x2xf32>, %d: tensor<5xf32>) {
  %0 = dovetail.triangular_solve %a, %b left_side = true lower = true transpose_a = true conjugate_a = true unit_diagonal = true : tensor<5x5xf32>, tensor<5x2xf32>
  %1 = dovetail.lu_solve %a, %a, %p, %b transpose_a = true : tensor<5x5xf32>, tensor<5x5xf32>, tensor<5xi32>, tensor<5x2xf32>
  %3 = dovetail.lu_log_det %a, %a, %p : tensor<5x5xf32>, tensor<5x5xf32>, tensor<5xi32>
  %2 = dovetail.tridiagonal_solve %d, %d, %d, %b perturb_singular = true : tensor<5xf32>, tensor<5x2xf32>
  return
}

// CHECK: dovetail.cholesky %arg2 : tensor<?x5x5xf64>
// CHECK: dovetail.lu %arg0 : tensor<2x?x?xf32>
// CHECK: dovetail.det %arg2 : tensor<?x5x5xf64>
// CHECK: dovetail.geqrf %arg1 : tensor<4x3xcomplex<f64>>
// CHECK: dovetail.geqrf %arg1 pivoting = true : tensor<4x3xcomplex<f64>>
// CHECK: dovetail.qr %arg1 : tensor<4x3xcomplex<f64>>
// CHECK: dovetail.qr %arg0 full_matrices = true pivoting = true : tensor<2x?x?xf32>
// CHECK: dovetail.eigh %arg2 : tensor<?x5x5xf64>
// CHECK: dovetail.eigh %arg2 vectors = false : tensor<?x5x5xf64>
// CHECK: dovetail.svd %arg1 full_matrices = true : tensor<4x3xcomplex<f64>>
// CHECK: dovetail.svd %arg0 vectors = false : tensor<2x?x?xf32>
// CHECK: dovetail.eig %arg2 : tensor<?x5x5xf64>
// CHECK: dovetail.eig %arg2 left = true right = false : tensor<?x5x5xf64>
// CHECK: dovetail.schur %arg2 : tensor<?x5x5xf64>
// CHECK: dovetail.hessenberg %arg2 : tensor<?x5x5xf64>
// CHECK: dovetail.tridiagonal %arg2 lower = false : tensor<?x5x5xf64>
// CHECK: dovetail.triangular_solve %arg0, %arg2 left_side = true lower = true transpose_a = true conjugate_a = true unit_diagonal = true : tensor<5x5xf32>, tensor<5x2xf32>
// CHECK: dovetail.lu_solve %arg0, %arg0, %arg1, %arg2 transpose_a = true : tensor<5x5xf32>, tensor<5x5xf32>, tensor<5xi32>, tensor<5x2xf32>
// CHECK: dovetail.lu_log_det %arg0, %arg0, %arg1 : tensor<5x5xf32>, tensor<5x5xf32>, tensor<5xi32>
// CHECK: dovetail.tridiagonal_solve %arg3, %arg3, %arg3, %arg2 perturb_singular = true : tensor<5xf32>, tensor<5x2xf32>
