// Fourier transforms of a batch that is in the middle.
// RUN: dovetail-opt %s --split-input-file --dovetail-batch='dims=1 size=7' | FileCheck %s

func.func @main(%arg0: tensor<2x8xcomplex<f32>>) -> tensor<2x8xcomplex<f32>> {
  %0 = dovetail.fft %arg0, 1 length 8 : tensor<2x8xcomplex<f32>>
  return %0 : tensor<2x8xcomplex<f32>>
}
// CHECK-LABEL: func.func private @main.batch(%arg0: tensor<2x7x8xcomplex<f32>>) -> tensor<2x7x8xcomplex<f32>>
// CHECK-NEXT:    %[[FFT:.+]] = dovetail.fft %arg0, 2 length 8 : tensor<2x7x8xcomplex<f32>>
// CHECK-NEXT:    return %[[FFT]] : tensor<2x7x8xcomplex<f32>>

// -----

func.func @main(%arg0: tensor<2x8xcomplex<f32>>) -> tensor<2x8xcomplex<f32>> {
  %0 = dovetail.fft %arg0, 0 length 2 inverse = true : tensor<2x8xcomplex<f32>>
  return %0 : tensor<2x8xcomplex<f32>>
}
// CHECK-LABEL: func.func private @main.batch(%arg0: tensor<2x7x8xcomplex<f32>>) -> tensor<2x7x8xcomplex<f32>>
// CHECK-NEXT:    %[[FFT:.+]] = dovetail.fft %arg0, 0 length 2 inverse = true : tensor<2x7x8xcomplex<f32>>
// CHECK-NEXT:    return %[[FFT]] : tensor<2x7x8xcomplex<f32>>

// -----

func.func @main(%arg0: tensor<2x8xf32>) -> tensor<2x5xcomplex<f32>> {
  %0 = dovetail.rfft %arg0, 1 length 8 : tensor<2x8xf32>
  return %0 : tensor<2x5xcomplex<f32>>
}
// CHECK-LABEL: func.func private @main.batch(%arg0: tensor<2x7x8xf32>) -> tensor<2x7x5xcomplex<f32>>
// CHECK-NEXT:    %[[RFFT:.+]] = dovetail.rfft %arg0, 2 length 8 : tensor<2x7x8xf32>
// CHECK-NEXT:    return %[[RFFT]] : tensor<2x7x5xcomplex<f32>>

// -----

func.func @main(%arg0: tensor<2x8xcomplex<f32>>) -> tensor<3x8xf32> {
  %0 = dovetail.irfft %arg0, 0 length 3 : tensor<2x8xcomplex<f32>>
  return %0 : tensor<3x8xf32>
}
// CHECK-LABEL: func.func private @main.batch(%arg0: tensor<2x7x8xcomplex<f32>>) -> tensor<3x7x8xf32>
// CHECK-NEXT:    %[[IRFFT:.+]] = dovetail.irfft %arg0, 0 length 3 : tensor<2x7x8xcomplex<f32>>
// CHECK-NEXT:    return %[[IRFFT]] : tensor<3x7x8xf32>
