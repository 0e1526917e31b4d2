// Transposes of Fourier transforms: a matrix that is symmetric, and halves of spectra that stand for both.
// RUN: dovetail-opt %s --split-input-file --dovetail-transpose=linear=0 | FileCheck %s

func.func @main(%arg0: tensor<2x8xcomplex<f32>>) -> tensor<2x8xcomplex<f32>> {
  %0 = dovetail.fft %arg0, 1 length 8 : tensor<2x8xcomplex<f32>>
  return %0 : tensor<2x8xcomplex<f32>>
}
// CHECK-LABEL: func.func private @main.transpose(%arg0: tensor<2x8xcomplex<f32>>) -> tensor<2x8xcomplex<f32>>
// CHECK-NEXT:    %[[FFT:.+]] = dovetail.fft %arg0, 1 length 8 : tensor<2x8xcomplex<f32>>
// CHECK-NEXT:    return %[[FFT]] : tensor<2x8xcomplex<f32>>

// -----

func.func @main(%arg0: tensor<2x8xcomplex<f32>>) -> tensor<2x8xcomplex<f32>> {
  %0 = dovetail.fft %arg0, 0 length 2 inverse = true : tensor<2x8xcomplex<f32>>
  return %0 : tensor<2x8xcomplex<f32>>
}
// CHECK-LABEL: func.func private @main.transpose(%arg0: tensor<2x8xcomplex<f32>>) -> tensor<2x8xcomplex<f32>>
// CHECK-NEXT:    %[[FFT:.+]] = dovetail.fft %arg0, 0 length 2 inverse = true : tensor<2x8xcomplex<f32>>
// CHECK-NEXT:    return %[[FFT]] : tensor<2x8xcomplex<f32>>

// -----

func.func @main(%arg0: tensor<2x8xf32>) -> tensor<2x5xcomplex<f32>> {
  %0 = dovetail.rfft %arg0, 1 length 8 : tensor<2x8xf32>
  return %0 : tensor<2x5xcomplex<f32>>
}
// CHECK-LABEL: func.func private @main.transpose(%arg0: tensor<2x5xcomplex<f32>>) -> tensor<2x8xf32>
// CHECK-NEXT:    %[[CONJ:.+]] = dovetail.conj %arg0 : tensor<2x5xcomplex<f32>>
// CHECK-NEXT:    %[[CONSTANT:.+]] = dovetail.constant dense<4.000000e+00> : tensor<3xf32>
// CHECK-NEXT:    %[[CONSTANT_1:.+]] = dovetail.constant dense<8.000000e+00> : tensor<f32>
// CHECK-NEXT:    %[[PAD:.+]] = dovetail.pad %[[CONSTANT]], %[[CONSTANT_1]] low [1] interior [0] : tensor<3xf32>, tensor<f32> -> tensor<5xf32>
// CHECK-NEXT:    %[[CONVERT:.+]] = dovetail.convert %[[PAD]] : tensor<5xf32> -> tensor<5xcomplex<f32>>
// CHECK-NEXT:    %[[BROADCAST:.+]] = dovetail.broadcast %[[CONVERT]] dims [1] : tensor<5xcomplex<f32>> -> tensor<2x5xcomplex<f32>>
// CHECK-NEXT:    %[[MUL:.+]] = dovetail.mul %[[CONJ]], %[[BROADCAST]] : tensor<2x5xcomplex<f32>>
// CHECK-NEXT:    %[[IRFFT:.+]] = dovetail.irfft %[[MUL]], 1 length 8 : tensor<2x5xcomplex<f32>>
// CHECK-NEXT:    return %[[IRFFT]] : tensor<2x8xf32>

// -----

func.func @main(%arg0: tensor<3x2xf32>) -> tensor<3x2xcomplex<f32>> {
  %0 = dovetail.rfft %arg0, 1 length 2 : tensor<3x2xf32>
  return %0 : tensor<3x2xcomplex<f32>>
}
// CHECK-LABEL: func.func private @main.transpose(%arg0: tensor<3x2xcomplex<f32>>) -> tensor<3x2xf32>
// CHECK-NEXT:    %[[CONJ:.+]] = dovetail.conj %arg0 : tensor<3x2xcomplex<f32>>
// CHECK-NEXT:    %[[CONSTANT:.+]] = dovetail.constant dense<(2.000000e+00,0.000000e+00)> : tensor<3x2xcomplex<f32>>
// CHECK-NEXT:    %[[MUL:.+]] = dovetail.mul %[[CONJ]], %[[CONSTANT]] : tensor<3x2xcomplex<f32>>
// CHECK-NEXT:    %[[IRFFT:.+]] = dovetail.irfft %[[MUL]], 1 length 2 : tensor<3x2xcomplex<f32>>
// CHECK-NEXT:    return %[[IRFFT]] : tensor<3x2xf32>

// -----

