// Tangents of factorizations with triangular factors; where a factor is given by another, it is not computed again.
// RUN: dovetail-opt %s --split-input-file --dovetail-jvp=wrt=0 | FileCheck %s

func.func @main(%arg0: tensor<2x3x3xcomplex<f32>>) -> tensor<2x3x3xcomplex<f32>> {
  %0 = dovetail.cholesky %arg0 : tensor<2x3x3xcomplex<f32>>
  return %0 : tensor<2x3x3xcomplex<f32>>
}
// CHECK-LABEL: func.func private @main.jvp(%arg0: tensor<2x3x3xcomplex<f32>>, %arg1: tensor<2x3x3xcomplex<f32>>) -> (tensor<2x3x3xcomplex<f32>>, tensor<2x3x3xcomplex<f32>>)
// CHECK-NEXT:    %[[CHOLESKY:.+]] = dovetail.cholesky %arg0 : tensor<2x3x3xcomplex<f32>>
// CHECK-NEXT:    %[[IOTA:.+]] = dovetail.iota 0 : tensor<3x3xi32>
// CHECK-NEXT:    %[[IOTA_1:.+]] = dovetail.iota 1 : tensor<3x3xi32>
// CHECK-NEXT:    %[[COMPARE:.+]] = dovetail.compare gt %[[IOTA]], %[[IOTA_1]] : tensor<3x3xi32>
// CHECK-NEXT:    %[[BROADCAST:.+]] = dovetail.broadcast %[[COMPARE]] dims [1, 2] : tensor<3x3xi1> -> tensor<2x3x3xi1>
// CHECK-NEXT:    %[[CONSTANT:.+]] = dovetail.constant dense<(0.000000e+00,0.000000e+00)> : tensor<2x3x3xcomplex<f32>>
// CHECK-NEXT:    %[[SELECT:.+]] = dovetail.select %[[BROADCAST]], %arg1, %[[CONSTANT]] : tensor<2x3x3xi1>, tensor<2x3x3xcomplex<f32>>
// CHECK-NEXT:    %[[IOTA_2:.+]] = dovetail.iota 0 : tensor<3x3xi32>
// CHECK-NEXT:    %[[IOTA_3:.+]] = dovetail.iota 1 : tensor<3x3xi32>
// CHECK-NEXT:    %[[COMPARE_1:.+]] = dovetail.compare eq %[[IOTA_2]], %[[IOTA_3]] : tensor<3x3xi32>
// CHECK-NEXT:    %[[BROADCAST_1:.+]] = dovetail.broadcast %[[COMPARE_1]] dims [1, 2] : tensor<3x3xi1> -> tensor<2x3x3xi1>
// CHECK-NEXT:    %[[CONSTANT_1:.+]] = dovetail.constant dense<(0.000000e+00,0.000000e+00)> : tensor<2x3x3xcomplex<f32>>
// CHECK-NEXT:    %[[SELECT_1:.+]] = dovetail.select %[[BROADCAST_1]], %arg1, %[[CONSTANT_1]] : tensor<2x3x3xi1>, tensor<2x3x3xcomplex<f32>>
// CHECK-NEXT:    %[[REAL:.+]] = dovetail.real %[[SELECT_1]] : tensor<2x3x3xcomplex<f32>>
// CHECK-NEXT:    %[[CONVERT:.+]] = dovetail.convert %[[REAL]] : tensor<2x3x3xf32> -> tensor<2x3x3xcomplex<f32>>
// CHECK-NEXT:    %[[TRANSPOSE:.+]] = dovetail.transpose %[[SELECT]] [0, 2, 1] : tensor<2x3x3xcomplex<f32>>
// CHECK-NEXT:    %[[CONJ:.+]] = dovetail.conj %[[TRANSPOSE]] : tensor<2x3x3xcomplex<f32>>
// CHECK-NEXT:    %[[ADD:.+]] = dovetail.add %[[SELECT]], %[[CONJ]] : tensor<2x3x3xcomplex<f32>>
// CHECK-NEXT:    %[[ADD_1:.+]] = dovetail.add %[[ADD]], %[[CONVERT]] : tensor<2x3x3xcomplex<f32>>
// CHECK-NEXT:    %[[TRIANGULAR_SOLVE:.+]] = dovetail.triangular_solve %[[CHOLESKY]], %[[ADD_1]] lower = true transpose_a = true conjugate_a = true : tensor<2x3x3xcomplex<f32>>, tensor<2x3x3xcomplex<f32>>
// CHECK-NEXT:    %[[TRIANGULAR_SOLVE_1:.+]] = dovetail.triangular_solve %[[CHOLESKY]], %[[TRIANGULAR_SOLVE]] left_side = true lower = true : tensor<2x3x3xcomplex<f32>>, tensor<2x3x3xcomplex<f32>>
// CHECK-NEXT:    %[[IOTA_4:.+]] = dovetail.iota 0 : tensor<3x3xi32>
// CHECK-NEXT:    %[[IOTA_5:.+]] = dovetail.iota 1 : tensor<3x3xi32>
// CHECK-NEXT:    %[[COMPARE_2:.+]] = dovetail.compare gt %[[IOTA_4]], %[[IOTA_5]] : tensor<3x3xi32>
// CHECK-NEXT:    %[[BROADCAST_2:.+]] = dovetail.broadcast %[[COMPARE_2]] dims [1, 2] : tensor<3x3xi1> -> tensor<2x3x3xi1>
// CHECK-NEXT:    %[[CONSTANT_2:.+]] = dovetail.constant dense<(0.000000e+00,0.000000e+00)> : tensor<2x3x3xcomplex<f32>>
// CHECK-NEXT:    %[[SELECT_2:.+]] = dovetail.select %[[BROADCAST_2]], %[[TRIANGULAR_SOLVE_1]], %[[CONSTANT_2]] : tensor<2x3x3xi1>, tensor<2x3x3xcomplex<f32>>
// CHECK-NEXT:    %[[IOTA_6:.+]] = dovetail.iota 0 : tensor<3x3xi32>
// CHECK-NEXT:    %[[IOTA_7:.+]] = dovetail.iota 1 : tensor<3x3xi32>
// CHECK-NEXT:    %[[COMPARE_3:.+]] = dovetail.compare eq %[[IOTA_6]], %[[IOTA_7]] : tensor<3x3xi32>
// CHECK-NEXT:    %[[BROADCAST_3:.+]] = dovetail.broadcast %[[COMPARE_3]] dims [1, 2] : tensor<3x3xi1> -> tensor<2x3x3xi1>
// CHECK-NEXT:    %[[CONSTANT_3:.+]] = dovetail.constant dense<(0.000000e+00,0.000000e+00)> : tensor<2x3x3xcomplex<f32>>
// CHECK-NEXT:    %[[SELECT_3:.+]] = dovetail.select %[[BROADCAST_3]], %[[TRIANGULAR_SOLVE_1]], %[[CONSTANT_3]] : tensor<2x3x3xi1>, tensor<2x3x3xcomplex<f32>>
// CHECK-NEXT:    %[[CONSTANT_4:.+]] = dovetail.constant dense<(5.000000e-01,0.000000e+00)> : tensor<2x3x3xcomplex<f32>>
// CHECK-NEXT:    %[[MUL:.+]] = dovetail.mul %[[SELECT_3]], %[[CONSTANT_4]] : tensor<2x3x3xcomplex<f32>>
// CHECK-NEXT:    %[[ADD_2:.+]] = dovetail.add %[[SELECT_2]], %[[MUL]] : tensor<2x3x3xcomplex<f32>>
// CHECK-NEXT:    %[[DOT_GENERAL:.+]] = dovetail.dot_general %[[CHOLESKY]], %[[ADD_2]] batch [0] x [0] contract [2] x [1] : tensor<2x3x3xcomplex<f32>>, tensor<2x3x3xcomplex<f32>>
// CHECK-NEXT:    return %[[CHOLESKY]], %[[DOT_GENERAL]] : tensor<2x3x3xcomplex<f32>>, tensor<2x3x3xcomplex<f32>>

