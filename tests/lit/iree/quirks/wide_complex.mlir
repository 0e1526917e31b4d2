// IREE 3.13 neither fills with 128 bits nor stores them as a constant.
// RUN: not %{compile} %s -o %t.vmfb 2>&1 | FileCheck %s

// CHECK: but got 'i128'

func.func @main() -> tensor<4xcomplex<f64>> {
  %c = complex.constant [1.0, 2.0] : complex<f64>
  %empty = tensor.empty() : tensor<4xcomplex<f64>>
  %filled = linalg.fill ins(%c : complex<f64>) outs(%empty : tensor<4xcomplex<f64>>) -> tensor<4xcomplex<f64>>
  return %filled : tensor<4xcomplex<f64>>
}
