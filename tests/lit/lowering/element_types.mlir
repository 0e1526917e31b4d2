// Constants, reductions and contractions of every kind of element type.
// RUN: dovetail-opt %s --dovetail-lower | iree-compile - -o %t.vmfb --iree-input-type=none --iree-opt-level=O2 \
// RUN:   --iree-input-demote-f64-to-f32=false --iree-hal-target-device=local \
// RUN:   --iree-hal-local-target-device-backends=llvm-cpu --iree-llvmcpu-target-cpu=host
// RUN: iree-run-module --module=%t.vmfb --device=local-sync --function=dot_u8_i32 --input='2x3xui8=250 1 2 3 4 5' --input='3x2xui8=200 1 1 1 1 1' | FileCheck %s --check-prefix=DOT_U8_I32
// RUN: iree-run-module --module=%t.vmfb --device=local-sync --function=const2_complexf64  | FileCheck %s --check-prefix=CONST2_COMPLEXF64
// RUN: iree-run-module --module=%t.vmfb --device=local-sync --function=argmax_ui64 --input='3x3xui64=1 2 18446744073709551615 4 2 6 3 1 2' | FileCheck %s --check-prefix=ARGMAX_UI64

func.func @iota_bf16(%arg0: index) -> tensor<?x2xbf16> {
  %0 = dovetail.iota 0 sizes(%arg0) : tensor<?x2xbf16>
  return %0 : tensor<?x2xbf16>
}

func.func @iota_complexf64(%arg0: index) -> tensor<?x2xcomplex<f64>> {
  %0 = dovetail.iota 0 sizes(%arg0) : tensor<?x2xcomplex<f64>>
  return %0 : tensor<?x2xcomplex<f64>>
}

func.func @sum_i8(%arg0: tensor<?x3xi8>) -> tensor<3xi8> {
  %0 = dovetail.reduce_sum %arg0 [0] : tensor<?x3xi8>
  return %0 : tensor<3xi8>
}

func.func @sum_ui64(%arg0: tensor<?x3xui64>) -> tensor<3xui64> {
  %0 = dovetail.reduce_sum %arg0 [0] : tensor<?x3xui64>
  return %0 : tensor<3xui64>
}

func.func @sum_bf16(%arg0: tensor<?x3xbf16>) -> tensor<3xbf16> {
  %0 = dovetail.reduce_sum %arg0 [0] : tensor<?x3xbf16>
  return %0 : tensor<3xbf16>
}

func.func @sum_complexf64(%arg0: tensor<?x3xcomplex<f64>>) -> tensor<3xcomplex<f64>> {
  %0 = dovetail.reduce_sum %arg0 [0] : tensor<?x3xcomplex<f64>>
  return %0 : tensor<3xcomplex<f64>>
}

func.func @prod_complexf32(%arg0: tensor<4x3xcomplex<f32>>) -> tensor<4xcomplex<f32>> {
  %0 = dovetail.reduce_prod %arg0 [1] : tensor<4x3xcomplex<f32>>
  return %0 : tensor<4xcomplex<f32>>
}

func.func @max_ui64(%arg0: tensor<4x3xui64>) -> tensor<ui64> {
  %0 = dovetail.reduce_max %arg0 [0, 1] : tensor<4x3xui64>
  return %0 : tensor<ui64>
}

func.func @max_bf16(%arg0: tensor<4x3xbf16>) -> tensor<bf16> {
  %0 = dovetail.reduce_max %arg0 [0, 1] : tensor<4x3xbf16>
  return %0 : tensor<bf16>
}

func.func @min_f64(%arg0: tensor<4x3xf64>) -> tensor<f64> {
  %0 = dovetail.reduce_min %arg0 [0, 1] : tensor<4x3xf64>
  return %0 : tensor<f64>
}

func.func @argmax_ui64(%arg0: tensor<?x3xui64>) -> tensor<3xi32> {
  %0 = dovetail.argmax %arg0, 0 : tensor<?x3xui64> -> tensor<3xi32>
  return %0 : tensor<3xi32>
}
// ARGMAX_UI64: 3xi32=1 0 0

func.func @argmax_f16(%arg0: tensor<?x3xf16>) -> tensor<3xi32> {
  %0 = dovetail.argmax %arg0, 0 : tensor<?x3xf16> -> tensor<3xi32>
  return %0 : tensor<3xi32>
}

