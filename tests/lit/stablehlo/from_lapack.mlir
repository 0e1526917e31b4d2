// RUN: dovetail-opt %s --dovetail-from-stablehlo --split-input-file | FileCheck %s

// Functions of LAPACK are ops on matrices.

// CHECK-LABEL: func.func @main
func.func @main(%a: tensor<4x4xf32>, %c: tensor<2x4xf32>) -> (tensor<4x4xf32>, tensor<3xf32>, tensor<2x4xf32>, tensor<4x4xf32>, tensor<4xf32>) {
  // CHECK: %[[H:.+]], %[[TAUS:.+]] = dovetail.hessenberg %arg0
  %h:3 = stablehlo.custom_call @lapack_sgehrd_ffi(%a) {mhlo.backend_config = {high = 4 : i32, low = 1 : i32}} : (tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<3xf32>, tensor<i32>)
  // CHECK: dovetail.tridiagonal %arg0 lower = false
  %t:5 = stablehlo.custom_call @lapack_ssytrd_ffi(%a) {mhlo.backend_config = {uplo = 85 : ui8}} : (tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4xf32>, tensor<3xf32>, tensor<3xf32>, tensor<i32>)
  // CHECK: dovetail.schur %arg0
  %s:6 = stablehlo.custom_call @lapack_sgees_ffi(%a) {mhlo.backend_config = {mode = 86 : ui8, sort = 78 : ui8}} : (tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<i32>, tensor<i32>)
  // From the right, with the adjoint of the product.
  // CHECK: %[[X:.+]] = dovetail.transpose %arg1
  // CHECK: %[[T:.+]] = dovetail.triangular_solve %{{.+}}, %{{.+}} left_side = true unit_diagonal = true
  %q = stablehlo.custom_call @lapack_sormqr_ffi(%a, %h#1, %c) {mhlo.backend_config = {left = false, transpose = true}} : (tensor<4x4xf32>, tensor<3xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  return %s#0, %h#1, %q, %t#0, %t#1 : tensor<4x4xf32>, tensor<3xf32>, tensor<2x4xf32>, tensor<4x4xf32>, tensor<4xf32>
}

// -----

// CHECK-LABEL: func.func @main
func.func @main(%a: tensor<5x4x4xf32>, %b: tensor<5x4xf32>) -> (tensor<5x4x4xf32>, tensor<5x4x4xf32>, tensor<5x4xi32>, tensor<5x4xf32>) {
  // CHECK: dovetail.tridiagonal_solve %arg1, %arg1, %arg1, %arg0
  %x:5 = stablehlo.custom_call @lapack_sgtsv_ffi(%b, %b, %b, %a) : (tensor<5x4xf32>, tensor<5x4xf32>, tensor<5x4xf32>, tensor<5x4x4xf32>) -> (tensor<5x4xf32>, tensor<5x4xf32>, tensor<5x4xf32>, tensor<5x4x4xf32>, tensor<5xi32>)
  // CHECK: %[[QR:.+]], %{{.+}}, %[[ORDER:.+]] = dovetail.geqrf %arg0 pivoting = true
  // CHECK: dovetail.add %[[ORDER]]
  %none = stablehlo.constant dense<0> : tensor<5x4xi32>
  %q:3 = stablehlo.custom_call @lapack_sgeqp3_ffi(%a, %none) : (tensor<5x4x4xf32>, tensor<5x4xi32>) -> (tensor<5x4x4xf32>, tensor<5x4xi32>, tensor<5x4xf32>)
  return %x#3, %q#0, %q#1, %q#2 : tensor<5x4x4xf32>, tensor<5x4x4xf32>, tensor<5x4xi32>, tensor<5x4xf32>
}
