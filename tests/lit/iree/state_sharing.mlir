// Results that share memory are stated in the reflection of the function.
// RUN: dovetail-opt %s --dovetail-state-sharing | FileCheck %s

#id = affine_map<(d0) -> (d0)>

// Arguments, constants and equal results share memory; what is computed does not.
// CHECK-LABEL: func.func @sharing(
// CHECK-SAME: iree.reflection = {dovetail.handed_back = "0", dovetail.sharing = "0,1,3,4"}
func.func @sharing(%x: tensor<4xf32>) -> (tensor<2x2xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %constant = arith.constant dense<1.0> : tensor<4xf32>
  %0 = tensor.expand_shape %x [[0, 1]] output_shape [2, 2] : tensor<4xf32> into tensor<2x2xf32>
  %e = tensor.empty() : tensor<4xf32>
  %1 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%a: f32, %out: f32):
    %m = arith.addf %a, %a : f32
    linalg.yield %m : f32
  } -> tensor<4xf32>
  %2 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%a: f32, %out: f32):
    %m = arith.mulf %a, %a : f32
    linalg.yield %m : f32
  } -> tensor<4xf32>
  return %0, %constant, %1, %2, %2 : tensor<2x2xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// Arguments that may come back as results are stated, and the results: no later call may write over either.
// CHECK-LABEL: func.func @hand_back(
// CHECK-SAME: dovetail.handed_back = "1", dovetail.sharing = "0"
func.func @hand_back(%x: tensor<16xf32>, %y: tensor<4x4xf32>) -> (tensor<16xf32>, tensor<16xf32>) {
  %0 = tensor.collapse_shape %y [[0, 1]] : tensor<4x4xf32> into tensor<16xf32>
  %e = tensor.empty() : tensor<16xf32>
  %1 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : tensor<16xf32>) outs(%e : tensor<16xf32>) {
  ^bb0(%a: f32, %out: f32):
    %m = arith.addf %a, %a : f32
    linalg.yield %m : f32
  } -> tensor<16xf32>
  return %0, %1 : tensor<16xf32>, tensor<16xf32>
}
