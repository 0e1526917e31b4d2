// Each array of a barrier gets a barrier of its own, those without results too.
// RUN: dovetail-opt %s --dovetail-separate-barriers=all | FileCheck %s

// CHECK-LABEL: func.func @main(
// CHECK-SAME: %[[X:.+]]: tensor<2xf32>, %[[Y:.+]]: tensor<3xi32>
func.func @main(%x: tensor<2xf32>, %y: tensor<3xi32>) -> (tensor<3xi32>, tensor<2xf32>) {
  // CHECK-NEXT: %[[A:.+]] = "util.optimization_barrier"(%[[X]]) : (tensor<2xf32>) -> tensor<2xf32>
  // CHECK-NEXT: %[[B:.+]] = "util.optimization_barrier"(%[[Y]]) : (tensor<3xi32>) -> tensor<3xi32>
  %0:2 = "util.optimization_barrier"(%x, %y) : (tensor<2xf32>, tensor<3xi32>) -> (tensor<2xf32>, tensor<3xi32>)
  // CHECK-NEXT: "util.optimization_barrier"(%[[A]])
  // CHECK-NEXT: "util.optimization_barrier"(%[[B]])
  // CHECK-NEXT: return %[[B]], %[[A]]
  %1:2 = "util.optimization_barrier"(%0#0, %0#1) : (tensor<2xf32>, tensor<3xi32>) -> (tensor<2xf32>, tensor<3xi32>)
  return %0#1, %0#0 : tensor<3xi32>, tensor<2xf32>
}
