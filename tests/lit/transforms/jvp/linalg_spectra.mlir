// Tangents of eigenvalues and singular values, and of vectors by quotients of differences, of which those by zero are zero.
// RUN: dovetail-opt %s --split-input-file --dovetail-jvp=wrt=0 | FileCheck %s

func.func @main(%arg0: tensor<3x3xf32>) -> tensor<3xf32> {
  %0 = dovetail.eigh %arg0 vectors = false : tensor<3x3xf32>
  return %0 : tensor<3xf32>
}
// CHECK-LABEL: func.func private @main.jvp(%arg0: tensor<3x3xf32>, %arg1: tensor<3x3xf32>) -> (tensor<3xf32>, tensor<3xf32>)
// CHECK-NEXT:    %w, %v = dovetail.eigh %arg0 : tensor<3x3xf32>
// CHECK-NEXT:    %[[TRANSPOSE:.+]] = dovetail.transpose %v [1, 0] : tensor<3x3xf32>
// CHECK-NEXT:    %[[IOTA:.+]] = dovetail.iota 0 : tensor<3x3xi32>
// CHECK-NEXT:    %[[IOTA_1:.+]] = dovetail.iota 1 : tensor<3x3xi32>
// CHECK-NEXT:    %[[COMPARE:.+]] = dovetail.compare gt %[[IOTA]], %[[IOTA_1]] : tensor<3x3xi32>
// CHECK-NEXT:    %[[CONSTANT:.+]] = dovetail.constant dense<0.000000e+00> : tensor<3x3xf32>
// CHECK-NEXT:    %[[SELECT:.+]] = dovetail.select %[[COMPARE]], %arg1, %[[CONSTANT]] : tensor<3x3xi1>, tensor<3x3xf32>
// CHECK-NEXT:    %[[IOTA_2:.+]] = dovetail.iota 0 : tensor<3x3xi32>
// CHECK-NEXT:    %[[IOTA_3:.+]] = dovetail.iota 1 : tensor<3x3xi32>
// CHECK-NEXT:    %[[COMPARE_1:.+]] = dovetail.compare eq %[[IOTA_2]], %[[IOTA_3]] : tensor<3x3xi32>
// CHECK-NEXT:    %[[CONSTANT_1:.+]] = dovetail.constant dense<0.000000e+00> : tensor<3x3xf32>
// CHECK-NEXT:    %[[SELECT_1:.+]] = dovetail.select %[[COMPARE_1]], %arg1, %[[CONSTANT_1]] : tensor<3x3xi1>, tensor<3x3xf32>
// CHECK-NEXT:    %[[TRANSPOSE_1:.+]] = dovetail.transpose %[[SELECT]] [1, 0] : tensor<3x3xf32>
// CHECK-NEXT:    %[[ADD:.+]] = dovetail.add %[[SELECT]], %[[TRANSPOSE_1]] : tensor<3x3xf32>
// CHECK-NEXT:    %[[ADD_1:.+]] = dovetail.add %[[ADD]], %[[SELECT_1]] : tensor<3x3xf32>
// CHECK-NEXT:    %[[DOT_GENERAL:.+]] = dovetail.dot_general %[[TRANSPOSE]], %[[ADD_1]] batch [] x [] contract [1] x [0] : tensor<3x3xf32>, tensor<3x3xf32>
// CHECK-NEXT:    %[[DOT_GENERAL_1:.+]] = dovetail.dot_general %[[DOT_GENERAL]], %v batch [] x [] contract [1] x [0] : tensor<3x3xf32>, tensor<3x3xf32>
// CHECK-NEXT:    %[[IOTA_4:.+]] = dovetail.iota 0 : tensor<3x3xi32>
// CHECK-NEXT:    %[[IOTA_5:.+]] = dovetail.iota 1 : tensor<3x3xi32>
// CHECK-NEXT:    %[[COMPARE_2:.+]] = dovetail.compare eq %[[IOTA_4]], %[[IOTA_5]] : tensor<3x3xi32>
// CHECK-NEXT:    %[[CONSTANT_2:.+]] = dovetail.constant dense<0.000000e+00> : tensor<3x3xf32>
// CHECK-NEXT:    %[[SELECT_2:.+]] = dovetail.select %[[COMPARE_2]], %[[DOT_GENERAL_1]], %[[CONSTANT_2]] : tensor<3x3xi1>, tensor<3x3xf32>
// CHECK-NEXT:    %[[REDUCE_SUM:.+]] = dovetail.reduce_sum %[[SELECT_2]] [1] : tensor<3x3xf32>
// CHECK-NEXT:    return %w, %[[REDUCE_SUM]] : tensor<3xf32>, tensor<3xf32>

// -----

