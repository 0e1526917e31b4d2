// Text of the ops that make an array, or a size, out of no array.
// RUN: dovetail-opt %s | FileCheck %s
// RUN: dovetail-opt %s --mlir-print-op-generic | dovetail-opt | FileCheck %s

func.func @constants() {
  %0 = dovetail.constant dense<1.5> : tensor<2x3xf32>
  %1 = dovetail.constant dense<[1, 255]> : tensor<2xui8>
  %2 = dovetail.constant dense<(1.0,-2.0)> : tensor<complex<f64>>
  %3 = dovetail.constant dense<true> : tensor<i1>
  %4 = dovetail.constant dense<> : tensor<0x4xf32>
  %5 = dovetail.constant dense_resource<weights> : tensor<1024x1024xf32>
  %6 = dovetail.constant sparse<[[0, 1]], [2.0]> : tensor<2x2xf32>
  return
}
// CHECK-LABEL: func.func @constants()
// CHECK-NEXT:    %[[CONSTANT:.+]] = dovetail.constant dense<1.500000e+00> : tensor<2x3xf32>
// CHECK-NEXT:    %[[CONSTANT_1:.+]] = dovetail.constant dense<[1, 255]> : tensor<2xui8>
// CHECK-NEXT:    %[[CONSTANT_2:.+]] = dovetail.constant dense<(1.000000e+00,-2.000000e+00)> : tensor<complex<f64>>
// CHECK-NEXT:    %[[CONSTANT_3:.+]] = dovetail.constant dense<true> : tensor<i1>
// CHECK-NEXT:    %[[CONSTANT_4:.+]] = dovetail.constant dense<> : tensor<0x4xf32>
// CHECK-NEXT:    %[[CONSTANT_5:.+]] = dovetail.constant dense_resource<weights> : tensor<1024x1024xf32>
// CHECK-NEXT:    %[[CONSTANT_6:.+]] = dovetail.constant sparse<{{.*}}> : tensor<2x2xf32>
// CHECK-NEXT:    return

func.func @iotas(%arg0: index, %arg1: index) {
  %0 = dovetail.iota 0 : tensor<5xi32>
  %1 = dovetail.iota 1 : tensor<2x3xcomplex<f32>>
  %2 = dovetail.iota 0 sizes(%arg0) : tensor<?x4xui16>
  %3 = dovetail.iota 1 sizes(%arg0, %arg1) : tensor<?x?xbf16>
  return
}
// CHECK-LABEL: func.func @iotas(%arg0: index, %arg1: index)
// CHECK-NEXT:    %[[IOTA:.+]] = dovetail.iota 0 : tensor<5xi32>
// CHECK-NEXT:    %[[IOTA_1:.+]] = dovetail.iota 1 : tensor<2x3xcomplex<f32>>
// CHECK-NEXT:    %[[IOTA_2:.+]] = dovetail.iota 0 sizes(%arg0) : tensor<?x4xui16>
// CHECK-NEXT:    %[[IOTA_3:.+]] = dovetail.iota 1 sizes(%arg0, %arg1) : tensor<?x?xbf16>
// CHECK-NEXT:    return

func.func @dims(%arg0: tensor<?x4xf32>, %arg1: tensor<2xui8>) {
  %0 = dovetail.dim %arg0, 0 : tensor<?x4xf32>
  %1 = dovetail.dim %arg0, 1 : tensor<?x4xf32>
  %2 = dovetail.dim %arg1, 0 : tensor<2xui8>
  return
}
// CHECK-LABEL: func.func @dims(%arg0: tensor<?x4xf32>, %arg1: tensor<2xui8>)
// CHECK-NEXT:    %[[DIM:.+]] = dovetail.dim %arg0, 0 : tensor<?x4xf32>
// CHECK-NEXT:    %[[DIM_1:.+]] = dovetail.dim %arg0, 1 : tensor<?x4xf32>
// CHECK-NEXT:    %[[DIM_2:.+]] = dovetail.dim %arg1, 0 : tensor<2xui8>
// CHECK-NEXT:    return