func.func @dot_bf16(%arg0: tensor<?x3xbf16>, %arg1: tensor<3x?xbf16>) -> tensor<?x?xbf16> {
  %0 = dovetail.dot_general %arg0, %arg1 batch [] x [] contract [1] x [0] : tensor<?x3xbf16>, tensor<3x?xbf16>
  return %0 : tensor<?x?xbf16>
}

func.func @dot_complexf32(%arg0: tensor<?x3xcomplex<f32>>, %arg1: tensor<3x?xcomplex<f32>>) -> tensor<?x?xcomplex<f32>> {
  %0 = dovetail.dot_general %arg0, %arg1 batch [] x [] contract [1] x [0] : tensor<?x3xcomplex<f32>>, tensor<3x?xcomplex<f32>>
  return %0 : tensor<?x?xcomplex<f32>>
}

func.func @dot_u8_i32(%arg0: tensor<2x3xui8>, %arg1: tensor<3x2xui8>) -> tensor<2x2xi32> {
  %0 = dovetail.dot_general %arg0, %arg1 batch [] x [] contract [1] x [0] element i32 : tensor<2x3xui8>, tensor<3x2xui8>
  return %0 : tensor<2x2xi32>
}
// DOT_U8_I32: 2x2xi32=[50003 253][609 12]

func.func @dot_f8(%arg0: tensor<4x8xf8E4M3FN>, %arg1: tensor<8x4xf8E4M3FN>) -> tensor<4x4xf32> {
  %0 = dovetail.dot_general %arg0, %arg1 batch [] x [] contract [1] x [0] element f32 : tensor<4x8xf8E4M3FN>, tensor<8x4xf8E4M3FN>
  return %0 : tensor<4x4xf32>
}

func.func @dot_empty(%arg0: tensor<2x0xf32>, %arg1: tensor<0x3xf32>) -> tensor<2x3xf32> {
  %0 = dovetail.dot_general %arg0, %arg1 batch [] x [] contract [1] x [0] : tensor<2x0xf32>, tensor<0x3xf32>
  return %0 : tensor<2x3xf32>
}

func.func @sum_empty(%arg0: tensor<0x3xf32>) -> tensor<3xf32> {
  %0 = dovetail.reduce_sum %arg0 [0] : tensor<0x3xf32>
  return %0 : tensor<3xf32>
}

func.func @const_ui64() -> tensor<2xui64> {
  %0 = dovetail.constant dense<3> : tensor<2xui64>
  return %0 : tensor<2xui64>
}

func.func @const_complexf32() -> tensor<2xcomplex<f32>> {
  %0 = dovetail.constant dense<(1.0,2.0)> : tensor<2xcomplex<f32>>
  return %0 : tensor<2xcomplex<f32>>
}

func.func @const_complexf64() -> tensor<2xcomplex<f64>> {
  %0 = dovetail.constant dense<(1.0,2.0)> : tensor<2xcomplex<f64>>
  return %0 : tensor<2xcomplex<f64>>
}

func.func @const2_complexf64() -> tensor<2xcomplex<f64>> {
  %0 = dovetail.constant dense<[(1.0,2.0), (3.0,4.0)]> : tensor<2xcomplex<f64>>
  return %0 : tensor<2xcomplex<f64>>
}
// CONST2_COMPLEXF64: 2xcf128=000000000000F03F0000000000000040 00000000000008400000000000001040

func.func @const_bool() -> tensor<3xi1> {
  %0 = dovetail.constant dense<[true, false, true]> : tensor<3xi1>
  return %0 : tensor<3xi1>
}

func.func @const_empty() -> tensor<0x4xf32> {
  %0 = dovetail.constant dense<> : tensor<0x4xf32>
  return %0 : tensor<0x4xf32>
}

func.func @and_reduce(%arg0: tensor<4x3xi1>) -> tensor<3xi1> {
  %0 = dovetail.reduce_and %arg0 [0] : tensor<4x3xi1>
  return %0 : tensor<3xi1>
}

func.func @max_bool(%arg0: tensor<4x3xi1>) -> tensor<3xi1> {
  %0 = dovetail.reduce_max %arg0 [0] : tensor<4x3xi1>
  return %0 : tensor<3xi1>
}
