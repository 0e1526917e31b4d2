// Loops whose number of steps, and branches whose number differs between the elements of a batch.
// RUN: dovetail-opt %s --split-input-file --dovetail-batch='dims=0,-1,-1 size=7' | FileCheck %s

// As many steps as the largest count: past its own, an element's carry stays, and it stacks zeros.
func.func @main(%n: tensor<i32>, %a: tensor<2xf32>, %k: tensor<2xf32>) -> (tensor<2xf32>, tensor<?x2xf32>) {
  %0:2 = dovetail.scan length -1 count %n init(%a) over() consts(%k) : (tensor<2xf32>, tensor<2xf32>, tensor<i32>) -> (tensor<2xf32>, tensor<?x2xf32>) {
  ^bb0(%c: tensor<2xf32>, %f: tensor<2xf32>):
    %1 = dovetail.mul %c, %f : tensor<2xf32>
    dovetail.yield %1, %c : tensor<2xf32>, tensor<2xf32>
  }
  return %0#0, %0#1 : tensor<2xf32>, tensor<?x2xf32>
}
// CHECK-LABEL: func.func private @main.batch(%arg0: tensor<7xi32>, %arg1: tensor<2xf32>, %arg2: tensor<2xf32>) -> (tensor<7x2xf32>, tensor<?x7x2xf32>)
// CHECK-NEXT:    %[[REDUCE_MAX:.+]] = dovetail.reduce_max %arg0 [0] : tensor<7xi32>
// CHECK-NEXT:    %[[INDEX:.+]] = dovetail.index %[[REDUCE_MAX]] : tensor<i32>
// CHECK-NEXT:    %[[IOTA:.+]] = dovetail.iota 0 sizes(%[[INDEX]]) : tensor<?xi32>
// CHECK-NEXT:    %[[BROADCAST:.+]] = dovetail.broadcast %arg1 dims [1] : tensor<2xf32> -> tensor<7x2xf32>
// CHECK-NEXT:    %[[SCAN:.+]]:2 = dovetail.scan length -1 count %[[REDUCE_MAX]] init(%[[BROADCAST]]) over(%[[IOTA]]) consts(%arg2, %arg0) : (tensor<7x2xf32>, tensor<?xi32>, tensor<2xf32>, tensor<7xi32>, tensor<i32>) -> (tensor<7x2xf32>, tensor<?x7x2xf32>) {
// CHECK-NEXT:    ^bb0(%arg3: tensor<7x2xf32>, %arg4: tensor<i32>, %arg5: tensor<2xf32>, %arg6: tensor<7xi32>):
// CHECK-NEXT:      %[[BROADCAST_1:.+]] = dovetail.broadcast %arg4 dims [] : tensor<i32> -> tensor<7xi32>
// CHECK-NEXT:      %[[COMPARE:.+]] = dovetail.compare gt %arg6, %[[BROADCAST_1]] : tensor<7xi32>
// CHECK-NEXT:      %[[STOP_GRADIENT:.+]] = dovetail.stop_gradient %arg3 : tensor<7x2xf32>
// CHECK-NEXT:      %[[BROADCAST_2:.+]] = dovetail.broadcast %[[COMPARE]] dims [0] : tensor<7xi1> -> tensor<7x2xi1>
// CHECK-NEXT:      %[[SELECT:.+]] = dovetail.select %[[BROADCAST_2]], %arg3, %[[STOP_GRADIENT]] : tensor<7x2xi1>, tensor<7x2xf32>
// CHECK-NEXT:      %[[STOP_GRADIENT_1:.+]] = dovetail.stop_gradient %arg5 : tensor<2xf32>
// CHECK-NEXT:      %[[BROADCAST_3:.+]] = dovetail.broadcast %[[COMPARE]] dims [0] : tensor<7xi1> -> tensor<7x2xi1>
// CHECK-NEXT:      %[[BROADCAST_4:.+]] = dovetail.broadcast %arg5 dims [1] : tensor<2xf32> -> tensor<7x2xf32>
// CHECK-NEXT:      %[[BROADCAST_5:.+]] = dovetail.broadcast %[[STOP_GRADIENT_1]] dims [1] : tensor<2xf32> -> tensor<7x2xf32>
// CHECK-NEXT:      %[[SELECT_1:.+]] = dovetail.select %[[BROADCAST_3]], %[[BROADCAST_4]], %[[BROADCAST_5]] : tensor<7x2xi1>, tensor<7x2xf32>
// CHECK-NEXT:      %[[MUL:.+]] = dovetail.mul %[[SELECT]], %[[SELECT_1]] : tensor<7x2xf32>
// CHECK-NEXT:      %[[BROADCAST_6:.+]] = dovetail.broadcast %[[COMPARE]] dims [0] : tensor<7xi1> -> tensor<7x2xi1>
// CHECK-NEXT:      %[[SELECT_2:.+]] = dovetail.select %[[BROADCAST_6]], %[[MUL]], %arg3 : tensor<7x2xi1>, tensor<7x2xf32>
// CHECK-NEXT:      %[[CONSTANT:.+]] = dovetail.constant dense<0.000000e+00> : tensor<2xf32>
// CHECK-NEXT:      %[[BROADCAST_7:.+]] = dovetail.broadcast %[[COMPARE]] dims [0] : tensor<7xi1> -> tensor<7x2xi1>
// CHECK-NEXT:      %[[CONSTANT_1:.+]] = dovetail.constant dense<0.000000e+00> : tensor<7x2xf32>
// CHECK-NEXT:      %[[SELECT_3:.+]] = dovetail.select %[[BROADCAST_7]], %[[SELECT]], %[[CONSTANT_1]] : tensor<7x2xi1>, tensor<7x2xf32>
// CHECK-NEXT:      dovetail.yield %[[SELECT_2]], %[[SELECT_3]] : tensor<7x2xf32>, tensor<7x2xf32>
// CHECK-NEXT:    }
// CHECK-NEXT:    return %[[SCAN]]#0, %[[SCAN]]#1 : tensor<7x2xf32>, tensor<?x7x2xf32>

