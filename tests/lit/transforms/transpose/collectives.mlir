// Transposes of collectives.
// RUN: dovetail-opt %s --split-input-file --dovetail-transpose='linear=0' | FileCheck %s

func.func @main(%arg0: tensor<2x6xf32>) -> tensor<2x6xf32> {
  %0 = dovetail.all_reduce_sum %arg0 over ["i", "j"] : tensor<2x6xf32>
  return %0 : tensor<2x6xf32>
}
// CHECK-LABEL: func.func private @main.transpose(%arg0: tensor<2x6xf32>) -> tensor<2x6xf32>
// CHECK-NEXT:    %[[ALL_REDUCE_SUM:.+]] = dovetail.all_reduce_sum %arg0 over ["i", "j"] : tensor<2x6xf32>
// CHECK-NEXT:    return %[[ALL_REDUCE_SUM]] : tensor<2x6xf32>

// -----

func.func @main(%arg0: tensor<2x6xf32>) -> tensor<2x6x6xf32> {
  %0 = dovetail.all_gather %arg0 over ["i", "j"] sizes [2, 3] dimension 1 : tensor<2x6xf32>
  return %0 : tensor<2x6x6xf32>
}
// CHECK-LABEL: func.func private @main.transpose(%arg0: tensor<2x6x6xf32>) -> tensor<2x6xf32>
// CHECK-NEXT:    %[[REDUCE_SCATTER:.+]] = dovetail.reduce_scatter %arg0 over ["i", "j"] sizes [2, 3] dimension 1 : tensor<2x6x6xf32>
// CHECK-NEXT:    return %[[REDUCE_SCATTER]] : tensor<2x6xf32>

// -----

func.func @main(%arg0: tensor<2x6x4xf32>) -> tensor<2x4xf32> {
  %0 = dovetail.reduce_scatter %arg0 over ["i", "j"] sizes [2, 3] dimension 1 : tensor<2x6x4xf32>
  return %0 : tensor<2x4xf32>
}
// CHECK-LABEL: func.func private @main.transpose(%arg0: tensor<2x4xf32>) -> tensor<2x6x4xf32>
// CHECK-NEXT:    %[[ALL_GATHER:.+]] = dovetail.all_gather %arg0 over ["i", "j"] sizes [2, 3] dimension 1 : tensor<2x4xf32>
// CHECK-NEXT:    return %[[ALL_GATHER]] : tensor<2x6x4xf32>

// -----

func.func @main(%arg0: tensor<2x6x4xf32>) -> tensor<6x2x4xf32> {
  %0 = dovetail.all_to_all %arg0 over ["i", "j"] sizes [2, 3] from 1 to 0 : tensor<2x6x4xf32>
  return %0 : tensor<6x2x4xf32>
}
// CHECK-LABEL: func.func private @main.transpose(%arg0: tensor<6x2x4xf32>) -> tensor<2x6x4xf32>
// CHECK-NEXT:    %[[ALL_TO_ALL:.+]] = dovetail.all_to_all %arg0 over ["i", "j"] sizes [2, 3] from 0 to 1 : tensor<6x2x4xf32>
// CHECK-NEXT:    return %[[ALL_TO_ALL]] : tensor<2x6x4xf32>

// -----

func.func @main(%arg0: tensor<2x6xf32>) -> tensor<2x6xf32> {
  %0 = dovetail.permute %arg0 over ["i", "j"] sizes [2, 3] from [0, 1] to [1, 2] : tensor<2x6xf32>
  return %0 : tensor<2x6xf32>
}
// CHECK-LABEL: func.func private @main.transpose(%arg0: tensor<2x6xf32>) -> tensor<2x6xf32>
// CHECK-NEXT:    %[[PERMUTE:.+]] = dovetail.permute %arg0 over ["i", "j"] sizes [2, 3] from [1, 2] to [0, 1] : tensor<2x6xf32>
// CHECK-NEXT:    return %[[PERMUTE]] : tensor<2x6xf32>
