// Running reductions become scans: of blocks where one dimension is long, else of rows.
// RUN: dovetail-opt %s --dovetail-lower | FileCheck %s

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
