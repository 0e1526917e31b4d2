// Two requests for the same make one function.
// RUN: dovetail-opt %s --split-input-file --dovetail-expand | FileCheck %s

func.func private @f(%arg0: tensor<f32>) -> tensor<f32> {
  %0 = dovetail.sin %arg0 : tensor<f32>
  return %0 : tensor<f32>
}

func.func @main(%arg0: tensor<f32>) -> (tensor<f32>, tensor<f32>) {
  %2, %3 = dovetail.jvp @f wrt [0](%arg0) tangents(%arg0) : (tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<f32>)
  %0, %1 = dovetail.jvp @f wrt [0](%3) tangents(%2) : (tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<f32>)
  return %0, %1 : tensor<f32>, tensor<f32>
}
// CHECK-LABEL: func.func private @f.jvp(%arg0: tensor<f32>, %arg1: tensor<f32>) -> (tensor<f32>, tensor<f32>)
// CHECK-NEXT:    %[[SIN:.+]] = dovetail.sin %arg0 : tensor<f32>
// CHECK-NEXT:    %[[COS:.+]] = dovetail.cos %arg0 : tensor<f32>
// CHECK-NEXT:    %[[MUL:.+]] = dovetail.mul %arg1, %[[COS]] : tensor<f32>
// CHECK-NEXT:    return %[[SIN]], %[[MUL]] : tensor<f32>, tensor<f32>

// CHECK-LABEL: func.func @main(%arg0: tensor<f32>) -> (tensor<f32>, tensor<f32>)
// CHECK-NEXT:    %[[CALL:.+]]:2 = dovetail.call @f.jvp(%arg0, %arg0) : (tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<f32>)
// CHECK-NEXT:    %[[CALL_1:.+]]:2 = dovetail.call @f.jvp(%[[CALL]]#1, %[[CALL]]#0) : (tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<f32>)
// CHECK-NEXT:    return %[[CALL_1]]#0, %[[CALL_1]]#1 : tensor<f32>, tensor<f32>
