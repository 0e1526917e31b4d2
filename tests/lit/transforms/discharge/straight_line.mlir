// References in straight-line code, as arguments, and in callees.
// RUN: dovetail-opt %s --dovetail-discharge | FileCheck %s

// What a reference holds is passed on from op to op.
// CHECK-LABEL: func.func @local
// CHECK-SAME: (%arg0: tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>) {
// CHECK-NEXT: %[[SIN:.+]] = dovetail.sin %arg0
// CHECK-NEXT: %[[COS:.+]] = dovetail.cos %[[SIN]]
// CHECK-NEXT: return %[[COS]], %[[SIN]]
func.func @local(%arg0: tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>) {
  %0 = dovetail.new_ref %arg0 : tensor<3xf32>
  %1 = dovetail.ref_get %0 : <3xf32>
  %2 = dovetail.sin %1 : tensor<3xf32>
  dovetail.ref_set %0, %2 : <3xf32>, tensor<3xf32>
  %3 = dovetail.ref_get %0 : <3xf32>
  %4 = dovetail.cos %3 : tensor<3xf32>
  dovetail.ref_set %0, %4 : <3xf32>, tensor<3xf32>
  %5 = dovetail.freeze %0 : <3xf32>
  return %5, %3 : tensor<3xf32>, tensor<3xf32>
}

// A function takes what references hold, and returns what it writes to them, in the order of its arguments.
// CHECK-LABEL: func.func @arguments
// CHECK-SAME: (%arg0: tensor<f32>, %arg1: tensor<f32>, %arg2: tensor<f32>) -> (tensor<f32>, tensor<f32>, tensor<f32>) {
// CHECK-NEXT: %[[SUM:.+]] = dovetail.add %arg0, %arg1
// CHECK-NEXT: return %arg2, %[[SUM]], %arg1
func.func @arguments(%arg0: !dovetail.ref<f32>, %arg1: !dovetail.ref<f32>, %arg2: !dovetail.ref<f32>) -> tensor<f32> {
  %0 = dovetail.ref_get %arg0 : <f32>
  %1 = dovetail.ref_get %arg1 : <f32>
  %2 = dovetail.add %0, %1 : tensor<f32>
  %3 = dovetail.ref_get %arg2 : <f32>
  dovetail.ref_set %arg2, %1 : <f32>, tensor<f32>
  dovetail.ref_set %arg0, %2 : <f32>, tensor<f32>
  return %3 : tensor<f32>
}

// A call on references is the callee's body; one on arrays stays.
// CHECK-LABEL: func.func @calls
// CHECK-NEXT: %[[ONE:.+]] = dovetail.neg %arg0
// CHECK-NEXT: %[[TWO:.+]] = dovetail.neg %[[ONE]]
// CHECK-NEXT: %[[CALL:.+]] = dovetail.call @within(%[[TWO]])
// CHECK-NEXT: return %[[CALL]]
func.func @calls(%arg0: tensor<f32>) -> tensor<f32> {
  %0 = dovetail.new_ref %arg0 : tensor<f32>
  dovetail.call @twice(%0) : (!dovetail.ref<f32>) -> ()
  %1 = dovetail.freeze %0 : <f32>
  %2 = dovetail.call @within(%1) : (tensor<f32>) -> tensor<f32>
  return %2 : tensor<f32>
}

// CHECK-NOT: @twice
func.func private @twice(%arg0: !dovetail.ref<f32>) {
  dovetail.call @once(%arg0) : (!dovetail.ref<f32>) -> ()
  dovetail.call @once(%arg0) : (!dovetail.ref<f32>) -> ()
  return
}

func.func private @once(%arg0: !dovetail.ref<f32>) {
  %0 = dovetail.ref_get %arg0 : <f32>
  %1 = dovetail.neg %0 : tensor<f32>
  dovetail.ref_set %arg0, %1 : <f32>, tensor<f32>
  return
}

// CHECK: func.func private @within(%arg0: tensor<f32>) -> tensor<f32> {
// CHECK-NEXT: return %arg0
func.func private @within(%arg0: tensor<f32>) -> tensor<f32> {
  %0 = dovetail.new_ref %arg0 : tensor<f32>
  %1 = dovetail.freeze %0 : <f32>
  return %1 : tensor<f32>
}

// Requests are on functions of values.
// CHECK-LABEL: func.func @gradient
// CHECK-NEXT: dovetail.vjp @within wrt [0] of [0](%arg0) cotangents(%arg1)
func.func @gradient(%arg0: tensor<f32>, %arg1: tensor<f32>) -> (tensor<f32>, tensor<f32>) {
  %0:2 = dovetail.vjp @within wrt [0] of [0] (%arg0) cotangents (%arg1) : (tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<f32>)
  return %0#0, %0#1 : tensor<f32>, tensor<f32>
}
