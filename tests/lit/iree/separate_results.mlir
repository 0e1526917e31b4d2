// Of several results of one op that are written to places in larger arrays, all but the first have another use.
// RUN: dovetail-opt %s --dovetail-separate-results | FileCheck %s

// CHECK-LABEL: func.func @main
// CHECK:         %[[R:.+]]:3 = linalg.generic
// CHECK:         tensor.pad %[[R]]#0
// CHECK:         tensor.insert_slice
// CHECK:         "util.optimization_barrier"(%[[R]]#2) : (tensor<3xf32>) -> tensor<3xf32>
// CHECK-NOT:     util.optimization_barrier
// CHECK:         return
#id = affine_map<(i) -> (i)>
func.func @main(%x: tensor<3xf32>, %y: tensor<1x5xf32>) -> (tensor<5xf32>, tensor<3xf32>, tensor<1x5xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<3xf32>
  %r:3 = linalg.generic {indexing_maps = [#id, #id, #id, #id], iterator_types = ["parallel"]} ins(%x : tensor<3xf32>) outs(%e, %e, %e : tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) {
  ^bb0(%p: f32, %o: f32, %q: f32, %s: f32):
    %t = arith.addf %p, %p : f32
    %u = arith.mulf %p, %p : f32
    linalg.yield %t, %u, %p : f32, f32, f32
  } -> (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>)
  %padded = tensor.pad %r#0 low[2] high[0] {
  ^bb0(%i: index):
    tensor.yield %zero : f32
  } : tensor<3xf32> to tensor<5xf32>
  %row = tensor.expand_shape %r#2 [[0, 1]] output_shape [1, 3] : tensor<3xf32> into tensor<1x3xf32>
  %inserted = tensor.insert_slice %row into %y[0, 1] [1, 3] [1, 1] : tensor<1x3xf32> into tensor<1x5xf32>
  return %padded, %r#1, %inserted : tensor<5xf32>, tensor<3xf32>, tensor<1x5xf32>
}
