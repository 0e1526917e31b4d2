// Fourier transforms have no loop along their dimension.
// RUN: dovetail-opt %s --verify-diagnostics --dovetail-print-factors

func.func @fourier(%arg0: tensor<2x?xcomplex<f32>>, %arg1: tensor<?x4x3xf32>) {
  // expected-remark @+1 {{([i,_])->([i,_])}}
  %0 = dovetail.fft %arg0, 1 length 5 : tensor<2x?xcomplex<f32>>
  // expected-remark @+1 {{([i,_,k])->([i,_,k])}}
  %1 = dovetail.rfft %arg1, 1 length 4 : tensor<?x4x3xf32>
  // expected-remark @+1 {{([_,j])->([_,j])}}
  %2 = dovetail.irfft %arg0, 0 length 3 : tensor<2x?xcomplex<f32>>
  return
}
