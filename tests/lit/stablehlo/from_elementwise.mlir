// RUN: dovetail-opt %s --dovetail-from-stablehlo | FileCheck %s

// Ops with the same operands and the same meaning; parts of real numbers; scalars as bounds and predicates.
// CHECK-LABEL: func.func @main
func.func @main(%x: tensor<3xf32>, %y: tensor<3xf32>, %p: tensor<i1>, %s: tensor<f32>, %q: tensor<3xi1>) -> (tensor<3xf32>, tensor<3xi1>, tensor<3xf32>) {
  // CHECK: %[[SIN:.+]] = dovetail.sin %arg0 : tensor<3xf32>
  %0 = stablehlo.sine %x : tensor<3xf32>
  // CHECK: %[[SUM:.+]] = dovetail.add %[[SIN]], %arg1 : tensor<3xf32>
  %1 = stablehlo.add %0, %y : tensor<3xf32>
  // CHECK: %[[P:.+]] = dovetail.broadcast %arg2 dims [] : tensor<i1> -> tensor<3xi1>
  // CHECK: %[[CHOSEN:.+]] = dovetail.select %[[P]], %[[SUM]], %arg0
  %2 = stablehlo.select %p, %1, %x : tensor<i1>, tensor<3xf32>
  // CHECK: %[[LOW:.+]] = dovetail.broadcast %arg3
  // CHECK: %[[HIGH:.+]] = dovetail.broadcast %arg3
  // CHECK: %[[CLAMPED:.+]] = dovetail.clamp %[[LOW]], %[[CHOSEN]], %[[HIGH]]
  %3 = stablehlo.clamp %s, %2, %s : (tensor<f32>, tensor<3xf32>, tensor<f32>) -> tensor<3xf32>
  // Sums of bools are "or".
  // CHECK: %[[OR:.+]] = dovetail.or %arg4, %arg4 : tensor<3xi1>
  %4 = stablehlo.add %q, %q : tensor<3xi1>
  // CHECK: %[[LESS:.+]] = dovetail.compare lt %{{.+}}, %{{.+}} : tensor<3xf32>
  %5 = stablehlo.compare LT, %x, %y, FLOAT : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
  // CHECK: %[[BOTH:.+]] = dovetail.and %[[OR]], %[[LESS]]
  %6 = stablehlo.and %4, %5 : tensor<3xi1>
  // CHECK: dovetail.erf_inv %arg0
  %7 = chlo.erf_inv %x : tensor<3xf32> -> tensor<3xf32>
  return %3, %6, %7 : tensor<3xf32>, tensor<3xi1>, tensor<3xf32>
}
