// IREE 3.13 does not find the dynamic size of an array that a branch in a loop gives.
// RUN: not %{compile} %s -o %t.vmfb 2>&1 | FileCheck %s

// CHECK: 'tensor.dim' op unexpected during shape cleanup

#id = affine_map<(d0) -> (d0)>
func.func @main(%x: tensor<?xf32>, %n: tensor<i32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %number = tensor.extract %n[] : tensor<i32>
  %end = arith.index_cast %number : i32 to index
  %last = scf.for %i = %c0 to %end step %c1 iter_args(%carried = %x) -> tensor<?xf32> {
    %size = tensor.dim %carried, %c0 : tensor<?xf32>
    %is_first = arith.cmpi eq, %i, %c0 : index
    %chosen = scf.if %is_first -> tensor<?xf32> {
      %empty = tensor.empty(%size) : tensor<?xf32>
      %doubled = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%carried : tensor<?xf32>) outs(%empty : tensor<?xf32>) {
      ^bb0(%a: f32, %out: f32):
        %result = arith.addf %a, %a : f32
        linalg.yield %result : f32
      } -> tensor<?xf32>
      scf.yield %doubled : tensor<?xf32>
    } else {
      scf.yield %carried : tensor<?xf32>
    }
    scf.yield %chosen : tensor<?xf32>
  }
  return %last : tensor<?xf32>
}
