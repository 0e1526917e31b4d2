// Matrices over a batch that is in the middle: it comes first.
// RUN: dovetail-opt %s --split-input-file '--dovetail-batch=dims=1 size=7' | FileCheck %s

func.func @main(%arg0: tensor<3x3xf32>) -> tensor<3xf32> {
  %0 = dovetail.eigh %arg0 vectors = false : tensor<3x3xf32>
  return %0 : tensor<3xf32>
}
// CHECK-LABEL: func.func private @main.batch(%arg0: tensor<3x7x3xf32>) -> tensor<7x3xf32>
// CHECK-NEXT:    %[[TRANSPOSE:.+]] = dovetail.transpose %arg0 [1, 0, 2] : tensor<3x7x3xf32>
// CHECK-NEXT:    %[[W:.+]] = dovetail.eigh %[[TRANSPOSE]] vectors = false : tensor<7x3x3xf32>
// CHECK-NEXT:    return %[[W]] : tensor<7x3xf32>

// -----

func.func @main(%arg0: tensor<3x3xf32>) -> tensor<3x3xf32> {
  %0 = dovetail.cholesky %arg0 : tensor<3x3xf32>
  return %0 : tensor<3x3xf32>
}
// CHECK-LABEL: func.func private @main.batch(%arg0: tensor<3x7x3xf32>) -> tensor<7x3x3xf32>
// CHECK-NEXT:    %[[TRANSPOSE:.+]] = dovetail.transpose %arg0 [1, 0, 2] : tensor<3x7x3xf32>
// CHECK-NEXT:    %[[CHOLESKY:.+]] = dovetail.cholesky %[[TRANSPOSE]] : tensor<7x3x3xf32>
// CHECK-NEXT:    return %[[CHOLESKY]] : tensor<7x3x3xf32>

// -----

func.func @main(%arg0: tensor<3x3xf32>) -> (tensor<3x3xf32>, tensor<3xi32>, tensor<3xi32>) {
  %0:3 = dovetail.lu %arg0 : tensor<3x3xf32>
  return %0#0, %0#1, %0#2 : tensor<3x3xf32>, tensor<3xi32>, tensor<3xi32>
}
// CHECK-LABEL: func.func private @main.batch(%arg0: tensor<3x7x3xf32>) -> (tensor<7x3x3xf32>, tensor<7x3xi32>, tensor<7x3xi32>)
// CHECK-NEXT:    %[[TRANSPOSE:.+]] = dovetail.transpose %arg0 [1, 0, 2] : tensor<3x7x3xf32>
// CHECK-NEXT:    %[[LU:.+]], %[[PIVOTS:.+]], %[[PERMUTATION:.+]] = dovetail.lu %[[TRANSPOSE]] : tensor<7x3x3xf32>
// CHECK-NEXT:    return %[[LU]], %[[PIVOTS]], %[[PERMUTATION]] : tensor<7x3x3xf32>, tensor<7x3xi32>, tensor<7x3xi32>

// -----

func.func @main(%arg0: tensor<3x3xf32>) -> tensor<f32> {
  %0 = dovetail.det %arg0 : tensor<3x3xf32>
  return %0 : tensor<f32>
}
// CHECK-LABEL: func.func private @main.batch(%arg0: tensor<3x7x3xf32>) -> tensor<7xf32>
// CHECK-NEXT:    %[[TRANSPOSE:.+]] = dovetail.transpose %arg0 [1, 0, 2] : tensor<3x7x3xf32>
// CHECK-NEXT:    %[[DET:.+]] = dovetail.det %[[TRANSPOSE]] : tensor<7x3x3xf32>
// CHECK-NEXT:    return %[[DET]] : tensor<7xf32>

// -----

