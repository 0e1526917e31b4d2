// RUN: dovetail-opt %s --dovetail-to-stablehlo | FileCheck %s

// CHECK-LABEL: func.func @main
func.func @main(%x: tensor<4x6xf32>, %w: tensor<6x2xf32>, %i: tensor<3x1xi32>) -> (tensor<4x2xf32>, tensor<4xf32>, tensor<3x1x6xf32>, tensor<4x6xf32>) {
  // CHECK: stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0], precision = [HIGHEST, HIGHEST]
  %0 = dovetail.dot_general %x, %w batch [] x [] contract [1] x [0] : tensor<4x6xf32>, tensor<6x2xf32>
  // CHECK: stablehlo.tanh
  %1 = dovetail.tanh %0 : tensor<4x2xf32>
  // CHECK: %[[ZERO:.+]] = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  // CHECK: stablehlo.reduce(%arg0 init: %[[ZERO]]) across dimensions = [1]
  // CHECK-NEXT: reducer(%[[A:.+]]: tensor<f32>, %[[B:.+]]: tensor<f32>)
  // CHECK-NEXT: stablehlo.add %[[A]], %[[B]] : tensor<f32>
  %2 = dovetail.reduce_sum %x [1] : tensor<4x6xf32>
  // A window that is not within the array reads as zeros.
  // CHECK: %[[FOUND:.+]] = "stablehlo.gather"(%arg0, %arg2)
  // CHECK: stablehlo.select %{{.+}}, %[[FOUND]], %{{.+}}
  %3 = dovetail.gather %x, %i dims [0] window [1] : tensor<4x6xf32>, tensor<3x1xi32>
  // CHECK: stablehlo.multiply
  // CHECK: stablehlo.multiply
  %4 = dovetail.integer_pow %x, 3 : tensor<4x6xf32>
  return %1, %2, %3, %4 : tensor<4x2xf32>, tensor<4xf32>, tensor<3x1x6xf32>, tensor<4x6xf32>
}
