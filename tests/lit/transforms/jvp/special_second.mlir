// Tangents of special functions by their second operand.
// RUN: dovetail-opt %s --split-input-file --dovetail-jvp=wrt=1 | FileCheck %s

func.func @main(%arg0: tensor<2x3xf32>, %arg1: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = dovetail.polygamma %arg0, %arg1 : tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
// CHECK-LABEL: func.func private @main.jvp(%arg0: tensor<2x3xf32>, %arg1: tensor<2x3xf32>, %arg2: tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>)
// CHECK-NEXT:    %[[POLYGAMMA:.+]] = dovetail.polygamma %arg0, %arg1 : tensor<2x3xf32>
// CHECK-NEXT:    %[[CONSTANT:.+]] = dovetail.constant dense<1.000000e+00> : tensor<2x3xf32>
// CHECK-NEXT:    %[[ADD:.+]] = dovetail.add %arg0, %[[CONSTANT]] : tensor<2x3xf32>
// CHECK-NEXT:    %[[POLYGAMMA_1:.+]] = dovetail.polygamma %[[ADD]], %arg1 : tensor<2x3xf32>
// CHECK-NEXT:    %[[MUL:.+]] = dovetail.mul %arg2, %[[POLYGAMMA_1]] : tensor<2x3xf32>
// CHECK-NEXT:    return %[[POLYGAMMA]], %[[MUL]] : tensor<2x3xf32>, tensor<2x3xf32>

// -----

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

// -----

func.func @main(%arg0: tensor<2x3xf32>, %arg1: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = dovetail.igamma %arg0, %arg1 : tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
// CHECK-LABEL: func.func private @main.jvp(%arg0: tensor<2x3xf32>, %arg1: tensor<2x3xf32>, %arg2: tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>)
// CHECK-NEXT:    %[[IGAMMA:.+]] = dovetail.igamma %arg0, %arg1 : tensor<2x3xf32>
// CHECK-NEXT:    %[[CONSTANT:.+]] = dovetail.constant dense<-1.000000e+00> : tensor<2x3xf32>
// CHECK-NEXT:    %[[ADD:.+]] = dovetail.add %arg0, %[[CONSTANT]] : tensor<2x3xf32>
// CHECK-NEXT:    %[[LOG:.+]] = dovetail.log %arg1 : tensor<2x3xf32>
// CHECK-NEXT:    %[[MUL:.+]] = dovetail.mul %[[ADD]], %[[LOG]] : tensor<2x3xf32>
// CHECK-NEXT:    %[[SUB:.+]] = dovetail.sub %[[MUL]], %arg1 : tensor<2x3xf32>
// CHECK-NEXT:    %[[LGAMMA:.+]] = dovetail.lgamma %arg0 : tensor<2x3xf32>
// CHECK-NEXT:    %[[SUB_1:.+]] = dovetail.sub %[[SUB]], %[[LGAMMA]] : tensor<2x3xf32>
// CHECK-NEXT:    %[[EXP:.+]] = dovetail.exp %[[SUB_1]] : tensor<2x3xf32>
// CHECK-NEXT:    %[[MUL_1:.+]] = dovetail.mul %arg2, %[[EXP]] : tensor<2x3xf32>
// CHECK-NEXT:    return %[[IGAMMA]], %[[MUL_1]] : tensor<2x3xf32>, tensor<2x3xf32>

// -----

func.func @main(%arg0: tensor<2x3xf32>, %arg1: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = dovetail.igammac %arg0, %arg1 : tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
// CHECK-LABEL: func.func private @main.jvp(%arg0: tensor<2x3xf32>, %arg1: tensor<2x3xf32>, %arg2: tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>)
// CHECK-NEXT:    %[[IGAMMAC:.+]] = dovetail.igammac %arg0, %arg1 : tensor<2x3xf32>
// CHECK-NEXT:    %[[CONSTANT:.+]] = dovetail.constant dense<-1.000000e+00> : tensor<2x3xf32>
// CHECK-NEXT:    %[[ADD:.+]] = dovetail.add %arg0, %[[CONSTANT]] : tensor<2x3xf32>
// CHECK-NEXT:    %[[LOG:.+]] = dovetail.log %arg1 : tensor<2x3xf32>
// CHECK-NEXT:    %[[MUL:.+]] = dovetail.mul %[[ADD]], %[[LOG]] : tensor<2x3xf32>
// CHECK-NEXT:    %[[SUB:.+]] = dovetail.sub %[[MUL]], %arg1 : tensor<2x3xf32>
// CHECK-NEXT:    %[[LGAMMA:.+]] = dovetail.lgamma %arg0 : tensor<2x3xf32>
// CHECK-NEXT:    %[[SUB_1:.+]] = dovetail.sub %[[SUB]], %[[LGAMMA]] : tensor<2x3xf32>
// CHECK-NEXT:    %[[EXP:.+]] = dovetail.exp %[[SUB_1]] : tensor<2x3xf32>
// CHECK-NEXT:    %[[MUL_1:.+]] = dovetail.mul %arg2, %[[EXP]] : tensor<2x3xf32>
// CHECK-NEXT:    %[[NEG:.+]] = dovetail.neg %[[MUL_1]] : tensor<2x3xf32>
// CHECK-NEXT:    return %[[IGAMMAC]], %[[NEG]] : tensor<2x3xf32>, tensor<2x3xf32>
