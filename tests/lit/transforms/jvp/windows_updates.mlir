// Tangents of scatters by their updates.
// RUN: dovetail-opt %s --split-input-file --dovetail-jvp=wrt=2 | FileCheck %s

func.func @main(%arg0: tensor<5x4xf32>, %arg1: tensor<3x1xi32>, %arg2: tensor<3x2x4xf32>) -> tensor<5x4xf32> {
  %0 = dovetail.scatter_mul %arg0, %arg1, %arg2 dims [0] window [2] {unique = true} : tensor<5x4xf32>, tensor<3x1xi32>, tensor<3x2x4xf32>
  return %0 : tensor<5x4xf32>
}
// CHECK-LABEL: func.func @main(%arg0: tensor<5x4xf32>, %arg1: tensor<3x1xi32>, %arg2: tensor<3x2x4xf32>) -> tensor<5x4xf32>
// CHECK-NEXT:    %[[SCATTER_MUL:.+]] = dovetail.scatter_mul %arg0, %arg1, %arg2 dims [0] window [2] {unique = true} : tensor<5x4xf32>, tensor<3x1xi32>, tensor<3x2x4xf32>
// CHECK-NEXT:    return %[[SCATTER_MUL]] : tensor<5x4xf32>
// CHECK-LABEL: func.func private @main.jvp(%arg0: tensor<5x4xf32>, %arg1: tensor<3x1xi32>, %arg2: tensor<3x2x4xf32>, %arg3: tensor<3x2x4xf32>) -> (tensor<5x4xf32>, tensor<5x4xf32>)
// CHECK-NEXT:    %[[SCATTER_MUL:.+]] = dovetail.scatter_mul %arg0, %arg1, %arg2 dims [0] window [2] {unique = true} : tensor<5x4xf32>, tensor<3x1xi32>, tensor<3x2x4xf32>
// CHECK-NEXT:    %[[GATHER:.+]] = dovetail.gather %arg0, %arg1 dims [0] window [2] : tensor<5x4xf32>, tensor<3x1xi32>
// CHECK-NEXT:    %[[CONSTANT:.+]] = dovetail.constant dense<0.000000e+00> : tensor<5x4xf32>
// CHECK-NEXT:    %[[MUL:.+]] = dovetail.mul %arg3, %[[GATHER]] : tensor<3x2x4xf32>
// CHECK-NEXT:    %[[SCATTER_ADD:.+]] = dovetail.scatter_add %[[CONSTANT]], %arg1, %[[MUL]] dims [0] window [2] {unique = true} : tensor<5x4xf32>, tensor<3x1xi32>, tensor<3x2x4xf32>
// CHECK-NEXT:    return %[[SCATTER_MUL]], %[[SCATTER_ADD]] : tensor<5x4xf32>, tensor<5x4xf32>

// -----

