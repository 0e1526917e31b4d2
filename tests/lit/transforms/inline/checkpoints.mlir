// What is computed again is so behind a barrier, of which sizes are no part.
// RUN: dovetail-opt %s --dovetail-inline | FileCheck %s

func.func private @f(%x: tensor<f32>, %n: index, %y: tensor<f32>) -> tensor<f32> {
  %0 = dovetail.mul %x, %y : tensor<f32>
  return %0 : tensor<f32>
}

// CHECK-LABEL: func.func @main(
// CHECK-NEXT:    %[[ONCE:.+]] = dovetail.mul %arg0, %arg2
// CHECK-NEXT:    %[[BEHIND:.+]]:2 = dovetail.optimization_barrier %arg0, %arg2
// CHECK-NEXT:    %[[AGAIN:.+]] = dovetail.mul %[[BEHIND]]#0, %[[BEHIND]]#1
// CHECK-NEXT:    %[[THIRD:.+]] = dovetail.mul %arg0, %arg2
// CHECK-NEXT:    return %[[ONCE]], %[[AGAIN]], %[[THIRD]]
func.func @main(%x: tensor<f32>, %n: index, %y: tensor<f32>) -> (tensor<f32>, tensor<f32>, tensor<f32>) {
  %0 = dovetail.checkpoint @f(%x, %n, %y) : (tensor<f32>, index, tensor<f32>) -> tensor<f32>
  %1 = dovetail.checkpoint @f(%x, %n, %y) {recomputes = true} : (tensor<f32>, index, tensor<f32>) -> tensor<f32>
  %2 = dovetail.checkpoint @f(%x, %n, %y) {prevent_cse = false, recomputes = true} : (tensor<f32>, index, tensor<f32>) -> tensor<f32>
  return %0, %1, %2 : tensor<f32>, tensor<f32>, tensor<f32>
}
