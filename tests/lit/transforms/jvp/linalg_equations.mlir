// Tangents of solutions: those of right hand sides less what the matrix's gives, solved with the same matrix.
// RUN: dovetail-opt %s --split-input-file --dovetail-jvp=wrt=0,1 | FileCheck %s

func.func @main(%arg0: tensor<3x3xf32>, %arg1: tensor<3x2xf32>) -> tensor<3x2xf32> {
  %0 = dovetail.triangular_solve %arg0, %arg1 left_side = true lower = true : tensor<3x3xf32>, tensor<3x2xf32>
  return %0 : tensor<3x2xf32>
}
// CHECK-LABEL: func.func private @main.jvp(%arg0: tensor<3x3xf32>, %arg1: tensor<3x2xf32>, %arg2: tensor<3x3xf32>, %arg3: tensor<3x2xf32>) -> (tensor<3x2xf32>, tensor<3x2xf32>)
// CHECK-NEXT:    %[[TRIANGULAR_SOLVE:.+]] = dovetail.triangular_solve %arg0, %arg1 left_side = true lower = true : tensor<3x3xf32>, tensor<3x2xf32>
// CHECK-NEXT:    %[[IOTA:.+]] = dovetail.iota 0 : tensor<3x3xi32>
// CHECK-NEXT:    %[[IOTA_1:.+]] = dovetail.iota 1 : tensor<3x3xi32>
// CHECK-NEXT:    %[[COMPARE:.+]] = dovetail.compare ge %[[IOTA]], %[[IOTA_1]] : tensor<3x3xi32>
// CHECK-NEXT:    %[[CONSTANT:.+]] = dovetail.constant dense<0.000000e+00> : tensor<3x3xf32>
// CHECK-NEXT:    %[[SELECT:.+]] = dovetail.select %[[COMPARE]], %arg2, %[[CONSTANT]] : tensor<3x3xi1>, tensor<3x3xf32>
// CHECK-NEXT:    %[[DOT_GENERAL:.+]] = dovetail.dot_general %[[SELECT]], %[[TRIANGULAR_SOLVE]] batch [] x [] contract [1] x [0] : tensor<3x3xf32>, tensor<3x2xf32>
// CHECK-NEXT:    %[[SUB:.+]] = dovetail.sub %arg3, %[[DOT_GENERAL]] : tensor<3x2xf32>
// CHECK-NEXT:    %[[TRIANGULAR_SOLVE_1:.+]] = dovetail.triangular_solve %arg0, %[[SUB]] left_side = true lower = true : tensor<3x3xf32>, tensor<3x2xf32>
// CHECK-NEXT:    return %[[TRIANGULAR_SOLVE]], %[[TRIANGULAR_SOLVE_1]] : tensor<3x2xf32>, tensor<3x2xf32>

// -----

func.func @main(%arg0: tensor<3x3xcomplex<f32>>, %arg1: tensor<2x3xcomplex<f32>>) -> tensor<2x3xcomplex<f32>> {
  %0 = dovetail.triangular_solve %arg0, %arg1 transpose_a = true conjugate_a = true unit_diagonal = true : tensor<3x3xcomplex<f32>>, tensor<2x3xcomplex<f32>>
  return %0 : tensor<2x3xcomplex<f32>>
}
// CHECK-LABEL: func.func private @main.jvp(%arg0: tensor<3x3xcomplex<f32>>, %arg1: tensor<2x3xcomplex<f32>>, %arg2: tensor<3x3xcomplex<f32>>, %arg3: tensor<2x3xcomplex<f32>>) -> (tensor<2x3xcomplex<f32>>, tensor<2x3xcomplex<f32>>)
// CHECK-NEXT:    %[[TRIANGULAR_SOLVE:.+]] = dovetail.triangular_solve %arg0, %arg1 transpose_a = true conjugate_a = true unit_diagonal = true : tensor<3x3xcomplex<f32>>, tensor<2x3xcomplex<f32>>
// CHECK-NEXT:    %[[IOTA:.+]] = dovetail.iota 0 : tensor<3x3xi32>
// CHECK-NEXT:    %[[IOTA_1:.+]] = dovetail.iota 1 : tensor<3x3xi32>
// CHECK-NEXT:    %[[COMPARE:.+]] = dovetail.compare lt %[[IOTA]], %[[IOTA_1]] : tensor<3x3xi32>
// CHECK-NEXT:    %[[CONSTANT:.+]] = dovetail.constant dense<(0.000000e+00,0.000000e+00)> : tensor<3x3xcomplex<f32>>
// CHECK-NEXT:    %[[SELECT:.+]] = dovetail.select %[[COMPARE]], %arg2, %[[CONSTANT]] : tensor<3x3xi1>, tensor<3x3xcomplex<f32>>
// CHECK-NEXT:    %[[TRANSPOSE:.+]] = dovetail.transpose %[[SELECT]] [1, 0] : tensor<3x3xcomplex<f32>>
// CHECK-NEXT:    %[[CONJ:.+]] = dovetail.conj %[[TRANSPOSE]] : tensor<3x3xcomplex<f32>>
// CHECK-NEXT:    %[[DOT_GENERAL:.+]] = dovetail.dot_general %[[TRIANGULAR_SOLVE]], %[[CONJ]] batch [] x [] contract [1] x [0] : tensor<2x3xcomplex<f32>>, tensor<3x3xcomplex<f32>>
// CHECK-NEXT:    %[[SUB:.+]] = dovetail.sub %arg3, %[[DOT_GENERAL]] : tensor<2x3xcomplex<f32>>
// CHECK-NEXT:    %[[TRIANGULAR_SOLVE_1:.+]] = dovetail.triangular_solve %arg0, %[[SUB]] transpose_a = true conjugate_a = true unit_diagonal = true : tensor<3x3xcomplex<f32>>, tensor<2x3xcomplex<f32>>
// CHECK-NEXT:    return %[[TRIANGULAR_SOLVE]], %[[TRIANGULAR_SOLVE_1]] : tensor<2x3xcomplex<f32>>, tensor<2x3xcomplex<f32>>

