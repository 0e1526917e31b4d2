// What is reported of a product does not decide how it rounds.
// RUN: dovetail-opt %s --dovetail-mark-read-once | FileCheck %s
// RUN: dovetail-opt %s --dovetail-mark-read-once --dovetail-lower | FileCheck %s --check-prefix=LOWERED

// CHECK-LABEL: func.func @main(
// One sum and a call read the first, and a call reads the second through other ops; two sums read the third.
// CHECK: dovetail.mul %arg0, %arg1 {dovetail.read_once}
// CHECK: dovetail.mul %arg0, %arg0 {dovetail.read_once}
// CHECK: dovetail.mul %arg1, %arg1 : tensor<3xf64>
// LOWERED-DAG: %[[NONE:.*]] = arith.constant -0.000000e+00 : f64
// Sums have one rounding, except for the last two; the products that are reported have their own.
// LOWERED-COUNT-3: math.fma %{{.*}}, %{{.*}}, %[[NONE]]
// LOWERED: math.fma %{{.*}}, %{{.*}}, %in
// LOWERED: math.fma %{{.*}}, %{{.*}}, %in
// LOWERED-NOT: math.fma
// LOWERED: arith.addf
// LOWERED: arith.addf
module attributes {dovetail.host_functions, dovetail.target = "cpu:x86-64-v3"} {
  func.func @main(%x: tensor<3xf64>, %y: tensor<3xf64>) -> (tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>) {
    %p = dovetail.mul %x, %y : tensor<3xf64>
    %q = dovetail.mul %x, %x : tensor<3xf64>
    %r = dovetail.mul %y, %y : tensor<3xf64>
    %s = dovetail.neg %q : tensor<3xf64>
    dovetail.callback "f" effect "debug"(%p, %s) : (tensor<3xf64>, tensor<3xf64>) -> ()
    %0 = dovetail.add %p, %x : tensor<3xf64>
    %1 = dovetail.add %q, %y : tensor<3xf64>
    %2 = dovetail.add %r, %x : tensor<3xf64>
    %3 = dovetail.add %r, %y : tensor<3xf64>
    return %0, %1, %2, %3 : tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>
  }
}
