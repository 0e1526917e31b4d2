// Collectives over the batch's axis and others become ones over the others.
// RUN: dovetail-opt %s --split-input-file --dovetail-batch='dims=1 size=3 axis=i' | FileCheck %s

func.func @main(%arg0: tensor<2x6xf32>) -> tensor<2x6xf32> {
  %0 = dovetail.all_reduce_sum %arg0 over ["h", "i", "j"] : tensor<2x6xf32>
  return %0 : tensor<2x6xf32>
}
// CHECK-LABEL: func.func private @main.batch(%arg0: tensor<2x3x6xf32>) -> tensor<2x6xf32>
// CHECK-NEXT:    %[[REDUCE_SUM:.+]] = dovetail.reduce_sum %arg0 [1] : tensor<2x3x6xf32>
// CHECK-NEXT:    %[[ALL_REDUCE_SUM:.+]] = dovetail.all_reduce_sum %[[REDUCE_SUM]] over ["h", "j"] : tensor<2x6xf32>
// CHECK-NEXT:    return %[[ALL_REDUCE_SUM]] : tensor<2x6xf32>

// -----

func.func @main(%arg0: tensor<2x6xi1>) -> tensor<2x6xi1> {
  %0 = dovetail.all_reduce_max %arg0 over ["h", "i", "j"] : tensor<2x6xi1>
  return %0 : tensor<2x6xi1>
}
// CHECK-LABEL: func.func private @main.batch(%arg0: tensor<2x3x6xi1>) -> tensor<2x6xi1>
// CHECK-NEXT:    %[[REDUCE_MAX:.+]] = dovetail.reduce_max %arg0 [1] : tensor<2x3x6xi1>
// CHECK-NEXT:    %[[ALL_REDUCE_MAX:.+]] = dovetail.all_reduce_max %[[REDUCE_MAX]] over ["h", "j"] : tensor<2x6xi1>
// CHECK-NEXT:    return %[[ALL_REDUCE_MAX]] : tensor<2x6xi1>

// -----

func.func @main(%arg0: tensor<2x6xui8>) -> tensor<2x6xui8> {
  %0 = dovetail.all_reduce_min %arg0 over ["h", "i", "j"] : tensor<2x6xui8>
  return %0 : tensor<2x6xui8>
}
// CHECK-LABEL: func.func private @main.batch(%arg0: tensor<2x3x6xui8>) -> tensor<2x6xui8>
// CHECK-NEXT:    %[[REDUCE_MIN:.+]] = dovetail.reduce_min %arg0 [1] : tensor<2x3x6xui8>
// CHECK-NEXT:    %[[ALL_REDUCE_MIN:.+]] = dovetail.all_reduce_min %[[REDUCE_MIN]] over ["h", "j"] : tensor<2x6xui8>
// CHECK-NEXT:    return %[[ALL_REDUCE_MIN]] : tensor<2x6xui8>

// -----

func.func @main(%arg0: tensor<2x6xf32>) -> tensor<2x12x6xf32> {
  %0 = dovetail.all_gather %arg0 over ["h", "i", "j"] sizes [2, 3, 2] dimension 1 : tensor<2x6xf32>
  return %0 : tensor<2x12x6xf32>
}
// CHECK-LABEL: func.func private @main.batch(%arg0: tensor<2x3x6xf32>) -> tensor<2x12x6xf32>
// CHECK-NEXT:    %[[TRANSPOSE:.+]] = dovetail.transpose %arg0 [1, 0, 2] : tensor<2x3x6xf32>
// CHECK-NEXT:    %[[ALL_GATHER:.+]] = dovetail.all_gather %[[TRANSPOSE]] over ["h", "j"] sizes [2, 2] dimension 2 : tensor<3x2x6xf32>
// CHECK-NEXT:    %[[RESHAPE:.+]] = dovetail.reshape %[[ALL_GATHER]] : tensor<3x2x4x6xf32> -> tensor<3x2x2x2x6xf32>
// CHECK-NEXT:    %[[TRANSPOSE_1:.+]] = dovetail.transpose %[[RESHAPE]] [1, 2, 0, 3, 4] : tensor<3x2x2x2x6xf32>
// CHECK-NEXT:    %[[RESHAPE_1:.+]] = dovetail.reshape %[[TRANSPOSE_1]] : tensor<2x2x3x2x6xf32> -> tensor<2x12x6xf32>
// CHECK-NEXT:    return %[[RESHAPE_1]] : tensor<2x12x6xf32>

