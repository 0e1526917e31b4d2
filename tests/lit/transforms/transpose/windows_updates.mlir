// Cotangents of updates are read where they were written; of those that overlap, the last has it.
// RUN: dovetail-opt %s --split-input-file --dovetail-transpose=linear=2 | FileCheck %s

func.func @main(%arg0: tensor<5x4xf32>, %arg1: tensor<3x1xi32>, %arg2: tensor<3x2x4xf32>) -> tensor<5x4xf32> {
  %0 = dovetail.scatter_add %arg0, %arg1, %arg2 dims [0] window [2] : tensor<5x4xf32>, tensor<3x1xi32>, tensor<3x2x4xf32>
  return %0 : tensor<5x4xf32>
}
// CHECK-LABEL: func.func @main(%arg0: tensor<5x4xf32>, %arg1: tensor<3x1xi32>, %arg2: tensor<3x2x4xf32>) -> tensor<5x4xf32>
// CHECK-NEXT:    %[[SCATTER_ADD:.+]] = dovetail.scatter_add %arg0, %arg1, %arg2 dims [0] window [2] : tensor<5x4xf32>, tensor<3x1xi32>, tensor<3x2x4xf32>
// CHECK-NEXT:    return %[[SCATTER_ADD]] : tensor<5x4xf32>
// CHECK-LABEL: func.func private @main.transpose(%arg0: tensor<5x4xf32>, %arg1: tensor<3x1xi32>, %arg2: tensor<5x4xf32>) -> tensor<3x2x4xf32>
// CHECK-NEXT:    %[[GATHER:.+]] = dovetail.gather %arg2, %arg1 dims [0] window [2] : tensor<5x4xf32>, tensor<3x1xi32>
// CHECK-NEXT:    return %[[GATHER]] : tensor<3x2x4xf32>

// -----

func.func @main(%arg0: tensor<5x4xf32>, %arg1: tensor<3x1xi32>, %arg2: tensor<3x2x4xf32>) -> tensor<5x4xf32> {
  %0 = dovetail.scatter %arg0, %arg1, %arg2 dims [0] window [2] : tensor<5x4xf32>, tensor<3x1xi32>, tensor<3x2x4xf32>
  return %0 : tensor<5x4xf32>
}
// CHECK-LABEL: func.func @main(%arg0: tensor<5x4xf32>, %arg1: tensor<3x1xi32>, %arg2: tensor<3x2x4xf32>) -> tensor<5x4xf32>
// CHECK-NEXT:    %[[SCATTER:.+]] = dovetail.scatter %arg0, %arg1, %arg2 dims [0] window [2] : tensor<5x4xf32>, tensor<3x1xi32>, tensor<3x2x4xf32>
// CHECK-NEXT:    return %[[SCATTER]] : tensor<5x4xf32>
// CHECK-LABEL: func.func private @main.transpose(%arg0: tensor<5x4xf32>, %arg1: tensor<3x1xi32>, %arg2: tensor<5x4xf32>) -> tensor<3x2x4xf32>
// CHECK-NEXT:    %[[GATHER:.+]] = dovetail.gather %arg2, %arg1 dims [0] window [2] : tensor<5x4xf32>, tensor<3x1xi32>
// CHECK-NEXT:    %[[CONSTANT:.+]] = arith.constant 1 : index
// CHECK-NEXT:    %[[CONSTANT_1:.+]] = arith.constant 3 : index
// CHECK-NEXT:    %[[CONSTANT_2:.+]] = arith.constant 3 : index
// CHECK-NEXT:    %[[IOTA:.+]] = dovetail.iota 0 : tensor<3xi32>
// CHECK-NEXT:    %[[BROADCAST:.+]] = dovetail.broadcast %[[IOTA]] dims [0] : tensor<3xi32> -> tensor<3x2x4xi32>
// CHECK-NEXT:    %[[CONSTANT_3:.+]] = dovetail.constant dense<0> : tensor<5x4xi32>
// CHECK-NEXT:    %[[SCATTER:.+]] = dovetail.scatter %[[CONSTANT_3]], %arg1, %[[BROADCAST]] dims [0] window [2] : tensor<5x4xi32>, tensor<3x1xi32>, tensor<3x2x4xi32>
// CHECK-NEXT:    %[[GATHER_1:.+]] = dovetail.gather %[[SCATTER]], %arg1 dims [0] window [2] : tensor<5x4xi32>, tensor<3x1xi32>
// CHECK-NEXT:    %[[COMPARE:.+]] = dovetail.compare eq %[[GATHER_1]], %[[BROADCAST]] : tensor<3x2x4xi32>
// CHECK-NEXT:    %[[CONSTANT_4:.+]] = dovetail.constant dense<0.000000e+00> : tensor<3x2x4xf32>
// CHECK-NEXT:    %[[SELECT:.+]] = dovetail.select %[[COMPARE]], %[[GATHER]], %[[CONSTANT_4]] : tensor<3x2x4xi1>, tensor<3x2x4xf32>
// CHECK-NEXT:    return %[[SELECT]] : tensor<3x2x4xf32>

// -----

func.func @main(%arg0: tensor<5x4xf32>, %arg1: tensor<3x1xi32>, %arg2: tensor<3x2x4xf32>) -> tensor<5x4xf32> {
  %0 = dovetail.scatter %arg0, %arg1, %arg2 dims [0] window [2] {unique = true} : tensor<5x4xf32>, tensor<3x1xi32>, tensor<3x2x4xf32>
  return %0 : tensor<5x4xf32>
}
// CHECK-LABEL: func.func @main(%arg0: tensor<5x4xf32>, %arg1: tensor<3x1xi32>, %arg2: tensor<3x2x4xf32>) -> tensor<5x4xf32>
// CHECK-NEXT:    %[[SCATTER:.+]] = dovetail.scatter %arg0, %arg1, %arg2 dims [0] window [2] {unique = true} : tensor<5x4xf32>, tensor<3x1xi32>, tensor<3x2x4xf32>
// CHECK-NEXT:    return %[[SCATTER]] : tensor<5x4xf32>
// CHECK-LABEL: func.func private @main.transpose(%arg0: tensor<5x4xf32>, %arg1: tensor<3x1xi32>, %arg2: tensor<5x4xf32>) -> tensor<3x2x4xf32>
// CHECK-NEXT:    %[[GATHER:.+]] = dovetail.gather %arg2, %arg1 dims [0] window [2] : tensor<5x4xf32>, tensor<3x1xi32>
// CHECK-NEXT:    return %[[GATHER]] : tensor<3x2x4xf32>

// -----

// One window overlaps nothing.
func.func @main(%arg0: tensor<5x4xf32>, %arg1: tensor<1x1xi32>, %arg2: tensor<1x2x4xf32>) -> tensor<5x4xf32> {
  %0 = dovetail.scatter %arg0, %arg1, %arg2 dims [0] window [2] : tensor<5x4xf32>, tensor<1x1xi32>, tensor<1x2x4xf32>
  return %0 : tensor<5x4xf32>
}
// CHECK-LABEL: func.func private @main.transpose(%arg0: tensor<5x4xf32>, %arg1: tensor<1x1xi32>, %arg2: tensor<5x4xf32>) -> tensor<1x2x4xf32>
// CHECK-NEXT:    %[[GATHER:.+]] = dovetail.gather %arg2, %arg1 dims [0] window [2] : tensor<5x4xf32>, tensor<1x1xi32>
// CHECK-NEXT:    return %[[GATHER]] : tensor<1x2x4xf32>
