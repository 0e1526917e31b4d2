// Tangents of branches: a result has one where it has one in some branch.
// RUN: dovetail-opt %s --split-input-file --dovetail-jvp=wrt=0 | FileCheck %s

func.func @main(%x: tensor<f32>, %y: tensor<f32>, %i: tensor<i32>) -> (tensor<f32>, tensor<f32>) {
  %0:2 = dovetail.case %i of(%x, %y) : (tensor<i32>, tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<f32>) {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = dovetail.exp %a : tensor<f32>
    dovetail.yield %1, %b : tensor<f32>, tensor<f32>
  }, {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = dovetail.neg %b : tensor<f32>
    dovetail.yield %b, %1 : tensor<f32>, tensor<f32>
  }
  return %0#0, %0#1 : tensor<f32>, tensor<f32>
}
// CHECK-LABEL: func.func private @main.jvp(%arg0: tensor<f32>, %arg1: tensor<f32>, %arg2: tensor<i32>, %arg3: tensor<f32>) -> (tensor<f32>, tensor<f32>, tensor<f32>)
// CHECK-NEXT:    %[[CASE:.+]]:3 = dovetail.case %arg2 of(%arg0, %arg1, %arg3) : (tensor<i32>, tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<f32>, tensor<f32>) {
// CHECK-NEXT:    ^bb0(%arg4: tensor<f32>, %arg5: tensor<f32>, %arg6: tensor<f32>):
// CHECK-NEXT:      %[[EXP:.+]] = dovetail.exp %arg4 : tensor<f32>
// CHECK-NEXT:      %[[MUL:.+]] = dovetail.mul %arg6, %[[EXP]] : tensor<f32>
// CHECK-NEXT:      dovetail.yield %[[EXP]], %arg5, %[[MUL]] : tensor<f32>, tensor<f32>, tensor<f32>
// CHECK-NEXT:    }, {
// CHECK-NEXT:    ^bb0(%arg4: tensor<f32>, %arg5: tensor<f32>, %arg6: tensor<f32>):
// CHECK-NEXT:      %[[NEG:.+]] = dovetail.neg %arg5 : tensor<f32>
// CHECK-NEXT:      %[[CONSTANT:.+]] = dovetail.constant dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT:      dovetail.yield %arg5, %[[NEG]], %[[CONSTANT]] : tensor<f32>, tensor<f32>, tensor<f32>
// CHECK-NEXT:    }
// CHECK-NEXT:    return %[[CASE]]#0, %[[CASE]]#1, %[[CASE]]#2 : tensor<f32>, tensor<f32>, tensor<f32>

// -----

// No branch looks at it.
func.func @main(%x: tensor<f32>, %y: tensor<f32>, %i: tensor<i32>) -> tensor<f32> {
  %0 = dovetail.case %i of(%x, %y) : (tensor<i32>, tensor<f32>, tensor<f32>) -> tensor<f32> {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    dovetail.yield %b : tensor<f32>
  }, {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = dovetail.neg %b : tensor<f32>
    dovetail.yield %1 : tensor<f32>
  }
  return %0 : tensor<f32>
}
// CHECK-LABEL: func.func private @main.jvp(%arg0: tensor<f32>, %arg1: tensor<f32>, %arg2: tensor<i32>, %arg3: tensor<f32>) -> tensor<f32>
// CHECK-NEXT:    %[[CASE:.+]] = dovetail.case %arg2 of(%arg0, %arg1, %arg3) : (tensor<i32>, tensor<f32>, tensor<f32>, tensor<f32>) -> tensor<f32> {
// CHECK-NEXT:    ^bb0(%arg4: tensor<f32>, %arg5: tensor<f32>, %arg6: tensor<f32>):
// CHECK-NEXT:      dovetail.yield %arg5 : tensor<f32>
// CHECK-NEXT:    }, {
// CHECK-NEXT:    ^bb0(%arg4: tensor<f32>, %arg5: tensor<f32>, %arg6: tensor<f32>):
// CHECK-NEXT:      %[[NEG:.+]] = dovetail.neg %arg5 : tensor<f32>
// CHECK-NEXT:      dovetail.yield %[[NEG]] : tensor<f32>
// CHECK-NEXT:    }
// CHECK-NEXT:    return %[[CASE]] : tensor<f32>
