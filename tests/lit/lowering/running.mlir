// Running reductions become scans: of blocks where one dimension is long, else of rows.
// RUN: dovetail-opt %s --split-input-file --dovetail-lower | FileCheck %s

func.func @rows(%arg0: tensor<5x6xf32>) -> tensor<5x6xf32> {
  %0 = dovetail.cumsum %arg0, 1 : tensor<5x6xf32>
  return %0 : tensor<5x6xf32>
}
// CHECK-LABEL: func.func @rows
// CHECK: "iree_linalg_ext.scan"(%arg0, %{{.*}}, %{{.*}}) ({
// CHECK: arith.addf
// CHECK-NEXT: "iree_linalg_ext.yield"
// CHECK-NEXT: {dimension = 1 : i64, inclusive = true,

func.func @blocks(%arg0: tensor<4096xf32>) -> tensor<4096xf32> {
  %0 = dovetail.cumsum %arg0, 0 : tensor<4096xf32>
  return %0 : tensor<4096xf32>
}
// CHECK-LABEL: func.func @blocks
// CHECK: tensor.expand_shape %arg0 {{.*}} into tensor<64x64xf32>
// CHECK: "iree_linalg_ext.scan"
// CHECK: {dimension = 1 : i64, inclusive = true,
// CHECK: "iree_linalg_ext.scan"
// CHECK: {dimension = 0 : i64, inclusive = false,
// CHECK: tensor.collapse_shape

func.func @narrow(%arg0: tensor<5xbf16>) -> tensor<5xbf16> {
  %0 = dovetail.cumsum %arg0, 0 : tensor<5xbf16>
  return %0 : tensor<5xbf16>
}
// CHECK-LABEL: func.func @narrow
// CHECK: "iree_linalg_ext.scan"
// CHECK: {dimension = 0 : i64,{{.*}}} : (tensor<5xf32>, tensor<5xf32>, tensor<f32>)

func.func @nothing(%arg0: tensor<5x1xf32>) -> tensor<5x1xf32> {
  %0 = dovetail.cumsum %arg0, 1 : tensor<5x1xf32>
  return %0 : tensor<5x1xf32>
}
// CHECK-LABEL: func.func @nothing
// CHECK-NEXT: return %arg0

// -----

// In a program that runs in this process, a library makes sums and products of many rows.
module attributes {dovetail.target = "cpu", dovetail.host_functions, dovetail.threads = 2 : i64} {
  func.func @by_library(%arg0: tensor<4x5x200xf32>, %arg1: tensor<20x200xi32>)
      -> (tensor<4x5x200xf32>, tensor<20x200xi32>) {
    %0 = dovetail.cumsum %arg0, 2 : tensor<4x5x200xf32>
    %1 = dovetail.cumprod %arg1, 1 : tensor<20x200xi32>
    return %0, %1 : tensor<4x5x200xf32>, tensor<20x200xi32>
  }
  // CHECK-LABEL: func.func @by_library
  // CHECK: "flow.dispatch"({{.*}}entry_points = [@running::@running]{{.*}} -> tensor<4x5x200xf32>
  // CHECK: "flow.dispatch"({{.*}}entry_points = [@running::@running]{{.*}} -> tensor<20x200xi32>
  // CHECK-NOT: iree_linalg_ext.scan

  // Few or short rows, other dimensions, extremes, and other types are scanned.
  func.func @scanned(%arg0: tensor<5x900xf32>, %arg1: tensor<300x8xf32>, %arg2: tensor<20x200xf32>,
                     %arg3: tensor<20x200xbf16>)
      -> (tensor<5x900xf32>, tensor<300x8xf32>, tensor<20x200xf32>, tensor<20x200xf32>, tensor<20x200xbf16>) {
    %0 = dovetail.cumsum %arg0, 1 : tensor<5x900xf32>
    %1 = dovetail.cumsum %arg1, 1 : tensor<300x8xf32>
    %2 = dovetail.cumsum %arg2, 0 : tensor<20x200xf32>
    %3 = dovetail.cummax %arg2, 1 : tensor<20x200xf32>
    %4 = dovetail.cumsum %arg3, 1 : tensor<20x200xbf16>
    return %0, %1, %2, %3, %4 : tensor<5x900xf32>, tensor<300x8xf32>, tensor<20x200xf32>, tensor<20x200xf32>, tensor<20x200xbf16>
  }
  // CHECK-LABEL: func.func @scanned
  // CHECK-NOT: running::@running
}
