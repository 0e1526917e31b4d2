// RUN: dovetail-opt %s --dovetail-to-stablehlo | FileCheck %s

// Sizes are numbers of i32, and shapes vectors of them.
// CHECK-LABEL: func.func @main(%arg0: tensor<?x3xf32>) -> (tensor<?x3xf32>, tensor<?x3xf32>, tensor<?xi32>)
func.func @main(%x: tensor<?x3xf32>) -> (tensor<?x3xf32>, tensor<?x3xf32>, tensor<?xi32>) {
  // CHECK: %[[N:.+]] = stablehlo.get_dimension_size %arg0, {{ *}}dim = 0
  %n = dovetail.dim %x, 0 : tensor<?x3xf32>
  %size = dovetail.assume %n min 1 max 2147483647 multiple 1
  %c2 = arith.constant 2 : index
  // CHECK: %[[TWICE:.+]] = stablehlo.multiply %[[N]], %{{.+}} : tensor<i32>
  %twice = arith.muli %size, %c2 : index
  %zero = dovetail.constant dense<0.0> : tensor<f32>
  // CHECK: %[[V:.+]] = stablehlo.reshape %[[TWICE]] : (tensor<i32>) -> tensor<1xi32>
  // CHECK: %[[SHAPE:.+]] = stablehlo.concatenate %[[V]], %{{.+}}, {{ *}}dim = 0
  // CHECK: stablehlo.dynamic_broadcast_in_dim %{{.+}}, %[[SHAPE]], dims = []
  %0 = dovetail.broadcast %zero dims [] sizes(%twice) : tensor<f32> -> tensor<?x3xf32>
  // CHECK: stablehlo.dynamic_pad %arg0
  %1 = dovetail.pad %x, %zero low [1, 0] interior [0, 0] sizes(%twice) : tensor<?x3xf32>, tensor<f32> -> tensor<?x3xf32>
  // CHECK: stablehlo.dynamic_iota %{{.+}}, {{ *}}dim = 0
  %2 = dovetail.iota 0 sizes(%size) : tensor<?xi32>
  return %0, %1, %2 : tensor<?x3xf32>, tensor<?x3xf32>, tensor<?xi32>
}
