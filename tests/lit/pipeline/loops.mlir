// What derivatives of loops do not need is not computed.
// RUN: dovetail-opt %s --dovetail-pipeline=to=simplify | FileCheck %s

func.func private @f(%arg0: tensor<f32>, %arg1: tensor<f32>) -> tensor<f32> {
  %0 = dovetail.scan length 40 init(%arg0) over() consts(%arg1) : (tensor<f32>, tensor<f32>) -> tensor<f32> {
  ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
    %1 = dovetail.sin %arg2 : tensor<f32>
    dovetail.yield %1 : tensor<f32>
  }
  return %0 : tensor<f32>
}

// The result does not depend on the second argument: its gradient is zero, and there is no loop.
func.func @independent(%arg0: tensor<f32>, %arg1: tensor<f32>) -> tensor<f32> {
  %0 = dovetail.constant dense<1.0> : tensor<f32>
  %1:2 = dovetail.vjp @f wrt [1] of [0](%arg0, %arg1) cotangents(%0) : (tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<f32>)
  return %1#1 : tensor<f32>
}
// CHECK-LABEL: func.func @independent
// CHECK-NEXT: %[[ZERO:.+]] = dovetail.constant dense<0.000000e+00>
// CHECK-NEXT: return %[[ZERO]]

// With its value there is one loop, the function's own.
func.func @value_and_tangent(%arg0: tensor<f32>, %arg1: tensor<f32>) -> (tensor<f32>, tensor<f32>) {
  %0:2 = dovetail.jvp @f wrt [1](%arg0, %arg1) tangents(%arg1) : (tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<f32>)
  return %0#0, %0#1 : tensor<f32>, tensor<f32>
}
// CHECK-LABEL: func.func @value_and_tangent
// CHECK: %[[SCAN:.+]] = dovetail.scan length 40 init(%arg0) over() consts()
// CHECK-NEXT: ^bb0(%[[CARRY:.+]]: tensor<f32>):
// CHECK-NEXT: %[[SIN:.+]] = dovetail.sin %[[CARRY]]
// CHECK-NEXT: dovetail.yield %[[SIN]]
// CHECK-NOT: dovetail.scan
// CHECK: return %[[SCAN]], %{{.+}}

func.func private @partly(%arg0: tensor<f32>) -> (tensor<f32>, tensor<f32>) {
  %0:3 = dovetail.scan length 40 init(%arg0, %arg0) over() consts() : (tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<f32>, tensor<40xf32>) {
  ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
    %1 = dovetail.sin %arg1 : tensor<f32>
    %2 = dovetail.tanh %arg2 : tensor<f32>
    dovetail.yield %1, %2, %2 : tensor<f32>, tensor<f32>, tensor<f32>
  }
  return %0#0, %0#1 : tensor<f32>, tensor<f32>
}

// Of two carries that do not meet, the one that is not used is gone, from the loop forth and from the loop back.
func.func @gradient(%arg0: tensor<f32>) -> tensor<f32> {
  %0 = dovetail.constant dense<1.0> : tensor<f32>
  %1:3 = dovetail.vjp @partly wrt [0] of [0](%arg0) cotangents(%0) : (tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<f32>, tensor<f32>)
  return %1#2 : tensor<f32>
}
// CHECK-LABEL: func.func @gradient
// CHECK-NOT: dovetail.tanh
// CHECK: dovetail.scan length 40
// CHECK-NOT: dovetail.tanh
// CHECK: {reverse = true}
// CHECK-NOT: dovetail.scan
// CHECK: return
