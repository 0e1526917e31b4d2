// The codes of ops: elementwise where they are pointwise on each other's results, and reduced once for each such group.
// RUN: dovetail-opt %s --split-input-file --dovetail-check-finite | FileCheck %s

// Modules that do not ask for it stay as they are.
func.func @main(%arg0: tensor<f32>) -> tensor<f32> {
  %0 = dovetail.log %arg0 : tensor<f32>
  return %0 : tensor<f32>
}
// CHECK-LABEL: func.func @main(%arg0: tensor<f32>) -> tensor<f32> {
// CHECK-NEXT:    %0 = dovetail.log
// CHECK-NEXT:    return %0

// -----
module attributes {dovetail.unwanted = ["nan"]} {
  func.func @main(%arg0: tensor<2x3xf32>) -> tensor<2x3xf32> {
    %0 = dovetail.log %arg0 : tensor<2x3xf32>
    %1 = dovetail.tanh %0 : tensor<2x3xf32>
    return %1 : tensor<2x3xf32>
  }
}
// CHECK-NOT: dovetail.unwanted
// CHECK-LABEL: func.func @main(%arg0: tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<i32>)
// CHECK:         %[[LOG:.*]] = dovetail.log %arg0
// CHECK-DAG:     %[[HAS:.*]] = dovetail.compare ne %[[LOG]], %[[LOG]]
// CHECK-DAG:     %[[HAD:.*]] = dovetail.compare ne %arg0, %arg0
// CHECK:         %[[NOT:.*]] = dovetail.not %[[HAD]]
// CHECK:         %[[MADE:.*]] = dovetail.and %[[HAS]], %[[NOT]]
// CHECK:         %[[FIRST:.*]] = dovetail.select %[[MADE]]
// CHECK:         %[[TANH:.*]] = dovetail.tanh %[[LOG]]
// CHECK:         dovetail.compare ne %[[TANH]], %[[TANH]]
// CHECK:         dovetail.not %[[HAS]]
// CHECK:         dovetail.constant dense<2> : tensor<2x3xi32>
// CHECK:         %[[SECOND:.*]] = dovetail.select
// CHECK:         %[[BOTH:.*]] = dovetail.min %[[FIRST]], %[[SECOND]]
// CHECK:         %[[CODE:.*]] = dovetail.reduce_min %[[BOTH]] [0, 1]
// CHECK:         return %[[TANH]], %[[CODE]]

// -----
// What only moves elements, integers and constants are not asked; sums are, whatever they were given.
module attributes {dovetail.unwanted = ["inf"]} {
  func.func @main(%arg0: tensor<2x3xf32>, %arg1: tensor<3xi32>) -> (tensor<3xf32>, tensor<3xi32>, tensor<3xf32>) {
    %0 = dovetail.transpose %arg0 [1, 0] : tensor<2x3xf32>
    %1 = dovetail.reduce_sum %0 [1] : tensor<3x2xf32>
    %2 = dovetail.neg %arg1 : tensor<3xi32>
    %3 = dovetail.constant dense<0x7F800000> : tensor<3xf32>
    return %1, %2, %3 : tensor<3xf32>, tensor<3xi32>, tensor<3xf32>
  }
}
// CHECK-LABEL: func.func @main
// CHECK-NEXT:    %[[MOVED:.*]] = dovetail.transpose
// CHECK-NEXT:    %[[SUM:.*]] = dovetail.reduce_sum %[[MOVED]]
// CHECK-NOT:     %[[MOVED]]
// CHECK:         dovetail.is_finite %[[SUM]]
// CHECK:         dovetail.constant dense<3> : tensor<3xi32>
// CHECK:         %[[CODES:.*]] = dovetail.select
// CHECK-NEXT:    dovetail.neg
// CHECK-NEXT:    dovetail.constant dense<0x7F800000>
// CHECK-NEXT:    %[[CODE:.*]] = dovetail.reduce_min %[[CODES]] [0]
// CHECK-NEXT:    return {{.*}}, %[[CODE]]

// -----
module attributes {dovetail.unwanted = ["nan", "inf"]} {
  func.func @main(%arg0: tensor<complex<f32>>) -> tensor<complex<f32>> {
    %0 = dovetail.exp %arg0 : tensor<complex<f32>>
    return %0 : tensor<complex<f32>>
  }
}
// Of a complex number both parts count; where there is a NaN, it is told before an infinity.
// CHECK-LABEL: func.func @main
// CHECK:         %[[EXP:.*]] = dovetail.exp
// CHECK:         dovetail.real %[[EXP]]
// CHECK:         dovetail.imag %[[EXP]]
// CHECK:         %[[ONE:.*]] = dovetail.constant dense<1> : tensor<i32>
// CHECK:         %[[INFINITY:.*]] = dovetail.select {{.*}}, %[[ONE]]
// CHECK:         %[[ZERO:.*]] = dovetail.constant dense<0> : tensor<i32>
// CHECK:         %[[CODE:.*]] = dovetail.select {{.*}}, %[[ZERO]], %[[INFINITY]]
// CHECK:         return %[[EXP]], %[[CODE]]

// -----
module attributes {dovetail.unwanted = ["nan"]} {
  func.func @main(%arg0: tensor<?xf32>, %arg1: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>) {
    %0 = dovetail.log %arg0 : tensor<?xf32>
    %1 = dovetail.log %arg1 : tensor<?xf32>
    %2 = dovetail.sqrt %0 : tensor<?xf32>
    return %1, %2 : tensor<?xf32>, tensor<?xf32>
  }
}
// Two arrays whose sizes may differ are two groups.
// CHECK-LABEL: func.func @main
// CHECK:         %[[ONE:.*]] = dovetail.select
// CHECK:         %[[OTHER:.*]] = dovetail.select
// CHECK:         %[[TWO:.*]] = dovetail.select
// CHECK:         %[[BOTH:.*]] = dovetail.min %[[ONE]], %[[TWO]] : tensor<?xi32>
// CHECK:         %[[FIRST:.*]] = dovetail.reduce_min %[[BOTH]] [0]
// CHECK:         %[[SECOND:.*]] = dovetail.reduce_min %[[OTHER]] [0]
// CHECK:         dovetail.min %[[FIRST]], %[[SECOND]] : tensor<i32>
