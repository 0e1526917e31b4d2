// Tangents of collectives: linear ones act on the tangents; extremes share them among ties.
// RUN: dovetail-opt %s --split-input-file --dovetail-jvp='wrt=0' | FileCheck %s

func.func @main(%arg0: tensor<2x6xf32>) -> tensor<2x6xf32> {
  %0 = dovetail.all_reduce_sum %arg0 over ["i", "j"] : tensor<2x6xf32>
  return %0 : tensor<2x6xf32>
}
// CHECK-LABEL: func.func private @main.jvp(%arg0: tensor<2x6xf32>, %arg1: tensor<2x6xf32>) -> (tensor<2x6xf32>, tensor<2x6xf32>)
// CHECK-NEXT:    %[[ALL_REDUCE_SUM:.+]] = dovetail.all_reduce_sum %arg0 over ["i", "j"] : tensor<2x6xf32>
// CHECK-NEXT:    %[[ALL_REDUCE_SUM_1:.+]] = dovetail.all_reduce_sum %arg1 over ["i", "j"] : tensor<2x6xf32>
// CHECK-NEXT:    return %[[ALL_REDUCE_SUM]], %[[ALL_REDUCE_SUM_1]] : tensor<2x6xf32>, tensor<2x6xf32>

// -----

func.func @main(%arg0: tensor<2x6xf32>) -> tensor<2x6xf32> {
  %0 = dovetail.all_reduce_max %arg0 over ["i", "j"] : tensor<2x6xf32>
  return %0 : tensor<2x6xf32>
}
// CHECK-LABEL: func.func private @main.jvp(%arg0: tensor<2x6xf32>, %arg1: tensor<2x6xf32>) -> (tensor<2x6xf32>, tensor<2x6xf32>)
// CHECK-NEXT:    %[[ALL_REDUCE_MAX:.+]] = dovetail.all_reduce_max %arg0 over ["i", "j"] : tensor<2x6xf32>
// CHECK-NEXT:    %[[COMPARE:.+]] = dovetail.compare eq %arg0, %[[ALL_REDUCE_MAX]] : tensor<2x6xf32>
// CHECK-NEXT:    %[[CONSTANT:.+]] = dovetail.constant dense<1.000000e+00> : tensor<2x6xf32>
// CHECK-NEXT:    %[[CONSTANT_1:.+]] = dovetail.constant dense<0.000000e+00> : tensor<2x6xf32>
// CHECK-NEXT:    %[[SELECT:.+]] = dovetail.select %[[COMPARE]], %[[CONSTANT]], %[[CONSTANT_1]] : tensor<2x6xi1>, tensor<2x6xf32>
// CHECK-NEXT:    %[[ALL_REDUCE_SUM:.+]] = dovetail.all_reduce_sum %[[SELECT]] over ["i", "j"] : tensor<2x6xf32>
// CHECK-NEXT:    %[[CONSTANT_2:.+]] = dovetail.constant dense<0.000000e+00> : tensor<2x6xf32>
// CHECK-NEXT:    %[[SELECT_1:.+]] = dovetail.select %[[COMPARE]], %arg1, %[[CONSTANT_2]] : tensor<2x6xi1>, tensor<2x6xf32>
// CHECK-NEXT:    %[[ALL_REDUCE_SUM_1:.+]] = dovetail.all_reduce_sum %[[SELECT_1]] over ["i", "j"] : tensor<2x6xf32>
// CHECK-NEXT:    %[[DIV:.+]] = dovetail.div %[[ALL_REDUCE_SUM_1]], %[[ALL_REDUCE_SUM]] : tensor<2x6xf32>
// CHECK-NEXT:    return %[[ALL_REDUCE_MAX]], %[[DIV]] : tensor<2x6xf32>, tensor<2x6xf32>

// -----

func.func @main(%arg0: tensor<2x6xf32>) -> tensor<2x6xf32> {
  %0 = dovetail.all_reduce_min %arg0 over ["i", "j"] : tensor<2x6xf32>
  return %0 : tensor<2x6xf32>
}
// CHECK-LABEL: func.func private @main.jvp(%arg0: tensor<2x6xf32>, %arg1: tensor<2x6xf32>) -> (tensor<2x6xf32>, tensor<2x6xf32>)
// CHECK-NEXT:    %[[ALL_REDUCE_MIN:.+]] = dovetail.all_reduce_min %arg0 over ["i", "j"] : tensor<2x6xf32>
// CHECK-NEXT:    %[[COMPARE:.+]] = dovetail.compare eq %arg0, %[[ALL_REDUCE_MIN]] : tensor<2x6xf32>
// CHECK-NEXT:    %[[CONSTANT:.+]] = dovetail.constant dense<1.000000e+00> : tensor<2x6xf32>
// CHECK-NEXT:    %[[CONSTANT_1:.+]] = dovetail.constant dense<0.000000e+00> : tensor<2x6xf32>
// CHECK-NEXT:    %[[SELECT:.+]] = dovetail.select %[[COMPARE]], %[[CONSTANT]], %[[CONSTANT_1]] : tensor<2x6xi1>, tensor<2x6xf32>
// CHECK-NEXT:    %[[ALL_REDUCE_SUM:.+]] = dovetail.all_reduce_sum %[[SELECT]] over ["i", "j"] : tensor<2x6xf32>
// CHECK-NEXT:    %[[CONSTANT_2:.+]] = dovetail.constant dense<0.000000e+00> : tensor<2x6xf32>
// CHECK-NEXT:    %[[SELECT_1:.+]] = dovetail.select %[[COMPARE]], %arg1, %[[CONSTANT_2]] : tensor<2x6xi1>, tensor<2x6xf32>
// CHECK-NEXT:    %[[ALL_REDUCE_SUM_1:.+]] = dovetail.all_reduce_sum %[[SELECT_1]] over ["i", "j"] : tensor<2x6xf32>
// CHECK-NEXT:    %[[DIV:.+]] = dovetail.div %[[ALL_REDUCE_SUM_1]], %[[ALL_REDUCE_SUM]] : tensor<2x6xf32>
// CHECK-NEXT:    return %[[ALL_REDUCE_MIN]], %[[DIV]] : tensor<2x6xf32>, tensor<2x6xf32>

