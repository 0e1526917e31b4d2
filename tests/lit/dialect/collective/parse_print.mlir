// Text of collectives.
// RUN: dovetail-opt %s | FileCheck %s
// RUN: dovetail-opt %s --mlir-print-op-generic | dovetail-opt | FileCheck %s

func.func @collectives(%arg0: tensor<2x?xf32>, %arg1: tensor<4xi1>) {
  %0 = dovetail.all_reduce_sum %arg0 over ["i"] : tensor<2x?xf32>
  %1 = dovetail.all_reduce_max %arg1 over ["i", "j"] : tensor<4xi1>
  %2 = dovetail.all_reduce_min %arg0 over ["j"] : tensor<2x?xf32>
  %3 = dovetail.all_gather %arg0 over ["i", "j"] sizes [2, 3] dimension 2 : tensor<2x?xf32>
  %4 = dovetail.reduce_scatter %arg0 over ["i"] sizes [2] dimension 0 : tensor<2x?xf32>
  %5 = dovetail.all_to_all %arg0 over ["i"] sizes [2] from 0 to 1 : tensor<2x?xf32>
  %6 = dovetail.permute %arg1 over ["i", "j"] sizes [2, 2] from [0, 3] to [1, 0] : tensor<4xi1>
  %7 = dovetail.axis_index over ["i", "j"] sizes [2, 3]
  return
}
// CHECK-LABEL: func.func @collectives(%arg0: tensor<2x?xf32>, %arg1: tensor<4xi1>)
// CHECK-NEXT:    %[[ALL_REDUCE_SUM:.+]] = dovetail.all_reduce_sum %arg0 over ["i"] : tensor<2x?xf32>
// CHECK-NEXT:    %[[ALL_REDUCE_MAX:.+]] = dovetail.all_reduce_max %arg1 over ["i", "j"] : tensor<4xi1>
// CHECK-NEXT:    %[[ALL_REDUCE_MIN:.+]] = dovetail.all_reduce_min %arg0 over ["j"] : tensor<2x?xf32>
// CHECK-NEXT:    %[[ALL_GATHER:.+]] = dovetail.all_gather %arg0 over ["i", "j"] sizes [2, 3] dimension 2 : tensor<2x?xf32>
// CHECK-NEXT:    %[[REDUCE_SCATTER:.+]] = dovetail.reduce_scatter %arg0 over ["i"] sizes [2] dimension 0 : tensor<2x?xf32>
// CHECK-NEXT:    %[[ALL_TO_ALL:.+]] = dovetail.all_to_all %arg0 over ["i"] sizes [2] from 0 to 1 : tensor<2x?xf32>
// CHECK-NEXT:    %[[PERMUTE:.+]] = dovetail.permute %arg1 over ["i", "j"] sizes [2, 2] from [0, 3] to [1, 0] : tensor<4xi1>
// CHECK-NEXT:    %[[AXIS_INDEX:.+]] = dovetail.axis_index over ["i", "j"] sizes [2, 3]
// CHECK-NEXT:    return