// -----

// The predicate is carried, one for each element; the loop runs as long as one of them holds.
func.func @main(%n: tensor<i32>, %i: tensor<i32>, %a: tensor<2xf32>) -> tensor<2xf32> {
  %0:2 = dovetail.while init(%i, %a) consts(%n) : (tensor<i32>, tensor<2xf32>, tensor<i32>) -> (tensor<i32>, tensor<2xf32>) {
  ^bb0(%j: tensor<i32>, %c: tensor<2xf32>, %end: tensor<i32>):
    %1 = dovetail.compare lt %j, %end : tensor<i32>
    dovetail.yield %1 : tensor<i1>
  } do {
  ^bb0(%j: tensor<i32>, %c: tensor<2xf32>, %end: tensor<i32>):
    %1 = dovetail.add %j, %j : tensor<i32>
    %2 = dovetail.mul %c, %c : tensor<2xf32>
    dovetail.yield %1, %2 : tensor<i32>, tensor<2xf32>
  }
  return %0#1 : tensor<2xf32>
}
// CHECK-LABEL: func.func private @main.batch(%arg0: tensor<7xi32>, %arg1: tensor<i32>, %arg2: tensor<2xf32>) -> tensor<7x2xf32>
// CHECK-NEXT:    %[[BROADCAST:.+]] = dovetail.broadcast %arg1 dims [] : tensor<i32> -> tensor<7xi32>
// CHECK-NEXT:    %[[BROADCAST_1:.+]] = dovetail.broadcast %arg2 dims [1] : tensor<2xf32> -> tensor<7x2xf32>
// CHECK-NEXT:    %[[COMPARE:.+]] = dovetail.compare lt %[[BROADCAST]], %arg0 : tensor<7xi32>
// CHECK-NEXT:    %[[WHILE:.+]]:3 = dovetail.while init(%[[BROADCAST]], %[[BROADCAST_1]], %[[COMPARE]]) consts(%arg0) {dovetail.masked, dovetail.runs_for_all} : (tensor<7xi32>, tensor<7x2xf32>, tensor<7xi1>, tensor<7xi32>) -> (tensor<7xi32>, tensor<7x2xf32>, tensor<7xi1>) {
// CHECK-NEXT:    ^bb0(%arg3: tensor<7xi32>, %arg4: tensor<7x2xf32>, %arg5: tensor<7xi1>, %arg6: tensor<7xi32>):
// CHECK-NEXT:      %[[REDUCE_OR:.+]] = dovetail.reduce_or %arg5 [0] : tensor<7xi1>
// CHECK-NEXT:      dovetail.yield %[[REDUCE_OR]] : tensor<i1>
// CHECK-NEXT:    } do {
// CHECK-NEXT:    ^bb0(%arg3: tensor<7xi32>, %arg4: tensor<7x2xf32>, %arg5: tensor<7xi1>, %arg6: tensor<7xi32>):
// CHECK-NEXT:      %[[BROADCAST_2:.+]] = dovetail.broadcast %arg5 dims [0] : tensor<7xi1> -> tensor<7x2xi1>
// CHECK-NEXT:      %[[STOP_GRADIENT:.+]] = dovetail.stop_gradient %arg4 : tensor<7x2xf32>
// CHECK-NEXT:      %[[SELECT:.+]] = dovetail.select %[[BROADCAST_2]], %arg4, %[[STOP_GRADIENT]] : tensor<7x2xi1>, tensor<7x2xf32>
// CHECK-NEXT:      %[[ADD:.+]] = dovetail.add %arg3, %arg3 : tensor<7xi32>
// CHECK-NEXT:      %[[MUL:.+]] = dovetail.mul %[[SELECT]], %[[SELECT]] : tensor<7x2xf32>
// CHECK-NEXT:      %[[SELECT_1:.+]] = dovetail.select %arg5, %[[ADD]], %arg3 : tensor<7xi1>, tensor<7xi32>
// CHECK-NEXT:      %[[BROADCAST_3:.+]] = dovetail.broadcast %arg5 dims [0] : tensor<7xi1> -> tensor<7x2xi1>
// CHECK-NEXT:      %[[SELECT_2:.+]] = dovetail.select %[[BROADCAST_3]], %[[MUL]], %arg4 : tensor<7x2xi1>, tensor<7x2xf32>
// CHECK-NEXT:      %[[COMPARE_1:.+]] = dovetail.compare lt %[[SELECT_1]], %arg6 : tensor<7xi32>
// CHECK-NEXT:      %[[AND:.+]] = dovetail.and %arg5, %[[COMPARE_1]] : tensor<7xi1>
// CHECK-NEXT:      dovetail.yield %[[SELECT_1]], %[[SELECT_2]], %[[AND]] : tensor<7xi32>, tensor<7x2xf32>, tensor<7xi1>
// CHECK-NEXT:    }
// CHECK-NEXT:    return %[[WHILE]]#1 : tensor<7x2xf32>

