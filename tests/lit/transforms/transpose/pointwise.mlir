// The transpose of each pointwise op in the operands in which it is linear.
// RUN: dovetail-opt %s --split-input-file --dovetail-transpose=linear=0 | FileCheck %s

func.func @main(%arg0: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = dovetail.neg %arg0 : tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
// CHECK-LABEL: func.func private @main.transpose(%arg0: tensor<2x3xf32>) -> tensor<2x3xf32>
// CHECK-NEXT:    %[[NEG:.+]] = dovetail.neg %arg0 : tensor<2x3xf32>
// CHECK-NEXT:    return %[[NEG]] : tensor<2x3xf32>

// -----

func.func @main(%arg0: tensor<2x3xf32>, %arg1: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = dovetail.mul %arg0, %arg1 : tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
// CHECK-LABEL: func.func private @main.transpose(%arg0: tensor<2x3xf32>, %arg1: tensor<2x3xf32>) -> tensor<2x3xf32>
// CHECK-NEXT:    %[[MUL:.+]] = dovetail.mul %arg1, %arg0 : tensor<2x3xf32>
// CHECK-NEXT:    return %[[MUL]] : tensor<2x3xf32>

// -----

func.func @main(%arg0: tensor<2x3xf32>, %arg1: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = dovetail.div %arg0, %arg1 : tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
// CHECK-LABEL: func.func private @main.transpose(%arg0: tensor<2x3xf32>, %arg1: tensor<2x3xf32>) -> tensor<2x3xf32>
// CHECK-NEXT:    %[[DIV:.+]] = dovetail.div %arg1, %arg0 : tensor<2x3xf32>
// CHECK-NEXT:    return %[[DIV]] : tensor<2x3xf32>

// -----

func.func @main(%arg0: tensor<2x3xf32>, %arg1: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = dovetail.mul %arg1, %arg0 : tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
// CHECK-LABEL: func.func private @main.transpose(%arg0: tensor<2x3xf32>, %arg1: tensor<2x3xf32>) -> tensor<2x3xf32>
// CHECK-NEXT:    %[[MUL:.+]] = dovetail.mul %arg0, %arg1 : tensor<2x3xf32>
// CHECK-NEXT:    return %[[MUL]] : tensor<2x3xf32>

// -----

func.func @main(%arg0: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = dovetail.add %arg0, %arg0 : tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
// CHECK-LABEL: func.func private @main.transpose(%arg0: tensor<2x3xf32>) -> tensor<2x3xf32>
// CHECK-NEXT:    %[[ADD:.+]] = dovetail.add %arg0, %arg0 : tensor<2x3xf32>
// CHECK-NEXT:    return %[[ADD]] : tensor<2x3xf32>

// -----

func.func @main(%arg0: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %1 = dovetail.neg %arg0 : tensor<2x3xf32>
  %0 = dovetail.sub %1, %arg0 : tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
// CHECK-LABEL: func.func private @main.transpose(%arg0: tensor<2x3xf32>) -> tensor<2x3xf32>
// CHECK-NEXT:    %[[NEG:.+]] = dovetail.neg %arg0 : tensor<2x3xf32>
// CHECK-NEXT:    %[[NEG_1:.+]] = dovetail.neg %arg0 : tensor<2x3xf32>
// CHECK-NEXT:    %[[ADD:.+]] = dovetail.add %[[NEG]], %[[NEG_1]] : tensor<2x3xf32>
// CHECK-NEXT:    return %[[ADD]] : tensor<2x3xf32>

// -----

func.func @main(%arg0: tensor<2x3xf32>, %arg1: tensor<2x3xi1>) -> tensor<2x3xf32> {
  %0 = dovetail.select %arg1, %arg0, %arg0 : tensor<2x3xi1>, tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
// CHECK-LABEL: func.func private @main.transpose(%arg0: tensor<2x3xi1>, %arg1: tensor<2x3xf32>) -> tensor<2x3xf32>
// CHECK-NEXT:    %[[CONSTANT:.+]] = dovetail.constant dense<0.000000e+00> : tensor<2x3xf32>
// CHECK-NEXT:    %[[SELECT:.+]] = dovetail.select %arg0, %arg1, %[[CONSTANT]] : tensor<2x3xi1>, tensor<2x3xf32>
// CHECK-NEXT:    %[[CONSTANT_1:.+]] = dovetail.constant dense<0.000000e+00> : tensor<2x3xf32>
// CHECK-NEXT:    %[[SELECT_1:.+]] = dovetail.select %arg0, %[[CONSTANT_1]], %arg1 : tensor<2x3xi1>, tensor<2x3xf32>
// CHECK-NEXT:    %[[ADD:.+]] = dovetail.add %[[SELECT]], %[[SELECT_1]] : tensor<2x3xf32>
// CHECK-NEXT:    return %[[ADD]] : tensor<2x3xf32>

// -----

func.func @main(%arg0: tensor<2x3xf32>) -> tensor<2x3xf64> {
  %0 = dovetail.convert %arg0 : tensor<2x3xf32> -> tensor<2x3xf64>
  return %0 : tensor<2x3xf64>
}
// CHECK-LABEL: func.func private @main.transpose(%arg0: tensor<2x3xf64>) -> tensor<2x3xf32>
// CHECK-NEXT:    %[[CONVERT:.+]] = dovetail.convert %arg0 : tensor<2x3xf64> -> tensor<2x3xf32>
// CHECK-NEXT:    return %[[CONVERT]] : tensor<2x3xf32>

// -----

func.func @main(%arg0: tensor<4xcomplex<f32>>) -> tensor<4xf32> {
  %0 = dovetail.real %arg0 : tensor<4xcomplex<f32>>
  return %0 : tensor<4xf32>
}
// CHECK-LABEL: func.func private @main.transpose(%arg0: tensor<4xf32>) -> tensor<4xcomplex<f32>>
// CHECK-NEXT:    %[[CONSTANT:.+]] = dovetail.constant dense<0.000000e+00> : tensor<4xf32>
// CHECK-NEXT:    %[[COMPLEX:.+]] = dovetail.complex %arg0, %[[CONSTANT]] : tensor<4xf32>
// CHECK-NEXT:    return %[[COMPLEX]] : tensor<4xcomplex<f32>>

// -----

func.func @main(%arg0: tensor<4xcomplex<f32>>) -> tensor<4xf32> {
  %0 = dovetail.imag %arg0 : tensor<4xcomplex<f32>>
  return %0 : tensor<4xf32>
}
// CHECK-LABEL: func.func private @main.transpose(%arg0: tensor<4xf32>) -> tensor<4xcomplex<f32>>
// CHECK-NEXT:    %[[NEG:.+]] = dovetail.neg %arg0 : tensor<4xf32>
// CHECK-NEXT:    %[[CONSTANT:.+]] = dovetail.constant dense<0.000000e+00> : tensor<4xf32>
// CHECK-NEXT:    %[[COMPLEX:.+]] = dovetail.complex %[[CONSTANT]], %[[NEG]] : tensor<4xf32>
// CHECK-NEXT:    return %[[COMPLEX]] : tensor<4xcomplex<f32>>

// -----

func.func @main(%arg0: tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>> {
  %0 = dovetail.conj %arg0 : tensor<4xcomplex<f32>>
  return %0 : tensor<4xcomplex<f32>>
}
// CHECK-LABEL: func.func private @main.transpose(%arg0: tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>>
// CHECK-NEXT:    %[[CONJ:.+]] = dovetail.conj %arg0 : tensor<4xcomplex<f32>>
// CHECK-NEXT:    return %[[CONJ]] : tensor<4xcomplex<f32>>

// -----

func.func @main(%arg0: tensor<4xf32>) -> tensor<4xcomplex<f32>> {
  %0 = dovetail.complex %arg0, %arg0 : tensor<4xf32>
  return %0 : tensor<4xcomplex<f32>>
}
// CHECK-LABEL: func.func private @main.transpose(%arg0: tensor<4xcomplex<f32>>) -> tensor<4xf32>
// CHECK-NEXT:    %[[REAL:.+]] = dovetail.real %arg0 : tensor<4xcomplex<f32>>
// CHECK-NEXT:    %[[IMAG:.+]] = dovetail.imag %arg0 : tensor<4xcomplex<f32>>
// CHECK-NEXT:    %[[NEG:.+]] = dovetail.neg %[[IMAG]] : tensor<4xf32>
// CHECK-NEXT:    %[[ADD:.+]] = dovetail.add %[[REAL]], %[[NEG]] : tensor<4xf32>
// CHECK-NEXT:    return %[[ADD]] : tensor<4xf32>

// -----

// No cotangent leaves what is marked so, but that of an integer, which has no derivative to block.
func.func @main(%arg0: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = dovetail.stop_gradient %arg0 : tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
// A cotangent that is zero is no result.
// CHECK-LABEL: func.func private @main.transpose(%arg0: tensor<2x3xf32>) {
// CHECK-NEXT:    return

// -----

func.func @main(%arg0: tensor<2xi32>) -> tensor<2xi32> {
  %0 = dovetail.stop_gradient %arg0 : tensor<2xi32>
  return %0 : tensor<2xi32>
}
// CHECK-LABEL: func.func private @main.transpose(%arg0: tensor<2xi32>) -> tensor<2xi32>
// CHECK-NEXT:    return %arg0 : tensor<2xi32>
