// IREE 3.13 does not compile a pad that is fused behind a scatter.
// RUN: not %{compile} %s -o %t.vmfb 2>&1 | FileCheck %s

// CHECK: write affecting operations on global resources are restricted to workgroup distributed contexts

func.func @main(%x: tensor<3xf32>, %update: tensor<1xf32>) -> tensor<4xf32> {
  %five = arith.constant 5.0 : f32
  %place = arith.constant dense<1> : tensor<1x1xi32>
  %mask = arith.constant dense<true> : tensor<1xi1>
  %updated = "iree_linalg_ext.scatter"(%update, %place, %mask, %x) ({
  ^bb0(%new: f32, %old: f32):
    %product = arith.mulf %old, %new : f32
    "iree_linalg_ext.yield"(%product) : (f32) -> ()
  }) {dimension_map = array<i64: 0>, operandSegmentSizes = array<i32: 3, 1>, unique_indices = true} : (tensor<1xf32>, tensor<1x1xi32>, tensor<1xi1>, tensor<3xf32>) -> tensor<3xf32>
  %padded = tensor.pad %updated low[0] high[1] {
  ^bb0(%i: index):
    tensor.yield %five : f32
  } : tensor<3xf32> to tensor<4xf32>
  return %padded : tensor<4xf32>
}
