// What comes behind a loop of the host takes its results from a barrier; numbers need none.
// RUN: dovetail-opt %s --dovetail-separate-loops | FileCheck %s

// CHECK-LABEL: func.func @main(
func.func @main(%n: index, %x: tensor<2xf32>, %y: tensor<?xf32>) -> (tensor<2xf32>, tensor<?xf32>, index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK:      %[[LOOP:.+]]:3 = scf.for
  // CHECK:        scf.yield
  // CHECK:      %[[X:.+]] = "util.optimization_barrier"(%[[LOOP]]#0) :
  // CHECK-NEXT: %[[Y:.+]] = "util.optimization_barrier"(%[[LOOP]]#1) :
  // CHECK:      %[[SIZE:.+]] = tensor.dim %[[LOOP]]#1
  // CHECK-NEXT: %[[TIED:.+]] = "flow.tensor.tie_shape"(%[[Y]], %[[SIZE]])
  // CHECK-NEXT: return %[[X]], %[[TIED]], %[[LOOP]]#2
  %0:3 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x, %b = %y, %c = %n) -> (tensor<2xf32>, tensor<?xf32>, index) {
    scf.yield %a, %b, %c : tensor<2xf32>, tensor<?xf32>, index
  }
  return %0#0, %0#1, %0#2 : tensor<2xf32>, tensor<?xf32>, index
}
