// A choice between two arrays that a loop carries is a copy, so that the loop, which overwrites both, is one dispatch.
// RUN: dovetail-opt %s --dovetail-lower | FileCheck %s

// CHECK:       scf.while
// CHECK:         %[[CHOSEN:.*]] = arith.select %{{.*}} : vector<4xi1>, vector<4xf32>
// CHECK-NEXT:    vector.store %[[CHOSEN]]
// CHECK-LABEL: func.func @main
// CHECK-NOT:     scf
// CHECK:         "flow.dispatch"

func.func @main(%arg0: tensor<i32>, %arg1: tensor<4xf32>, %arg2: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = dovetail.constant dense<0> : tensor<i32>
  %1:3 = dovetail.while init(%0, %arg1, %arg2) consts(%arg0) : (tensor<i32>, tensor<4xf32>, tensor<4xf32>, tensor<i32>) -> (tensor<i32>, tensor<4xf32>, tensor<4xf32>) {
  ^bb0(%arg3: tensor<i32>, %arg4: tensor<4xf32>, %arg5: tensor<4xf32>, %arg6: tensor<i32>):
    %2 = dovetail.compare lt %arg3, %arg6 : tensor<i32>
    dovetail.yield %2 : tensor<i1>
  } do {
  ^bb0(%arg3: tensor<i32>, %arg4: tensor<4xf32>, %arg5: tensor<4xf32>, %arg6: tensor<i32>):
    %2 = dovetail.constant dense<3.000000e+00> : tensor<1xf32>
    %3 = dovetail.constant dense<0> : tensor<1xi32>
    %4 = dovetail.constant dense<1> : tensor<i32>
    %5 = dovetail.constant dense<0> : tensor<i32>
    %6 = dovetail.constant dense<2> : tensor<i32>
    %7 = dovetail.floor_rem %arg3, %6 : tensor<i32>
    %8 = dovetail.compare eq %7, %5 : tensor<i32>
    %9 = dovetail.convert %8 : tensor<i1> -> tensor<i32>
    %10 = dovetail.case %9 of(%arg5, %arg4) : (tensor<i32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> {
    ^bb0(%arg7: tensor<4xf32>, %arg8: tensor<4xf32>):
      dovetail.yield %arg7 : tensor<4xf32>
    }, {
    ^bb0(%arg7: tensor<4xf32>, %arg8: tensor<4xf32>):
      dovetail.yield %arg8 : tensor<4xf32>
    }
    %11 = dovetail.add %arg3, %4 : tensor<i32>
    %12 = dovetail.scatter %arg4, %3, %2 dims [0] window [1] : tensor<4xf32>, tensor<1xi32>, tensor<1xf32>
    dovetail.yield %11, %12, %10 : tensor<i32>, tensor<4xf32>, tensor<4xf32>
  }
  return %1#1, %1#2 : tensor<4xf32>, tensor<4xf32>
}
