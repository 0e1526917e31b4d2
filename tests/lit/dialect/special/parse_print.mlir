// Text of the special functions.
// RUN: dovetail-opt %s | FileCheck %s
// RUN: dovetail-opt %s --mlir-print-op-generic | dovetail-opt | FileCheck %s

func.func @functions(%arg0: tensor<2x?xf32>, %arg1: tensor<2x?xf32>, %arg2: tensor<2x?xf32>) {
  %0 = dovetail.lgamma %arg0 : tensor<2x?xf32>
  %1 = dovetail.digamma %arg0 : tensor<2x?xf32>
  %2 = dovetail.erf_inv %arg0 : tensor<2x?xf32>
  %3 = dovetail.bessel_i0e %arg0 : tensor<2x?xf32>
  %4 = dovetail.bessel_i1e %arg0 : tensor<2x?xf32>
  %5 = dovetail.polygamma %arg0, %arg1 : tensor<2x?xf32>
  %6 = dovetail.zeta %arg0, %arg1 : tensor<2x?xf32>
  %7 = dovetail.igamma %arg0, %arg1 : tensor<2x?xf32>
  %8 = dovetail.igammac %arg0, %arg1 : tensor<2x?xf32>
  %9 = dovetail.random_gamma_grad %arg0, %arg1 : tensor<2x?xf32>
  %10 = dovetail.betainc %arg0, %arg1, %arg2 : tensor<2x?xf32>
  return
}
// CHECK-LABEL: func.func @functions(%arg0: tensor<2x?xf32>, %arg1: tensor<2x?xf32>, %arg2: tensor<2x?xf32>)
// CHECK-NEXT:    %[[LGAMMA:.+]] = dovetail.lgamma %arg0 : tensor<2x?xf32>
// CHECK-NEXT:    %[[DIGAMMA:.+]] = dovetail.digamma %arg0 : tensor<2x?xf32>
// CHECK-NEXT:    %[[ERF_INV:.+]] = dovetail.erf_inv %arg0 : tensor<2x?xf32>
// CHECK-NEXT:    %[[BESSEL_I0E:.+]] = dovetail.bessel_i0e %arg0 : tensor<2x?xf32>
// CHECK-NEXT:    %[[BESSEL_I1E:.+]] = dovetail.bessel_i1e %arg0 : tensor<2x?xf32>
// CHECK-NEXT:    %[[POLYGAMMA:.+]] = dovetail.polygamma %arg0, %arg1 : tensor<2x?xf32>
// CHECK-NEXT:    %[[ZETA:.+]] = dovetail.zeta %arg0, %arg1 : tensor<2x?xf32>
// CHECK-NEXT:    %[[IGAMMA:.+]] = dovetail.igamma %arg0, %arg1 : tensor<2x?xf32>
// CHECK-NEXT:    %[[IGAMMAC:.+]] = dovetail.igammac %arg0, %arg1 : tensor<2x?xf32>
// CHECK-NEXT:    %[[RANDOM_GAMMA_GRAD:.+]] = dovetail.random_gamma_grad %arg0, %arg1 : tensor<2x?xf32>
// CHECK-NEXT:    %[[BETAINC:.+]] = dovetail.betainc %arg0, %arg1, %arg2 : tensor<2x?xf32>
// CHECK-NEXT:    return

func.func @doubles(%arg0: tensor<f64>, %arg1: tensor<f64>, %arg2: tensor<f64>) {
  %0 = dovetail.lgamma %arg0 : tensor<f64>
  %1 = dovetail.digamma %arg0 : tensor<f64>
  %2 = dovetail.erf_inv %arg0 : tensor<f64>
  %3 = dovetail.bessel_i0e %arg0 : tensor<f64>
  %4 = dovetail.bessel_i1e %arg0 : tensor<f64>
  %5 = dovetail.polygamma %arg0, %arg1 : tensor<f64>
  %6 = dovetail.zeta %arg0, %arg1 : tensor<f64>
  %7 = dovetail.igamma %arg0, %arg1 : tensor<f64>
  %8 = dovetail.igammac %arg0, %arg1 : tensor<f64>
  %9 = dovetail.random_gamma_grad %arg0, %arg1 : tensor<f64>
  %10 = dovetail.betainc %arg0, %arg1, %arg2 : tensor<f64>
  return
}
// CHECK-LABEL: func.func @doubles(%arg0: tensor<f64>, %arg1: tensor<f64>, %arg2: tensor<f64>)
// CHECK-NEXT:    %[[LGAMMA:.+]] = dovetail.lgamma %arg0 : tensor<f64>
// CHECK-NEXT:    %[[DIGAMMA:.+]] = dovetail.digamma %arg0 : tensor<f64>
// CHECK-NEXT:    %[[ERF_INV:.+]] = dovetail.erf_inv %arg0 : tensor<f64>
// CHECK-NEXT:    %[[BESSEL_I0E:.+]] = dovetail.bessel_i0e %arg0 : tensor<f64>
// CHECK-NEXT:    %[[BESSEL_I1E:.+]] = dovetail.bessel_i1e %arg0 : tensor<f64>
// CHECK-NEXT:    %[[POLYGAMMA:.+]] = dovetail.polygamma %arg0, %arg1 : tensor<f64>
// CHECK-NEXT:    %[[ZETA:.+]] = dovetail.zeta %arg0, %arg1 : tensor<f64>
// CHECK-NEXT:    %[[IGAMMA:.+]] = dovetail.igamma %arg0, %arg1 : tensor<f64>
// CHECK-NEXT:    %[[IGAMMAC:.+]] = dovetail.igammac %arg0, %arg1 : tensor<f64>
// CHECK-NEXT:    %[[RANDOM_GAMMA_GRAD:.+]] = dovetail.random_gamma_grad %arg0, %arg1 : tensor<f64>
// CHECK-NEXT:    %[[BETAINC:.+]] = dovetail.betainc %arg0, %arg1, %arg2 : tensor<f64>
// CHECK-NEXT:    return