// -----

func.func @main(%arg0: tensor<2x12x4xf32>) -> tensor<2x4xf32> {
  %0 = dovetail.reduce_scatter %arg0 over ["h", "i", "j"] sizes [2, 3, 2] dimension 1 : tensor<2x12x4xf32>
  return %0 : tensor<2x4xf32>
}
// CHECK-LABEL: func.func private @main.batch(%arg0: tensor<2x3x12x4xf32>) -> tensor<3x2x4xf32>
// CHECK-NEXT:    %[[REDUCE_SUM:.+]] = dovetail.reduce_sum %arg0 [1] : tensor<2x3x12x4xf32>
// CHECK-NEXT:    %[[RESHAPE:.+]] = dovetail.reshape %[[REDUCE_SUM]] : tensor<2x12x4xf32> -> tensor<2x2x3x2x4xf32>
// CHECK-NEXT:    %[[TRANSPOSE:.+]] = dovetail.transpose %[[RESHAPE]] [2, 0, 1, 3, 4] : tensor<2x2x3x2x4xf32>
// CHECK-NEXT:    %[[RESHAPE_1:.+]] = dovetail.reshape %[[TRANSPOSE]] : tensor<3x2x2x2x4xf32> -> tensor<3x2x4x4xf32>
// CHECK-NEXT:    %[[REDUCE_SCATTER:.+]] = dovetail.reduce_scatter %[[RESHAPE_1]] over ["h", "j"] sizes [2, 2] dimension 2 : tensor<3x2x4x4xf32>
// CHECK-NEXT:    return %[[REDUCE_SCATTER]] : tensor<3x2x4xf32>

// -----

func.func @main(%arg0: tensor<2x12x4xf32>) -> tensor<12x2x4xf32> {
  %0 = dovetail.all_to_all %arg0 over ["h", "i", "j"] sizes [2, 3, 2] from 1 to 0 : tensor<2x12x4xf32>
  return %0 : tensor<12x2x4xf32>
}
// CHECK-LABEL: func.func private @main.batch(%arg0: tensor<2x3x12x4xf32>) -> tensor<3x12x2x4xf32>
// CHECK-NEXT:    %[[TRANSPOSE:.+]] = dovetail.transpose %arg0 [1, 0, 2, 3] : tensor<2x3x12x4xf32>
// CHECK-NEXT:    %[[RESHAPE:.+]] = dovetail.reshape %[[TRANSPOSE]] : tensor<3x2x12x4xf32> -> tensor<3x2x2x3x2x4xf32>
// CHECK-NEXT:    %[[TRANSPOSE_1:.+]] = dovetail.transpose %[[RESHAPE]] [3, 0, 1, 2, 4, 5] : tensor<3x2x2x3x2x4xf32>
// CHECK-NEXT:    %[[RESHAPE_1:.+]] = dovetail.reshape %[[TRANSPOSE_1]] : tensor<3x3x2x2x2x4xf32> -> tensor<3x3x2x4x4xf32>
// CHECK-NEXT:    %[[ALL_TO_ALL:.+]] = dovetail.all_to_all %[[RESHAPE_1]] over ["h", "j"] sizes [2, 2] from 3 to 2 : tensor<3x3x2x4x4xf32>
// CHECK-NEXT:    %[[RESHAPE_2:.+]] = dovetail.reshape %[[ALL_TO_ALL]] : tensor<3x3x4x2x4xf32> -> tensor<3x3x2x2x2x4xf32>
// CHECK-NEXT:    %[[TRANSPOSE_2:.+]] = dovetail.transpose %[[RESHAPE_2]] [0, 2, 1, 3, 4, 5] : tensor<3x3x2x2x2x4xf32>
// CHECK-NEXT:    %[[RESHAPE_3:.+]] = dovetail.reshape %[[TRANSPOSE_2]] : tensor<3x2x3x2x2x4xf32> -> tensor<3x12x2x4xf32>
// CHECK-NEXT:    return %[[RESHAPE_3]] : tensor<3x12x2x4xf32>

// -----