// -----

// All branches run, and each element takes its own.
func.func @main(%i: tensor<i32>, %x: tensor<2xf32>, %k: tensor<2xf32>) -> tensor<2xf32> {
  %0 = dovetail.case %i of(%x) : (tensor<i32>, tensor<2xf32>) -> tensor<2xf32> {
  ^bb0(%a: tensor<2xf32>):
    %1 = dovetail.exp %a : tensor<2xf32>
    dovetail.yield %1 : tensor<2xf32>
  }, {
  ^bb0(%a: tensor<2xf32>):
    %1 = dovetail.sin %a : tensor<2xf32>
    dovetail.yield %1 : tensor<2xf32>
  }, {
  ^bb0(%a: tensor<2xf32>):
    dovetail.yield %a : tensor<2xf32>
  }
  return %0 : tensor<2xf32>
}
// CHECK-LABEL: func.func private @main.batch(%arg0: tensor<7xi32>, %arg1: tensor<2xf32>, %arg2: tensor<2xf32>) -> tensor<7x2xf32>
// CHECK-NEXT:    %[[CONSTANT:.+]] = dovetail.constant dense<1> : tensor<7xi32>
// CHECK-NEXT:    %[[COMPARE:.+]] = dovetail.compare gt %[[CONSTANT]], %arg0 : tensor<7xi32>
// CHECK-NEXT:    %[[BROADCAST:.+]] = dovetail.broadcast %arg1 dims [1] : tensor<2xf32> -> tensor<7x2xf32>
// CHECK-NEXT:    %[[BROADCAST_1:.+]] = dovetail.broadcast %[[COMPARE]] dims [0] : tensor<7xi1> -> tensor<7x2xi1>
// CHECK-NEXT:    %[[STOP_GRADIENT:.+]] = dovetail.stop_gradient %[[BROADCAST]] : tensor<7x2xf32>
// CHECK-NEXT:    %[[SELECT:.+]] = dovetail.select %[[BROADCAST_1]], %[[BROADCAST]], %[[STOP_GRADIENT]] : tensor<7x2xi1>, tensor<7x2xf32>
// CHECK-NEXT:    %[[EXP:.+]] = dovetail.exp %[[SELECT]] : tensor<7x2xf32>
// CHECK-NEXT:    %[[CONSTANT_1:.+]] = dovetail.constant dense<0> : tensor<7xi32>
// CHECK-NEXT:    %[[COMPARE_1:.+]] = dovetail.compare gt %arg0, %[[CONSTANT_1]] : tensor<7xi32>
// CHECK-NEXT:    %[[CONSTANT_2:.+]] = dovetail.constant dense<2> : tensor<7xi32>
// CHECK-NEXT:    %[[COMPARE_2:.+]] = dovetail.compare gt %[[CONSTANT_2]], %arg0 : tensor<7xi32>
// CHECK-NEXT:    %[[AND:.+]] = dovetail.and %[[COMPARE_1]], %[[COMPARE_2]] : tensor<7xi1>
// CHECK-NEXT:    %[[BROADCAST_2:.+]] = dovetail.broadcast %arg1 dims [1] : tensor<2xf32> -> tensor<7x2xf32>
// CHECK-NEXT:    %[[BROADCAST_3:.+]] = dovetail.broadcast %[[AND]] dims [0] : tensor<7xi1> -> tensor<7x2xi1>
// CHECK-NEXT:    %[[STOP_GRADIENT_1:.+]] = dovetail.stop_gradient %[[BROADCAST_2]] : tensor<7x2xf32>
// CHECK-NEXT:    %[[SELECT_1:.+]] = dovetail.select %[[BROADCAST_3]], %[[BROADCAST_2]], %[[STOP_GRADIENT_1]] : tensor<7x2xi1>, tensor<7x2xf32>
// CHECK-NEXT:    %[[SIN:.+]] = dovetail.sin %[[SELECT_1]] : tensor<7x2xf32>
// CHECK-NEXT:    %[[BROADCAST_4:.+]] = dovetail.broadcast %[[COMPARE_1]] dims [0] : tensor<7xi1> -> tensor<7x2xi1>
// CHECK-NEXT:    %[[SELECT_2:.+]] = dovetail.select %[[BROADCAST_4]], %[[SIN]], %[[EXP]] : tensor<7x2xi1>, tensor<7x2xf32>
// CHECK-NEXT:    %[[CONSTANT_3:.+]] = dovetail.constant dense<1> : tensor<7xi32>
// CHECK-NEXT:    %[[COMPARE_3:.+]] = dovetail.compare gt %arg0, %[[CONSTANT_3]] : tensor<7xi32>
// CHECK-NEXT:    %[[BROADCAST_5:.+]] = dovetail.broadcast %arg1 dims [1] : tensor<2xf32> -> tensor<7x2xf32>
// CHECK-NEXT:    %[[BROADCAST_6:.+]] = dovetail.broadcast %[[COMPARE_3]] dims [0] : tensor<7xi1> -> tensor<7x2xi1>
// CHECK-NEXT:    %[[STOP_GRADIENT_2:.+]] = dovetail.stop_gradient %[[BROADCAST_5]] : tensor<7x2xf32>
// CHECK-NEXT:    %[[SELECT_3:.+]] = dovetail.select %[[BROADCAST_6]], %[[BROADCAST_5]], %[[STOP_GRADIENT_2]] : tensor<7x2xi1>, tensor<7x2xf32>
// CHECK-NEXT:    %[[BROADCAST_7:.+]] = dovetail.broadcast %[[COMPARE_3]] dims [0] : tensor<7xi1> -> tensor<7x2xi1>
// CHECK-NEXT:    %[[SELECT_4:.+]] = dovetail.select %[[BROADCAST_7]], %[[SELECT_3]], %[[SELECT_2]] : tensor<7x2xi1>, tensor<7x2xf32>
// CHECK-NEXT:    return %[[SELECT_4]] : tensor<7x2xf32>

// -----

// As long as the longest run.
func.func @main(%n: tensor<i32>, %a: tensor<2xf32>, %k: tensor<2xf32>) -> tensor<?xf32> {
  %0 = dovetail.index %n : tensor<i32>
  %1 = dovetail.iota 0 sizes(%0) : tensor<?xf32>
  return %1 : tensor<?xf32>
}
// CHECK-LABEL: func.func private @main.batch(%arg0: tensor<7xi32>, %arg1: tensor<2xf32>, %arg2: tensor<2xf32>) -> tensor<?xf32>
// CHECK-NEXT:    %[[REDUCE_MAX:.+]] = dovetail.reduce_max %arg0 [0] : tensor<7xi32>
// CHECK-NEXT:    %[[INDEX:.+]] = dovetail.index %[[REDUCE_MAX]] : tensor<i32>
// CHECK-NEXT:    %[[IOTA:.+]] = dovetail.iota 0 sizes(%[[INDEX]]) : tensor<?xf32>
// CHECK-NEXT:    return %[[IOTA]] : tensor<?xf32>