// -----

func.func @main(%arg0: tensor<3x3xf32>) -> tensor<f32> {
  %0 = dovetail.det %arg0 : tensor<3x3xf32>
  return %0 : tensor<f32>
}
// CHECK-LABEL: func.func private @main.jvp(%arg0: tensor<3x3xf32>, %arg1: tensor<3x3xf32>) -> (tensor<f32>, tensor<f32>)
// CHECK-NEXT:    %lu, %pivots, %permutation = dovetail.lu %arg0 : tensor<3x3xf32>
// CHECK-NEXT:    %[[IOTA:.+]] = dovetail.iota 0 : tensor<3x3xi32>
// CHECK-NEXT:    %[[IOTA_1:.+]] = dovetail.iota 1 : tensor<3x3xi32>
// CHECK-NEXT:    %[[COMPARE:.+]] = dovetail.compare eq %[[IOTA]], %[[IOTA_1]] : tensor<3x3xi32>
// CHECK-NEXT:    %[[CONSTANT:.+]] = dovetail.constant dense<0.000000e+00> : tensor<3x3xf32>
// CHECK-NEXT:    %[[SELECT:.+]] = dovetail.select %[[COMPARE]], %lu, %[[CONSTANT]] : tensor<3x3xi1>, tensor<3x3xf32>
// CHECK-NEXT:    %[[REDUCE_SUM:.+]] = dovetail.reduce_sum %[[SELECT]] [1] : tensor<3x3xf32>
// CHECK-NEXT:    %[[CONSTANT_1:.+]] = dovetail.constant dense<0.000000e+00> : tensor<3xf32>
// CHECK-NEXT:    %[[COMPARE_1:.+]] = dovetail.compare eq %[[REDUCE_SUM]], %[[CONSTANT_1]] : tensor<3xf32>
// CHECK-NEXT:    %[[CONSTANT_2:.+]] = dovetail.constant dense<1.000000e+00> : tensor<3xf32>
// CHECK-NEXT:    %[[IOTA_2:.+]] = dovetail.iota 0 : tensor<3xi32>
// CHECK-NEXT:    %[[COMPARE_2:.+]] = dovetail.compare eq %pivots, %[[IOTA_2]] : tensor<3xi32>
// CHECK-NEXT:    %[[NEG:.+]] = dovetail.constant dense<-1.000000e+00> : tensor<3xf32>
// CHECK-NEXT:    %[[SELECT_1:.+]] = dovetail.select %[[COMPARE_2]], %[[CONSTANT_2]], %[[NEG]] : tensor<3xi1>, tensor<3xf32>
// CHECK-NEXT:    %[[REDUCE_PROD:.+]] = dovetail.reduce_prod %[[SELECT_1]] [0] : tensor<3xf32>
// CHECK-NEXT:    %[[REDUCE_PROD_1:.+]] = dovetail.reduce_prod %[[REDUCE_SUM]] [0] : tensor<3xf32>
// CHECK-NEXT:    %[[MUL:.+]] = dovetail.mul %[[REDUCE_PROD]], %[[REDUCE_PROD_1]] : tensor<f32>
// CHECK-NEXT:    %[[SELECT_2:.+]] = dovetail.select %[[COMPARE_1]], %[[CONSTANT_2]], %[[REDUCE_SUM]] : tensor<3xi1>, tensor<3xf32>
// CHECK-NEXT:    %[[REDUCE_PROD_2:.+]] = dovetail.reduce_prod %[[SELECT_2]] [0] : tensor<3xf32>
// CHECK-NEXT:    %[[MUL_1:.+]] = dovetail.mul %[[REDUCE_PROD]], %[[REDUCE_PROD_2]] : tensor<f32>
// CHECK-NEXT:    %[[CONVERT:.+]] = dovetail.convert %[[COMPARE_1]] : tensor<3xi1> -> tensor<3xf32>
// CHECK-NEXT:    %[[CONSTANT_3:.+]] = dovetail.constant dense<1.000000e+00> : tensor<3x3xf32>
// CHECK-NEXT:    %[[IOTA_3:.+]] = dovetail.iota 0 : tensor<3x3xi32>
// CHECK-NEXT:    %[[IOTA_4:.+]] = dovetail.iota 1 : tensor<3x3xi32>
// CHECK-NEXT:    %[[COMPARE_3:.+]] = dovetail.compare eq %[[IOTA_3]], %[[IOTA_4]] : tensor<3x3xi32>
// CHECK-NEXT:    %[[CONSTANT_4:.+]] = dovetail.constant dense<0.000000e+00> : tensor<3x3xf32>
// CHECK-NEXT:    %[[SELECT_3:.+]] = dovetail.select %[[COMPARE_3]], %[[CONSTANT_3]], %[[CONSTANT_4]] : tensor<3x3xi1>, tensor<3x3xf32>
// CHECK-NEXT:    %[[IOTA_5:.+]] = dovetail.iota 0 : tensor<3x3xi32>
// CHECK-NEXT:    %[[IOTA_6:.+]] = dovetail.iota 1 : tensor<3x3xi32>
// CHECK-NEXT:    %[[COMPARE_4:.+]] = dovetail.compare le %[[IOTA_5]], %[[IOTA_6]] : tensor<3x3xi32>
// CHECK-NEXT:    %[[CONSTANT_5:.+]] = dovetail.constant dense<0.000000e+00> : tensor<3x3xf32>
// CHECK-NEXT:    %[[SELECT_4:.+]] = dovetail.select %[[COMPARE_4]], %lu, %[[CONSTANT_5]] : tensor<3x3xi1>, tensor<3x3xf32>
// CHECK-NEXT:    %[[BROADCAST:.+]] = dovetail.broadcast %[[CONVERT]] dims [1] : tensor<3xf32> -> tensor<3x3xf32>
// CHECK-NEXT:    %[[MUL_2:.+]] = dovetail.mul %[[SELECT_3]], %[[BROADCAST]] : tensor<3x3xf32>
// CHECK-NEXT:    %[[ADD:.+]] = dovetail.add %[[SELECT_4]], %[[MUL_2]] : tensor<3x3xf32>
// CHECK-NEXT:    %[[RESHAPE:.+]] = dovetail.reshape %permutation : tensor<3xi32> -> tensor<3x1xi32>
// CHECK-NEXT:    %[[GATHER:.+]] = dovetail.gather %[[SELECT_3]], %[[RESHAPE]] dims [0] window [1] : tensor<3x3xf32>, tensor<3x1xi32>
// CHECK-NEXT:    %[[RESHAPE_1:.+]] = dovetail.reshape %[[GATHER]] : tensor<3x1x3xf32> -> tensor<3x3xf32>
// CHECK-NEXT:    %[[TRIANGULAR_SOLVE:.+]] = dovetail.triangular_solve %lu, %[[RESHAPE_1]] left_side = true lower = true unit_diagonal = true : tensor<3x3xf32>, tensor<3x3xf32>
// CHECK-NEXT:    %[[TRIANGULAR_SOLVE_1:.+]] = dovetail.triangular_solve %[[ADD]], %[[TRIANGULAR_SOLVE]] left_side = true : tensor<3x3xf32>, tensor<3x3xf32>
// CHECK-NEXT:    %[[BROADCAST_1:.+]] = dovetail.broadcast %[[CONVERT]] dims [0] : tensor<3xf32> -> tensor<3x3xf32>
// CHECK-NEXT:    %[[MUL_3:.+]] = dovetail.mul %[[BROADCAST_1]], %[[TRIANGULAR_SOLVE_1]] : tensor<3x3xf32>
// CHECK-NEXT:    %[[REDUCE_SUM_1:.+]] = dovetail.reduce_sum %[[MUL_3]] [0] : tensor<3x3xf32>
// CHECK-NEXT:    %[[RESHAPE_2:.+]] = dovetail.reshape %[[CONVERT]] : tensor<3xf32> -> tensor<3x1xf32>
// CHECK-NEXT:    %[[TRIANGULAR_SOLVE_2:.+]] = dovetail.triangular_solve %[[ADD]], %[[RESHAPE_2]] left_side = true : tensor<3x3xf32>, tensor<3x1xf32>
// CHECK-NEXT:    %[[RESHAPE_3:.+]] = dovetail.reshape %[[TRIANGULAR_SOLVE_2]] : tensor<3x1xf32> -> tensor<3xf32>
// CHECK-NEXT:    %[[BROADCAST_2:.+]] = dovetail.broadcast %[[RESHAPE_3]] dims [0] : tensor<3xf32> -> tensor<3x3xf32>
// CHECK-NEXT:    %[[BROADCAST_3:.+]] = dovetail.broadcast %[[REDUCE_SUM_1]] dims [1] : tensor<3xf32> -> tensor<3x3xf32>
// CHECK-NEXT:    %[[MUL_4:.+]] = dovetail.mul %[[BROADCAST_2]], %[[BROADCAST_3]] : tensor<3x3xf32>
// CHECK-NEXT:    %[[REDUCE_SUM_2:.+]] = dovetail.reduce_sum %[[CONVERT]] [0] : tensor<3xf32>
// CHECK-NEXT:    %[[BROADCAST_4:.+]] = dovetail.broadcast %[[MUL_1]] dims [] : tensor<f32> -> tensor<3x3xf32>
// CHECK-NEXT:    %[[CONSTANT_6:.+]] = dovetail.constant dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT:    %[[COMPARE_5:.+]] = dovetail.compare eq %[[REDUCE_SUM_2]], %[[CONSTANT_6]] : tensor<f32>
// CHECK-NEXT:    %[[BROADCAST_5:.+]] = dovetail.broadcast %[[COMPARE_5]] dims [] : tensor<i1> -> tensor<3x3xi1>
// CHECK-NEXT:    %[[CONSTANT_7:.+]] = dovetail.constant dense<1.000000e+00> : tensor<f32>
// CHECK-NEXT:    %[[COMPARE_6:.+]] = dovetail.compare eq %[[REDUCE_SUM_2]], %[[CONSTANT_7]] : tensor<f32>
// CHECK-NEXT:    %[[BROADCAST_6:.+]] = dovetail.broadcast %[[COMPARE_6]] dims [] : tensor<i1> -> tensor<3x3xi1>
// CHECK-NEXT:    %[[CONSTANT_8:.+]] = dovetail.constant dense<0.000000e+00> : tensor<3x3xf32>
// CHECK-NEXT:    %[[SELECT_5:.+]] = dovetail.select %[[BROADCAST_6]], %[[MUL_4]], %[[CONSTANT_8]] : tensor<3x3xi1>, tensor<3x3xf32>
// CHECK-NEXT:    %[[SELECT_6:.+]] = dovetail.select %[[BROADCAST_5]], %[[TRIANGULAR_SOLVE_1]], %[[SELECT_5]] : tensor<3x3xi1>, tensor<3x3xf32>
// CHECK-NEXT:    %[[MUL_5:.+]] = dovetail.mul %[[BROADCAST_4]], %[[SELECT_6]] : tensor<3x3xf32>
// CHECK-NEXT:    %[[TRANSPOSE:.+]] = dovetail.transpose %[[MUL_5]] [1, 0] : tensor<3x3xf32>
// CHECK-NEXT:    %[[MUL_6:.+]] = dovetail.mul %[[TRANSPOSE]], %arg1 : tensor<3x3xf32>
// CHECK-NEXT:    %[[REDUCE_SUM_3:.+]] = dovetail.reduce_sum %[[MUL_6]] [0, 1] : tensor<3x3xf32>
// CHECK-NEXT:    return %[[MUL]], %[[REDUCE_SUM_3]] : tensor<f32>, tensor<f32>