func.func @main(%arg0: tensor<4x3xf32>) -> (tensor<4x3xf32>, tensor<3xf32>) {
  %0:2 = dovetail.geqrf %arg0 : tensor<4x3xf32>
  return %0#0, %0#1 : tensor<4x3xf32>, tensor<3xf32>
}
// CHECK-LABEL: func.func private @main.batch(%arg0: tensor<4x7x3xf32>) -> (tensor<7x4x3xf32>, tensor<7x3xf32>)
// CHECK-NEXT:    %[[TRANSPOSE:.+]] = dovetail.transpose %arg0 [1, 0, 2] : tensor<4x7x3xf32>
// CHECK-NEXT:    %[[QR:.+]], %[[TAUS:.+]] = dovetail.geqrf %[[TRANSPOSE]] : tensor<7x4x3xf32>
// CHECK-NEXT:    return %[[QR]], %[[TAUS]] : tensor<7x4x3xf32>, tensor<7x3xf32>

// -----

func.func @main(%arg0: tensor<4x3xf32>) -> (tensor<4x4xf32>, tensor<4x3xf32>, tensor<3xi32>) {
  %0:3 = dovetail.qr %arg0 full_matrices = true pivoting = true : tensor<4x3xf32>
  return %0#0, %0#1, %0#2 : tensor<4x4xf32>, tensor<4x3xf32>, tensor<3xi32>
}
// CHECK-LABEL: func.func private @main.batch(%arg0: tensor<4x7x3xf32>) -> (tensor<7x4x4xf32>, tensor<7x4x3xf32>, tensor<7x3xi32>)
// CHECK-NEXT:    %[[TRANSPOSE:.+]] = dovetail.transpose %arg0 [1, 0, 2] : tensor<4x7x3xf32>
// CHECK-NEXT:    %[[Q:.+]], %[[R:.+]], %[[PERMUTATION:.+]] = dovetail.qr %[[TRANSPOSE]] full_matrices = true pivoting = true : tensor<7x4x3xf32>
// CHECK-NEXT:    return %[[Q]], %[[R]], %[[PERMUTATION]] : tensor<7x4x4xf32>, tensor<7x4x3xf32>, tensor<7x3xi32>

// -----

func.func @main(%arg0: tensor<4x3xf32>) -> (tensor<3xf32>, tensor<4x3xf32>, tensor<3x3xf32>) {
  %0, %1:2 = dovetail.svd %arg0 : tensor<4x3xf32>
  return %0, %1#0, %1#1 : tensor<3xf32>, tensor<4x3xf32>, tensor<3x3xf32>
}
// CHECK-LABEL: func.func private @main.batch(%arg0: tensor<4x7x3xf32>) -> (tensor<7x3xf32>, tensor<7x4x3xf32>, tensor<7x3x3xf32>)
// CHECK-NEXT:    %[[TRANSPOSE:.+]] = dovetail.transpose %arg0 [1, 0, 2] : tensor<4x7x3xf32>
// CHECK-NEXT:    %[[S:.+]], %[[U_AND_VH:.+]]:2 = dovetail.svd %[[TRANSPOSE]] : tensor<7x4x3xf32>
// CHECK-NEXT:    return %[[S]], %[[U_AND_VH]]#0, %[[U_AND_VH]]#1 : tensor<7x3xf32>, tensor<7x4x3xf32>, tensor<7x3x3xf32>

// -----

func.func @main(%arg0: tensor<3x3xf32>) -> (tensor<3xcomplex<f32>>, tensor<3x3xcomplex<f32>>) {
  %0:2 = dovetail.eig %arg0 left = true right = false : tensor<3x3xf32>
  return %0#0, %0#1 : tensor<3xcomplex<f32>>, tensor<3x3xcomplex<f32>>
}
// CHECK-LABEL: func.func private @main.batch(%arg0: tensor<3x7x3xf32>) -> (tensor<7x3xcomplex<f32>>, tensor<7x3x3xcomplex<f32>>)
// CHECK-NEXT:    %[[TRANSPOSE:.+]] = dovetail.transpose %arg0 [1, 0, 2] : tensor<3x7x3xf32>
// CHECK-NEXT:    %[[W:.+]], %[[VL_AND_VR:.+]] = dovetail.eig %[[TRANSPOSE]] left = true right = false : tensor<7x3x3xf32>
// CHECK-NEXT:    return %[[W]], %[[VL_AND_VR]] : tensor<7x3xcomplex<f32>>, tensor<7x3x3xcomplex<f32>>

