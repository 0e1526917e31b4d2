// Constraints of Fourier transforms.
// RUN: dovetail-opt %s --split-input-file --verify-diagnostics

func.func @wrong(%arg0: tensor<2x3xcomplex<f32>>) {
  // expected-error @+1 {{'dovetail.fft' op dimension must be at least 0 and less than 2, got: 2}}
  %0 = dovetail.fft %arg0, 2 length 3 : tensor<2x3xcomplex<f32>>
  return
}

// -----

func.func @wrong(%arg0: tensor<2x0xcomplex<f32>>) {
  // expected-error @+1 {{'dovetail.fft' op length must be at least 1, got: 0}}
  %0 = dovetail.fft %arg0, 1 length 0 : tensor<2x0xcomplex<f32>>
  return
}

// -----

func.func @wrong(%arg0: tensor<2x3xf32>) {
  // expected-error @+1 {{'dovetail.rfft' op operand must have size 4 along dimension 1 for length 4, got: 3}}
  %0 = dovetail.rfft %arg0, 1 length 4 : tensor<2x3xf32>
  return
}

// -----

func.func @wrong(%arg0: tensor<4x3xcomplex<f32>>) {
  // expected-error @+1 {{'dovetail.irfft' op operand must have size 3 along dimension 0 for length 5, got: 4}}
  %0 = dovetail.irfft %arg0, 0 length 5 : tensor<4x3xcomplex<f32>>
  return
}

// -----

func.func @wrong(%arg0: tensor<4xf32>) {
  // expected-error @+1 {{'dovetail.fft' op operand #0 must be tensor without encoding of complex values, but got 'tensor<4xf32>'}}
  %0 = dovetail.fft %arg0, 0 length 4 : tensor<4xf32>
  return
}

// -----

func.func @wrong(%arg0: tensor<4xf16>) {
  // expected-error @+1 {{'dovetail.rfft' op operand #0 must be tensor without encoding of f32 or f64 values, but got 'tensor<4xf16>'}}
  %0 = dovetail.rfft %arg0, 0 length 4 : tensor<4xf16>
  return
}
