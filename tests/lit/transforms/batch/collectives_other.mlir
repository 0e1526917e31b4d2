// A batch that collectives do not name is one more dimension of theirs.
// RUN: dovetail-opt %s --split-input-file --dovetail-batch='dims=1 size=7 axis=k' | FileCheck %s

func.func @main(%arg0: tensor<2x6xf32>) -> tensor<2x6xf32> {
  %0 = dovetail.all_reduce_sum %arg0 over ["i"] : tensor<2x6xf32>
  return %0 : tensor<2x6xf32>
}
// CHECK-LABEL: func.func private @main.batch(%arg0: tensor<2x7x6xf32>) -> tensor<2x7x6xf32>
// CHECK-NEXT:    %[[ALL_REDUCE_SUM:.+]] = dovetail.all_reduce_sum %arg0 over ["i"] : tensor<2x7x6xf32>
// CHECK-NEXT:    return %[[ALL_REDUCE_SUM]] : tensor<2x7x6xf32>

// -----

func.func @main(%arg0: tensor<2x6xi1>) -> tensor<2x6xi1> {
  %0 = dovetail.all_reduce_max %arg0 over ["i"] : tensor<2x6xi1>
  return %0 : tensor<2x6xi1>
}
// CHECK-LABEL: func.func private @main.batch(%arg0: tensor<2x7x6xi1>) -> tensor<2x7x6xi1>
// CHECK-NEXT:    %[[ALL_REDUCE_MAX:.+]] = dovetail.all_reduce_max %arg0 over ["i"] : tensor<2x7x6xi1>
// CHECK-NEXT:    return %[[ALL_REDUCE_MAX]] : tensor<2x7x6xi1>

// -----

func.func @main(%arg0: tensor<2x6xui8>) -> tensor<2x6xui8> {
  %0 = dovetail.all_reduce_min %arg0 over ["i"] : tensor<2x6xui8>
  return %0 : tensor<2x6xui8>
}
// CHECK-LABEL: func.func private @main.batch(%arg0: tensor<2x7x6xui8>) -> tensor<2x7x6xui8>
// CHECK-NEXT:    %[[ALL_REDUCE_MIN:.+]] = dovetail.all_reduce_min %arg0 over ["i"] : tensor<2x7x6xui8>
// CHECK-NEXT:    return %[[ALL_REDUCE_MIN]] : tensor<2x7x6xui8>

// -----

func.func @main(%arg0: tensor<2x6xf32>) -> tensor<2x3x6xf32> {
  %0 = dovetail.all_gather %arg0 over ["i"] sizes [3] dimension 1 : tensor<2x6xf32>
  return %0 : tensor<2x3x6xf32>
}
// CHECK-LABEL: func.func private @main.batch(%arg0: tensor<2x7x6xf32>) -> tensor<2x7x3x6xf32>
// CHECK-NEXT:    %[[ALL_GATHER:.+]] = dovetail.all_gather %arg0 over ["i"] sizes [3] dimension 2 : tensor<2x7x6xf32>
// CHECK-NEXT:    return %[[ALL_GATHER]] : tensor<2x7x3x6xf32>

// -----

func.func @main(%arg0: tensor<2x3x4xf32>) -> tensor<2x4xf32> {
  %0 = dovetail.reduce_scatter %arg0 over ["i"] sizes [3] dimension 1 : tensor<2x3x4xf32>
  return %0 : tensor<2x4xf32>
}
// CHECK-LABEL: func.func private @main.batch(%arg0: tensor<2x7x3x4xf32>) -> tensor<2x7x4xf32>
// CHECK-NEXT:    %[[REDUCE_SCATTER:.+]] = dovetail.reduce_scatter %arg0 over ["i"] sizes [3] dimension 2 : tensor<2x7x3x4xf32>
// CHECK-NEXT:    return %[[REDUCE_SCATTER]] : tensor<2x7x4xf32>

// -----

func.func @main(%arg0: tensor<2x3x4xf32>) -> tensor<3x2x4xf32> {
  %0 = dovetail.all_to_all %arg0 over ["i"] sizes [3] from 1 to 0 : tensor<2x3x4xf32>
  return %0 : tensor<3x2x4xf32>
}
// CHECK-LABEL: func.func private @main.batch(%arg0: tensor<2x7x3x4xf32>) -> tensor<3x2x7x4xf32>
// CHECK-NEXT:    %[[ALL_TO_ALL:.+]] = dovetail.all_to_all %arg0 over ["i"] sizes [3] from 2 to 0 : tensor<2x7x3x4xf32>
// CHECK-NEXT:    return %[[ALL_TO_ALL]] : tensor<3x2x7x4xf32>

// -----

func.func @main(%arg0: tensor<2x6xf32>) -> tensor<2x6xf32> {
  %0 = dovetail.permute %arg0 over ["i"] sizes [3] from [0, 1] to [1, 2] : tensor<2x6xf32>
  return %0 : tensor<2x6xf32>
}
// CHECK-LABEL: func.func private @main.batch(%arg0: tensor<2x7x6xf32>) -> tensor<2x7x6xf32>
// CHECK-NEXT:    %[[PERMUTE:.+]] = dovetail.permute %arg0 over ["i"] sizes [3] from [0, 1] to [1, 2] : tensor<2x7x6xf32>
// CHECK-NEXT:    return %[[PERMUTE]] : tensor<2x7x6xf32>

// -----

func.func @main(%arg0: tensor<4xf32>) -> tensor<i32> {
  %0 = dovetail.axis_index over ["i"] sizes [3]
  return %0 : tensor<i32>
}
// CHECK-LABEL: func.func private @main.batch(%arg0: tensor<4x7xf32>) -> tensor<i32>
// CHECK-NEXT:    %[[AXIS_INDEX:.+]] = dovetail.axis_index over ["i"] sizes [3]
// CHECK-NEXT:    return %[[AXIS_INDEX]] : tensor<i32>
