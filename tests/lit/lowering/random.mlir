// A hash is one loop, which computes both words.
// RUN: dovetail-opt %s --dovetail-lower | FileCheck %s

func.func @threefry2x32(%arg0: tensor<2x?xui32>) -> (tensor<2x?xui32>, tensor<2x?xui32>) {
  %0:2 = dovetail.threefry2x32 %arg0, %arg0, %arg0, %arg0 : tensor<2x?xui32>
  return %0#0, %0#1 : tensor<2x?xui32>, tensor<2x?xui32>
}
// CHECK-LABEL: func.func @threefry2x32
// CHECK: %[[WORDS:.+]]:2 = linalg.generic
// CHECK-SAME: iterator_types = ["parallel", "parallel"]
// CHECK: arith.constant 466688986 : i32
// CHECK-NOT: linalg.generic
// CHECK: return %[[WORDS]]#0, %[[WORDS]]#1 : tensor<2x?xi32>, tensor<2x?xi32>
