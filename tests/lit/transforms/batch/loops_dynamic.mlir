// Loops and branches over a batch of unknown size, which they take from what has it.
// RUN: dovetail-opt %s --split-input-file --dovetail-batch='dims=0,-1,-1 size=-1' | FileCheck %s

func.func @main(%xs: tensor<?xf32>, %a: tensor<f32>, %k: tensor<f32>) -> (tensor<f32>, tensor<?xf32>) {
  %0:2 = dovetail.scan length -1 init(%a) over(%xs) consts(%k) : (tensor<f32>, tensor<?xf32>, tensor<f32>) -> (tensor<f32>, tensor<?xf32>) {
  ^bb0(%c: tensor<f32>, %x: tensor<f32>, %f: tensor<f32>):
    %1 = dovetail.mul %c, %x : tensor<f32>
    dovetail.yield %1, %f : tensor<f32>, tensor<f32>
  }
  return %0#0, %0#1 : tensor<f32>, tensor<?xf32>
}
// CHECK-LABEL: func.func private @main.batch(%arg0: tensor<?x?xf32>, %arg1: tensor<f32>, %arg2: tensor<f32>) -> (tensor<?xf32>, tensor<?xf32>)
// CHECK-NEXT:    %[[DIM:.+]] = dovetail.dim %arg0, 0 : tensor<?x?xf32>
// CHECK-NEXT:    %[[TRANSPOSE:.+]] = dovetail.transpose %arg0 [1, 0] : tensor<?x?xf32>
// CHECK-NEXT:    %[[BROADCAST:.+]] = dovetail.broadcast %arg1 dims [] sizes(%[[DIM]]) : tensor<f32> -> tensor<?xf32>
// CHECK-NEXT:    %[[SCAN:.+]]:2 = dovetail.scan length -1 init(%[[BROADCAST]]) over(%[[TRANSPOSE]]) consts(%arg2) : (tensor<?xf32>, tensor<?x?xf32>, tensor<f32>) -> (tensor<?xf32>, tensor<?xf32>) {
// CHECK-NEXT:    ^bb0(%arg3: tensor<?xf32>, %arg4: tensor<?xf32>, %arg5: tensor<f32>):
// CHECK:      %[[MUL:.+]] = dovetail.mul %arg3, %arg4 : tensor<?xf32>
// CHECK:      dovetail.yield %[[MUL]], %arg5 : tensor<?xf32>, tensor<f32>
// CHECK-NEXT:    }
// CHECK-NEXT:    return %[[SCAN]]#0, %[[SCAN]]#1 : tensor<?xf32>, tensor<?xf32>

// -----

