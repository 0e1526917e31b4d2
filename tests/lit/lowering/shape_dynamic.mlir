// The same for arrays with `?` dimensions.
// RUN: dovetail-opt %s --dovetail-lower | iree-compile - -o %t.vmfb --iree-input-type=none --iree-opt-level=O2 \
// RUN:   --iree-input-demote-f64-to-f32=false --iree-hal-target-device=local \
// RUN:   --iree-hal-local-target-device-backends=llvm-cpu --iree-llvmcpu-target-cpu=host
// RUN: iree-run-module --module=%t.vmfb --device=local-sync --function=reshape_dyn_split --input='6xf32=1 2 3 4 5 6' --input=3 | FileCheck %s --check-prefix=RESHAPE_DYN_SPLIT
// RUN: iree-run-module --module=%t.vmfb --device=local-sync --function=reshape_dyn_to_static --input='6xf32=1 2 3 4 5 6' | FileCheck %s --check-prefix=RESHAPE_DYN_TO_STATIC
// RUN: iree-run-module --module=%t.vmfb --device=local-sync --function=reshape_static_to_dyn --input='6xf32=1 2 3 4 5 6' --input=3 | FileCheck %s --check-prefix=RESHAPE_STATIC_TO_DYN
// RUN: iree-run-module --module=%t.vmfb --device=local-sync --function=pad_dyn --input='2xf32=1 2' --input='f32=9' --input=6 | FileCheck %s --check-prefix=PAD_DYN
// RUN: iree-run-module --module=%t.vmfb --device=local-sync --function=slice_strided_dyn --input='6xf32=1 2 3 4 5 6' --input=3 | FileCheck %s --check-prefix=SLICE_STRIDED_DYN
// RUN: iree-run-module --module=%t.vmfb --device=local-sync --function=concat_mixed --input='2x3xf32=1 2 3 4 5 6' --input='1x3xf32=7 8 9' | FileCheck %s --check-prefix=CONCAT_MIXED
// RUN: iree-run-module --module=%t.vmfb --device=local-sync --function=reverse_dyn --input='2x3xf32=1 2 3 4 5 6' | FileCheck %s --check-prefix=REVERSE_DYN
// RUN: iree-run-module --module=%t.vmfb --device=local-sync --function=dims --input='5x4xf32=0' | FileCheck %s --check-prefix=DIMS
// RUN: iree-run-module --module=%t.vmfb --device=local-sync --function=write_part --input='4xf32=1 2 3 4' --input=3 --input='1x1xi32=1' --input='1x1xf32=9' | FileCheck %s --check-prefix=WRITE_PART

func.func @reshape_dyn_split(%arg0: tensor<?xf32>, %arg1: index) -> tensor<?x2xf32> {
  %0 = dovetail.reshape %arg0 sizes(%arg1) : tensor<?xf32> -> tensor<?x2xf32>
  return %0 : tensor<?x2xf32>
}
// RESHAPE_DYN_SPLIT: 3x2xf32=[1 2][3 4][5 6]

