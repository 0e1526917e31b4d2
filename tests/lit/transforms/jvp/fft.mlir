// Fourier transforms are linear.
// RUN: dovetail-opt %s --split-input-file --dovetail-jvp | FileCheck %s

func.func @main(%arg0: tensor<2x8xcomplex<f32>>) -> tensor<2x8xcomplex<f32>> {
  %0 = dovetail.fft %arg0, 1 length 8 : tensor<2x8xcomplex<f32>>
  return %0 : tensor<2x8xcomplex<f32>>
}
// CHECK-LABEL: func.func private @main.jvp(%arg0: tensor<2x8xcomplex<f32>>) -> tensor<2x8xcomplex<f32>>
// CHECK-NEXT:    %[[FFT:.+]] = dovetail.fft %arg0, 1 length 8 : tensor<2x8xcomplex<f32>>
// CHECK-NEXT:    return %[[FFT]] : tensor<2x8xcomplex<f32>>

// -----

func.func @main(%arg0: tensor<2x8xf32>) -> tensor<2x5xcomplex<f32>> {
  %0 = dovetail.rfft %arg0, 1 length 8 : tensor<2x8xf32>
  return %0 : tensor<2x5xcomplex<f32>>
}
// CHECK-LABEL: func.func private @main.jvp(%arg0: tensor<2x8xf32>) -> tensor<2x5xcomplex<f32>>
// CHECK-NEXT:    %[[RFFT:.+]] = dovetail.rfft %arg0, 1 length 8 : tensor<2x8xf32>
// CHECK-NEXT:    return %[[RFFT]] : tensor<2x5xcomplex<f32>>