func.func @main(%n: tensor<i32>, %i: tensor<i32>, %a: tensor<?xf32>) -> tensor<?xf32> {
  %0:2 = dovetail.while init(%i, %a) consts(%n) : (tensor<i32>, tensor<?xf32>, tensor<i32>) -> (tensor<i32>, tensor<?xf32>) {
  ^bb0(%j: tensor<i32>, %c: tensor<?xf32>, %end: tensor<i32>):
    %1 = dovetail.compare lt %j, %end : tensor<i32>
    dovetail.yield %1 : tensor<i1>
  } do {
  ^bb0(%j: tensor<i32>, %c: tensor<?xf32>, %end: tensor<i32>):
    %1 = dovetail.add %j, %j : tensor<i32>
    %2 = dovetail.mul %c, %c : tensor<?xf32>
    dovetail.yield %1, %2 : tensor<i32>, tensor<?xf32>
  }
  return %0#1 : tensor<?xf32>
}
// CHECK-LABEL: func.func private @main.batch(%arg0: tensor<?xi32>, %arg1: tensor<i32>, %arg2: tensor<?xf32>) -> tensor<?x?xf32>
// CHECK-NEXT:    %[[DIM:.+]] = dovetail.dim %arg0, 0 : tensor<?xi32>
// CHECK-NEXT:    %[[BROADCAST:.+]] = dovetail.broadcast %arg1 dims [] sizes(%[[DIM]]) : tensor<i32> -> tensor<?xi32>
// CHECK-NEXT:    %[[DIM_1:.+]] = dovetail.dim %arg2, 0 : tensor<?xf32>
// CHECK-NEXT:    %[[BROADCAST_1:.+]] = dovetail.broadcast %arg2 dims [1] sizes(%[[DIM]], %[[DIM_1]]) : tensor<?xf32> -> tensor<?x?xf32>
// CHECK:    %[[COMPARE:.+]] = dovetail.compare lt %[[BROADCAST]], %arg0 : tensor<?xi32>
// CHECK-NEXT:    %[[WHILE:.+]]:3 = dovetail.while init(%[[BROADCAST]], %[[BROADCAST_1]], %[[COMPARE]]) consts(%arg0) {dovetail.masked, dovetail.runs_for_all} : (tensor<?xi32>, tensor<?x?xf32>, tensor<?xi1>, tensor<?xi32>) -> (tensor<?xi32>, tensor<?x?xf32>, tensor<?xi1>) {
// CHECK-NEXT:    ^bb0(%arg3: tensor<?xi32>, %arg4: tensor<?x?xf32>, %arg5: tensor<?xi1>, %arg6: tensor<?xi32>):
// CHECK-NEXT:      %[[REDUCE_OR:.+]] = dovetail.reduce_or %arg5 [0] : tensor<?xi1>
// CHECK-NEXT:      dovetail.yield %[[REDUCE_OR]] : tensor<i1>
// CHECK-NEXT:    } do {
// CHECK-NEXT:    ^bb0(%arg3: tensor<?xi32>, %arg4: tensor<?x?xf32>, %arg5: tensor<?xi1>, %arg6: tensor<?xi32>):
// CHECK:      %[[DIM_4:.+]] = dovetail.dim %arg4, 0 : tensor<?x?xf32>
// CHECK-NEXT:      %[[DIM_5:.+]] = dovetail.dim %arg4, 1 : tensor<?x?xf32>
// CHECK-NEXT:      %[[BROADCAST_2:.+]] = dovetail.broadcast %arg5 dims [0] sizes(%[[DIM_4]], %[[DIM_5]]) : tensor<?xi1> -> tensor<?x?xi1>
// CHECK-NEXT:      %[[STOP_GRADIENT:.+]] = dovetail.stop_gradient %arg4 : tensor<?x?xf32>
// CHECK-NEXT:      %[[SELECT:.+]] = dovetail.select %[[BROADCAST_2]], %arg4, %[[STOP_GRADIENT]] : tensor<?x?xi1>, tensor<?x?xf32>
// CHECK:      %[[ADD:.+]] = dovetail.add %arg3, %arg3 : tensor<?xi32>
// CHECK-NEXT:      %[[MUL:.+]] = dovetail.mul %[[SELECT]], %[[SELECT]] : tensor<?x?xf32>
// CHECK-NEXT:      %[[SELECT_1:.+]] = dovetail.select %arg5, %[[ADD]], %arg3 : tensor<?xi1>, tensor<?xi32>
// CHECK-NEXT:      %[[BROADCAST_3:.+]] = dovetail.broadcast %arg5 dims [0] sizes(%[[DIM_4]], %[[DIM_5]]) : tensor<?xi1> -> tensor<?x?xi1>
// CHECK-NEXT:      %[[SELECT_2:.+]] = dovetail.select %[[BROADCAST_3]], %[[MUL]], %arg4 : tensor<?x?xi1>, tensor<?x?xf32>
// CHECK:      %[[COMPARE_1:.+]] = dovetail.compare lt %[[SELECT_1]], %arg6 : tensor<?xi32>
// CHECK-NEXT:      %[[AND:.+]] = dovetail.and %arg5, %[[COMPARE_1]] : tensor<?xi1>
// CHECK-NEXT:      dovetail.yield %[[SELECT_1]], %[[SELECT_2]], %[[AND]] : tensor<?xi32>, tensor<?x?xf32>, tensor<?xi1>
// CHECK-NEXT:    }
// CHECK-NEXT:    return %[[WHILE]]#1 : tensor<?x?xf32>

// -----

// The batch's size is that of the first argument in each branch, also in the one that does not use it.
func.func @main(%x: tensor<f32>, %i: tensor<i32>, %k: tensor<f32>) -> tensor<f32> {
  %0 = dovetail.case %i of(%x, %k) : (tensor<i32>, tensor<f32>, tensor<f32>) -> tensor<f32> {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    dovetail.yield %a : tensor<f32>
  }, {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    dovetail.yield %b : tensor<f32>
  }
  return %0 : tensor<f32>
}
// CHECK-LABEL: func.func private @main.batch(%arg0: tensor<?xf32>, %arg1: tensor<i32>, %arg2: tensor<f32>) -> tensor<?xf32>
// CHECK:    %[[CASE:.+]] = dovetail.case %arg1 of(%arg0, %arg2) : (tensor<i32>, tensor<?xf32>, tensor<f32>) -> tensor<?xf32> {
// CHECK-NEXT:    ^bb0(%arg3: tensor<?xf32>, %arg4: tensor<f32>):
// CHECK:      dovetail.yield %arg3 : tensor<?xf32>
// CHECK-NEXT:    }, {
// CHECK-NEXT:    ^bb0(%arg3: tensor<?xf32>, %arg4: tensor<f32>):
// CHECK:      %[[BROADCAST:.+]] = dovetail.broadcast %arg4 dims [] sizes(%{{.+}}) : tensor<f32> -> tensor<?xf32>
// CHECK-NEXT:      dovetail.yield %[[BROADCAST]] : tensor<?xf32>
// CHECK-NEXT:    }
// CHECK-NEXT:    return %[[CASE]] : tensor<?xf32>
