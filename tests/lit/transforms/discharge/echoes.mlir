// Echoes of references: arrays that are threaded beside what references hold.
// RUN: dovetail-opt %s --dovetail-discharge | FileCheck %s

// A function takes echoes as its last arguments, and returns them as its last results.
// CHECK-LABEL: func.func @arguments
// CHECK-SAME: (%arg0: tensor<i8>, %arg1: tensor<f32>, %arg2: tensor<f32>) -> (tensor<f32>, tensor<f32>, tensor<f32>) {
// CHECK-NEXT: %[[SIN:.+]] = dovetail.sin %arg1
// CHECK-NEXT: %[[COS:.+]] = dovetail.cos %arg2
// CHECK-NEXT: return %arg1, %[[SIN]], %[[COS]]
func.func @arguments(%arg0: !dovetail.ref<i8>, %arg1: !dovetail.ref<f32>) -> tensor<f32> {
  %0 = dovetail.ref_get %arg1 : <f32>
  %1 = dovetail.sin %0 : tensor<f32>
  dovetail.ref_set %arg1, %1 : <f32>, tensor<f32>
  %2 = dovetail.ref_echo %arg0 : <i8>
  %3 = dovetail.cos %2 : tensor<f32>
  dovetail.ref_set_echo %arg0, %3 : <i8>, tensor<f32>
  return %0 : tensor<f32>
}

// Loops carry them, and branches return them, beside what the references hold.
// CHECK-LABEL: func.func @loop
// CHECK-SAME: (%arg0: tensor<f32>, %arg1: tensor<i32>, %arg2: tensor<f32>) -> (tensor<f32>, tensor<f32>) {
// CHECK-NEXT: %[[SCAN:.+]]:2 = dovetail.scan length 3 init(%arg0, %arg2)
// CHECK: dovetail.case
// CHECK: return %[[SCAN]]#0, %[[SCAN]]#1
func.func @loop(%arg0: !dovetail.ref<f32>, %arg1: tensor<i32>) {
  dovetail.scan length 3 init() over() consts(%arg0, %arg1) : (!dovetail.ref<f32>, tensor<i32>) -> () {
  ^bb0(%a: !dovetail.ref<f32>, %p: tensor<i32>):
    dovetail.case %p of(%a) : (tensor<i32>, !dovetail.ref<f32>) -> () {
    ^bb0(%b: !dovetail.ref<f32>):
      %0 = dovetail.ref_echo %b read : <f32>
      %1 = dovetail.sin %0 : tensor<f32>
      dovetail.ref_set_echo %b, %1 : <f32>, tensor<f32>
      dovetail.ref_set %b, %1 : <f32>, tensor<f32>
      dovetail.yield
    }, {
    ^bb0(%b: !dovetail.ref<f32>):
      dovetail.yield
    }
    dovetail.yield
  }
  return
}

// The echo of a reference that is made here begins with the batch of what this holds, and leads nowhere.
// CHECK-LABEL: func.func @local
// CHECK-SAME: (%arg0: tensor<2xf32>) -> tensor<2xf32> {
// CHECK-NEXT: %[[BEGIN:.+]] = dovetail.stop_gradient %arg0
// CHECK-NEXT: dovetail.sin %[[BEGIN]]
// CHECK-NEXT: return %arg0
func.func @local(%arg0: tensor<2xf32>) -> tensor<2xf32> {
  %0 = dovetail.new_ref %arg0 : tensor<2xf32>
  %1 = dovetail.ref_echo %0 : <2xf32>
  %2 = dovetail.sin %1 : tensor<2xf32>
  dovetail.ref_set_echo %0, %2 : <2xf32>, tensor<2xf32>
  %3 = dovetail.freeze %0 : <2xf32>
  return %3 : tensor<2xf32>
}

// Deeper echoes follow the first ones.
// CHECK-LABEL: func.func @deeper
// CHECK-SAME: (%arg0: tensor<i64>, %arg1: tensor<f32>, %arg2: tensor<complex<f64>>, %arg3: tensor<f32>, %arg4: tensor<f32>) -> (tensor<complex<f64>>, tensor<f32>, tensor<f32>) {
// CHECK-NEXT: %[[SIN:.+]] = dovetail.sin %arg4
// CHECK-NEXT: %[[COS:.+]] = dovetail.cos %arg3
// CHECK-NEXT: %[[EXP:.+]] = dovetail.exp %arg2
// CHECK-NEXT: return %[[EXP]], %[[COS]], %[[SIN]]
func.func @deeper(%arg0: !dovetail.ref<i64>, %arg1: !dovetail.ref<f32>) {
  %0 = dovetail.ref_echo %arg1 depth 2 : <f32>
  %1 = dovetail.sin %0 : tensor<f32>
  dovetail.ref_set_echo %arg1, %1 depth 2 : <f32>, tensor<f32>
  %2 = dovetail.ref_echo %arg1 : <f32>
  %3 = dovetail.cos %2 : tensor<f32>
  dovetail.ref_set_echo %arg1, %3 : <f32>, tensor<f32>
  %4 = dovetail.ref_echo %arg0 : <i64>
  %5 = dovetail.exp %4 : tensor<complex<f64>>
  dovetail.ref_set_echo %arg0, %5 : <i64>, tensor<complex<f64>>
  return
}

// If a backward rule reads it, it leads to the results: the backward pass begins with what the reference holds.
// CHECK-LABEL: func.func @read
// CHECK-NEXT: %[[BEGIN:.+]] = dovetail.stop_gradient %arg0
// CHECK-NEXT: %[[ECHO:.+]] = dovetail.sin %[[BEGIN]]
// CHECK-NEXT: %[[COS:.+]] = dovetail.cos %arg0
// CHECK-NEXT: %[[END:.+]] = dovetail.echo_end %[[COS]] of %[[ECHO]], %arg0 :
// CHECK-NEXT: return %[[END]], %arg1
func.func @read(%arg0: tensor<2xf32>, %arg1: tensor<i32>) -> (tensor<2xf32>, tensor<i32>) {
  %0 = dovetail.new_ref %arg0 : tensor<2xf32>
  %1 = dovetail.ref_echo %0 read : <2xf32>
  %2 = dovetail.sin %1 : tensor<2xf32>
  dovetail.ref_set_echo %0, %2 : <2xf32>, tensor<2xf32>
  %3 = dovetail.cos %arg0 : tensor<2xf32>
  dovetail.ref_set %0, %3 : <2xf32>, tensor<2xf32>
  return %arg0, %arg1 : tensor<2xf32>, tensor<i32>
}
