// The tangent of an incomplete gamma function by its parameter.
// RUN: dovetail-opt %s --split-input-file --dovetail-jvp=wrt=0 | FileCheck %s

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
// CHECK-NEXT:    %[[RANDOM_GAMMA_GRAD:.+]] = dovetail.random_gamma_grad %arg0, %arg1 : tensor<2x3xf32>
// CHECK-NEXT:    %[[MUL_1:.+]] = dovetail.mul %[[EXP]], %[[RANDOM_GAMMA_GRAD]] : tensor<2x3xf32>
// CHECK-NEXT:    %[[MUL_2:.+]] = dovetail.mul %arg2, %[[MUL_1]] : tensor<2x3xf32>
// CHECK-NEXT:    %[[NEG:.+]] = dovetail.neg %[[MUL_2]] : tensor<2x3xf32>
// CHECK-NEXT:    return %[[IGAMMA]], %[[NEG]] : tensor<2x3xf32>, tensor<2x3xf32>
