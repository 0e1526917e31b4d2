// IREE 3.13 moves an update of an array, with another op that may run at the same time, before ops that read the array:
// 2 * 2 + 2 is 30 where 2 became 5.
// RUN: dovetail-opt %s | %{compile} - -o %t.vmfb
// RUN: %{run} --module=%t.vmfb --input='4xf32=1' --input='2xf32=5' | FileCheck %s --check-prefix=FAULT
// RUN: dovetail-opt %s --dovetail-keep-read | %{compile} - -o %t.vmfb
// RUN: %{run} --module=%t.vmfb --input='4xf32=1' --input='2xf32=5' | FileCheck %s --check-prefix=MENDED

// FAULT: 4xf32=6 30 30 6
// MENDED: 4xf32=6 6 6 6
// MENDED: 4xf32=2 5 5 2

#id = affine_map<(d0) -> (d0)>
func.func @main(%x: tensor<4xf32>, %u: tensor<2xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %empty = tensor.empty() : tensor<4xf32>
  %doubled = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : tensor<4xf32>) outs(%empty : tensor<4xf32>) {
  ^bb0(%a: f32, %out: f32):
    %result = arith.addf %a, %a : f32
    linalg.yield %result : f32
  } -> tensor<4xf32>
  %y = "iree_tensor_ext.compute_barrier.start"(%doubled) : (tensor<4xf32>) -> tensor<4xf32>
  %squared = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%y : tensor<4xf32>) outs(%empty : tensor<4xf32>) {
  ^bb0(%a: f32, %out: f32):
    %result = arith.mulf %a, %a : f32
    linalg.yield %result : f32
  } -> tensor<4xf32>
  %z = "iree_tensor_ext.compute_barrier.start"(%squared) : (tensor<4xf32>) -> tensor<4xf32>
  %read = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]} ins(%y, %z : tensor<4xf32>, tensor<4xf32>) outs(%empty : tensor<4xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %result = arith.addf %a, %b : f32
    linalg.yield %result : f32
  } -> tensor<4xf32>
  %updated = tensor.insert_slice %u into %y[1] [2] [1] : tensor<2xf32> into tensor<4xf32>
  %other = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : tensor<4xf32>) outs(%empty : tensor<4xf32>) {
  ^bb0(%a: f32, %out: f32):
    %result = arith.negf %a : f32
    linalg.yield %result : f32
  } -> tensor<4xf32>
  return %read, %updated, %other : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}