func.func @main(%arg0: tensor<3x3xf32>) -> (tensor<3xf32>, tensor<3x3xf32>) {
  %0:2 = dovetail.eigh %arg0 : tensor<3x3xf32>
  return %0#0, %0#1 : tensor<3xf32>, tensor<3x3xf32>
}
// CHECK-LABEL: func.func private @main.jvp(%arg0: tensor<3x3xf32>, %arg1: tensor<3x3xf32>) -> (tensor<3xf32>, tensor<3x3xf32>, tensor<3xf32>, tensor<3x3xf32>)
// CHECK-NEXT:    %w, %v = dovetail.eigh %arg0 : tensor<3x3xf32>
// CHECK-NEXT:    %[[TRANSPOSE:.+]] = dovetail.transpose %v [1, 0] : tensor<3x3xf32>
// CHECK-NEXT:    %[[IOTA:.+]] = dovetail.iota 0 : tensor<3x3xi32>
// CHECK-NEXT:    %[[IOTA_1:.+]] = dovetail.iota 1 : tensor<3x3xi32>
// CHECK-NEXT:    %[[COMPARE:.+]] = dovetail.compare gt %[[IOTA]], %[[IOTA_1]] : tensor<3x3xi32>
// CHECK-NEXT:    %[[CONSTANT:.+]] = dovetail.constant dense<0.000000e+00> : tensor<3x3xf32>
// CHECK-NEXT:    %[[SELECT:.+]] = dovetail.select %[[COMPARE]], %arg1, %[[CONSTANT]] : tensor<3x3xi1>, tensor<3x3xf32>
// CHECK-NEXT:    %[[IOTA_2:.+]] = dovetail.iota 0 : tensor<3x3xi32>
// CHECK-NEXT:    %[[IOTA_3:.+]] = dovetail.iota 1 : tensor<3x3xi32>
// CHECK-NEXT:    %[[COMPARE_1:.+]] = dovetail.compare eq %[[IOTA_2]], %[[IOTA_3]] : tensor<3x3xi32>
// CHECK-NEXT:    %[[CONSTANT_1:.+]] = dovetail.constant dense<0.000000e+00> : tensor<3x3xf32>
// CHECK-NEXT:    %[[SELECT_1:.+]] = dovetail.select %[[COMPARE_1]], %arg1, %[[CONSTANT_1]] : tensor<3x3xi1>, tensor<3x3xf32>
// CHECK-NEXT:    %[[TRANSPOSE_1:.+]] = dovetail.transpose %[[SELECT]] [1, 0] : tensor<3x3xf32>
// CHECK-NEXT:    %[[ADD:.+]] = dovetail.add %[[SELECT]], %[[TRANSPOSE_1]] : tensor<3x3xf32>
// CHECK-NEXT:    %[[ADD_1:.+]] = dovetail.add %[[ADD]], %[[SELECT_1]] : tensor<3x3xf32>
// CHECK-NEXT:    %[[DOT_GENERAL:.+]] = dovetail.dot_general %[[TRANSPOSE]], %[[ADD_1]] batch [] x [] contract [1] x [0] : tensor<3x3xf32>, tensor<3x3xf32>
// CHECK-NEXT:    %[[DOT_GENERAL_1:.+]] = dovetail.dot_general %[[DOT_GENERAL]], %v batch [] x [] contract [1] x [0] : tensor<3x3xf32>, tensor<3x3xf32>
// CHECK-NEXT:    %[[IOTA_4:.+]] = dovetail.iota 0 : tensor<3x3xi32>
// CHECK-NEXT:    %[[IOTA_5:.+]] = dovetail.iota 1 : tensor<3x3xi32>
// CHECK-NEXT:    %[[COMPARE_2:.+]] = dovetail.compare eq %[[IOTA_4]], %[[IOTA_5]] : tensor<3x3xi32>
// CHECK-NEXT:    %[[CONSTANT_2:.+]] = dovetail.constant dense<0.000000e+00> : tensor<3x3xf32>
// CHECK-NEXT:    %[[SELECT_2:.+]] = dovetail.select %[[COMPARE_2]], %[[DOT_GENERAL_1]], %[[CONSTANT_2]] : tensor<3x3xi1>, tensor<3x3xf32>
// CHECK-NEXT:    %[[REDUCE_SUM:.+]] = dovetail.reduce_sum %[[SELECT_2]] [1] : tensor<3x3xf32>
// CHECK-NEXT:    %[[BROADCAST:.+]] = dovetail.broadcast %w dims [1] : tensor<3xf32> -> tensor<3x3xf32>
// CHECK-NEXT:    %[[BROADCAST_1:.+]] = dovetail.broadcast %w dims [0] : tensor<3xf32> -> tensor<3x3xf32>
// CHECK-NEXT:    %[[SUB:.+]] = dovetail.sub %[[BROADCAST]], %[[BROADCAST_1]] : tensor<3x3xf32>
// CHECK-NEXT:    %[[CONSTANT_3:.+]] = dovetail.constant dense<0.000000e+00> : tensor<3x3xf32>
// CHECK-NEXT:    %[[COMPARE_3:.+]] = dovetail.compare eq %[[SUB]], %[[CONSTANT_3]] : tensor<3x3xf32>
// CHECK-NEXT:    %[[CONSTANT_4:.+]] = dovetail.constant dense<1.000000e+00> : tensor<3x3xf32>
// CHECK-NEXT:    %[[SELECT_3:.+]] = dovetail.select %[[COMPARE_3]], %[[CONSTANT_4]], %[[SUB]] : tensor<3x3xi1>, tensor<3x3xf32>
// CHECK-NEXT:    %[[DIV:.+]] = dovetail.div %[[CONSTANT_4]], %[[SELECT_3]] : tensor<3x3xf32>
// CHECK-NEXT:    %[[CONSTANT_5:.+]] = dovetail.constant dense<0.000000e+00> : tensor<3x3xf32>
// CHECK-NEXT:    %[[SELECT_4:.+]] = dovetail.select %[[COMPARE_3]], %[[CONSTANT_5]], %[[DIV]] : tensor<3x3xi1>, tensor<3x3xf32>
// CHECK-NEXT:    %[[MUL:.+]] = dovetail.mul %[[SELECT_4]], %[[DOT_GENERAL_1]] : tensor<3x3xf32>
// CHECK-NEXT:    %[[DOT_GENERAL_2:.+]] = dovetail.dot_general %v, %[[MUL]] batch [] x [] contract [1] x [0] : tensor<3x3xf32>, tensor<3x3xf32>
// CHECK-NEXT:    return %w, %v, %[[REDUCE_SUM]], %[[DOT_GENERAL_2]] : tensor<3xf32>, tensor<3x3xf32>, tensor<3xf32>, tensor<3x3xf32>

