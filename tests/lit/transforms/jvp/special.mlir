// Tangents by another special function, and by a formula of several.
// RUN: dovetail-opt %s --split-input-file --dovetail-jvp=wrt=0 | FileCheck %s

func.func @main(%arg0: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = dovetail.lgamma %arg0 : tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
// CHECK-LABEL: func.func private @main.jvp(%arg0: tensor<2x3xf32>, %arg1: tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>)
// CHECK-NEXT:    %[[LGAMMA:.+]] = dovetail.lgamma %arg0 : tensor<2x3xf32>
// CHECK-NEXT:    %[[DIGAMMA:.+]] = dovetail.digamma %arg0 : tensor<2x3xf32>
// CHECK-NEXT:    %[[MUL:.+]] = dovetail.mul %arg1, %[[DIGAMMA]] : tensor<2x3xf32>
// CHECK-NEXT:    return %[[LGAMMA]], %[[MUL]] : tensor<2x3xf32>, tensor<2x3xf32>

// -----

func.func @main(%arg0: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = dovetail.bessel_i1e %arg0 : tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
// CHECK-LABEL: func.func private @main.jvp(%arg0: tensor<2x3xf32>, %arg1: tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>)
// CHECK-NEXT:    %[[BESSEL_I1E:.+]] = dovetail.bessel_i1e %arg0 : tensor<2x3xf32>
// CHECK-NEXT:    %[[CONSTANT:.+]] = dovetail.constant dense<0.000000e+00> : tensor<2x3xf32>
// CHECK-NEXT:    %[[COMPARE:.+]] = dovetail.compare eq %arg0, %[[CONSTANT]] : tensor<2x3xf32>
// CHECK-NEXT:    %[[CONSTANT_1:.+]] = dovetail.constant dense<1.000000e+00> : tensor<2x3xf32>
// CHECK-NEXT:    %[[SELECT:.+]] = dovetail.select %[[COMPARE]], %[[CONSTANT_1]], %arg0 : tensor<2x3xi1>, tensor<2x3xf32>
// CHECK-NEXT:    %[[CONSTANT_2:.+]] = dovetail.constant dense<5.000000e-01> : tensor<2x3xf32>
// CHECK-NEXT:    %[[DIV:.+]] = dovetail.div %[[BESSEL_I1E]], %[[SELECT]] : tensor<2x3xf32>
// CHECK-NEXT:    %[[SELECT_1:.+]] = dovetail.select %[[COMPARE]], %[[CONSTANT_2]], %[[DIV]] : tensor<2x3xi1>, tensor<2x3xf32>
// CHECK-NEXT:    %[[BESSEL_I0E:.+]] = dovetail.bessel_i0e %arg0 : tensor<2x3xf32>
// CHECK-NEXT:    %[[SIGN:.+]] = dovetail.sign %arg0 : tensor<2x3xf32>
// CHECK-NEXT:    %[[MUL:.+]] = dovetail.mul %[[SIGN]], %[[BESSEL_I1E]] : tensor<2x3xf32>
// CHECK-NEXT:    %[[SUB:.+]] = dovetail.sub %[[BESSEL_I0E]], %[[MUL]] : tensor<2x3xf32>
// CHECK-NEXT:    %[[SUB_1:.+]] = dovetail.sub %[[SUB]], %[[SELECT_1]] : tensor<2x3xf32>
// CHECK-NEXT:    %[[MUL_1:.+]] = dovetail.mul %arg1, %[[SUB_1]] : tensor<2x3xf32>
// CHECK-NEXT:    return %[[BESSEL_I1E]], %[[MUL_1]] : tensor<2x3xf32>, tensor<2x3xf32>
