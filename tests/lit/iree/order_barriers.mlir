// Arrays that a function's callers know come first in barriers, and constants have their own.
// RUN: dovetail-opt %s --dovetail-separate-barriers | FileCheck %s

// CHECK-LABEL: func.func @argument(
// CHECK-SAME: %[[X:.+]]: tensor<4xf32>)
func.func @argument(%x: tensor<4xf32>) -> tensor<4xf32> {
  %empty = tensor.empty() : tensor<4xf32>
  // CHECK: %[[SQUARES:.+]] = linalg.square
  %squares = linalg.square ins(%x : tensor<4xf32>) outs(%empty : tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %[[BEHIND:.+]]:2 = "util.optimization_barrier"(%[[X]], %[[SQUARES]])
  // CHECK: linalg.add ins(%[[BEHIND]]#1, %[[BEHIND]]#0
  %behind:2 = "util.optimization_barrier"(%squares, %x) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  %sum = linalg.add ins(%behind#0, %behind#1 : tensor<4xf32>, tensor<4xf32>) outs(%empty : tensor<4xf32>) -> tensor<4xf32>
  return %sum : tensor<4xf32>
}

// CHECK-LABEL: func.func @result(
func.func @result(%x: tensor<4xf32>) -> tensor<2x2xf32> {
  %empty = tensor.empty() : tensor<4xf32>
  // CHECK: %[[FIRST:.+]] = linalg.exp
  %first = linalg.exp ins(%x : tensor<4xf32>) outs(%empty : tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %[[SECOND:.+]] = linalg.log
  %second = linalg.log ins(%x : tensor<4xf32>) outs(%empty : tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %[[BEHIND:.+]]:2 = "util.optimization_barrier"(%[[SECOND]], %[[FIRST]])
  // CHECK: tensor.expand_shape %[[BEHIND]]#0
  %behind:2 = "util.optimization_barrier"(%first, %second) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  %shaped = tensor.expand_shape %behind#1 [[0, 1]] output_shape [2, 2] : tensor<4xf32> into tensor<2x2xf32>
  return %shaped : tensor<2x2xf32>
}

// CHECK-LABEL: func.func @constant(
func.func @constant(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  // CHECK: %[[CONSTANT:.+]] = arith.constant
  %constant = arith.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  // CHECK: %[[APART:.+]] = "util.optimization_barrier"(%[[CONSTANT]])
  // CHECK: %[[BEHIND:.+]] = "util.optimization_barrier"(%{{.+}})
  // CHECK: return %[[APART]], %[[BEHIND]]
  %behind:2 = "util.optimization_barrier"(%constant, %x) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  return %behind#0, %behind#1 : tensor<4xf32>, tensor<4xf32>
}
