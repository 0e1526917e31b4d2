// Tangents of complex numbers; no rule conjugates but those that have to.
// RUN: dovetail-opt %s --split-input-file --dovetail-jvp=wrt=0 | FileCheck %s

func.func @main(%arg0: tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>> {
  %0 = dovetail.exp %arg0 : tensor<4xcomplex<f32>>
  return %0 : tensor<4xcomplex<f32>>
}
// CHECK-LABEL: func.func private @main.jvp(%arg0: tensor<4xcomplex<f32>>, %arg1: tensor<4xcomplex<f32>>) -> (tensor<4xcomplex<f32>>, tensor<4xcomplex<f32>>)
// CHECK-NEXT:    %[[EXP:.+]] = dovetail.exp %arg0 : tensor<4xcomplex<f32>>
// CHECK-NEXT:    %[[MUL:.+]] = dovetail.mul %arg1, %[[EXP]] : tensor<4xcomplex<f32>>
// CHECK-NEXT:    return %[[EXP]], %[[MUL]] : tensor<4xcomplex<f32>>, tensor<4xcomplex<f32>>

// -----

func.func @main(%arg0: tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>> {
  %0 = dovetail.log %arg0 : tensor<4xcomplex<f32>>
  return %0 : tensor<4xcomplex<f32>>
}
// CHECK-LABEL: func.func private @main.jvp(%arg0: tensor<4xcomplex<f32>>, %arg1: tensor<4xcomplex<f32>>) -> (tensor<4xcomplex<f32>>, tensor<4xcomplex<f32>>)
// CHECK-NEXT:    %[[LOG:.+]] = dovetail.log %arg0 : tensor<4xcomplex<f32>>
// CHECK-NEXT:    %[[DIV:.+]] = dovetail.div %arg1, %arg0 : tensor<4xcomplex<f32>>
// CHECK-NEXT:    return %[[LOG]], %[[DIV]] : tensor<4xcomplex<f32>>, tensor<4xcomplex<f32>>

// -----

func.func @main(%arg0: tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>> {
  %0 = dovetail.sqrt %arg0 : tensor<4xcomplex<f32>>
  return %0 : tensor<4xcomplex<f32>>
}
// CHECK-LABEL: func.func private @main.jvp(%arg0: tensor<4xcomplex<f32>>, %arg1: tensor<4xcomplex<f32>>) -> (tensor<4xcomplex<f32>>, tensor<4xcomplex<f32>>)
// CHECK-NEXT:    %[[SQRT:.+]] = dovetail.sqrt %arg0 : tensor<4xcomplex<f32>>
// CHECK-NEXT:    %[[CONSTANT:.+]] = dovetail.constant dense<(2.000000e+00,0.000000e+00)> : tensor<4xcomplex<f32>>
// CHECK-NEXT:    %[[MUL:.+]] = dovetail.mul %[[SQRT]], %[[CONSTANT]] : tensor<4xcomplex<f32>>
// CHECK-NEXT:    %[[DIV:.+]] = dovetail.div %arg1, %[[MUL]] : tensor<4xcomplex<f32>>
// CHECK-NEXT:    return %[[SQRT]], %[[DIV]] : tensor<4xcomplex<f32>>, tensor<4xcomplex<f32>>

// -----

func.func @main(%arg0: tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>> {
  %0 = dovetail.acosh %arg0 : tensor<4xcomplex<f32>>
  return %0 : tensor<4xcomplex<f32>>
}
// CHECK-LABEL: func.func private @main.jvp(%arg0: tensor<4xcomplex<f32>>, %arg1: tensor<4xcomplex<f32>>) -> (tensor<4xcomplex<f32>>, tensor<4xcomplex<f32>>)
// CHECK-NEXT:    %[[ACOSH:.+]] = dovetail.acosh %arg0 : tensor<4xcomplex<f32>>
// CHECK-NEXT:    %[[CONSTANT:.+]] = dovetail.constant dense<(-1.000000e+00,0.000000e+00)> : tensor<4xcomplex<f32>>
// CHECK-NEXT:    %[[ADD:.+]] = dovetail.add %arg0, %[[CONSTANT]] : tensor<4xcomplex<f32>>
// CHECK-NEXT:    %[[RSQRT:.+]] = dovetail.rsqrt %[[ADD]] : tensor<4xcomplex<f32>>
// CHECK-NEXT:    %[[CONSTANT_1:.+]] = dovetail.constant dense<(1.000000e+00,0.000000e+00)> : tensor<4xcomplex<f32>>
// CHECK-NEXT:    %[[ADD_1:.+]] = dovetail.add %arg0, %[[CONSTANT_1]] : tensor<4xcomplex<f32>>
// CHECK-NEXT:    %[[RSQRT_1:.+]] = dovetail.rsqrt %[[ADD_1]] : tensor<4xcomplex<f32>>
// CHECK-NEXT:    %[[MUL:.+]] = dovetail.mul %[[RSQRT]], %[[RSQRT_1]] : tensor<4xcomplex<f32>>
// CHECK-NEXT:    %[[MUL_1:.+]] = dovetail.mul %arg1, %[[MUL]] : tensor<4xcomplex<f32>>
// CHECK-NEXT:    return %[[ACOSH]], %[[MUL_1]] : tensor<4xcomplex<f32>>, tensor<4xcomplex<f32>>

// -----

func.func @main(%arg0: tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>> {
  %0 = dovetail.conj %arg0 : tensor<4xcomplex<f32>>
  return %0 : tensor<4xcomplex<f32>>
}
// CHECK-LABEL: func.func private @main.jvp(%arg0: tensor<4xcomplex<f32>>, %arg1: tensor<4xcomplex<f32>>) -> (tensor<4xcomplex<f32>>, tensor<4xcomplex<f32>>)
// CHECK-NEXT:    %[[CONJ:.+]] = dovetail.conj %arg0 : tensor<4xcomplex<f32>>
// CHECK-NEXT:    %[[CONJ_1:.+]] = dovetail.conj %arg1 : tensor<4xcomplex<f32>>
// CHECK-NEXT:    return %[[CONJ]], %[[CONJ_1]] : tensor<4xcomplex<f32>>, tensor<4xcomplex<f32>>

// -----

func.func @main(%arg0: tensor<4xcomplex<f32>>) -> tensor<4xf32> {
  %0 = dovetail.abs %arg0 : tensor<4xcomplex<f32>>
  return %0 : tensor<4xf32>
}
// CHECK-LABEL: func.func private @main.jvp(%arg0: tensor<4xcomplex<f32>>, %arg1: tensor<4xcomplex<f32>>) -> (tensor<4xf32>, tensor<4xf32>)
// CHECK-NEXT:    %[[ABS:.+]] = dovetail.abs %arg0 : tensor<4xcomplex<f32>>
// CHECK-NEXT:    %[[SIGN:.+]] = dovetail.sign %arg0 : tensor<4xcomplex<f32>>
// CHECK-NEXT:    %[[CONJ:.+]] = dovetail.conj %[[SIGN]] : tensor<4xcomplex<f32>>
// CHECK-NEXT:    %[[MUL:.+]] = dovetail.mul %arg1, %[[CONJ]] : tensor<4xcomplex<f32>>
// CHECK-NEXT:    %[[REAL:.+]] = dovetail.real %[[MUL]] : tensor<4xcomplex<f32>>
// CHECK-NEXT:    return %[[ABS]], %[[REAL]] : tensor<4xf32>, tensor<4xf32>

// -----

func.func @main(%arg0: tensor<4xcomplex<f32>>) -> tensor<4xf32> {
  %0 = dovetail.real %arg0 : tensor<4xcomplex<f32>>
  return %0 : tensor<4xf32>
}
// CHECK-LABEL: func.func private @main.jvp(%arg0: tensor<4xcomplex<f32>>, %arg1: tensor<4xcomplex<f32>>) -> (tensor<4xf32>, tensor<4xf32>)
// CHECK-NEXT:    %[[REAL:.+]] = dovetail.real %arg0 : tensor<4xcomplex<f32>>
// CHECK-NEXT:    %[[REAL_1:.+]] = dovetail.real %arg1 : tensor<4xcomplex<f32>>
// CHECK-NEXT:    return %[[REAL]], %[[REAL_1]] : tensor<4xf32>, tensor<4xf32>

// -----

func.func @main(%arg0: tensor<4xcomplex<f32>>) -> tensor<4xf32> {
  %0 = dovetail.imag %arg0 : tensor<4xcomplex<f32>>
  return %0 : tensor<4xf32>
}
// CHECK-LABEL: func.func private @main.jvp(%arg0: tensor<4xcomplex<f32>>, %arg1: tensor<4xcomplex<f32>>) -> (tensor<4xf32>, tensor<4xf32>)
// CHECK-NEXT:    %[[IMAG:.+]] = dovetail.imag %arg0 : tensor<4xcomplex<f32>>
// CHECK-NEXT:    %[[IMAG_1:.+]] = dovetail.imag %arg1 : tensor<4xcomplex<f32>>
// CHECK-NEXT:    return %[[IMAG]], %[[IMAG_1]] : tensor<4xf32>, tensor<4xf32>

// -----

func.func @main(%arg0: tensor<4xf32>, %arg1: tensor<4xf32>) -> tensor<4xcomplex<f32>> {
  %0 = dovetail.complex %arg0, %arg1 : tensor<4xf32>
  return %0 : tensor<4xcomplex<f32>>
}
// CHECK-LABEL: func.func private @main.jvp(%arg0: tensor<4xf32>, %arg1: tensor<4xf32>, %arg2: tensor<4xf32>) -> (tensor<4xcomplex<f32>>, tensor<4xcomplex<f32>>)
// CHECK-NEXT:    %[[COMPLEX:.+]] = dovetail.complex %arg0, %arg1 : tensor<4xf32>
// CHECK-NEXT:    %[[CONSTANT:.+]] = dovetail.constant dense<0.000000e+00> : tensor<4xf32>
// CHECK-NEXT:    %[[COMPLEX_1:.+]] = dovetail.complex %arg2, %[[CONSTANT]] : tensor<4xf32>
// CHECK-NEXT:    return %[[COMPLEX]], %[[COMPLEX_1]] : tensor<4xcomplex<f32>>, tensor<4xcomplex<f32>>

// -----

func.func @main(%arg0: tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>> {
  %0 = dovetail.integer_pow %arg0, 3 : tensor<4xcomplex<f32>>
  return %0 : tensor<4xcomplex<f32>>
}
// CHECK-LABEL: func.func private @main.jvp(%arg0: tensor<4xcomplex<f32>>, %arg1: tensor<4xcomplex<f32>>) -> (tensor<4xcomplex<f32>>, tensor<4xcomplex<f32>>)
// CHECK-NEXT:    %[[INTEGER_POW:.+]] = dovetail.integer_pow %arg0, 3 : tensor<4xcomplex<f32>>
// CHECK-NEXT:    %[[INTEGER_POW_1:.+]] = dovetail.integer_pow %arg0, 2 : tensor<4xcomplex<f32>>
// CHECK-NEXT:    %[[CONSTANT:.+]] = dovetail.constant dense<(3.000000e+00,0.000000e+00)> : tensor<4xcomplex<f32>>
// CHECK-NEXT:    %[[MUL:.+]] = dovetail.mul %[[INTEGER_POW_1]], %[[CONSTANT]] : tensor<4xcomplex<f32>>
// CHECK-NEXT:    %[[MUL_1:.+]] = dovetail.mul %arg1, %[[MUL]] : tensor<4xcomplex<f32>>
// CHECK-NEXT:    return %[[INTEGER_POW]], %[[MUL_1]] : tensor<4xcomplex<f32>>, tensor<4xcomplex<f32>>

// -----

func.func @main(%arg0: tensor<4xcomplex<f32>>) -> tensor<4xf32> {
  %0 = dovetail.convert %arg0 : tensor<4xcomplex<f32>> -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
// CHECK-LABEL: func.func private @main.jvp(%arg0: tensor<4xcomplex<f32>>, %arg1: tensor<4xcomplex<f32>>) -> (tensor<4xf32>, tensor<4xf32>)
// CHECK-NEXT:    %[[CONVERT:.+]] = dovetail.convert %arg0 : tensor<4xcomplex<f32>> -> tensor<4xf32>
// CHECK-NEXT:    %[[CONVERT_1:.+]] = dovetail.convert %arg1 : tensor<4xcomplex<f32>> -> tensor<4xf32>
// CHECK-NEXT:    return %[[CONVERT]], %[[CONVERT_1]] : tensor<4xf32>, tensor<4xf32>

// -----

func.func @main(%arg0: tensor<4xf32>) -> tensor<4xcomplex<f32>> {
  %0 = dovetail.convert %arg0 : tensor<4xf32> -> tensor<4xcomplex<f32>>
  return %0 : tensor<4xcomplex<f32>>
}
// CHECK-LABEL: func.func private @main.jvp(%arg0: tensor<4xf32>, %arg1: tensor<4xf32>) -> (tensor<4xcomplex<f32>>, tensor<4xcomplex<f32>>)
// CHECK-NEXT:    %[[CONVERT:.+]] = dovetail.convert %arg0 : tensor<4xf32> -> tensor<4xcomplex<f32>>
// CHECK-NEXT:    %[[CONVERT_1:.+]] = dovetail.convert %arg1 : tensor<4xf32> -> tensor<4xcomplex<f32>>
// CHECK-NEXT:    return %[[CONVERT]], %[[CONVERT_1]] : tensor<4xcomplex<f32>>, tensor<4xcomplex<f32>>
