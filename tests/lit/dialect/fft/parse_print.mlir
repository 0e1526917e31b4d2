// Text of Fourier transforms.
// RUN: dovetail-opt %s | FileCheck %s
// RUN: dovetail-opt %s --mlir-print-op-generic | dovetail-opt | FileCheck %s

func.func @complex(%arg0: tensor<2x8xcomplex<f32>>, %arg1: tensor<?x?x3xcomplex<f64>>) {
  %0 = dovetail.fft %arg0, 1 length 8 : tensor<2x8xcomplex<f32>>
  %1 = dovetail.fft %arg0, 0 length 2 inverse = true : tensor<2x8xcomplex<f32>>
  %2 = dovetail.fft %arg1, 1 length 37 inverse = false : tensor<?x?x3xcomplex<f64>>
  %3 = dovetail.fft %2, 1 length 37 : tensor<?x37x3xcomplex<f64>>
  return
}

func.func @real(%arg0: tensor<?x8xf32>, %arg1: tensor<5x?xcomplex<f64>>) {
  %0 = dovetail.rfft %arg0, 1 length 8 : tensor<?x8xf32>
  %1 = dovetail.irfft %0, 1 length 9 : tensor<?x5xcomplex<f32>>
  %2 = dovetail.irfft %arg1, 0 length 8 : tensor<5x?xcomplex<f64>>
  %3 = dovetail.rfft %2, 1 length 1155 : tensor<8x?xf64>
  return
}
// CHECK-LABEL: func.func @complex(%arg0: tensor<2x8xcomplex<f32>>, %arg1: tensor<?x?x3xcomplex<f64>>)
// CHECK-NEXT:    %[[FFT:.+]] = dovetail.fft %arg0, 1 length 8 : tensor<2x8xcomplex<f32>>
// CHECK-NEXT:    %[[FFT_1:.+]] = dovetail.fft %arg0, 0 length 2 inverse = true : tensor<2x8xcomplex<f32>>
// CHECK-NEXT:    %[[FFT_2:.+]] = dovetail.fft %arg1, 1 length 37 : tensor<?x?x3xcomplex<f64>>
// CHECK-NEXT:    %[[FFT_3:.+]] = dovetail.fft %[[FFT_2]], 1 length 37 : tensor<?x37x3xcomplex<f64>>
// CHECK-NEXT:    return
// CHECK-LABEL: func.func @real(%arg0: tensor<?x8xf32>, %arg1: tensor<5x?xcomplex<f64>>)
// CHECK-NEXT:    %[[RFFT:.+]] = dovetail.rfft %arg0, 1 length 8 : tensor<?x8xf32>
// CHECK-NEXT:    %[[IRFFT:.+]] = dovetail.irfft %[[RFFT]], 1 length 9 : tensor<?x5xcomplex<f32>>
// CHECK-NEXT:    %[[IRFFT_1:.+]] = dovetail.irfft %arg1, 0 length 8 : tensor<5x?xcomplex<f64>>
// CHECK-NEXT:    %[[RFFT_1:.+]] = dovetail.rfft %[[IRFFT_1]], 1 length 1155 : tensor<8x?xf64>
// CHECK-NEXT:    return