func.func @main(%arg0: tensor<5x4xf32>, %arg1: tensor<3x1xi32>, %arg2: tensor<3x2x4xf32>) -> tensor<5x4xf32> {
  %0 = dovetail.scatter_min %arg0, %arg1, %arg2 dims [0] window [2] : tensor<5x4xf32>, tensor<3x1xi32>, tensor<3x2x4xf32>
  return %0 : tensor<5x4xf32>
}
// CHECK-LABEL: func.func @main(%arg0: tensor<5x4xf32>, %arg1: tensor<3x1xi32>, %arg2: tensor<3x2x4xf32>) -> tensor<5x4xf32>
// CHECK-NEXT:    %[[SCATTER_MIN:.+]] = dovetail.scatter_min %arg0, %arg1, %arg2 dims [0] window [2] : tensor<5x4xf32>, tensor<3x1xi32>, tensor<3x2x4xf32>
// CHECK-NEXT:    return %[[SCATTER_MIN]] : tensor<5x4xf32>
// CHECK-LABEL: func.func private @main.jvp(%arg0: tensor<5x4xf32>, %arg1: tensor<3x1xi32>, %arg2: tensor<3x2x4xf32>, %arg3: tensor<3x2x4xf32>) -> (tensor<5x4xf32>, tensor<5x4xf32>)
// CHECK-NEXT:    %[[SCATTER_MIN:.+]] = dovetail.scatter_min %arg0, %arg1, %arg2 dims [0] window [2] : tensor<5x4xf32>, tensor<3x1xi32>, tensor<3x2x4xf32>
// CHECK-NEXT:    %[[GATHER:.+]] = dovetail.gather %[[SCATTER_MIN]], %arg1 dims [0] window [2] : tensor<5x4xf32>, tensor<3x1xi32>
// CHECK-NEXT:    %[[COMPARE:.+]] = dovetail.compare eq %arg0, %[[SCATTER_MIN]] : tensor<5x4xf32>
// CHECK-NEXT:    %[[COMPARE_1:.+]] = dovetail.compare eq %arg2, %[[GATHER]] : tensor<3x2x4xf32>
// CHECK-NEXT:    %[[CONSTANT:.+]] = dovetail.constant dense<1.000000e+00> : tensor<5x4xf32>
// CHECK-NEXT:    %[[CONSTANT_1:.+]] = dovetail.constant dense<0.000000e+00> : tensor<5x4xf32>
// CHECK-NEXT:    %[[SELECT:.+]] = dovetail.select %[[COMPARE]], %[[CONSTANT]], %[[CONSTANT_1]] : tensor<5x4xi1>, tensor<5x4xf32>
// CHECK-NEXT:    %[[CONSTANT_2:.+]] = dovetail.constant dense<1.000000e+00> : tensor<3x2x4xf32>
// CHECK-NEXT:    %[[CONSTANT_3:.+]] = dovetail.constant dense<0.000000e+00> : tensor<3x2x4xf32>
// CHECK-NEXT:    %[[SELECT_1:.+]] = dovetail.select %[[COMPARE_1]], %[[CONSTANT_2]], %[[CONSTANT_3]] : tensor<3x2x4xi1>, tensor<3x2x4xf32>
// CHECK-NEXT:    %[[SCATTER_ADD:.+]] = dovetail.scatter_add %[[SELECT]], %arg1, %[[SELECT_1]] dims [0] window [2] : tensor<5x4xf32>, tensor<3x1xi32>, tensor<3x2x4xf32>
// CHECK-NEXT:    %[[CONSTANT_4:.+]] = dovetail.constant dense<0.000000e+00> : tensor<3x2x4xf32>
// CHECK-NEXT:    %[[SELECT_2:.+]] = dovetail.select %[[COMPARE_1]], %arg3, %[[CONSTANT_4]] : tensor<3x2x4xi1>, tensor<3x2x4xf32>
// CHECK-NEXT:    %[[CONSTANT_5:.+]] = dovetail.constant dense<0.000000e+00> : tensor<5x4xf32>
// CHECK-NEXT:    %[[SCATTER_ADD_1:.+]] = dovetail.scatter_add %[[CONSTANT_5]], %arg1, %[[SELECT_2]] dims [0] window [2] : tensor<5x4xf32>, tensor<3x1xi32>, tensor<3x2x4xf32>
// CHECK-NEXT:    %[[DIV:.+]] = dovetail.div %[[SCATTER_ADD_1]], %[[SCATTER_ADD]] : tensor<5x4xf32>
// CHECK-NEXT:    return %[[SCATTER_MIN]], %[[DIV]] : tensor<5x4xf32>, tensor<5x4xf32>

// -----

// What is read has the type of updates that do not state the sizes of windows.
func.func @main(%arg0: tensor<5xf32>, %arg1: tensor<3x1xi32>, %arg2: tensor<?x?xf32>) -> tensor<5xf32> {
  %0 = dovetail.scatter_mul %arg0, %arg1, %arg2 dims [0] window [2] {unique = true} : tensor<5xf32>, tensor<3x1xi32>, tensor<?x?xf32>
  return %0 : tensor<5xf32>
}
// CHECK-LABEL: func.func private @main.jvp(%arg0: tensor<5xf32>, %arg1: tensor<3x1xi32>, %arg2: tensor<?x?xf32>, %arg3: tensor<?x?xf32>) -> (tensor<5xf32>, tensor<5xf32>)
// CHECK-NEXT:    %[[SCATTER_MUL:.+]] = dovetail.scatter_mul %arg0, %arg1, %arg2 dims [0] window [2] {unique = true} : tensor<5xf32>, tensor<3x1xi32>, tensor<?x?xf32>
// CHECK-NEXT:    %[[GATHER:.+]] = dovetail.gather %arg0, %arg1 dims [0] window [2] : tensor<5xf32>, tensor<3x1xi32>
// CHECK-NEXT:    %[[ROWS:.+]] = dovetail.dim %arg2, 0 : tensor<?x?xf32>
// CHECK-NEXT:    %[[COLUMNS:.+]] = dovetail.dim %arg2, 1 : tensor<?x?xf32>
// CHECK-NEXT:    %[[RESHAPE:.+]] = dovetail.reshape %[[GATHER]] sizes(%[[ROWS]], %[[COLUMNS]]) : tensor<3x2xf32> -> tensor<?x?xf32>
// CHECK-NEXT:    %[[CONSTANT:.+]] = dovetail.constant dense<0.000000e+00> : tensor<5xf32>
// CHECK-NEXT:    %[[MUL:.+]] = dovetail.mul %arg3, %[[RESHAPE]] : tensor<?x?xf32>
