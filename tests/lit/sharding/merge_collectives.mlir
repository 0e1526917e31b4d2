// Small collectives over the same axes become one, unless one depends on another.
// RUN: dovetail-opt %s --split-input-file --dovetail-merge-collectives | FileCheck %s

// The second sum needs the first; the third does not, and the fourth is over another axis.
// CHECK-LABEL: func.func @main
// CHECK-SAME:    (%[[X:.+]]: tensor<2x3xf32>, %[[Y:.+]]: tensor<4xf32>)
// CHECK:         %[[SINE:.+]] = dovetail.sin %[[Y]]
// CHECK:         %[[FLAT:.+]] = dovetail.reshape %[[X]] : tensor<2x3xf32> -> tensor<6xf32>
// CHECK:         %[[BOTH:.+]] = dovetail.concatenate %[[FLAT]], %[[SINE]] dimension 0 : tensor<6xf32>, tensor<4xf32>
// CHECK:         %[[SUMS:.+]] = dovetail.all_reduce_sum %[[BOTH]] over ["x"] : tensor<10xf32>
// CHECK:         %[[FIRST:.+]] = dovetail.slice %[[SUMS]] starts [0] strides [1] : tensor<10xf32> -> tensor<6xf32>
// CHECK:         %[[SUM:.+]] = dovetail.reshape %[[FIRST]] : tensor<6xf32> -> tensor<2x3xf32>
// CHECK:         %[[COS:.+]] = dovetail.cos %[[SUM]]
// CHECK:         %[[AGAIN:.+]] = dovetail.all_reduce_sum %[[COS]] over ["x"] : tensor<2x3xf32>
// CHECK:         %[[SECOND:.+]] = dovetail.slice %[[SUMS]] starts [6] strides [1] : tensor<10xf32> -> tensor<4xf32>
// CHECK:         %[[OTHER:.+]] = dovetail.all_reduce_sum %[[Y]] over ["y"] : tensor<4xf32>
// CHECK:         return %[[AGAIN]], %[[SECOND]], %[[OTHER]]
func.func @main(%x: tensor<2x3xf32>, %y: tensor<4xf32>) -> (tensor<2x3xf32>, tensor<4xf32>, tensor<4xf32>) {
  %0 = dovetail.all_reduce_sum %x over ["x"] : tensor<2x3xf32>
  %1 = dovetail.cos %0 : tensor<2x3xf32>
  %2 = dovetail.all_reduce_sum %1 over ["x"] : tensor<2x3xf32>
  %3 = dovetail.sin %y : tensor<4xf32>
  %4 = dovetail.all_reduce_sum %3 over ["x"] : tensor<4xf32>
  %5 = dovetail.all_reduce_sum %y over ["y"] : tensor<4xf32>
  return %2, %4, %5 : tensor<2x3xf32>, tensor<4xf32>, tensor<4xf32>
}

// -----

// Permutes are merged, too; types are not mixed, large operands stay, and so do ops that depend on places.
// CHECK-LABEL: func.func @main
// CHECK:         dovetail.permute %{{.+}} over ["x"] sizes [4] from [0] to [1] : tensor<5xf32>
// CHECK-NOT:     dovetail.concatenate
// CHECK-COUNT-2: dovetail.all_reduce_max
// CHECK-COUNT-2: dovetail.all_reduce_sum
// CHECK-COUNT-2: dovetail.all_gather
func.func @main(%x: tensor<2xf32>, %y: tensor<3xf32>, %n: tensor<3xi32>, %large: tensor<8193xf32>)
    -> (tensor<2xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xi32>, tensor<8193xf32>, tensor<2xf32>, tensor<4x2xf32>, tensor<4x3xf32>) {
  %0 = dovetail.permute %x over ["x"] sizes [4] from [0] to [1] : tensor<2xf32>
  %1 = dovetail.permute %y over ["x"] sizes [4] from [0] to [1] : tensor<3xf32>
  %2 = dovetail.all_reduce_max %y over ["x"] : tensor<3xf32>
  %3 = dovetail.all_reduce_max %n over ["x"] : tensor<3xi32>
  %4 = dovetail.all_reduce_sum %large over ["x"] : tensor<8193xf32>
  %5 = dovetail.all_reduce_sum %x over ["x"] : tensor<2xf32>
  %6 = dovetail.all_gather %x over ["x"] sizes [4] dimension 0 : tensor<2xf32>
  %7 = dovetail.all_gather %y over ["x"] sizes [4] dimension 0 : tensor<3xf32>
  return %0, %1, %2, %3, %4, %5, %6, %7 : tensor<2xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xi32>, tensor<8193xf32>, tensor<2xf32>, tensor<4x2xf32>, tensor<4x3xf32>
}
