// Reads and updates of rows by a library, in programs that run in the process that compiles them.
// RUN: dovetail-opt %s --split-input-file --dovetail-lower | FileCheck %s

// An array is updated in place. The row numbers are computed before the call.
// CHECK-LABEL: hal.executable.source
// CHECK: "hal.interface.workgroup.id"
// CHECK: call @dovetail_blas_scatter
// CHECK-LABEL: func @main
// CHECK: linalg.generic
// CHECK: "flow.dispatch"({{.*}}entry_points = [@scatter::@scatter]{{.*}}tied_operands = [0 : index]
// CHECK-NOT: iree_linalg_ext.scatter
module attributes {dovetail.host_functions, dovetail.threads = 4 : i64} {
  func.func @main(%x: tensor<100x64xf32>, %i: tensor<50x1xi32>, %u: tensor<50x1x64xf32>) -> tensor<100x64xf32> {
    %0 = dovetail.scatter_add %x, %i, %u dims [0] window [1]
      : tensor<100x64xf32>, tensor<50x1xi32>, tensor<50x1x64xf32>
    return %0 : tensor<100x64xf32>
  }
}

// -----

// CHECK-LABEL: hal.executable.source
// CHECK: call @dovetail_blas_gather
// CHECK-LABEL: func @main
// CHECK: "flow.dispatch"({{.*}}entry_points = [@gather::@gather]
module attributes {dovetail.host_functions, dovetail.threads = 4 : i64} {
  func.func @main(%x: tensor<100x64xf32>, %i: tensor<100x1xi32>) -> tensor<100x1x64xf32> {
    %0 = dovetail.gather %x, %i dims [0] window [1] : tensor<100x64xf32>, tensor<100x1xi32>
    return %0 : tensor<100x1x64xf32>
  }
}

// -----

// The code generator's: elements, short rows, and what the library has no function for.
// CHECK-LABEL: func @main
// CHECK-NOT: flow.dispatch
// CHECK-COUNT-2: iree_linalg_ext.scatter
module attributes {dovetail.host_functions, dovetail.threads = 4 : i64} {
  func.func @main(%x: tensor<100xf32>, %y: tensor<100x64xf32>, %i: tensor<50x1xi32>, %u: tensor<50x1xf32>,
                  %v: tensor<50x1x64xf32>) -> (tensor<100xf32>, tensor<100x64xf32>, tensor<50x1xf32>) {
    %0 = dovetail.scatter_add %x, %i, %u dims [0] window [1] : tensor<100xf32>, tensor<50x1xi32>, tensor<50x1xf32>
    %1 = dovetail.scatter_max %y, %i, %v dims [0] window [1]
      : tensor<100x64xf32>, tensor<50x1xi32>, tensor<50x1x64xf32>
    %2 = dovetail.gather %x, %i dims [0] window [1] : tensor<100xf32>, tensor<50x1xi32>
    return %0, %1, %2 : tensor<100xf32>, tensor<100x64xf32>, tensor<50x1xf32>
  }
}

// -----

// Without the attribute, a program may run elsewhere.
// CHECK-LABEL: func @elsewhere
// CHECK-NOT: flow.dispatch
// CHECK: iree_linalg_ext.scatter
func.func @elsewhere(%x: tensor<100x64xf32>, %i: tensor<50x1xi32>, %u: tensor<50x1x64xf32>) -> tensor<100x64xf32> {
  %0 = dovetail.scatter_add %x, %i, %u dims [0] window [1]
    : tensor<100x64xf32>, tensor<50x1xi32>, tensor<50x1x64xf32>
  return %0 : tensor<100x64xf32>
}

// -----

// One window at a known place is a slice, which fuses with what makes the updates.
// CHECK-LABEL: func @slice
// CHECK: %[[OLD:.*]] = tensor.extract_slice %arg0[1, 2] [8, 7] [1, 1]
// CHECK: %[[NEW:.*]] = linalg.generic {{.*}} ins(%[[OLD]], %arg1
// CHECK: tensor.insert_slice %[[NEW]] into %arg0[1, 2] [8, 7] [1, 1]
// CHECK-NOT: iree_linalg_ext.scatter
func.func @slice(%x: tensor<10x10xf32>, %u: tensor<8x7xf32>) -> tensor<10x10xf32> {
  %i = dovetail.constant dense<[1, 2]> : tensor<2xi32>
  %0 = dovetail.scatter_add %x, %i, %u dims [0, 1] window [8, 7] : tensor<10x10xf32>, tensor<2xi32>, tensor<8x7xf32>
  return %0 : tensor<10x10xf32>
}

// -----

// Windows of several rows are one update each.
// CHECK-LABEL: func @main
// CHECK: "flow.dispatch"({{.*}}entry_points = [@scatter::@scatter]{{.*}} : (tensor<100x8xf32>, tensor<1xi32>, tensor<1x50x8xf32>
module attributes {dovetail.host_functions, dovetail.threads = 4 : i64} {
  func.func @main(%x: tensor<100x8xf32>, %i: tensor<1xi32>, %u: tensor<50x8xf32>) -> tensor<100x8xf32> {
    %0 = dovetail.scatter %x, %i, %u dims [0] window [50] : tensor<100x8xf32>, tensor<1xi32>, tensor<50x8xf32>
    return %0 : tensor<100x8xf32>
  }
}
