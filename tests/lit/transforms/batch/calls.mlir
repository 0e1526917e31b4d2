// A callee is batched once for each place of the batch.
// RUN: dovetail-opt %s --split-input-file --dovetail-batch='dims=0,-1 size=7' | FileCheck %s

func.func private @inner(%arg0: tensor<2x3xf32>, %arg1: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = dovetail.mul %arg0, %arg1 : tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

func.func @main(%arg0: tensor<2x3xf32>, %arg1: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %1 = dovetail.call @inner(%arg0, %arg1) : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  %0 = dovetail.call @inner(%1, %arg1) : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
// CHECK-LABEL: func.func private @inner(%arg0: tensor<2x3xf32>, %arg1: tensor<2x3xf32>) -> tensor<2x3xf32>
// CHECK-NEXT:    %[[MUL:.+]] = dovetail.mul %arg0, %arg1 : tensor<2x3xf32>
// CHECK-NEXT:    return %[[MUL]] : tensor<2x3xf32>

// CHECK-LABEL: func.func private @inner.batch(%arg0: tensor<7x2x3xf32>, %arg1: tensor<2x3xf32>) -> tensor<7x2x3xf32>
// CHECK-NEXT:    %[[BROADCAST:.+]] = dovetail.broadcast %arg1 dims [1, 2] : tensor<2x3xf32> -> tensor<7x2x3xf32>
// CHECK-NEXT:    %[[MUL:.+]] = dovetail.mul %arg0, %[[BROADCAST]] : tensor<7x2x3xf32>
// CHECK-NEXT:    return %[[MUL]] : tensor<7x2x3xf32>

// CHECK-LABEL: func.func @main(%arg0: tensor<2x3xf32>, %arg1: tensor<2x3xf32>) -> tensor<2x3xf32>
// CHECK-NEXT:    %[[CALL:.+]] = dovetail.call @inner(%arg0, %arg1) : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
// CHECK-NEXT:    %[[CALL_1:.+]] = dovetail.call @inner(%[[CALL]], %arg1) : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
// CHECK-NEXT:    return %[[CALL_1]] : tensor<2x3xf32>

// CHECK-LABEL: func.func private @main.batch(%arg0: tensor<7x2x3xf32>, %arg1: tensor<2x3xf32>) -> tensor<7x2x3xf32>
// CHECK-NEXT:    %[[CALL:.+]] = dovetail.call @inner.batch(%arg0, %arg1) : (tensor<7x2x3xf32>, tensor<2x3xf32>) -> tensor<7x2x3xf32>
// CHECK-NEXT:    %[[CALL_1:.+]] = dovetail.call @inner.batch(%[[CALL]], %arg1) : (tensor<7x2x3xf32>, tensor<2x3xf32>) -> tensor<7x2x3xf32>
// CHECK-NEXT:    return %[[CALL_1]] : tensor<7x2x3xf32>
