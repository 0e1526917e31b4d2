// A sum over a batch is one more contraction, also where only some elements of the batch count.
// RUN: dovetail-opt %s --canonicalize | FileCheck %s

func.func @all(%arg0: tensor<5x3x4xf32>, %arg1: tensor<5x4x2xf32>) -> tensor<3x2xf32> {
  %0 = dovetail.dot_general %arg0, %arg1 batch [0] x [0] contract [2] x [1] : tensor<5x3x4xf32>, tensor<5x4x2xf32>
  %1 = dovetail.reduce_sum %0 [0] : tensor<5x3x2xf32>
  return %1 : tensor<3x2xf32>
}
// CHECK-LABEL: func.func @all
// CHECK-NEXT: %[[DOT:.*]] = dovetail.dot_general %arg0, %arg1 batch [] x [] contract [2, 0] x [1, 0]
// CHECK-NEXT: return %[[DOT]]

func.func @some(%arg0: tensor<7x5x3xf32>, %arg1: tensor<5x2x7xf32>, %arg2: tensor<5xi1>) -> tensor<7x3x2xf32> {
  %zeros = dovetail.constant dense<0.0> : tensor<7x5x3x2xf32>
  %0 = dovetail.dot_general %arg0, %arg1 batch [0, 1] x [2, 0] contract [] x [] : tensor<7x5x3xf32>, tensor<5x2x7xf32>
  %1 = dovetail.broadcast %arg2 dims [1] : tensor<5xi1> -> tensor<7x5x3x2xi1>
  %2 = dovetail.select %1, %0, %zeros : tensor<7x5x3x2xi1>, tensor<7x5x3x2xf32>
  %3 = dovetail.reduce_sum %2 [1] : tensor<7x5x3x2xf32>
  return %3 : tensor<7x3x2xf32>
}
// CHECK-LABEL: func.func @some
// CHECK-DAG: %[[OF_LEFT:.*]] = dovetail.broadcast %arg2 dims [1] : tensor<5xi1> -> tensor<7x5x3xi1>
// CHECK-DAG: %[[LEFT:.*]] = dovetail.select %[[OF_LEFT]], %arg0, %{{.*}} : tensor<7x5x3xi1>
// CHECK-DAG: %[[OF_RIGHT:.*]] = dovetail.broadcast %arg2 dims [0] : tensor<5xi1> -> tensor<5x2x7xi1>
// CHECK-DAG: %[[RIGHT:.*]] = dovetail.select %[[OF_RIGHT]], %arg1, %{{.*}} : tensor<5x2x7xi1>
// CHECK: %[[DOT:.*]] = dovetail.dot_general %[[LEFT]], %[[RIGHT]] batch [0] x [2] contract [1] x [0]
// CHECK-NEXT: return %[[DOT]]

// Not a sum over the batch; a mask of more than the batch; not zero elsewhere.
func.func @others(%arg0: tensor<5x3x4xf32>, %arg1: tensor<5x4x2xf32>, %arg2: tensor<5x3xi1>, %arg3: tensor<5xi1>) -> (tensor<5x2xf32>, tensor<3x2xf32>, tensor<3x2xf32>) {
  %zeros = dovetail.constant dense<0.0> : tensor<5x3x2xf32>
  %ones = dovetail.constant dense<1.0> : tensor<5x3x2xf32>
  %0 = dovetail.dot_general %arg0, %arg1 batch [0] x [0] contract [2] x [1] : tensor<5x3x4xf32>, tensor<5x4x2xf32>
  %1 = dovetail.reduce_sum %0 [1] : tensor<5x3x2xf32>
  %2 = dovetail.broadcast %arg2 dims [0, 1] : tensor<5x3xi1> -> tensor<5x3x2xi1>
  %3 = dovetail.dot_general %arg0, %arg1 batch [0] x [0] contract [2] x [1] : tensor<5x3x4xf32>, tensor<5x4x2xf32>
  %4 = dovetail.select %2, %3, %zeros : tensor<5x3x2xi1>, tensor<5x3x2xf32>
  %5 = dovetail.reduce_sum %4 [0] : tensor<5x3x2xf32>
  %6 = dovetail.broadcast %arg3 dims [0] : tensor<5xi1> -> tensor<5x3x2xi1>
  %7 = dovetail.dot_general %arg0, %arg1 batch [0] x [0] contract [2] x [1] : tensor<5x3x4xf32>, tensor<5x4x2xf32>
  %8 = dovetail.select %6, %7, %ones : tensor<5x3x2xi1>, tensor<5x3x2xf32>
  %9 = dovetail.reduce_sum %8 [0] : tensor<5x3x2xf32>
  return %1, %5, %9 : tensor<5x2xf32>, tensor<3x2xf32>, tensor<3x2xf32>
}
// CHECK-LABEL: func.func @others
// CHECK-COUNT-3: dovetail.reduce_sum
