// The code generator takes what ops that move elements lower to, and computes them right.
// RUN: dovetail-opt %s --dovetail-lower | iree-compile - -o %t.vmfb --iree-input-type=none --iree-opt-level=O2 \
// RUN:   --iree-input-demote-f64-to-f32=false --iree-hal-target-device=local \
// RUN:   --iree-hal-local-target-device-backends=llvm-cpu --iree-llvmcpu-target-cpu=host
// RUN: iree-run-module --module=%t.vmfb --device=local-sync --function=pad_interior --input='2x3xf32=1 2 3 4 5 6' --input='f32=9' | FileCheck %s --check-prefix=PAD_INTERIOR
// RUN: iree-run-module --module=%t.vmfb --device=local-sync --function=pad_crop --input='4x5xf32=1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20' --input='f32=0' | FileCheck %s --check-prefix=PAD_CROP
// RUN: iree-run-module --module=%t.vmfb --device=local-sync --function=pad_interior_neg --input='5xf32=1 2 3 4 5' --input='f32=0' | FileCheck %s --check-prefix=PAD_INTERIOR_NEG
// RUN: iree-run-module --module=%t.vmfb --device=local-sync --function=slice_u8 --input='10xui8=0 1 2 3 4 5 6 7 8 250' | FileCheck %s --check-prefix=SLICE_U8
// RUN: iree-run-module --module=%t.vmfb --device=local-sync --function=concat_indices --input='2x1xi32=1 2' --input='2x1xi32=3 4' | FileCheck %s --check-prefix=CONCAT_INDICES

func.func @reshape_static(%arg0: tensor<2x3xf32>) -> tensor<3x2xf32> {
  %0 = dovetail.reshape %arg0 : tensor<2x3xf32> -> tensor<3x2xf32>
  return %0 : tensor<3x2xf32>
}

func.func @reshape_collapse(%arg0: tensor<2x3x4xf32>) -> tensor<6x4xf32> {
  %0 = dovetail.reshape %arg0 : tensor<2x3x4xf32> -> tensor<6x4xf32>
  return %0 : tensor<6x4xf32>
}

func.func @reshape_to_scalar(%arg0: tensor<1x1xf32>) -> tensor<f32> {
  %0 = dovetail.reshape %arg0 : tensor<1x1xf32> -> tensor<f32>
  return %0 : tensor<f32>
}

func.func @reshape_from_scalar(%arg0: tensor<f32>) -> tensor<1x1xf32> {
  %0 = dovetail.reshape %arg0 : tensor<f32> -> tensor<1x1xf32>
  return %0 : tensor<1x1xf32>
}

func.func @reshape_unit(%arg0: tensor<3xui8>) -> tensor<1x3x1xui8> {
  %0 = dovetail.reshape %arg0 : tensor<3xui8> -> tensor<1x3x1xui8>
  return %0 : tensor<1x3x1xui8>
}

func.func @reshape_empty(%arg0: tensor<0x3xf32>) -> tensor<2x0xf32> {
  %0 = dovetail.reshape %arg0 : tensor<0x3xf32> -> tensor<2x0xf32>
  return %0 : tensor<2x0xf32>
}

func.func @broadcast_c64(%arg0: tensor<2xcomplex<f32>>) -> tensor<3x2xcomplex<f32>> {
  %0 = dovetail.broadcast %arg0 dims [1] : tensor<2xcomplex<f32>> -> tensor<3x2xcomplex<f32>>
  return %0 : tensor<3x2xcomplex<f32>>
}

func.func @broadcast_bool(%arg0: tensor<i1>) -> tensor<5xi1> {
  %0 = dovetail.broadcast %arg0 dims [] : tensor<i1> -> tensor<5xi1>
  return %0 : tensor<5xi1>
}

func.func @slice_static(%arg0: tensor<10x8xf32>) -> tensor<4x6xf32> {
  %0 = dovetail.slice %arg0 starts [1, 2] strides [2, 1] : tensor<10x8xf32> -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}

func.func @slice_empty(%arg0: tensor<10xf32>) -> tensor<0xf32> {
  %0 = dovetail.slice %arg0 starts [10] strides [1] : tensor<10xf32> -> tensor<0xf32>
  return %0 : tensor<0xf32>
}

func.func @slice_u8(%arg0: tensor<10xui8>) -> tensor<3xui8> {
  %0 = dovetail.slice %arg0 starts [1] strides [3] : tensor<10xui8> -> tensor<3xui8>
  return %0 : tensor<3xui8>
}
// SLICE_U8: 3xi8=1 4 7

func.func @pad_static(%arg0: tensor<2x3xf32>, %arg1: tensor<f32>) -> tensor<4x5xf32> {
  %0 = dovetail.pad %arg0, %arg1 low [1, 0] interior [0, 0] : tensor<2x3xf32>, tensor<f32> -> tensor<4x5xf32>
  return %0 : tensor<4x5xf32>
}