// -----

func.func @main(%arg0: tensor<2x6xf32>) -> tensor<2x6x6xf32> {
  %0 = dovetail.all_gather %arg0 over ["i", "j"] sizes [2, 3] dimension 1 : tensor<2x6xf32>
  return %0 : tensor<2x6x6xf32>
}
// CHECK-LABEL: func.func private @main.jvp(%arg0: tensor<2x6xf32>, %arg1: tensor<2x6xf32>) -> (tensor<2x6x6xf32>, tensor<2x6x6xf32>)
// CHECK-NEXT:    %[[ALL_GATHER:.+]] = dovetail.all_gather %arg0 over ["i", "j"] sizes [2, 3] dimension 1 : tensor<2x6xf32>
// CHECK-NEXT:    %[[ALL_GATHER_1:.+]] = dovetail.all_gather %arg1 over ["i", "j"] sizes [2, 3] dimension 1 : tensor<2x6xf32>
// CHECK-NEXT:    return %[[ALL_GATHER]], %[[ALL_GATHER_1]] : tensor<2x6x6xf32>, tensor<2x6x6xf32>

// -----

func.func @main(%arg0: tensor<2x6x4xf32>) -> tensor<2x4xf32> {
  %0 = dovetail.reduce_scatter %arg0 over ["i", "j"] sizes [2, 3] dimension 1 : tensor<2x6x4xf32>
  return %0 : tensor<2x4xf32>
}
// CHECK-LABEL: func.func private @main.jvp(%arg0: tensor<2x6x4xf32>, %arg1: tensor<2x6x4xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>)
// CHECK-NEXT:    %[[REDUCE_SCATTER:.+]] = dovetail.reduce_scatter %arg0 over ["i", "j"] sizes [2, 3] dimension 1 : tensor<2x6x4xf32>
// CHECK-NEXT:    %[[REDUCE_SCATTER_1:.+]] = dovetail.reduce_scatter %arg1 over ["i", "j"] sizes [2, 3] dimension 1 : tensor<2x6x4xf32>
// CHECK-NEXT:    return %[[REDUCE_SCATTER]], %[[REDUCE_SCATTER_1]] : tensor<2x4xf32>, tensor<2x4xf32>

// -----

func.func @main(%arg0: tensor<2x6x4xf32>) -> tensor<6x2x4xf32> {
  %0 = dovetail.all_to_all %arg0 over ["i", "j"] sizes [2, 3] from 1 to 0 : tensor<2x6x4xf32>
  return %0 : tensor<6x2x4xf32>
}
// CHECK-LABEL: func.func private @main.jvp(%arg0: tensor<2x6x4xf32>, %arg1: tensor<2x6x4xf32>) -> (tensor<6x2x4xf32>, tensor<6x2x4xf32>)
// CHECK-NEXT:    %[[ALL_TO_ALL:.+]] = dovetail.all_to_all %arg0 over ["i", "j"] sizes [2, 3] from 1 to 0 : tensor<2x6x4xf32>
// CHECK-NEXT:    %[[ALL_TO_ALL_1:.+]] = dovetail.all_to_all %arg1 over ["i", "j"] sizes [2, 3] from 1 to 0 : tensor<2x6x4xf32>
// CHECK-NEXT:    return %[[ALL_TO_ALL]], %[[ALL_TO_ALL_1]] : tensor<6x2x4xf32>, tensor<6x2x4xf32>

// -----

func.func @main(%arg0: tensor<2x6xf32>) -> tensor<2x6xf32> {
  %0 = dovetail.permute %arg0 over ["i", "j"] sizes [2, 3] from [0, 1] to [1, 2] : tensor<2x6xf32>
  return %0 : tensor<2x6xf32>
}
// CHECK-LABEL: func.func private @main.jvp(%arg0: tensor<2x6xf32>, %arg1: tensor<2x6xf32>) -> (tensor<2x6xf32>, tensor<2x6xf32>)
// CHECK-NEXT:    %[[PERMUTE:.+]] = dovetail.permute %arg0 over ["i", "j"] sizes [2, 3] from [0, 1] to [1, 2] : tensor<2x6xf32>
// CHECK-NEXT:    %[[PERMUTE_1:.+]] = dovetail.permute %arg1 over ["i", "j"] sizes [2, 3] from [0, 1] to [1, 2] : tensor<2x6xf32>
// CHECK-NEXT:    return %[[PERMUTE]], %[[PERMUTE_1]] : tensor<2x6xf32>, tensor<2x6xf32>
