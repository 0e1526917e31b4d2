// A request gives the batch a name, and a size where no argument carries it.
// RUN: dovetail-opt %s --split-input-file --dovetail-expand | FileCheck %s

func.func private @mean(%arg0: tensor<f32>) -> tensor<f32> {
  %0 = dovetail.all_reduce_sum %arg0 over ["i"] : tensor<f32>
  return %0 : tensor<f32>
}

func.func @main(%arg0: tensor<3xf32>) -> tensor<f32> {
  %0 = dovetail.vmap @mean in [0] out [-1] axis "i"(%arg0) : (tensor<3xf32>) -> tensor<f32>
  return %0 : tensor<f32>
}
// CHECK-LABEL: func.func private @mean.batch(%arg0: tensor<3xf32>) -> tensor<f32>
// CHECK-NEXT:    %[[REDUCE_SUM:.+]] = dovetail.reduce_sum %arg0 [0] : tensor<3xf32>
// CHECK-NEXT:    return %[[REDUCE_SUM]] : tensor<f32>
// CHECK-LABEL: func.func @main(%arg0: tensor<3xf32>) -> tensor<f32>
// CHECK-NEXT:    %[[CALL:.+]] = dovetail.call @mean.batch(%arg0) : (tensor<3xf32>) -> tensor<f32>
// CHECK-NEXT:    return %[[CALL]] : tensor<f32>

// -----

func.func private @number() -> tensor<i32> {
  %0 = dovetail.axis_index over ["i"] sizes [3]
  return %0 : tensor<i32>
}

func.func @main() -> tensor<3xi32> {
  %0 = dovetail.vmap @number in [] out [0] axis "i" size 3() : () -> tensor<3xi32>
  return %0 : tensor<3xi32>
}
// CHECK-LABEL: func.func private @number.batch() -> tensor<3xi32>
// CHECK-NEXT:    %[[IOTA:.+]] = dovetail.iota 0 : tensor<3xi32>
// CHECK-NEXT:    %[[CONSTANT:.+]] = dovetail.constant dense<1> : tensor<3xi32>
// CHECK-NEXT:    return %[[IOTA]] : tensor<3xi32>
// CHECK-LABEL: func.func @main() -> tensor<3xi32>
// CHECK-NEXT:    %[[CALL:.+]] = dovetail.call @number.batch() : () -> tensor<3xi32>
// CHECK-NEXT:    return %[[CALL]] : tensor<3xi32>
