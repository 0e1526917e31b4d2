// What is transposed of one of several results is read from behind a barrier, also through other ops.
// RUN: dovetail-opt %s --dovetail-separate-transposed | FileCheck %s

#whole = affine_map<(i, j) -> (i, j)>
#cube = affine_map<(i, j, k) -> (i, j, k)>

// CHECK-LABEL: func.func @one_of_several
// CHECK: %[[BOTH:.+]]:2 = linalg.generic
// CHECK: %[[VIEW:.+]] = tensor.expand_shape %[[BOTH]]#1
// CHECK: %[[NEGATED:.+]] = linalg.generic {{.*}} ins(%[[VIEW]] :
// CHECK: %[[BEHIND:.+]] = "iree_tensor_ext.compute_barrier.start"(%[[NEGATED]])
// CHECK: linalg.transpose ins(%[[BEHIND]] :
func.func @one_of_several(%x: tensor<3x2xf32>) -> (tensor<3x2xf32>, tensor<2x1x3xf32>) {
  %empty = tensor.empty() : tensor<3x2xf32>
  %both:2 = linalg.generic {indexing_maps = [#whole, #whole, #whole], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<3x2xf32>) outs(%empty, %empty : tensor<3x2xf32>, tensor<3x2xf32>) {
  ^bb0(%a: f32, %out: f32, %other: f32):
    %negative = arith.negf %a : f32
    %double = arith.addf %a, %a : f32
    linalg.yield %negative, %double : f32, f32
  } -> (tensor<3x2xf32>, tensor<3x2xf32>)
  %view = tensor.expand_shape %both#1 [[0, 1], [2]] output_shape [3, 1, 2] : tensor<3x2xf32> into tensor<3x1x2xf32>
  %other = tensor.empty() : tensor<3x1x2xf32>
  %negated = linalg.generic {indexing_maps = [#cube, #cube], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%view : tensor<3x1x2xf32>) outs(%other : tensor<3x1x2xf32>) {
  ^bb0(%a: f32, %out: f32):
    %negative = arith.negf %a : f32
    linalg.yield %negative : f32
  } -> tensor<3x1x2xf32>
  %place = tensor.empty() : tensor<2x1x3xf32>
  %transposed = linalg.transpose ins(%negated : tensor<3x1x2xf32>) outs(%place : tensor<2x1x3xf32>) permutation = [2, 1, 0]
  return %both#0, %transposed : tensor<3x2xf32>, tensor<2x1x3xf32>
}
