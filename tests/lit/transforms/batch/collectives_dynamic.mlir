// A batch whose size is a value: an operand carries it into callees that name its axis.
// RUN: dovetail-opt %s --dovetail-batch='dims=0,-1 axis=i' | FileCheck %s

func.func private @inner(%arg0: tensor<?xf32>) -> tensor<?xf32> {
  %0 = dovetail.all_reduce_sum %arg0 over ["i"] : tensor<?xf32>
  return %0 : tensor<?xf32>
}

func.func @main(%arg0: tensor<?xf32>, %arg1: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>) {
  %0 = dovetail.all_reduce_sum %arg0 over ["i"] : tensor<?xf32>
  %1 = dovetail.call @inner(%arg1) : (tensor<?xf32>) -> tensor<?xf32>
  return %0, %1 : tensor<?xf32>, tensor<?xf32>
}
// CHECK-LABEL: func.func private @inner.batch(%arg0: tensor<?x?xf32>) -> tensor<?xf32>
// CHECK-NEXT:    %[[DIM:.+]] = dovetail.dim %arg0, 0 : tensor<?x?xf32>
// CHECK-NEXT:    %[[REDUCE_SUM:.+]] = dovetail.reduce_sum %arg0 [0] : tensor<?x?xf32>
// CHECK-NEXT:    return %[[REDUCE_SUM]] : tensor<?xf32>
// CHECK-LABEL: func.func private @main.batch(%arg0: tensor<?x?xf32>, %arg1: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>)
// CHECK-NEXT:    %[[DIM:.+]] = dovetail.dim %arg0, 0 : tensor<?x?xf32>
// CHECK-NEXT:    %[[REDUCE_SUM:.+]] = dovetail.reduce_sum %arg0 [0] : tensor<?x?xf32>
// CHECK-NEXT:    %[[DIM_1:.+]] = dovetail.dim %arg1, 0 : tensor<?xf32>
// CHECK-NEXT:    %[[BROADCAST:.+]] = dovetail.broadcast %arg1 dims [1] sizes(%[[DIM]], %[[DIM_1]]) : tensor<?xf32> -> tensor<?x?xf32>
// CHECK-NEXT:    %[[CALL:.+]] = dovetail.call @inner.batch(%[[BROADCAST]]) : (tensor<?x?xf32>) -> tensor<?xf32>
// CHECK-NEXT:    return %[[REDUCE_SUM]], %[[CALL]] : tensor<?xf32>, tensor<?xf32>
