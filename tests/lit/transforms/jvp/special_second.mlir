// The tangent of a function that has one by its last operand only.
// RUN: dovetail-opt %s --split-input-file --dovetail-jvp=wrt=1 | FileCheck %s

func.func @main(%arg0: tensor<2x3xf32>, %arg1: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = dovetail.zeta %arg0, %arg1 : tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
// CHECK-LABEL: func.func private @main.jvp(%arg0: tensor<2x3xf32>, %arg1: tensor<2x3xf32>, %arg2: tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>)
// CHECK-NEXT:    %[[ZETA:.+]] = dovetail.zeta %arg0, %arg1 : tensor<2x3xf32>
// CHECK-NEXT:    %[[CONSTANT:.+]] = dovetail.constant dense<1.000000e+00> : tensor<2x3xf32>
// CHECK-NEXT:    %[[ADD:.+]] = dovetail.add %arg0, %[[CONSTANT]] : tensor<2x3xf32>
// CHECK-NEXT:    %[[ZETA_1:.+]] = dovetail.zeta %[[ADD]], %arg1 : tensor<2x3xf32>
// CHECK-NEXT:    %[[MUL:.+]] = dovetail.mul %arg0, %[[ZETA_1]] : tensor<2x3xf32>
// CHECK-NEXT:    %[[MUL_1:.+]] = dovetail.mul %arg2, %[[MUL]] : tensor<2x3xf32>
// CHECK-NEXT:    %[[NEG:.+]] = dovetail.neg %[[MUL_1]] : tensor<2x3xf32>
// CHECK-NEXT:    return %[[ZETA]], %[[NEG]] : tensor<2x3xf32>, tensor<2x3xf32>
