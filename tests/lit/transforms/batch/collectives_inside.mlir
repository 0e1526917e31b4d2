// An op none of whose operands carries the batch is batched where its bodies or callees name the axis.
// RUN: dovetail-opt %s --split-input-file --dovetail-batch='dims=0 size=3 axis=i' | FileCheck %s

func.func private @number() -> tensor<i32> {
  %0 = dovetail.axis_index over ["i"] sizes [3]
  return %0 : tensor<i32>
}

func.func private @other() -> tensor<i32> {
  %0 = dovetail.axis_index over ["j"] sizes [3]
  return %0 : tensor<i32>
}

func.func @main(%arg0: tensor<f32>) -> (tensor<i32>, tensor<i32>) {
  %0 = dovetail.call @number() : () -> tensor<i32>
  %1 = dovetail.call @other() : () -> tensor<i32>
  return %0, %1 : tensor<i32>, tensor<i32>
}
// CHECK-LABEL: func.func private @number.batch() -> tensor<3xi32>
// CHECK-NEXT:    %[[IOTA:.+]] = dovetail.iota 0 : tensor<3xi32>
// CHECK-NEXT:    %[[CONSTANT:.+]] = dovetail.constant dense<1> : tensor<3xi32>
// CHECK-NEXT:    return %[[IOTA]] : tensor<3xi32>
// CHECK-LABEL: func.func private @main.batch(%arg0: tensor<3xf32>) -> (tensor<3xi32>, tensor<i32>)
// CHECK-NEXT:    %[[CALL:.+]] = dovetail.call @number.batch() : () -> tensor<3xi32>
// CHECK-NEXT:    %[[CALL_1:.+]] = dovetail.call @other() : () -> tensor<i32>
// CHECK-NEXT:    return %[[CALL]], %[[CALL_1]] : tensor<3xi32>, tensor<i32>

// -----

func.func @main(%arg0: tensor<f32>) -> tensor<i32> {
  %c = dovetail.constant dense<1> : tensor<i32>
  %0 = dovetail.case %c of() : (tensor<i32>) -> tensor<i32> {
    %1 = dovetail.axis_index over ["i"] sizes [3]
    dovetail.yield %1 : tensor<i32>
  }, {
    %1 = dovetail.constant dense<2> : tensor<i32>
    dovetail.yield %1 : tensor<i32>
  }
  return %0 : tensor<i32>
}
// CHECK-LABEL: func.func private @main.batch(%arg0: tensor<3xf32>) -> tensor<3xi32>
// CHECK-NEXT:    %[[CONSTANT:.+]] = dovetail.constant dense<1> : tensor<i32>
// CHECK-NEXT:    %[[CASE:.+]] = dovetail.case %[[CONSTANT]] of() : (tensor<i32>) -> tensor<3xi32> {
// CHECK-NEXT:      %[[IOTA:.+]] = dovetail.iota 0 : tensor<3xi32>
// CHECK-NEXT:      %[[CONSTANT_1:.+]] = dovetail.constant dense<1> : tensor<3xi32>
// CHECK-NEXT:      dovetail.yield %[[IOTA]] : tensor<3xi32>
// CHECK-NEXT:    }, {
// CHECK-NEXT:      %[[CONSTANT_2:.+]] = dovetail.constant dense<2> : tensor<i32>
// CHECK-NEXT:      %[[CONSTANT_3:.+]] = dovetail.constant dense<2> : tensor<3xi32>
// CHECK-NEXT:      dovetail.yield %[[CONSTANT_3]] : tensor<3xi32>
// CHECK-NEXT:    }
// CHECK-NEXT:    return %[[CASE]] : tensor<3xi32>
