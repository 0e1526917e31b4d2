// Windows that are together a slice with steps are updated as one; for CPUs, in loops of a dispatch, in the memory of the
// array.
// RUN: dovetail-opt %s --split-input-file --dovetail-lower | FileCheck %s

// CHECK-LABEL: func.func @every_other
// CHECK-NOT: scatter
// CHECK: tensor.insert_slice %{{.+}} into %{{.+}}[1] [4] [2] : tensor<4xf32> into tensor<9xf32>
func.func @every_other(%x: tensor<9xf32>, %u: tensor<4x1xf32>) -> tensor<9xf32> {
  %i = dovetail.iota 0 : tensor<4x1xi32>
  %two = dovetail.constant dense<2> : tensor<4x1xi32>
  %one = dovetail.constant dense<1> : tensor<4x1xi32>
  %m = dovetail.mul %i, %two : tensor<4x1xi32>
  %s = dovetail.add %m, %one : tensor<4x1xi32>
  %0 = dovetail.scatter %x, %s, %u dims [0] window [1] : tensor<9xf32>, tensor<4x1xi32>, tensor<4x1xf32>
  return %0 : tensor<9xf32>
}

// -----

// Rows with others between them.
// CHECK-LABEL: func.func @rows
// CHECK-NOT: scatter
// CHECK: tensor.insert_slice %{{.+}} into %{{.+}}[1, 0] [2, 5] [3, 1] : tensor<2x5xf32> into tensor<6x5xf32>
func.func @rows(%x: tensor<6x5xf32>, %u: tensor<2x1x5xf32>) -> tensor<6x5xf32> {
  %s = dovetail.constant dense<[[1], [4]]> : tensor<2x1xi32>
  %0 = dovetail.scatter_add %x, %s, %u dims [0] window [1] : tensor<6x5xf32>, tensor<2x1xi32>, tensor<2x1x5xf32>
  return %0 : tensor<6x5xf32>
}

// -----

// The last one is not within the array.
// CHECK-LABEL: func.func @outside
// CHECK: iree_linalg_ext.scatter
func.func @outside(%x: tensor<8xf32>, %u: tensor<4x1xf32>) -> tensor<8xf32> {
  %s = dovetail.constant dense<[[2], [4], [6], [8]]> : tensor<4x1xi32>
  %0 = dovetail.scatter_add %x, %s, %u dims [0] window [1] : tensor<8xf32>, tensor<4x1xi32>, tensor<4x1xf32>
  return %0 : tensor<8xf32>
}

// -----

// Windows along a diagonal are no slice.
// CHECK-LABEL: func.func @diagonal
// CHECK: iree_linalg_ext.scatter
func.func @diagonal(%x: tensor<3x3xf32>, %u: tensor<3x1x1xf32>) -> tensor<3x3xf32> {
  %s = dovetail.constant dense<[[0, 0], [1, 1], [2, 2]]> : tensor<3x2xi32>
  %0 = dovetail.scatter_add %x, %s, %u dims [0, 1] window [1, 1]
      : tensor<3x3xf32>, tensor<3x2xi32>, tensor<3x1x1xf32>
  return %0 : tensor<3x3xf32>
}

// -----

// CHECK: func.func @[[NAME:.+]]()
// CHECK: scf.for
// CHECK: memref.store %{{.+}}, %{{.+}}[%{{.+}}] : memref<9xf32>
// CHECK-LABEL: func.func @loops
// CHECK-SAME: (%[[X:.+]]: tensor<9xf32>,
// CHECK: "flow.dispatch"(%[[X]], %{{.+}}) {{.*}}@[[NAME]]{{.*}}tied_operands = [0 : index]
module attributes {dovetail.target = "cpu"} {
  func.func @loops(%x: tensor<9xf32>, %u: tensor<4x1xf32>) -> tensor<9xf32> {
    %s = dovetail.constant dense<[[1], [3], [5], [7]]> : tensor<4x1xi32>
    %0 = dovetail.scatter %x, %s, %u dims [0] window [1] : tensor<9xf32>, tensor<4x1xi32>, tensor<4x1xf32>
    return %0 : tensor<9xf32>
  }
}
