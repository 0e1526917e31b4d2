// Collectives over an axis whose size is not known become ordinary ops along the batch's dimension.
// RUN: dovetail-opt %s --split-input-file --dovetail-batch='dims=0 axis=i' | FileCheck %s

func.func @main(%arg0: tensor<i32>) -> tensor<i32> {
  %0 = dovetail.axis_index over ["i"] sizes [-9223372036854775808]
  %1 = dovetail.mul %arg0, %0 : tensor<i32>
  return %1 : tensor<i32>
}
// CHECK-LABEL: func.func private @main.batch(%arg0: tensor<?xi32>) -> tensor<?xi32>
// CHECK-NEXT:    %[[DIM:.+]] = dovetail.dim %arg0, 0 : tensor<?xi32>
// CHECK-NEXT:    %[[IOTA:.+]] = dovetail.iota 0 sizes(%[[DIM]]) : tensor<?xi32>
// CHECK:         %[[MUL:.+]] = dovetail.mul %[[IOTA]], %{{.+}} : tensor<?xi32>
// CHECK-NEXT:    %[[MUL_1:.+]] = dovetail.mul %arg0, %[[MUL]] : tensor<?xi32>
// CHECK-NEXT:    return %[[MUL_1]] : tensor<?xi32>

// -----

func.func @main(%arg0: tensor<2xf32>) -> tensor<?x2xf32> {
  %0 = dovetail.all_gather %arg0 over ["i"] sizes [-9223372036854775808] dimension 0 : tensor<2xf32>
  return %0 : tensor<?x2xf32>
}
// CHECK-LABEL: func.func private @main.batch(%arg0: tensor<?x2xf32>) -> tensor<?x2xf32>
// CHECK:         return %arg0 : tensor<?x2xf32>
