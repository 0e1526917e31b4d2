// No more than 512 scalar ops are fused.
// RUN: dovetail-opt %s --dovetail-pipeline --split-input-file | FileCheck %s

// Three sines fit, and what is behind the barrier is read by all that come later.
// CHECK-LABEL: func.func @chain
// CHECK-COUNT-3: linalg.generic
// CHECK: %[[FIRST:.*]] = "iree_tensor_ext.compute_barrier.start"
// CHECK-COUNT-3: linalg.generic {{.*}} ins(%
// CHECK: "iree_tensor_ext.compute_barrier.start"
// CHECK: linalg.generic
// CHECK-NOT: compute_barrier
// CHECK: linalg.generic {{.*}} ins(%{{.*}}, %[[FIRST]]
// CHECK-NOT: compute_barrier
func.func @chain(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = dovetail.sin %x : tensor<8xf32>
  %1 = dovetail.sin %0 : tensor<8xf32>
  %2 = dovetail.sin %1 : tensor<8xf32>
  %3 = dovetail.sin %2 : tensor<8xf32>
  %4 = dovetail.sin %3 : tensor<8xf32>
  %5 = dovetail.sin %4 : tensor<8xf32>
  %6 = dovetail.sin %5 : tensor<8xf32>
  %7 = dovetail.add %6, %2 : tensor<8xf32>
  return %7 : tensor<8xf32>
}

// -----

// Many ops that compute little stay together, and reductions begin anew.
// CHECK-LABEL: func.func @cheap
// CHECK-NOT: compute_barrier
func.func @cheap(%x: tensor<8x8xf32>) -> tensor<8xf32> {
  %0 = dovetail.sin %x : tensor<8x8xf32>
  %1 = dovetail.add %0, %x : tensor<8x8xf32>
  %2 = dovetail.mul %1, %x : tensor<8x8xf32>
  %3 = dovetail.sin %2 : tensor<8x8xf32>
  %4 = dovetail.reduce_sum %3 [1] : tensor<8x8xf32>
  %5 = dovetail.sin %4 : tensor<8xf32>
  %6 = dovetail.sin %5 : tensor<8xf32>
  return %6 : tensor<8xf32>
}