func.func @reshape_dyn_two(%arg0: tensor<?xf32>, %arg1: index, %arg2: index) -> tensor<?x?xf32> {
  %0 = dovetail.reshape %arg0 sizes(%arg1, %arg2) : tensor<?xf32> -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

func.func @reshape_dyn_join(%arg0: tensor<?x2xf32>, %arg1: index) -> tensor<?xf32> {
  %0 = dovetail.reshape %arg0 sizes(%arg1) : tensor<?x2xf32> -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

func.func @reshape_dyn_to_static(%arg0: tensor<?xf32>) -> tensor<2x3xf32> {
  %0 = dovetail.reshape %arg0 : tensor<?xf32> -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
// RESHAPE_DYN_TO_STATIC: 2x3xf32=[1 2 3][4 5 6]

func.func @reshape_static_to_dyn(%arg0: tensor<6xf32>, %arg1: index) -> tensor<?x2xf32> {
  %0 = dovetail.reshape %arg0 sizes(%arg1) : tensor<6xf32> -> tensor<?x2xf32>
  return %0 : tensor<?x2xf32>
}
// RESHAPE_STATIC_TO_DYN: 3x2xf32=[1 2][3 4][5 6]

func.func @reshape_dyn_to_scalar(%arg0: tensor<?xf32>) -> tensor<f32> {
  %0 = dovetail.reshape %arg0 : tensor<?xf32> -> tensor<f32>
  return %0 : tensor<f32>
}

func.func @reshape_scalar_to_dyn(%arg0: tensor<f32>, %arg1: index) -> tensor<?xf32> {
  %0 = dovetail.reshape %arg0 sizes(%arg1) : tensor<f32> -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

func.func @broadcast_dyn(%arg0: tensor<?xf32>, %arg1: index, %arg2: index) -> tensor<?x?xf32> {
  %0 = dovetail.broadcast %arg0 dims [0] sizes(%arg1, %arg2) : tensor<?xf32> -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

func.func @broadcast_static_to_dyn(%arg0: tensor<3xf32>, %arg1: index) -> tensor<?xf32> {
  %0 = dovetail.broadcast %arg0 dims [0] sizes(%arg1) : tensor<3xf32> -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

func.func @broadcast_dyn_to_static(%arg0: tensor<?xf32>) -> tensor<2x3xf32> {
  %0 = dovetail.broadcast %arg0 dims [1] : tensor<?xf32> -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

func.func @slice_strided_dyn(%arg0: tensor<?xf32>, %arg1: index) -> tensor<?xf32> {
  %0 = dovetail.slice %arg0 starts [1] strides [2] sizes(%arg1) : tensor<?xf32> -> tensor<?xf32>
  return %0 : tensor<?xf32>
}
// SLICE_STRIDED_DYN: 3xf32=2 4 6

func.func @slice_dyn_to_static(%arg0: tensor<?x8xf32>) -> tensor<2x8xf32> {
  %0 = dovetail.slice %arg0 starts [1, 0] strides [1, 1] : tensor<?x8xf32> -> tensor<2x8xf32>
  return %0 : tensor<2x8xf32>
}

func.func @pad_dyn(%arg0: tensor<?xf32>, %arg1: tensor<f32>, %arg2: index) -> tensor<?xf32> {
  %0 = dovetail.pad %arg0, %arg1 low [1] interior [1] sizes(%arg2) : tensor<?xf32>, tensor<f32> -> tensor<?xf32>
  return %0 : tensor<?xf32>
}
// PAD_DYN: 6xf32=9 1 9 2 9 9

func.func @pad_dyn_simple(%arg0: tensor<?x3xf32>, %arg1: tensor<f32>, %arg2: index) -> tensor<?x6xf32> {
  %0 = dovetail.pad %arg0, %arg1 low [1, 2] interior [0, 0] sizes(%arg2) : tensor<?x3xf32>, tensor<f32> -> tensor<?x6xf32>
  return %0 : tensor<?x6xf32>
}

func.func @transpose_dyn(%arg0: tensor<2x?x4xui32>) -> tensor<4x2x?xui32> {
  %0 = dovetail.transpose %arg0 [2, 0, 1] : tensor<2x?x4xui32>
  return %0 : tensor<4x2x?xui32>
}

func.func @reverse_dyn(%arg0: tensor<?x3xf32>) -> tensor<?x3xf32> {
  %0 = dovetail.reverse %arg0 [0, 1] : tensor<?x3xf32>
  return %0 : tensor<?x3xf32>
}
// REVERSE_DYN: 2x3xf32=[6 5 4][3 2 1]

func.func @concat_dyn(%arg0: tensor<?xf32>, %arg1: tensor<?xf32>) -> tensor<?xf32> {
  %0 = dovetail.concatenate %arg0, %arg1 dimension 0 : tensor<?xf32>, tensor<?xf32>
  return %0 : tensor<?xf32>
}

func.func @concat_mixed(%arg0: tensor<2x3xf32>, %arg1: tensor<?x3xf32>) -> tensor<?x3xf32> {
  %0 = dovetail.concatenate %arg0, %arg1 dimension 0 : tensor<2x3xf32>, tensor<?x3xf32>
  return %0 : tensor<?x3xf32>
}
// CONCAT_MIXED: 3x3xf32=[1 2 3][4 5 6][7 8 9]

func.func @concat_other_dyn(%arg0: tensor<2x?xf32>, %arg1: tensor<2x3xf32>) -> tensor<4x3xf32> {
  %0 = dovetail.concatenate %arg0, %arg1 dimension 0 : tensor<2x?xf32>, tensor<2x3xf32>
  return %0 : tensor<4x3xf32>
}

func.func @dims(%arg0: tensor<?x4xf32>) -> index {
  %0 = dovetail.dim %arg0, 0 : tensor<?x4xf32>
  return %0 : index
}
// DIMS: result[0]: i64=5

// A part of an array that is written to is an array of its own: on the stack there is no room for an unknown size.
func.func @write_part(%x: tensor<?xf32>, %size: index, %i: tensor<1x1xi32>, %u: tensor<1x1xf32>) -> tensor<?xf32> {
  %0 = dovetail.slice %x starts [1] strides [1] sizes(%size) : tensor<?xf32> -> tensor<?xf32>
  %1 = dovetail.scatter %0, %i, %u dims [0] window [1] : tensor<?xf32>, tensor<1x1xi32>, tensor<1x1xf32>
  return %1 : tensor<?xf32>
}
// WRITE_PART: 3xf32=2 9 4
