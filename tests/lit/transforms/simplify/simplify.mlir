// RUN: dovetail-opt %s --dovetail-simplify | FileCheck %s

// What selects between equal values is found when these have been merged.
// CHECK-LABEL: func.func @main
// CHECK-NEXT:    %[[EXP:.+]] = dovetail.exp %arg0 : tensor<2x3xf32>
// CHECK-NEXT:    return %[[EXP]] : tensor<2x3xf32>
func.func @main(%arg0: tensor<2x3xf32>, %arg1: tensor<i1>) -> tensor<2x3xf32> {
  %unused = dovetail.tanh %arg0 : tensor<2x3xf32>
  %0 = dovetail.transpose %arg0 [1, 0] : tensor<2x3xf32>
  %1 = dovetail.transpose %0 [1, 0] : tensor<3x2xf32>
  %2 = dovetail.exp %1 : tensor<2x3xf32>
  %3 = dovetail.exp %arg0 : tensor<2x3xf32>
  %4 = dovetail.broadcast %arg1 dims [] : tensor<i1> -> tensor<2x3xi1>
  %5 = dovetail.select %4, %2, %3 : tensor<2x3xi1>, tensor<2x3xf32>
  return %5 : tensor<2x3xf32>
}
