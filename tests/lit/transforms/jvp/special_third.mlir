// Tangent of the incomplete beta function by its argument.
// RUN: dovetail-opt %s --split-input-file --dovetail-jvp=wrt=2 | FileCheck %s

func.func @main(%arg0: tensor<2x3xf32>, %arg1: tensor<2x3xf32>, %arg2: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = dovetail.betainc %arg0, %arg1, %arg2 : tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
// CHECK-LABEL: func.func private @main.jvp(%arg0: tensor<2x3xf32>, %arg1: tensor<2x3xf32>, %arg2: tensor<2x3xf32>, %arg3: tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>)
// CHECK-NEXT:    %[[BETAINC:.+]] = dovetail.betainc %arg0, %arg1, %arg2 : tensor<2x3xf32>
// CHECK-NEXT:    %[[CONSTANT:.+]] = dovetail.constant dense<-1.000000e+00> : tensor<2x3xf32>
// CHECK-NEXT:    %[[ADD:.+]] = dovetail.add %arg0, %[[CONSTANT]] : tensor<2x3xf32>
// CHECK-NEXT:    %[[LOG:.+]] = dovetail.log %arg2 : tensor<2x3xf32>
// CHECK-NEXT:    %[[MUL:.+]] = dovetail.mul %[[ADD]], %[[LOG]] : tensor<2x3xf32>
// CHECK-NEXT:    %[[CONSTANT_1:.+]] = dovetail.constant dense<-1.000000e+00> : tensor<2x3xf32>
// CHECK-NEXT:    %[[ADD_1:.+]] = dovetail.add %arg1, %[[CONSTANT_1]] : tensor<2x3xf32>
// CHECK-NEXT:    %[[NEG:.+]] = dovetail.neg %arg2 : tensor<2x3xf32>
// CHECK-NEXT:    %[[LOG1P:.+]] = dovetail.log1p %[[NEG]] : tensor<2x3xf32>
// CHECK-NEXT:    %[[MUL_1:.+]] = dovetail.mul %[[ADD_1]], %[[LOG1P]] : tensor<2x3xf32>
// CHECK-NEXT:    %[[ADD_2:.+]] = dovetail.add %[[MUL]], %[[MUL_1]] : tensor<2x3xf32>
// CHECK-NEXT:    %[[LGAMMA:.+]] = dovetail.lgamma %arg0 : tensor<2x3xf32>
// CHECK-NEXT:    %[[LGAMMA_1:.+]] = dovetail.lgamma %arg1 : tensor<2x3xf32>
// CHECK-NEXT:    %[[ADD_3:.+]] = dovetail.add %[[LGAMMA]], %[[LGAMMA_1]] : tensor<2x3xf32>
// CHECK-NEXT:    %[[ADD_4:.+]] = dovetail.add %arg0, %arg1 : tensor<2x3xf32>
// CHECK-NEXT:    %[[LGAMMA_2:.+]] = dovetail.lgamma %[[ADD_4]] : tensor<2x3xf32>
// CHECK-NEXT:    %[[SUB:.+]] = dovetail.sub %[[LGAMMA_2]], %[[ADD_3]] : tensor<2x3xf32>
// CHECK-NEXT:    %[[ADD_5:.+]] = dovetail.add %[[ADD_2]], %[[SUB]] : tensor<2x3xf32>
// CHECK-NEXT:    %[[EXP:.+]] = dovetail.exp %[[ADD_5]] : tensor<2x3xf32>
// CHECK-NEXT:    %[[MUL_2:.+]] = dovetail.mul %arg3, %[[EXP]] : tensor<2x3xf32>
// CHECK-NEXT:    return %[[BETAINC]], %[[MUL_2]] : tensor<2x3xf32>, tensor<2x3xf32>