func.func @pad_crop(%arg0: tensor<4x5xf32>, %arg1: tensor<f32>) -> tensor<2x6xf32> {
  %0 = dovetail.pad %arg0, %arg1 low [-1, 2] interior [0, 0] : tensor<4x5xf32>, tensor<f32> -> tensor<2x6xf32>
  return %0 : tensor<2x6xf32>
}
// PAD_CROP: 2x6xf32=[0 0 6 7 8 9][0 0 11 12 13 14]

func.func @pad_interior(%arg0: tensor<2x3xf32>, %arg1: tensor<f32>) -> tensor<4x7xf32> {
  %0 = dovetail.pad %arg0, %arg1 low [1, 0] interior [1, 2] : tensor<2x3xf32>, tensor<f32> -> tensor<4x7xf32>
  return %0 : tensor<4x7xf32>
}
// PAD_INTERIOR: 4x7xf32=[9 9 9 9 9 9 9][1 9 9 2 9 9 3][9 9 9 9 9 9 9][4 9 9 5 9 9 6]

func.func @pad_interior_neg(%arg0: tensor<5xf32>, %arg1: tensor<f32>) -> tensor<7xf32> {
  %0 = dovetail.pad %arg0, %arg1 low [-3] interior [1] : tensor<5xf32>, tensor<f32> -> tensor<7xf32>
  return %0 : tensor<7xf32>
}
// PAD_INTERIOR_NEG: 7xf32=0 3 0 4 0 5 0

func.func @pad_empty(%arg0: tensor<0x3xf32>, %arg1: tensor<f32>) -> tensor<2x3xf32> {
  %0 = dovetail.pad %arg0, %arg1 low [1, 0] interior [0, 0] : tensor<0x3xf32>, tensor<f32> -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

func.func @pad_bool_interior(%arg0: tensor<3xi1>, %arg1: tensor<i1>) -> tensor<7xi1> {
  %0 = dovetail.pad %arg0, %arg1 low [1] interior [1] : tensor<3xi1>, tensor<i1> -> tensor<7xi1>
  return %0 : tensor<7xi1>
}

func.func @pad_c64(%arg0: tensor<3xcomplex<f32>>, %arg1: tensor<complex<f32>>) -> tensor<5xcomplex<f32>> {
  %0 = dovetail.pad %arg0, %arg1 low [1] interior [0] : tensor<3xcomplex<f32>>, tensor<complex<f32>> -> tensor<5xcomplex<f32>>
  return %0 : tensor<5xcomplex<f32>>
}

func.func @pad_scalar(%arg0: tensor<f32>, %arg1: tensor<f32>) -> tensor<f32> {
  %0 = dovetail.pad %arg0, %arg1 low [] interior [] : tensor<f32>, tensor<f32> -> tensor<f32>
  return %0 : tensor<f32>
}

func.func @transpose_scalar(%arg0: tensor<f32>) -> tensor<f32> {
  %0 = dovetail.transpose %arg0 [] : tensor<f32>
  return %0 : tensor<f32>
}

func.func @reverse_i1(%arg0: tensor<4xi1>) -> tensor<4xi1> {
  %0 = dovetail.reverse %arg0 [0] : tensor<4xi1>
  return %0 : tensor<4xi1>
}

func.func @concat_static(%arg0: tensor<2x3xf32>, %arg1: tensor<2x4xf32>) -> tensor<2x10xf32> {
  %0 = dovetail.concatenate %arg0, %arg1, %arg0 dimension 1 : tensor<2x3xf32>, tensor<2x4xf32>, tensor<2x3xf32>
  return %0 : tensor<2x10xf32>
}

// Indices of several dimensions are put together where they are read.
func.func @concat_indices(%arg0: tensor<2x1xi32>, %arg1: tensor<2x1xi32>) -> tensor<2x3xi32> {
  %0 = dovetail.concatenate %arg0, %arg1, %arg0 dimension 1 : tensor<2x1xi32>, tensor<2x1xi32>, tensor<2x1xi32>
  return %0 : tensor<2x3xi32>
}
// CONCAT_INDICES: 2x3xi32=[1 3 1][2 4 2]

func.func @concat_empty(%arg0: tensor<0xf32>, %arg1: tensor<3xf32>) -> tensor<3xf32> {
  %0 = dovetail.concatenate %arg0, %arg1 dimension 0 : tensor<0xf32>, tensor<3xf32>
  return %0 : tensor<3xf32>
}

func.func @concat_bool(%arg0: tensor<2xi1>, %arg1: tensor<3xi1>) -> tensor<5xi1> {
  %0 = dovetail.concatenate %arg0, %arg1 dimension 0 : tensor<2xi1>, tensor<3xi1>
  return %0 : tensor<5xi1>
}
