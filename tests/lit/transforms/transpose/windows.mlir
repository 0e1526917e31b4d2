// Transposes of gathers are scatters, and the other way round; of updates that overlap, the last has the cotangent.
// RUN: dovetail-opt %s --split-input-file --dovetail-transpose=linear=0 | FileCheck %s

func.func @main(%arg0: tensor<5x4xf32>, %arg1: tensor<3x1xi32>) -> tensor<3x2x4xf32> {
  %0 = dovetail.gather %arg0, %arg1 dims [0] window [2] : tensor<5x4xf32>, tensor<3x1xi32>
  return %0 : tensor<3x2x4xf32>
}
// CHECK-LABEL: func.func @main(%arg0: tensor<5x4xf32>, %arg1: tensor<3x1xi32>) -> tensor<3x2x4xf32>
// CHECK-NEXT:    %[[GATHER:.+]] = dovetail.gather %arg0, %arg1 dims [0] window [2] : tensor<5x4xf32>, tensor<3x1xi32>
// CHECK-NEXT:    return %[[GATHER]] : tensor<3x2x4xf32>
// CHECK-LABEL: func.func private @main.transpose(%arg0: tensor<3x1xi32>, %arg1: tensor<3x2x4xf32>) -> tensor<5x4xf32>
// CHECK-NEXT:    %[[CONSTANT:.+]] = dovetail.constant dense<0.000000e+00> : tensor<5x4xf32>
// CHECK-NEXT:    %[[SCATTER_ADD:.+]] = dovetail.scatter_add %[[CONSTANT]], %arg0, %arg1 dims [0] window [2] : tensor<5x4xf32>, tensor<3x1xi32>, tensor<3x2x4xf32>
// CHECK-NEXT:    return %[[SCATTER_ADD]] : tensor<5x4xf32>

// -----

func.func @main(%arg0: tensor<5x4xf32>, %arg1: tensor<3x1xi32>, %arg2: tensor<3x2x4xf32>) -> tensor<5x4xf32> {
  %0 = dovetail.scatter_add %arg0, %arg1, %arg2 dims [0] window [2] : tensor<5x4xf32>, tensor<3x1xi32>, tensor<3x2x4xf32>
  return %0 : tensor<5x4xf32>
}
// CHECK-LABEL: func.func @main(%arg0: tensor<5x4xf32>, %arg1: tensor<3x1xi32>, %arg2: tensor<3x2x4xf32>) -> tensor<5x4xf32>
// CHECK-NEXT:    %[[SCATTER_ADD:.+]] = dovetail.scatter_add %arg0, %arg1, %arg2 dims [0] window [2] : tensor<5x4xf32>, tensor<3x1xi32>, tensor<3x2x4xf32>
// CHECK-NEXT:    return %[[SCATTER_ADD]] : tensor<5x4xf32>
// CHECK-LABEL: func.func private @main.transpose(%arg0: tensor<3x1xi32>, %arg1: tensor<3x2x4xf32>, %arg2: tensor<5x4xf32>) -> tensor<5x4xf32>
// CHECK-NEXT:    return %arg2 : tensor<5x4xf32>

// -----

func.func @main(%arg0: tensor<5x4xf32>, %arg1: tensor<3x1xi32>, %arg2: tensor<3x2x4xf32>) -> tensor<5x4xf32> {
  %0 = dovetail.scatter %arg0, %arg1, %arg2 dims [0] window [2] : tensor<5x4xf32>, tensor<3x1xi32>, tensor<3x2x4xf32>
  return %0 : tensor<5x4xf32>
}
// CHECK-LABEL: func.func @main(%arg0: tensor<5x4xf32>, %arg1: tensor<3x1xi32>, %arg2: tensor<3x2x4xf32>) -> tensor<5x4xf32>
// CHECK-NEXT:    %[[SCATTER:.+]] = dovetail.scatter %arg0, %arg1, %arg2 dims [0] window [2] : tensor<5x4xf32>, tensor<3x1xi32>, tensor<3x2x4xf32>
// CHECK-NEXT:    return %[[SCATTER]] : tensor<5x4xf32>
// CHECK-LABEL: func.func private @main.transpose(%arg0: tensor<3x1xi32>, %arg1: tensor<3x2x4xf32>, %arg2: tensor<5x4xf32>) -> tensor<5x4xf32>
// CHECK-NEXT:    %[[CONSTANT:.+]] = dovetail.constant dense<0.000000e+00> : tensor<3x2x4xf32>
// CHECK-NEXT:    %[[SCATTER:.+]] = dovetail.scatter %arg2, %arg0, %[[CONSTANT]] dims [0] window [2] : tensor<5x4xf32>, tensor<3x1xi32>, tensor<3x2x4xf32>
// CHECK-NEXT:    return %[[SCATTER]] : tensor<5x4xf32>

// -----

func.func @main(%arg0: tensor<5x4xf32>, %arg1: tensor<3x1xi32>, %arg2: tensor<3x2x4xf32>) -> tensor<5x4xf32> {
  %0 = dovetail.scatter %arg0, %arg1, %arg2 dims [0] window [2] {unique = true} : tensor<5x4xf32>, tensor<3x1xi32>, tensor<3x2x4xf32>
  return %0 : tensor<5x4xf32>
}
// CHECK-LABEL: func.func @main(%arg0: tensor<5x4xf32>, %arg1: tensor<3x1xi32>, %arg2: tensor<3x2x4xf32>) -> tensor<5x4xf32>
// CHECK-NEXT:    %[[SCATTER:.+]] = dovetail.scatter %arg0, %arg1, %arg2 dims [0] window [2] {unique = true} : tensor<5x4xf32>, tensor<3x1xi32>, tensor<3x2x4xf32>
// CHECK-NEXT:    return %[[SCATTER]] : tensor<5x4xf32>
// CHECK-LABEL: func.func private @main.transpose(%arg0: tensor<3x1xi32>, %arg1: tensor<3x2x4xf32>, %arg2: tensor<5x4xf32>) -> tensor<5x4xf32>
// CHECK-NEXT:    %[[CONSTANT:.+]] = dovetail.constant dense<0.000000e+00> : tensor<3x2x4xf32>
// CHECK-NEXT:    %[[SCATTER:.+]] = dovetail.scatter %arg2, %arg0, %[[CONSTANT]] dims [0] window [2] {unique = true} : tensor<5x4xf32>, tensor<3x1xi32>, tensor<3x2x4xf32>
// CHECK-NEXT:    return %[[SCATTER]] : tensor<5x4xf32>
