// Text of gathers and scatters.
// RUN: dovetail-opt %s | FileCheck %s
// RUN: dovetail-opt %s --mlir-print-op-generic | dovetail-opt | FileCheck %s

func.func @windows(%arg0: tensor<5x4xf32>, %arg1: tensor<3x1xi32>, %arg2: tensor<3x1x4xf32>, %arg3: tensor<?x?xui8>, %arg4: tensor<?x2x?xi64>, %arg5: tensor<?x2x1x2xui8>) {
  %0 = dovetail.gather %arg0, %arg1 dims [0] window [1] : tensor<5x4xf32>, tensor<3x1xi32>
  %1 = dovetail.gather %arg3, %arg4 dims [1, 0] window [2, 1] : tensor<?x?xui8>, tensor<?x2x?xi64>
  %2 = dovetail.scatter %arg0, %arg1, %arg2 dims [0] window [1] : tensor<5x4xf32>, tensor<3x1xi32>, tensor<3x1x4xf32>
  %3 = dovetail.scatter_add %arg0, %arg1, %arg2 dims [0] window [1] {unique = true} : tensor<5x4xf32>, tensor<3x1xi32>, tensor<3x1x4xf32>
  %4 = dovetail.scatter_mul %arg3, %arg4, %arg5 dims [1, 0] window [2, 1] : tensor<?x?xui8>, tensor<?x2x?xi64>, tensor<?x2x1x2xui8>
  %5 = dovetail.scatter_min %arg0, %arg1, %arg2 dims [0] window [1] : tensor<5x4xf32>, tensor<3x1xi32>, tensor<3x1x4xf32>
  %6 = dovetail.scatter_max %arg0, %arg1, %arg2 dims [0] window [1] : tensor<5x4xf32>, tensor<3x1xi32>, tensor<3x1x4xf32>
  return
}
// CHECK-LABEL: func.func @windows(%arg0: tensor<5x4xf32>, %arg1: tensor<3x1xi32>, %arg2: tensor<3x1x4xf32>, %arg3: tensor<?x?xui8>, %arg4: tensor<?x2x?xi64>, %arg5: tensor<?x2x1x2xui8>)
// CHECK-NEXT:    %[[GATHER:.+]] = dovetail.gather %arg0, %arg1 dims [0] window [1] : tensor<5x4xf32>, tensor<3x1xi32>
// CHECK-NEXT:    %[[GATHER_1:.+]] = dovetail.gather %arg3, %arg4 dims [1, 0] window [2, 1] : tensor<?x?xui8>, tensor<?x2x?xi64>
// CHECK-NEXT:    %[[SCATTER:.+]] = dovetail.scatter %arg0, %arg1, %arg2 dims [0] window [1] : tensor<5x4xf32>, tensor<3x1xi32>, tensor<3x1x4xf32>
// CHECK-NEXT:    %[[SCATTER_ADD:.+]] = dovetail.scatter_add %arg0, %arg1, %arg2 dims [0] window [1] {unique = true} : tensor<5x4xf32>, tensor<3x1xi32>, tensor<3x1x4xf32>
// CHECK-NEXT:    %[[SCATTER_MUL:.+]] = dovetail.scatter_mul %arg3, %arg4, %arg5 dims [1, 0] window [2, 1] : tensor<?x?xui8>, tensor<?x2x?xi64>, tensor<?x2x1x2xui8>
// CHECK-NEXT:    %[[SCATTER_MIN:.+]] = dovetail.scatter_min %arg0, %arg1, %arg2 dims [0] window [1] : tensor<5x4xf32>, tensor<3x1xi32>, tensor<3x1x4xf32>
// CHECK-NEXT:    %[[SCATTER_MAX:.+]] = dovetail.scatter_max %arg0, %arg1, %arg2 dims [0] window [1] : tensor<5x4xf32>, tensor<3x1xi32>, tensor<3x1x4xf32>
// CHECK-NEXT:    return