// -----

func.func @main(%arg0: tensor<3x3xf32>) -> tensor<3xcomplex<f32>> {
  %0 = dovetail.eig %arg0 right = false : tensor<3x3xf32>
  return %0 : tensor<3xcomplex<f32>>
}
// CHECK-LABEL: func.func private @main.jvp(%arg0: tensor<3x3xf32>, %arg1: tensor<3x3xf32>) -> (tensor<3xcomplex<f32>>, tensor<3xcomplex<f32>>)
// CHECK-NEXT:    %w, %vl_and_vr = dovetail.eig %arg0 : tensor<3x3xf32>
// CHECK-NEXT:    %[[CONVERT:.+]] = dovetail.convert %arg1 : tensor<3x3xf32> -> tensor<3x3xcomplex<f32>>
// CHECK-NEXT:    %lu, %pivots, %permutation = dovetail.lu %vl_and_vr : tensor<3x3xcomplex<f32>>
// CHECK-NEXT:    %[[LU_SOLVE:.+]] = dovetail.lu_solve %vl_and_vr, %lu, %permutation, %[[CONVERT]] : tensor<3x3xcomplex<f32>>, tensor<3x3xcomplex<f32>>, tensor<3xi32>, tensor<3x3xcomplex<f32>>
// CHECK-NEXT:    %[[DOT_GENERAL:.+]] = dovetail.dot_general %[[LU_SOLVE]], %vl_and_vr batch [] x [] contract [1] x [0] : tensor<3x3xcomplex<f32>>, tensor<3x3xcomplex<f32>>
// CHECK-NEXT:    %[[IOTA:.+]] = dovetail.iota 0 : tensor<3x3xi32>
// CHECK-NEXT:    %[[IOTA_1:.+]] = dovetail.iota 1 : tensor<3x3xi32>
// CHECK-NEXT:    %[[COMPARE:.+]] = dovetail.compare eq %[[IOTA]], %[[IOTA_1]] : tensor<3x3xi32>
// CHECK-NEXT:    %[[CONSTANT:.+]] = dovetail.constant dense<(0.000000e+00,0.000000e+00)> : tensor<3x3xcomplex<f32>>
// CHECK-NEXT:    %[[SELECT:.+]] = dovetail.select %[[COMPARE]], %[[DOT_GENERAL]], %[[CONSTANT]] : tensor<3x3xi1>, tensor<3x3xcomplex<f32>>
// CHECK-NEXT:    %[[REDUCE_SUM:.+]] = dovetail.reduce_sum %[[SELECT]] [1] : tensor<3x3xcomplex<f32>>
// CHECK-NEXT:    return %w, %[[REDUCE_SUM]] : tensor<3xcomplex<f32>>, tensor<3xcomplex<f32>>

// -----

func.func @main(%arg0: tensor<0x0xf32>) -> tensor<0xcomplex<f32>> {
  %0 = dovetail.eig %arg0 right = false : tensor<0x0xf32>
  return %0 : tensor<0xcomplex<f32>>
}
// CHECK-LABEL: func.func private @main.jvp(%arg0: tensor<0x0xf32>, %arg1: tensor<0x0xf32>) -> tensor<0xcomplex<f32>>
// CHECK-NEXT:    %[[W:.+]] = dovetail.eig %arg0 right = false : tensor<0x0xf32>
// CHECK-NEXT:    return %[[W]] : tensor<0xcomplex<f32>>
