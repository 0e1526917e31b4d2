// Text of convolutions.
// RUN: dovetail-opt %s | FileCheck %s
// RUN: dovetail-opt %s --mlir-print-op-generic | dovetail-opt | FileCheck %s

func.func @conv(%x: tensor<?x8x8x3xbf16>, %k: tensor<3x3x3x4xbf16>, %y: tensor<2xi8>) {
  %0 = dovetail.conv %x, %k dims [0, 1, 2, 3] x [1, 2, 3, 4] to [0, 1, 2, 4] windows [1, 2] strides [1, 2] dilations [2, 1] element f32 : tensor<?x8x8x3xbf16>, tensor<3x3x3x4xbf16>
  %1 = dovetail.conv %y, %y dims [0] x [0] to [0] windows [] strides [] dilations [] : tensor<2xi8>, tensor<2xi8>
  return
}
// CHECK-LABEL: func.func @conv
// CHECK-NEXT: dovetail.conv %arg0, %arg1 dims [0, 1, 2, 3] x [1, 2, 3, 4] to [0, 1, 2, 4] windows [1, 2] strides [1, 2] dilations [2, 1] element f32 : tensor<?x8x8x3xbf16>, tensor<3x3x3x4xbf16>
// CHECK-NEXT: dovetail.conv %arg2, %arg2 dims [0] x [0] to [0] windows [] strides [] dilations [] : tensor<2xi8>, tensor<2xi8>
