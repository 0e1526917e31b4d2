// The hash over a batch of keys, under all of which the counters are the same.
// RUN: dovetail-opt %s --dovetail-batch='dims=0,0,-1,-1 size=7' | FileCheck %s

func.func @main(%arg0: tensor<3xui32>, %arg1: tensor<3xui32>, %arg2: tensor<3xui32>, %arg3: tensor<3xui32>) -> (tensor<3xui32>, tensor<3xui32>) {
  %0:2 = dovetail.threefry2x32 %arg0, %arg1, %arg2, %arg3 : tensor<3xui32>
  return %0#0, %0#1 : tensor<3xui32>, tensor<3xui32>
}
// CHECK-LABEL: func.func private @main.batch(%arg0: tensor<7x3xui32>, %arg1: tensor<7x3xui32>, %arg2: tensor<3xui32>, %arg3: tensor<3xui32>)
// CHECK-NEXT:    %[[X0:.+]] = dovetail.broadcast %arg2 dims [1] : tensor<3xui32> -> tensor<7x3xui32>
// CHECK-NEXT:    %[[X1:.+]] = dovetail.broadcast %arg3 dims [1] : tensor<3xui32> -> tensor<7x3xui32>
// CHECK-NEXT:    %[[FIRST:.+]], %[[SECOND:.+]] = dovetail.threefry2x32 %arg0, %arg1, %[[X0]], %[[X1]] : tensor<7x3xui32>
// CHECK-NEXT:    return %[[FIRST]], %[[SECOND]] : tensor<7x3xui32>, tensor<7x3xui32>