func.func @main(%arg0: tensor<2x6xf32>) -> tensor<2x6xf32> {
  %0 = dovetail.permute %arg0 over ["h", "i", "j"] sizes [2, 3, 2] from [0, 1] to [1, 2] : tensor<2x6xf32>
  return %0 : tensor<2x6xf32>
}
// CHECK-LABEL: func.func private @main.batch(%arg0: tensor<2x3x6xf32>) -> tensor<3x2x6xf32>
// CHECK-NEXT:    %[[TRANSPOSE:.+]] = dovetail.transpose %arg0 [1, 0, 2] : tensor<2x3x6xf32>
// CHECK-NEXT:    %[[SLICE:.+]] = dovetail.slice %[[TRANSPOSE]] starts [0, 0, 0] strides [1, 1, 1] : tensor<3x2x6xf32> -> tensor<1x2x6xf32>
// CHECK-NEXT:    %[[PERMUTE:.+]] = dovetail.permute %[[SLICE]] over ["h", "j"] sizes [2, 2] from [0] to [1] : tensor<1x2x6xf32>
// CHECK-NEXT:    %[[SLICE_1:.+]] = dovetail.slice %[[TRANSPOSE]] starts [0, 0, 0] strides [1, 1, 1] : tensor<3x2x6xf32> -> tensor<1x2x6xf32>
// CHECK-NEXT:    %[[PERMUTE_1:.+]] = dovetail.permute %[[SLICE_1]] over ["h", "j"] sizes [2, 2] from [1] to [0] : tensor<1x2x6xf32>
// CHECK-NEXT:    %[[CONSTANT:.+]] = dovetail.constant dense<0.000000e+00> : tensor<1x2x6xf32>
// CHECK-NEXT:    %[[CONCATENATE:.+]] = dovetail.concatenate %[[PERMUTE]], %[[PERMUTE_1]], %[[CONSTANT]] dimension 0 : tensor<1x2x6xf32>, tensor<1x2x6xf32>, tensor<1x2x6xf32>
// CHECK-NEXT:    return %[[CONCATENATE]] : tensor<3x2x6xf32>

// -----

func.func @main(%arg0: tensor<4xf32>) -> tensor<i32> {
  %0 = dovetail.axis_index over ["h", "i", "j"] sizes [2, 3, 2]
  return %0 : tensor<i32>
}
// CHECK-LABEL: func.func private @main.batch(%arg0: tensor<4x3xf32>) -> tensor<3xi32>
// CHECK-NEXT:    %[[IOTA:.+]] = dovetail.iota 0 : tensor<3xi32>
// CHECK-NEXT:    %[[CONSTANT:.+]] = dovetail.constant dense<2> : tensor<3xi32>
// CHECK-NEXT:    %[[MUL:.+]] = dovetail.mul %[[IOTA]], %[[CONSTANT]] : tensor<3xi32>
// CHECK-NEXT:    %[[AXIS_INDEX:.+]] = dovetail.axis_index over ["h"] sizes [2]
// CHECK-NEXT:    %[[CONSTANT_1:.+]] = dovetail.constant dense<6> : tensor<i32>
// CHECK-NEXT:    %[[MUL_1:.+]] = dovetail.mul %[[AXIS_INDEX]], %[[CONSTANT_1]] : tensor<i32>
// CHECK-NEXT:    %[[BROADCAST:.+]] = dovetail.broadcast %[[MUL_1]] dims [] : tensor<i32> -> tensor<3xi32>
// CHECK-NEXT:    %[[ADD:.+]] = dovetail.add %[[BROADCAST]], %[[MUL]] : tensor<3xi32>
// CHECK-NEXT:    %[[AXIS_INDEX_1:.+]] = dovetail.axis_index over ["j"] sizes [2]
// CHECK-NEXT:    %[[CONSTANT_2:.+]] = dovetail.constant dense<1> : tensor<i32>
// CHECK-NEXT:    %[[BROADCAST_1:.+]] = dovetail.broadcast %[[AXIS_INDEX_1]] dims [] : tensor<i32> -> tensor<3xi32>
// CHECK-NEXT:    %[[ADD_1:.+]] = dovetail.add %[[ADD]], %[[BROADCAST_1]] : tensor<3xi32>
// CHECK-NEXT:    return %[[ADD_1]] : tensor<3xi32>
