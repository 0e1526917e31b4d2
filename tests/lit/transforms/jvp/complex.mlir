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
