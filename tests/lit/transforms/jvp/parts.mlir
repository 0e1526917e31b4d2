// Tangents of the parts of floats.
// RUN: dovetail-opt %s --split-input-file --dovetail-jvp=wrt=0 | FileCheck %s

func.func @main(%arg0: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = dovetail.fraction %arg0 : tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
// CHECK-LABEL: func.func private @main.jvp(%arg0: tensor<2x3xf32>, %arg1: tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>)
// CHECK-NEXT:    %[[FRACTION:.+]] = dovetail.fraction %arg0 : tensor<2x3xf32>
// CHECK-NEXT:    return %[[FRACTION]], %arg1 : tensor<2x3xf32>, tensor<2x3xf32>

// -----

func.func @main(%arg0: tensor<2x3xf32>, %arg1: tensor<2x3xi32>) -> tensor<2x3xf32> {
  %0 = dovetail.ldexp %arg0, %arg1 : tensor<2x3xf32>, tensor<2x3xi32>
  return %0 : tensor<2x3xf32>
}
// CHECK-LABEL: func.func private @main.jvp(%arg0: tensor<2x3xf32>, %arg1: tensor<2x3xi32>, %arg2: tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>)
// CHECK-NEXT:    %[[LDEXP:.+]] = dovetail.ldexp %arg0, %arg1 : tensor<2x3xf32>, tensor<2x3xi32>
// CHECK-NEXT:    %[[LDEXP_1:.+]] = dovetail.ldexp %arg2, %arg1 : tensor<2x3xf32>, tensor<2x3xi32>
// CHECK-NEXT:    return %[[LDEXP]], %[[LDEXP_1]] : tensor<2x3xf32>, tensor<2x3xf32>
