// IREE 3.13 computes the indices of a scatter, and which of them are in range, within its dispatch, on the stack, which
// cannot hold an unknown size.
// RUN: not %{compile} %s -o %t.vmfb 2>&1 | FileCheck %s

// CHECK: exceeded stack allocation limit

#row = affine_map<(i, j) -> (i, j)>
#vector = affine_map<(i) -> (i)>
func.func @main(%x: tensor<?xf32>, %indices: tensor<?xi32>, %updates: tensor<?xf32>) -> tensor<?xf32> {
  %zero = arith.constant 0 : index
  %count = tensor.dim %updates, %zero : tensor<?xf32>
  %noPlaces = tensor.empty(%count) : tensor<?x1xi32>
  %places = linalg.generic {indexing_maps = [#row], iterator_types = ["parallel", "parallel"]} outs(%noPlaces : tensor<?x1xi32>) {
  ^bb0(%out: i32):
    %i = linalg.index 0 : index
    %place = tensor.extract %indices[%i] : tensor<?xi32>
    linalg.yield %place : i32
  } -> tensor<?x1xi32>
  %noMask = tensor.empty(%count) : tensor<?xi1>
  %least = arith.constant 0 : i32
  %mask = linalg.generic {indexing_maps = [#vector], iterator_types = ["parallel"]} outs(%noMask : tensor<?xi1>) {
  ^bb0(%out: i1):
    %i = linalg.index 0 : index
    %place = tensor.extract %indices[%i] : tensor<?xi32>
    %isInside = arith.cmpi sge, %place, %least : i32
    linalg.yield %isInside : i1
  } -> tensor<?xi1>
  %result = "iree_linalg_ext.scatter"(%updates, %places, %mask, %x) ({
  ^bb0(%new: f32, %old: f32):
    %sum = arith.addf %old, %new : f32
    "iree_linalg_ext.yield"(%sum) : (f32) -> ()
  }) {dimension_map = array<i64: 0>, operandSegmentSizes = array<i32: 3, 1>, unique_indices = false} : (tensor<?xf32>, tensor<?x1xi32>, tensor<?xi1>, tensor<?xf32>) -> tensor<?xf32>
  return %result : tensor<?xf32>
}
