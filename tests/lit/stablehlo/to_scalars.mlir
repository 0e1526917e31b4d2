// RUN: dovetail-opt %s --dovetail-to-stablehlo | FileCheck %s

// Functions that StableHLO lacks are their scalar code on whole arrays.
// CHECK-LABEL: func.func @polynomials
// CHECK-NOT: dovetail.
// CHECK: stablehlo.select
// CHECK: return %{{.+}} : tensor<?xf32>
func.func @polynomials(%x: tensor<?xf32>) -> tensor<?xf32> {
  %0 = dovetail.bessel_i0e %x : tensor<?xf32>
  return %0 : tensor<?xf32>
}

// A loop repeats as long as an element needs it, and the others keep their values.
// CHECK-LABEL: func.func @loops
// CHECK: stablehlo.while
// CHECK: cond {
// CHECK: %[[NEEDED:.+]] = stablehlo.and
// CHECK: stablehlo.reduce(%[[NEEDED]] init: %{{.+}}) across dimensions = [1]
// CHECK: stablehlo.or
// CHECK: } do {
// CHECK: %[[ACTIVE:.+]] = stablehlo.and
// CHECK: stablehlo.select %[[ACTIVE]], %{{.+}}, %arg2
// CHECK-NOT: dovetail.
func.func @loops(%a: tensor<2x3xf64>, %x: tensor<2x3xf64>) -> tensor<2x3xf64> {
  %0 = dovetail.igamma %a, %x : tensor<2x3xf64>
  return %0 : tensor<2x3xf64>
}
