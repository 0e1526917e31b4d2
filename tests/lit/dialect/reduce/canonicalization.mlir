// Folds of the sum.
// RUN: dovetail-opt %s --canonicalize | FileCheck %s

func.func @sum_over_nothing(%arg0: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = dovetail.reduce_sum %arg0 [] : tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
// CHECK-LABEL: func.func @sum_over_nothing(%arg0: tensor<2x3xf32>) -> tensor<2x3xf32>
// CHECK-NEXT:    return %arg0 : tensor<2x3xf32>

func.func @sum_of_zeros() -> tensor<2xf32> {
  %1 = dovetail.constant dense<0.0> : tensor<2x3xf32>
  %0 = dovetail.reduce_sum %1 [1] : tensor<2x3xf32>
  return %0 : tensor<2xf32>
}
// CHECK-LABEL: func.func @sum_of_zeros() -> tensor<2xf32>
// CHECK-NEXT:    %[[CONSTANT:.+]] = dovetail.constant dense<0.000000e+00> : tensor<2xf32>
// CHECK-NEXT:    return %[[CONSTANT]] : tensor<2xf32>

func.func @sum_of_ones() -> tensor<2xf32> {
  %1 = dovetail.constant dense<1.0> : tensor<2x3xf32>
  %0 = dovetail.reduce_sum %1 [1] : tensor<2x3xf32>
  return %0 : tensor<2xf32>
}
// CHECK-LABEL: func.func @sum_of_ones() -> tensor<2xf32>
// CHECK-NEXT:    %[[CONSTANT:.+]] = dovetail.constant dense<1.000000e+00> : tensor<2x3xf32>
// CHECK-NEXT:    %[[REDUCE_SUM:.+]] = dovetail.reduce_sum %[[CONSTANT]] [1] : tensor<2x3xf32>
// CHECK-NEXT:    return %[[REDUCE_SUM]] : tensor<2xf32>

// Sums of nothing are known.
// CHECK-LABEL: func.func @sums_of_nothing
func.func @sums_of_nothing(%x: tensor<0xcomplex<f32>>, %y: tensor<3x0xi32>, %z: tensor<2x0xf32>) -> (tensor<complex<f32>>, tensor<3xi32>, tensor<0xf32>) {
  // CHECK-DAG: dovetail.constant dense<(0.000000e+00,0.000000e+00)> : tensor<complex<f32>>
  // CHECK-DAG: dovetail.constant dense<0> : tensor<3xi32>
  // CHECK: dovetail.reduce_sum %arg2 [0] : tensor<2x0xf32>
  %0 = dovetail.reduce_sum %x [0] : tensor<0xcomplex<f32>>
  %1 = dovetail.reduce_sum %y [1] : tensor<3x0xi32>
  %2 = dovetail.reduce_sum %z [0] : tensor<2x0xf32>
  return %0, %1, %2 : tensor<complex<f32>>, tensor<3xi32>, tensor<0xf32>
}