func.func @main(%arg0: tensor<2x8xcomplex<f32>>) -> tensor<3x8xf32> {
  %0 = dovetail.irfft %arg0, 0 length 3 : tensor<2x8xcomplex<f32>>
  return %0 : tensor<3x8xf32>
}
// CHECK-LABEL: func.func private @main.transpose(%arg0: tensor<3x8xf32>) -> tensor<2x8xcomplex<f32>>
// CHECK-NEXT:    %[[RFFT:.+]] = dovetail.rfft %arg0, 0 length 3 : tensor<3x8xf32>
// CHECK-NEXT:    %[[CONJ:.+]] = dovetail.conj %[[RFFT]] : tensor<2x8xcomplex<f32>>
// CHECK-NEXT:    %[[CONSTANT:.+]] = dovetail.constant dense<0.666666686> : tensor<1xf32>
// CHECK-NEXT:    %[[CONSTANT_1:.+]] = dovetail.constant dense<0.333333343> : tensor<f32>
// CHECK-NEXT:    %[[PAD:.+]] = dovetail.pad %[[CONSTANT]], %[[CONSTANT_1]] low [1] interior [0] : tensor<1xf32>, tensor<f32> -> tensor<2xf32>
// CHECK-NEXT:    %[[CONVERT:.+]] = dovetail.convert %[[PAD]] : tensor<2xf32> -> tensor<2xcomplex<f32>>
// CHECK-NEXT:    %[[BROADCAST:.+]] = dovetail.broadcast %[[CONVERT]] dims [0] : tensor<2xcomplex<f32>> -> tensor<2x8xcomplex<f32>>
// CHECK-NEXT:    %[[MUL:.+]] = dovetail.mul %[[CONJ]], %[[BROADCAST]] : tensor<2x8xcomplex<f32>>
// CHECK-NEXT:    return %[[MUL]] : tensor<2x8xcomplex<f32>>

// -----

func.func @main(%arg0: tensor<?x?xcomplex<f32>>) -> tensor<?x8xcomplex<f32>> {
  %0 = dovetail.fft %arg0, 1 length 8 : tensor<?x?xcomplex<f32>>
  return %0 : tensor<?x8xcomplex<f32>>
}
// CHECK-LABEL: func.func private @main.transpose(%arg0: index, %arg1: index, %arg2: tensor<?x8xcomplex<f32>>) -> tensor<?x?xcomplex<f32>>
// CHECK-NEXT:    %[[FFT:.+]] = dovetail.fft %arg2, 1 length 8 : tensor<?x8xcomplex<f32>>
// CHECK-NEXT:    %[[RESHAPE:.+]] = dovetail.reshape %[[FFT]] sizes(%arg0, %arg1) : tensor<?x8xcomplex<f32>> -> tensor<?x?xcomplex<f32>>
// CHECK-NEXT:    return %[[RESHAPE]] : tensor<?x?xcomplex<f32>>

// -----

func.func @main(%arg0: tensor<?x?xcomplex<f32>>) -> tensor<?x4xf32> {
  %0 = dovetail.irfft %arg0, 1 length 4 : tensor<?x?xcomplex<f32>>
  return %0 : tensor<?x4xf32>
}
// CHECK-LABEL: func.func private @main.transpose(%arg0: index, %arg1: index, %arg2: tensor<?x4xf32>) -> tensor<?x?xcomplex<f32>>
// CHECK-NEXT:    %[[RFFT:.+]] = dovetail.rfft %arg2, 1 length 4 : tensor<?x4xf32>
// CHECK-NEXT:    %[[CONJ:.+]] = dovetail.conj %[[RFFT]] : tensor<?x3xcomplex<f32>>
// CHECK-NEXT:    %[[CONSTANT:.+]] = dovetail.constant dense<5.000000e-01> : tensor<1xf32>
// CHECK-NEXT:    %[[CONSTANT_1:.+]] = dovetail.constant dense<2.500000e-01> : tensor<f32>
// CHECK-NEXT:    %[[PAD:.+]] = dovetail.pad %[[CONSTANT]], %[[CONSTANT_1]] low [1] interior [0] : tensor<1xf32>, tensor<f32> -> tensor<3xf32>
// CHECK-NEXT:    %[[CONVERT:.+]] = dovetail.convert %[[PAD]] : tensor<3xf32> -> tensor<3xcomplex<f32>>
// CHECK-NEXT:    %[[DIM:.+]] = dovetail.dim %arg2, 0 : tensor<?x4xf32>
// CHECK-NEXT:    %[[BROADCAST:.+]] = dovetail.broadcast %[[CONVERT]] dims [1] sizes(%[[DIM]]) : tensor<3xcomplex<f32>> -> tensor<?x3xcomplex<f32>>
// CHECK-NEXT:    %[[MUL:.+]] = dovetail.mul %[[CONJ]], %[[BROADCAST]] : tensor<?x3xcomplex<f32>>
// CHECK-NEXT:    %[[RESHAPE:.+]] = dovetail.reshape %[[MUL]] sizes(%arg0, %arg1) : tensor<?x3xcomplex<f32>> -> tensor<?x?xcomplex<f32>>
// CHECK-NEXT:    return %[[RESHAPE]] : tensor<?x?xcomplex<f32>>
