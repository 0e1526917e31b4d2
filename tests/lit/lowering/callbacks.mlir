// Callbacks are host functions; a number that goes through those with effects keeps their order.
// RUN: dovetail-opt %s --split-input-file --dovetail-lower --verify-diagnostics | FileCheck %s

// CHECK-DAG: func.func private @host.f0(tensor<f32>, i32) -> i32
// CHECK-DAG: func.func private @host.f1(tensor<1xi64>) -> tensor<?xf32>
// CHECK-LABEL: func.func @main(
// CHECK: %[[START:.*]] = arith.constant 0 : i32
// CHECK: %[[FIRST:.*]] = call @host.f0(%arg0, %[[START]])
// CHECK: %[[LOOP:.*]] = scf.for {{.*}} iter_args(%[[TOKEN:.*]] = %[[FIRST]]) -> (i32)
// CHECK-NEXT: %[[NEXT:.*]] = func.call @host.f0(%arg0, %[[TOKEN]])
// CHECK-NEXT: scf.yield %[[NEXT]] : i32
// What the host is told of the result: its sizes.
// CHECK: %[[SIZES:.*]] = tensor.from_elements %{{.*}} : tensor<1xi64>
// CHECK: call @host.f1(%[[SIZES]])
// CHECK: call @host.f0(%arg0, %[[LOOP]])
module attributes {dovetail.host_functions} {
  func.func @main(%x: tensor<f32>, %n: index) -> tensor<?xf32> {
    dovetail.callback "a" effect "io"(%x) : (tensor<f32>) -> ()
    dovetail.scan length 3 init() over() consts(%x) : (tensor<f32>) -> () {
    ^bb0(%k: tensor<f32>):
      dovetail.callback "a" effect "io"(%k) : (tensor<f32>) -> ()
      dovetail.yield
    }
    %0 = dovetail.callback "b" effect "none"() sizes(%n) : () -> tensor<?xf32>
    dovetail.callback "a" effect "io"(%x) : (tensor<f32>) -> ()
    return %0 : tensor<?xf32>
  }
}

// -----

func.func @main(%x: tensor<f32>) {
  // expected-error @+1 {{a callback must run on the CPU of the Python program that has its function, got: "a" in a program for another device or for export; use the CPU, or a function without callbacks}}
  dovetail.callback "a" effect "io"(%x) : (tensor<f32>) -> ()
  return
}