// -----

func.func @main(%arg0: tensor<3x3xf32>) -> (tensor<3x3xf32>, tensor<3x3xf32>) {
  %0:2 = dovetail.schur %arg0 : tensor<3x3xf32>
  return %0#0, %0#1 : tensor<3x3xf32>, tensor<3x3xf32>
}
// CHECK-LABEL: func.func private @main.batch(%arg0: tensor<3x7x3xf32>) -> (tensor<7x3x3xf32>, tensor<7x3x3xf32>)
// CHECK-NEXT:    %[[TRANSPOSE:.+]] = dovetail.transpose %arg0 [1, 0, 2] : tensor<3x7x3xf32>
// CHECK-NEXT:    %[[T:.+]], %[[Z:.+]] = dovetail.schur %[[TRANSPOSE]] : tensor<7x3x3xf32>
// CHECK-NEXT:    return %[[T]], %[[Z]] : tensor<7x3x3xf32>, tensor<7x3x3xf32>

// -----

func.func @main(%arg0: tensor<3x3xf32>) -> (tensor<3x3xf32>, tensor<2xf32>) {
  %0:2 = dovetail.hessenberg %arg0 : tensor<3x3xf32>
  return %0#0, %0#1 : tensor<3x3xf32>, tensor<2xf32>
}
// CHECK-LABEL: func.func private @main.batch(%arg0: tensor<3x7x3xf32>) -> (tensor<7x3x3xf32>, tensor<7x2xf32>)
// CHECK-NEXT:    %[[TRANSPOSE:.+]] = dovetail.transpose %arg0 [1, 0, 2] : tensor<3x7x3xf32>
// CHECK-NEXT:    %[[H:.+]], %[[TAUS:.+]] = dovetail.hessenberg %[[TRANSPOSE]] : tensor<7x3x3xf32>
// CHECK-NEXT:    return %[[H]], %[[TAUS]] : tensor<7x3x3xf32>, tensor<7x2xf32>

// -----

func.func @main(%arg0: tensor<3x3xcomplex<f32>>) -> (tensor<3x3xcomplex<f32>>, tensor<3xf32>, tensor<2xf32>, tensor<2xcomplex<f32>>) {
  %0:4 = dovetail.tridiagonal %arg0 lower = false : tensor<3x3xcomplex<f32>>
  return %0#0, %0#1, %0#2, %0#3 : tensor<3x3xcomplex<f32>>, tensor<3xf32>, tensor<2xf32>, tensor<2xcomplex<f32>>
}
// CHECK-LABEL: func.func private @main.batch(%arg0: tensor<3x7x3xcomplex<f32>>) -> (tensor<7x3x3xcomplex<f32>>, tensor<7x3xf32>, tensor<7x2xf32>, tensor<7x2xcomplex<f32>>)
// CHECK-NEXT:    %[[TRANSPOSE:.+]] = dovetail.transpose %arg0 [1, 0, 2] : tensor<3x7x3xcomplex<f32>>
// CHECK-NEXT:    %[[T:.+]], %[[D:.+]], %[[OFF:.+]], %[[TAUS:.+]] = dovetail.tridiagonal %[[TRANSPOSE]] lower = false : tensor<7x3x3xcomplex<f32>>
// CHECK-NEXT:    return %[[T]], %[[D]], %[[OFF]], %[[TAUS]] : tensor<7x3x3xcomplex<f32>>, tensor<7x3xf32>, tensor<7x2xf32>, tensor<7x2xcomplex<f32>>
