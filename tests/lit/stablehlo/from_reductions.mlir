// RUN: dovetail-opt %s --dovetail-from-stablehlo | FileCheck %s

// CHECK-LABEL: func.func @main
func.func @main(%x: tensor<4x6xf32>, %i: tensor<4x6xi32>) -> (tensor<6xf32>, tensor<f32>, tensor<4x6xf32>, tensor<4xf32>, tensor<4xi32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %one = stablehlo.constant dense<1.0> : tensor<f32>
  %none = stablehlo.constant dense<0> : tensor<i32>
  // An op whose neutral element is the initial value, and one with another initial value.
  // CHECK: %[[SUM:.+]] = dovetail.reduce_sum %arg0 [0] : tensor<4x6xf32>
  %0 = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<4x6xf32>, tensor<f32>) -> tensor<6xf32>
  // CHECK: %[[MAX:.+]] = dovetail.reduce_max %arg0 [0, 1]
  // CHECK: dovetail.max %[[MAX]], %{{.+}} : tensor<f32>
  %1 = stablehlo.reduce(%x init: %one) applies stablehlo.maximum across dimensions = [1, 0] : (tensor<4x6xf32>, tensor<f32>) -> tensor<f32>
  // Windows that reach to the beginning are a running sum.
  // CHECK: dovetail.cumsum %arg0, 1 : tensor<4x6xf32>
  %2 = "stablehlo.reduce_window"(%x, %zero) <{padding = dense<[[0, 0], [5, 0]]> : tensor<2x2xi64>, window_dimensions = array<i64: 1, 6>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<4x6xf32>, tensor<f32>) -> tensor<4x6xf32>
  // Other bodies are applied to neighbours, 6, 3 and then 2 of them.
  // CHECK: dovetail.slice %{{.+}} starts [0, 0] strides [2, 1] : tensor<6x4xf32> -> tensor<3x4xf32>
  // CHECK: dovetail.compare gt %{{.+}}, %{{.+}} : tensor<12xf32>
  // CHECK: dovetail.compare gt %{{.+}}, %{{.+}} : tensor<4xf32>
  %3:2 = stablehlo.reduce(%x init: %zero), (%i init: %none) across dimensions = [1] : (tensor<4x6xf32>, tensor<4x6xi32>, tensor<f32>, tensor<i32>) -> (tensor<4xf32>, tensor<4xi32>)
   reducer(%a: tensor<f32>, %b: tensor<f32>) (%c: tensor<i32>, %d: tensor<i32>) {
    %p = stablehlo.compare GT, %a, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %m = stablehlo.select %p, %a, %b : tensor<i1>, tensor<f32>
    %n = stablehlo.select %p, %c, %d : tensor<i1>, tensor<i32>
    stablehlo.return %m, %n : tensor<f32>, tensor<i32>
  }
  return %0, %1, %2, %3#0, %3#1 : tensor<6xf32>, tensor<f32>, tensor<4x6xf32>, tensor<4xf32>, tensor<4xi32>
}

// A body that calls a function which comes later.
// CHECK-LABEL: func.func @least_of_rows
// CHECK:         dovetail.select
// CHECK-NOT:     stablehlo
func.func @least_of_rows(%x: tensor<3x7xf32>, %i: tensor<3x7xi32>) -> (tensor<3xf32>, tensor<3xi32>) {
  %inf = stablehlo.constant dense<0x7F800000> : tensor<f32>
  %none = stablehlo.constant dense<0> : tensor<i32>
  %0:2 = stablehlo.reduce(%x init: %inf), (%i init: %none) across dimensions = [1] : (tensor<3x7xf32>, tensor<3x7xi32>, tensor<f32>, tensor<i32>) -> (tensor<3xf32>, tensor<3xi32>)
   reducer(%a: tensor<f32>, %b: tensor<f32>) (%c: tensor<i32>, %d: tensor<i32>) {
    %m = stablehlo.minimum %a, %b : tensor<f32>
    %p = stablehlo.compare LE, %a, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %n = func.call @where(%p, %c, %d) : (tensor<i1>, tensor<i32>, tensor<i32>) -> tensor<i32>
    stablehlo.return %m, %n : tensor<f32>, tensor<i32>
  }
  return %0#0, %0#1 : tensor<3xf32>, tensor<3xi32>
}
func.func private @where(%p: tensor<i1>, %x: tensor<i32>, %y: tensor<i32>) -> tensor<i32> {
  %0 = stablehlo.select %p, %x, %y : tensor<i1>, tensor<i32>
  return %0 : tensor<i32>
}
