// IREE 3.13 copies a slice that a scatter updates within the scatter's dispatch, on the stack.
// RUN: not %{compile} %s -o %t.vmfb 2>&1 | FileCheck %s

// CHECK: exceeded stack allocation limit

func.func @main(%x: tensor<3x40000xf32>, %place: tensor<1x1xi32>, %update: tensor<1x40000xf32>) -> tensor<1x40000xf32> {
  %true = arith.constant true
  %mask = tensor.splat %true : tensor<1xi1>
  %row = tensor.extract_slice %x[1, 0] [1, 40000] [1, 1] : tensor<3x40000xf32> to tensor<1x40000xf32>
  %updated = "iree_linalg_ext.scatter"(%update, %place, %mask, %row) ({
  ^bb0(%new: f32, %old: f32):
    %product = arith.mulf %old, %new : f32
    "iree_linalg_ext.yield"(%product) : (f32) -> ()
  }) {dimension_map = array<i64: 0>, operandSegmentSizes = array<i32: 3, 1>, unique_indices = false} : (tensor<1x40000xf32>, tensor<1x1xi32>, tensor<1xi1>, tensor<1x40000xf32>) -> tensor<1x40000xf32>
  return %updated : tensor<1x40000xf32>
}
