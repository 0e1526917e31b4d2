// Windows over a batch that is in the middle.
// RUN: dovetail-opt %s --split-input-file --dovetail-batch='dims=1 size=7' | FileCheck %s

func.func @main(%arg0: tensor<5x9xf32>) -> tensor<2x5xf32> {
  %0 = dovetail.reduce_window_sum %arg0 window [2, 3] strides [2, 1] dilations [1, 2] : tensor<5x9xf32>
  return %0 : tensor<2x5xf32>
}
// CHECK-LABEL: func.func private @main.batch(%arg0: tensor<5x7x9xf32>) -> tensor<2x7x5xf32>
// CHECK-NEXT:    %[[REDUCE_WINDOW_SUM:.+]] = dovetail.reduce_window_sum %arg0 window [2, 1, 3] strides [2, 1, 1] dilations [1, 1, 2] : tensor<5x7x9xf32>
// CHECK-NEXT:    return %[[REDUCE_WINDOW_SUM]] : tensor<2x7x5xf32>

// -----

func.func @main(%arg0: tensor<5x9xf32>) -> tensor<2x5xi32> {
  %0 = dovetail.window_argmax %arg0 window [2, 3] strides [2, 1] dilations [1, 2] : tensor<5x9xf32>
  return %0 : tensor<2x5xi32>
}
// CHECK-LABEL: func.func private @main.batch(%arg0: tensor<5x7x9xf32>) -> tensor<2x7x5xi32>
// CHECK-NEXT:    %[[WINDOW_ARGMAX:.+]] = dovetail.window_argmax %arg0 window [2, 1, 3] strides [2, 1, 1] dilations [1, 1, 2] : tensor<5x7x9xf32>
// CHECK-NEXT:    return %[[WINDOW_ARGMAX]] : tensor<2x7x5xi32>
