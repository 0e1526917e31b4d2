// The last workgroup of a dispatch adds the terms of all of them.
// RUN: dovetail-opt %s --dovetail-pipeline="from=decompose to=lower" --dovetail-merge-small | FileCheck %s

// CHECK:         dovetail.groups = [[GROUPS:[0-9]+]] : index
// CHECK:         hal.interface.workgroup.id
// CHECK:         %[[BEFORE:.+]] = memref.atomic_rmw addi
// CHECK:         %[[IS_LAST:.+]] = arith.cmpi eq, %[[BEFORE]]
// CHECK:         scf.if %[[IS_LAST]]
// CHECK:           scf.for
// CHECK-LABEL: func.func @main
// CHECK:         %[[COUNT:.+]] = "flow.tensor.splat"
// CHECK:         %[[CALL:.+]]:{{[0-9]+}} = "flow.dispatch"(%{{.+}}, %[[COUNT]])
// CHECK-SAME:    tied_operands = [-1 : index, -1 : index, -1 : index, 1 : index]
// CHECK-NOT:     linalg.generic
// CHECK:         return
module attributes {dovetail.target = "cpu"} {
func.func @main(%x: tensor<1024x256xf32>) -> (tensor<1024x256xf32>, tensor<256xf32>) {
  %zero = dovetail.constant dense<0> : tensor<i32>
  %r:2 = dovetail.case %zero of(%x) {dovetail.kernel} : (tensor<i32>, tensor<1024x256xf32>) -> (tensor<1024x256xf32>, tensor<256xf32>) {
  ^bb0(%a: tensor<1024x256xf32>):
    %e = dovetail.exp %a : tensor<1024x256xf32>
    %s = dovetail.reduce_sum %e [0] : tensor<1024x256xf32>
    dovetail.yield %e, %s : tensor<1024x256xf32>, tensor<256xf32>
  }
  return %r#0, %r#1 : tensor<1024x256xf32>, tensor<256xf32>
}
}
