// On the CPU, a convolution whose kernel has several positions along one dimension only is a dot with an array that repeats
// the elements for each of them, by the library where there is one.
// RUN: dovetail-opt %s --split-input-file --dovetail-lower | FileCheck %s

module attributes {dovetail.target = "cpu"} {
  func.func @rows(%x: tensor<2x8x12x16xf32>, %k: tensor<1x3x16x8xf32>) -> tensor<2x4x5x8xf32> {
    %0 = dovetail.conv %x, %k dims [0, 1, 2, 3] x [1, 2, 3, 4] to [0, 1, 2, 4] windows [1, 2] strides [2, 2] dilations [1, 1] : tensor<2x8x12x16xf32>, tensor<1x3x16x8xf32>
    return %0 : tensor<2x4x5x8xf32>
  }
}
// CHECK-DAG: #[[READ:.+]] = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1 * 2 + d3, d2 * 2 + d4, d5)>
// CHECK-LABEL: func.func @rows
// CHECK: %[[PATCHES:.+]] = linalg.generic {indexing_maps = [#[[READ]]
// CHECK-SAME: outs(%{{.+}} : tensor<2x4x5x1x3x16xf32>)
// CHECK: %[[STORED:.+]] = "iree_tensor_ext.compute_barrier.start"(%[[PATCHES]])
// CHECK: tensor.collapse_shape %[[STORED]] {{.*}} into tensor<2x4x5x48xf32>
// CHECK: linalg.generic {{.*}}iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]

// -----

module attributes {dovetail.target = "cpu", dovetail.host_functions, dovetail.threads = 2 : i64} {
  func.func @columns_by_the_library(%x: tensor<8x64x28x28xf32>, %k: tensor<64x64x3x1xf32>) -> tensor<8x64x26x28xf32> {
    %0 = dovetail.conv %x, %k dims [0, 1, 2, 3] x [4, 1, 2, 3] to [0, 4, 2, 3] windows [2, 3] strides [1, 1] dilations [1, 1] : tensor<8x64x28x28xf32>, tensor<64x64x3x1xf32>
    return %0 : tensor<8x64x26x28xf32>
  }
}
// CHECK-LABEL: func.func @columns_by_the_library
// CHECK: linalg.transpose ins(%arg0 : tensor<8x64x28x28xf32>) {{.*}} permutation = [0, 2, 3, 1]
// CHECK: linalg.transpose ins(%arg1 : tensor<64x64x3x1xf32>) {{.*}} permutation = [2, 3, 1, 0]
// CHECK: linalg.generic {{.*}} outs(%{{.+}} : tensor<8x26x28x3x1x64xf32>)
// CHECK: "flow.dispatch"({{.*}}entry_points = [@product::@product]
// CHECK: linalg.transpose {{.*}} permutation = [0, 3, 1, 2]

// -----

// Along the only dimension of sequences, the code generator has convolutions.
module attributes {dovetail.target = "cpu"} {
  func.func @sequences(%x: tensor<2x12x16xf32>, %k: tensor<3x16x8xf32>) -> tensor<2x10x8xf32> {
    %0 = dovetail.conv %x, %k dims [0, 1, 2] x [1, 2, 3] to [0, 1, 3] windows [1] strides [1] dilations [1] : tensor<2x12x16xf32>, tensor<3x16x8xf32>
    return %0 : tensor<2x10x8xf32>
  }
}
// CHECK-LABEL: func.func @sequences
// CHECK-NOT: tensor<2x10x3x16xf32>

// -----

// Several dimensions of images, or of results of an image, are one: those of batches, for example.
module attributes {dovetail.target = "cpu"} {
  func.func @batches(%x: tensor<3x2x10x10x8xf32>, %k: tensor<3x3x8x5x4xf32>) -> tensor<3x2x8x8x5x4xf32> {
    %0 = dovetail.conv %x, %k dims [0, 1, 2, 3, 4] x [2, 3, 4, 5, 6] to [0, 1, 2, 3, 5, 6] windows [2, 3] strides [1, 1] dilations [1, 1] : tensor<3x2x10x10x8xf32>, tensor<3x3x8x5x4xf32>
    return %0 : tensor<3x2x8x8x5x4xf32>
  }
}
// CHECK-LABEL: func.func @batches
// CHECK-DAG: %[[X:.+]] = tensor.collapse_shape %arg0 {{.*}} into tensor<6x10x10x8xf32>
// CHECK-DAG: %[[K:.+]] = tensor.collapse_shape %arg1 {{.*}} into tensor<3x3x8x20xf32>
// CHECK: linalg.generic {{.*}} ins(%[[X]], %[[K]]
// CHECK: tensor.expand_shape {{.*}} into tensor<3x2x8x8x5x4xf32>

// -----

module attributes {dovetail.target = "cpu"} {
  func.func @groups(%x: tensor<2x10x10x4x8xf32>, %k: tensor<3x3x4x8x8xf32>) -> tensor<2x8x8x4x8xf32> {
    %0 = dovetail.conv %x, %k dims [0, 1, 2, 3, 4] x [1, 2, 3, 4, 5] to [0, 1, 2, 3, 5] windows [1, 2] strides [1, 1] dilations [1, 1] : tensor<2x10x10x4x8xf32>, tensor<3x3x4x8x8xf32>
    return %0 : tensor<2x8x8x4x8xf32>
  }
}
// CHECK-LABEL: func.func @groups
// CHECK: linalg.generic {{.*}} outs(%{{.+}} : tensor<4x2x8x8x3x3x8xf32>)
// CHECK: tensor.collapse_shape %{{.*}} into tensor<4x2x8x8x72xf32>
