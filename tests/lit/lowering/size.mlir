// What is known of sizes is said to IREE.
// RUN: dovetail-opt %s --dovetail-lower | FileCheck %s

// CHECK-LABEL: func.func @sizes
// CHECK:         %[[DIM:.+]] = tensor.dim %arg0
// CHECK:         %[[SIZE:.+]] = "util.assume.int"(%[[DIM]]) {{.*}}umin = 1, umax = 4096, udiv = 8
// CHECK:         %[[NUMBER:.+]] = arith.index_cast %[[SIZE]] : index to i32
// CHECK:         tensor.from_elements %[[NUMBER]] : tensor<i32>
// CHECK:         "flow.tensor.tie_shape"(%arg0, %[[SIZE]])
func.func @sizes(%x: tensor<?x3xf32>) -> (tensor<i32>, tensor<?x3xf32>) {
  %0 = dovetail.dim %x, 0 : tensor<?x3xf32>
  %1 = dovetail.assume %0 min 1 max 4096 multiple 8
  %2 = dovetail.from_index %1 : tensor<i32>
  %3 = dovetail.with_sizes %x sizes(%1) : tensor<?x3xf32>
  return %2, %3 : tensor<i32>, tensor<?x3xf32>
}
