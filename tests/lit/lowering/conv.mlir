// A convolution is a contraction with channels last; slices where it sums no channels; a dot where it slides to few places.
// RUN: dovetail-opt %s --dovetail-lower | FileCheck %s

func.func @channels(%x: tensor<2x10x10x3xf32>, %k: tensor<3x3x3x4xf32>) -> tensor<2x8x8x4xf32> {
  %0 = dovetail.conv %x, %k dims [0, 1, 2, 3] x [1, 2, 3, 4] to [0, 1, 2, 4] windows [1, 2] strides [1, 1] dilations [1, 1] : tensor<2x10x10x3xf32>, tensor<3x3x3x4xf32>
  return %0 : tensor<2x8x8x4xf32>
}
// CHECK-DAG: #[[WINDOWS:.+]] = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d0, d1 + d4, d2 + d5, d6)>
// CHECK-LABEL: func.func @channels
// CHECK: linalg.generic {indexing_maps = [#[[WINDOWS]]
// CHECK-SAME: iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]
// CHECK-SAME: ins(%arg0, %arg1
// CHECK-NOT: linalg.transpose

func.func @channels_first(%x: tensor<2x3x9xf32>, %k: tensor<4x3x3xf32>) -> tensor<2x4x7xf32> {
  %0 = dovetail.conv %x, %k dims [0, 1, 2] x [3, 1, 2] to [0, 3, 2] windows [2] strides [1] dilations [1] : tensor<2x3x9xf32>, tensor<4x3x3xf32>
  return %0 : tensor<2x4x7xf32>
}
// CHECK-LABEL: func.func @channels_first
// CHECK: linalg.transpose ins(%arg0 : tensor<2x3x9xf32>) {{.*}} permutation = [0, 2, 1]
// CHECK: linalg.transpose ins(%arg1 : tensor<4x3x3xf32>) {{.*}} permutation = [2, 1, 0]
// CHECK: linalg.generic
// CHECK: linalg.transpose {{.*}} permutation = [0, 2, 1]

func.func @no_channels(%x: tensor<9x5xf32>, %k: tensor<2x5xf32>) -> tensor<4x5xf32> {
  %0 = dovetail.conv %x, %k dims [0, 1] x [0, 1] to [0, 1] windows [0] strides [2] dilations [1] : tensor<9x5xf32>, tensor<2x5xf32>
  return %0 : tensor<4x5xf32>
}
// CHECK-LABEL: func.func @no_channels
// CHECK-DAG: tensor.extract_slice %arg0[0, 0] [4, 5] [2, 1]
// CHECK-DAG: tensor.extract_slice %arg0[1, 0] [4, 5] [2, 1]
// CHECK: linalg.generic {{.*}}iterator_types = ["parallel", "parallel"]

func.func @few_places(%x: tensor<8x9x3xf32>, %k: tensor<8x7x4xf32>) -> tensor<3x3x4xf32> {
  %0 = dovetail.conv %x, %k dims [0, 1, 2] x [0, 1, 3] to [1, 2, 3] windows [1] strides [1] dilations [1] : tensor<8x9x3xf32>, tensor<8x7x4xf32>
  return %0 : tensor<3x3x4xf32>
}
// CHECK-LABEL: func.func @few_places
// CHECK: tensor.extract_slice %arg0[0, 0, 0] [8, 7, 3] [1, 1, 1]
// CHECK: linalg.generic {{.*}}iterator_types = ["parallel", "parallel", "reduction"]
// CHECK: tensor.extract_slice %arg0[0, 2, 0] [8, 7, 3] [1, 1, 1]
// CHECK: tensor.insert_slice

func.func @more_places(%x: tensor<66x3xf32>, %k: tensor<37x4xf32>) -> tensor<30x3x4xf32> {
  %0 = dovetail.conv %x, %k dims [0, 1] x [0, 2] to [0, 1, 2] windows [0] strides [1] dilations [1] : tensor<66x3xf32>, tensor<37x4xf32>
  return %0 : tensor<30x3x4xf32>
}
// CHECK-LABEL: func.func @more_places
// CHECK: %[[PATCHES:.+]] = linalg.generic {{.*}}iterator_types = ["parallel", "parallel", "parallel"]
// CHECK: "iree_tensor_ext.compute_barrier.start"(%[[PATCHES]])
// CHECK: linalg.generic {{.*}}iterator_types = ["parallel", "parallel", "parallel", "reduction"]

// A loop over one place is dropped later, so the array ends where the kernel does.
func.func @one_place_with_a_rest(%x: tensor<4x17x3xf32>, %k: tensor<2x2x3x4xf32>) -> tensor<1x6x4xf32> {
  %0 = dovetail.conv %x, %k dims [0, 1, 2] x [0, 1, 2, 3] to [0, 1, 3] windows [0, 1] strides [3, 3] dilations [1, 1] : tensor<4x17x3xf32>, tensor<2x2x3x4xf32>
  return %0 : tensor<1x6x4xf32>
}
// CHECK-LABEL: func.func @one_place_with_a_rest
// CHECK: %[[READ:.+]] = tensor.extract_slice %{{.+}}[0, 0, 0] [2, 23, 3] [1, 1, 1]
// CHECK: linalg.generic {{.*}} ins(%[[READ]],
