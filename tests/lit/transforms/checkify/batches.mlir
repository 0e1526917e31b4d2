// Over a batch, a check fails with the first element that does.
// RUN: dovetail-opt %s --dovetail-batch="dims=0 size=3" | FileCheck %s

// CHECK-LABEL: @main.batch(
// CHECK:         %[[FAILED:.*]] = dovetail.compare ge
// CHECK:         %[[WHERE:.*]] = dovetail.select %[[FAILED]]
// CHECK:         %[[FIRST:.*]] = dovetail.reduce_min %[[WHERE]]
// CHECK:         %[[ANY:.*]] = dovetail.reduce_or %[[FAILED]]
// CHECK:         %[[INSIDE:.*]] = dovetail.select %[[ANY]], %[[FIRST]]
// CHECK:         dovetail.gather %arg0
// CHECK:         dovetail.check "user" table 0 of 1 %{{.*}} : tensor<2xi32>
func.func @main(%x: tensor<2xi32>) {
  dovetail.check "user" table 0 of 1 %x : tensor<2xi32>
  return
}