// -----

func.func @main(%arg0: tensor<3x3xf32>, %arg1: tensor<3x2xf32>, %arg2: tensor<3xi32>) -> tensor<3x2xf32> {
  %0 = dovetail.lu_solve %arg0, %arg0, %arg2, %arg1 transpose_a = true : tensor<3x3xf32>, tensor<3x3xf32>, tensor<3xi32>, tensor<3x2xf32>
  return %0 : tensor<3x2xf32>
}
// CHECK-LABEL: func.func private @main.jvp(%arg0: tensor<3x3xf32>, %arg1: tensor<3x2xf32>, %arg2: tensor<3xi32>, %arg3: tensor<3x3xf32>, %arg4: tensor<3x2xf32>) -> (tensor<3x2xf32>, tensor<3x2xf32>)
// CHECK-NEXT:    %[[LU_SOLVE:.+]] = dovetail.lu_solve %arg0, %arg0, %arg2, %arg1 transpose_a = true : tensor<3x3xf32>, tensor<3x3xf32>, tensor<3xi32>, tensor<3x2xf32>
// CHECK-NEXT:    %[[TRANSPOSE:.+]] = dovetail.transpose %arg3 [1, 0] : tensor<3x3xf32>
// CHECK-NEXT:    %[[DOT_GENERAL:.+]] = dovetail.dot_general %[[TRANSPOSE]], %[[LU_SOLVE]] batch [] x [] contract [1] x [0] : tensor<3x3xf32>, tensor<3x2xf32>
// CHECK-NEXT:    %[[SUB:.+]] = dovetail.sub %arg4, %[[DOT_GENERAL]] : tensor<3x2xf32>
// CHECK-NEXT:    %[[LU_SOLVE_1:.+]] = dovetail.lu_solve %arg0, %arg0, %arg2, %[[SUB]] transpose_a = true : tensor<3x3xf32>, tensor<3x3xf32>, tensor<3xi32>, tensor<3x2xf32>
// CHECK-NEXT:    return %[[LU_SOLVE]], %[[LU_SOLVE_1]] : tensor<3x2xf32>, tensor<3x2xf32>

// -----

func.func @main(%arg0: tensor<3x3xf32>, %arg1: tensor<3x3xf32>, %arg2: tensor<3xi32>) -> tensor<f32> {
  %0 = dovetail.lu_log_det %arg0, %arg1, %arg2 : tensor<3x3xf32>, tensor<3x3xf32>, tensor<3xi32>
  return %0 : tensor<f32>
}
// CHECK-LABEL: func.func private @main.jvp
// CHECK-NEXT:    %[[LOG_DET:.+]] = dovetail.lu_log_det %arg0, %arg1, %arg2
// CHECK:         %[[IDENTITY:.+]] = dovetail.select
// CHECK-NEXT:    %[[INVERSE:.+]] = dovetail.lu_solve %arg0, %arg1, %arg2, %[[IDENTITY]] transpose_a = true
// CHECK-NEXT:    %[[TERMS:.+]] = dovetail.mul %[[INVERSE]], %arg3
// CHECK-NEXT:    %[[TANGENT:.+]] = dovetail.reduce_sum %[[TERMS]] [0, 1]
// CHECK-NEXT:    return %[[LOG_DET]], %[[TANGENT]]
