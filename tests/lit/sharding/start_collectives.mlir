// Collectives start as soon as their operands are there, but gathers stay where their results are needed.
// RUN: dovetail-opt %s --split-input-file --dovetail-start-collectives | FileCheck %s

// CHECK-LABEL: func.func @sums
// CHECK-SAME:    (%[[X:.+]]: tensor<4xf32>, %[[Y:.+]]: tensor<4xf32>)
// CHECK:         dovetail.all_reduce_sum %[[Y]]
// CHECK:         %[[A:.+]] = dovetail.sin %[[X]]
// CHECK-NEXT:    %[[SUM:.+]] = dovetail.all_reduce_sum %[[A]]
// CHECK-NEXT:    dovetail.reduce_scatter %[[A]]
// CHECK:         dovetail.cos %[[A]]
// CHECK:         dovetail.all_gather %[[SUM]]
func.func @sums(%x: tensor<4xf32>, %y: tensor<4xf32>) -> (tensor<4xf32>, tensor<f32>, tensor<4xf32>, tensor<4xf32>, tensor<2x4xf32>) {
  %0 = dovetail.sin %x : tensor<4xf32>
  %1 = dovetail.cos %0 : tensor<4xf32>
  %2 = dovetail.reduce_scatter %0 over ["x"] sizes [4] dimension 0 : tensor<4xf32>
  %3 = dovetail.all_reduce_sum %0 over ["x"] : tensor<4xf32>
  %4 = dovetail.all_reduce_sum %y over ["x"] : tensor<4xf32>
  %5 = dovetail.all_gather %3 over ["x"] sizes [2] dimension 0 : tensor<4xf32>
  return %1, %2, %3, %4, %5 : tensor<4xf32>, tensor<f32>, tensor<4xf32>, tensor<4xf32>, tensor<2x4xf32>
}
