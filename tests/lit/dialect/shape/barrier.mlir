// Text of the optimization barrier, which nothing simplifies.
// RUN: dovetail-opt %s --canonicalize --cse | FileCheck %s

func.func @barrier(%x: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>) {
  %0 = dovetail.exp %x : tensor<?xf32>
  %1 = dovetail.optimization_barrier %x : tensor<?xf32>
  %2 = dovetail.exp %1 : tensor<?xf32>
  return %0, %2 : tensor<?xf32>, tensor<?xf32>
}
// CHECK-LABEL: func.func @barrier
// CHECK-NEXT: %[[FIRST:.+]] = dovetail.exp %arg0 : tensor<?xf32>
// CHECK-NEXT: %[[BEHIND:.+]] = dovetail.optimization_barrier %arg0 : tensor<?xf32>
// CHECK-NEXT: %[[SECOND:.+]] = dovetail.exp %[[BEHIND]] : tensor<?xf32>
// CHECK-NEXT: return %[[FIRST]], %[[SECOND]]
