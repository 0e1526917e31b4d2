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
