// What loops cannot keep.
// RUN: dovetail-opt %s --verify-diagnostics --dovetail-split=unknown=1

func.func @main(%arg0: tensor<?xf32>, %arg1: tensor<?xf32>) -> tensor<?xf32> {
  // expected-error @+1 {{a size that differs between the steps of a loop cannot be kept for its derivative}}
  %0:2 = dovetail.scan length 4 init(%arg0, %arg1) over() consts() : (tensor<?xf32>, tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>) {
  ^bb0(%arg2: tensor<?xf32>, %arg3: tensor<?xf32>):
    %1 = dovetail.reduce_sum %arg2 [0] : tensor<?xf32>
    %2 = dovetail.convert %1 : tensor<f32> -> tensor<i32>
    %3 = dovetail.index %2 : tensor<i32>
    %4 = dovetail.slice %arg3 starts [0] strides [1] sizes(%3) : tensor<?xf32> -> tensor<?xf32>
    dovetail.yield %arg2, %4 : tensor<?xf32>, tensor<?xf32>
  }
  return %0#1 : tensor<?xf32>
}
