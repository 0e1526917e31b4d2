// Running reductions and sorts over a batch that is in the middle of the first operand.
// RUN: dovetail-opt %s --split-input-file --dovetail-batch='dims=1 size=7' | FileCheck %s

func.func @main(%arg0: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = dovetail.cumsum %arg0, 1 : tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
// CHECK-LABEL: func.func private @main.batch(%arg0: tensor<2x7x3xf32>) -> tensor<2x7x3xf32>
// CHECK-NEXT:    %[[CUMSUM:.+]] = dovetail.cumsum %arg0, 2 : tensor<2x7x3xf32>
// CHECK-NEXT:    return %[[CUMSUM]] : tensor<2x7x3xf32>

// -----

func.func @main(%arg0: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = dovetail.cummax %arg0, 0 : tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
// CHECK-LABEL: func.func private @main.batch(%arg0: tensor<2x7x3xf32>) -> tensor<2x7x3xf32>
// CHECK-NEXT:    %[[CUMMAX:.+]] = dovetail.cummax %arg0, 0 : tensor<2x7x3xf32>
// CHECK-NEXT:    return %[[CUMMAX]] : tensor<2x7x3xf32>

// -----

func.func @main(%arg0: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = dovetail.linear_recurrence %arg0, %arg0, 1 : tensor<2x3xf32>, tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
// CHECK-LABEL: func.func private @main.batch(%arg0: tensor<2x7x3xf32>) -> tensor<2x7x3xf32>
// CHECK-NEXT:    %[[LINEAR_RECURRENCE:.+]] = dovetail.linear_recurrence %arg0, %arg0, 2 : tensor<2x7x3xf32>, tensor<2x7x3xf32>
// CHECK-NEXT:    return %[[LINEAR_RECURRENCE]] : tensor<2x7x3xf32>

// -----

func.func @main(%arg0: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = dovetail.sort %arg0 dimension 1 keys 1 : tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
// CHECK-LABEL: func.func private @main.batch(%arg0: tensor<2x7x3xf32>) -> tensor<2x7x3xf32>
// CHECK-NEXT:    %[[SORT:.+]] = dovetail.sort %arg0 dimension 2 keys 1 : tensor<2x7x3xf32>
// CHECK-NEXT:    return %[[SORT]] : tensor<2x7x3xf32>
