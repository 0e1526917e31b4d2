// Solutions are linear in right hand sides: the transpose solves with the transpose of the matrix.
// RUN: dovetail-opt %s --split-input-file --dovetail-transpose=linear=1 | FileCheck %s

func.func @main(%arg0: tensor<3x3xcomplex<f32>>, %arg1: tensor<3x2xcomplex<f32>>) -> tensor<3x2xcomplex<f32>> {
  %0 = dovetail.triangular_solve %arg0, %arg1 left_side = true lower = true conjugate_a = true : tensor<3x3xcomplex<f32>>, tensor<3x2xcomplex<f32>>
  return %0 : tensor<3x2xcomplex<f32>>
}
// CHECK-LABEL: func.func private @main.transpose(%arg0: tensor<3x3xcomplex<f32>>, %arg1: tensor<3x2xcomplex<f32>>) -> tensor<3x2xcomplex<f32>>
// CHECK-NEXT:    %[[TRIANGULAR_SOLVE:.+]] = dovetail.triangular_solve %arg0, %arg1 left_side = true lower = true transpose_a = true conjugate_a = true : tensor<3x3xcomplex<f32>>, tensor<3x2xcomplex<f32>>
// CHECK-NEXT:    return %[[TRIANGULAR_SOLVE]] : tensor<3x2xcomplex<f32>>

// -----

func.func @main(%arg0: tensor<3x3xf32>, %arg1: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = dovetail.triangular_solve %arg0, %arg1 transpose_a = true unit_diagonal = true : tensor<3x3xf32>, tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
// CHECK-LABEL: func.func private @main.transpose(%arg0: tensor<3x3xf32>, %arg1: tensor<2x3xf32>) -> tensor<2x3xf32>
// CHECK-NEXT:    %[[TRIANGULAR_SOLVE:.+]] = dovetail.triangular_solve %arg0, %arg1 unit_diagonal = true : tensor<3x3xf32>, tensor<2x3xf32>
// CHECK-NEXT:    return %[[TRIANGULAR_SOLVE]] : tensor<2x3xf32>

// -----

func.func @main(%arg0: tensor<?x?xf32>, %arg1: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %0 = dovetail.triangular_solve %arg0, %arg1 left_side = true : tensor<?x?xf32>, tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}
// CHECK-LABEL: func.func private @main.transpose(%arg0: tensor<?x?xf32>, %arg1: index, %arg2: index, %arg3: tensor<?x?xf32>) -> tensor<?x?xf32>
// CHECK-NEXT:    %[[TRIANGULAR_SOLVE:.+]] = dovetail.triangular_solve %arg0, %arg3 left_side = true transpose_a = true : tensor<?x?xf32>, tensor<?x?xf32>
// CHECK-NEXT:    return %[[TRIANGULAR_SOLVE]] : tensor<?x?xf32>

// -----

func.func @main(%arg0: tensor<3x3xf32>, %arg1: tensor<3x2xf32>, %arg2: tensor<3xi32>) -> tensor<3x2xf32> {
  %0 = dovetail.lu_solve %arg0, %arg0, %arg2, %arg1 : tensor<3x3xf32>, tensor<3x3xf32>, tensor<3xi32>, tensor<3x2xf32>
  return %0 : tensor<3x2xf32>
}
// CHECK-LABEL: func.func private @main.transpose(%arg0: tensor<3x3xf32>, %arg1: tensor<3xi32>, %arg2: tensor<3x2xf32>) -> tensor<3x2xf32>
// CHECK-NEXT:    %[[LU_SOLVE:.+]] = dovetail.lu_solve %arg0, %arg0, %arg1, %arg2 transpose_a = true : tensor<3x3xf32>, tensor<3x3xf32>, tensor<3xi32>, tensor<3x2xf32>
// CHECK-NEXT:    return %[[LU_SOLVE]] : tensor<3x2xf32>

// -----

func.func @main(%arg0: tensor<3xf32>, %arg1: tensor<3x2xf32>) -> tensor<3x2xf32> {
  %0 = dovetail.tridiagonal_solve %arg0, %arg0, %arg0, %arg1 perturb_singular = true : tensor<3xf32>, tensor<3x2xf32>
  return %0 : tensor<3x2xf32>
}
// CHECK-LABEL: func.func private @main.transpose(%arg0: tensor<3xf32>, %arg1: tensor<3x2xf32>) -> tensor<3x2xf32>
// CHECK-NEXT:    %[[CONSTANT:.+]] = dovetail.constant dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT:    %[[PAD:.+]] = dovetail.pad %arg0, %[[CONSTANT]] low [1] interior [0] : tensor<3xf32>, tensor<f32> -> tensor<3xf32>
// CHECK-NEXT:    %[[CONSTANT_1:.+]] = dovetail.constant dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT:    %[[PAD_1:.+]] = dovetail.pad %arg0, %[[CONSTANT_1]] low [-1] interior [0] : tensor<3xf32>, tensor<f32> -> tensor<3xf32>
// CHECK-NEXT:    %[[TRIDIAGONAL_SOLVE:.+]] = dovetail.tridiagonal_solve %[[PAD]], %arg0, %[[PAD_1]], %arg1 perturb_singular = true : tensor<3xf32>, tensor<3x2xf32>
// CHECK-NEXT:    return %[[TRIDIAGONAL_SOLVE]] : tensor<3x2xf32>
