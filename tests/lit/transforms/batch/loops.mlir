// Loops over a batch: what does not depend on it stays without it.
// RUN: dovetail-opt %s --split-input-file --dovetail-batch='dims=1,-1,-1 size=7' | FileCheck %s

// The first carry and the constant have no batch; slices move their batch behind the steps; the second carry has one
// from the second step on, so from the start.
func.func @main(%xs: tensor<4x2xf32>, %a: tensor<2xf32>, %k: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>, tensor<4x2xf32>, tensor<4x2xf32>) {
  %0:4 = dovetail.scan length 4 init(%a, %a) over(%xs) consts(%k) : (tensor<2xf32>, tensor<2xf32>, tensor<4x2xf32>, tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>, tensor<4x2xf32>, tensor<4x2xf32>) {
  ^bb0(%c: tensor<2xf32>, %d: tensor<2xf32>, %x: tensor<2xf32>, %f: tensor<2xf32>):
    %1 = dovetail.mul %c, %f : tensor<2xf32>
    %2 = dovetail.add %d, %x : tensor<2xf32>
    dovetail.yield %1, %2, %1, %x : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>
  }
  return %0#0, %0#1, %0#2, %0#3 : tensor<2xf32>, tensor<2xf32>, tensor<4x2xf32>, tensor<4x2xf32>
}
// CHECK-LABEL: func.func private @main.batch(%arg0: tensor<4x7x2xf32>, %arg1: tensor<2xf32>, %arg2: tensor<2xf32>) -> (tensor<2xf32>, tensor<7x2xf32>, tensor<4x2xf32>, tensor<4x7x2xf32>)
// CHECK-NEXT:    %[[BROADCAST:.+]] = dovetail.broadcast %arg1 dims [1] : tensor<2xf32> -> tensor<7x2xf32>
// CHECK-NEXT:    %[[SCAN:.+]]:4 = dovetail.scan length 4 init(%arg1, %[[BROADCAST]]) over(%arg0) consts(%arg2) : (tensor<2xf32>, tensor<7x2xf32>, tensor<4x7x2xf32>, tensor<2xf32>) -> (tensor<2xf32>, tensor<7x2xf32>, tensor<4x2xf32>, tensor<4x7x2xf32>) {
// CHECK-NEXT:    ^bb0(%arg3: tensor<2xf32>, %arg4: tensor<7x2xf32>, %arg5: tensor<7x2xf32>, %arg6: tensor<2xf32>):
// CHECK-NEXT:      %[[MUL:.+]] = dovetail.mul %arg3, %arg6 : tensor<2xf32>
// CHECK-NEXT:      %[[ADD:.+]] = dovetail.add %arg4, %arg5 : tensor<7x2xf32>
// CHECK-NEXT:      dovetail.yield %[[MUL]], %[[ADD]], %[[MUL]], %arg5 : tensor<2xf32>, tensor<7x2xf32>, tensor<2xf32>, tensor<7x2xf32>
// CHECK-NEXT:    }
// CHECK-NEXT:    return %[[SCAN]]#0, %[[SCAN]]#1, %[[SCAN]]#2, %[[SCAN]]#3 : tensor<2xf32>, tensor<7x2xf32>, tensor<4x2xf32>, tensor<4x7x2xf32>

// -----

// The number of steps has no batch: it stays a number.
func.func @main(%x: tensor<2xf32>, %n: tensor<i32>, %k: tensor<2xf32>) -> tensor<2xf32> {
  %0 = dovetail.scan length -1 count %n init(%x) over() consts(%k) : (tensor<2xf32>, tensor<2xf32>, tensor<i32>) -> tensor<2xf32> {
  ^bb0(%c: tensor<2xf32>, %f: tensor<2xf32>):
    %1 = dovetail.mul %c, %c : tensor<2xf32>
    dovetail.yield %1 : tensor<2xf32>
  }
  return %0 : tensor<2xf32>
}
// CHECK-LABEL: func.func private @main.batch(%arg0: tensor<2x7xf32>, %arg1: tensor<i32>, %arg2: tensor<2xf32>) -> tensor<7x2xf32>
// CHECK-NEXT:    %[[TRANSPOSE:.+]] = dovetail.transpose %arg0 [1, 0] : tensor<2x7xf32>
// CHECK-NEXT:    %[[SCAN:.+]] = dovetail.scan length -1 count %arg1 init(%[[TRANSPOSE]]) over() consts(%arg2) : (tensor<7x2xf32>, tensor<2xf32>, tensor<i32>) -> tensor<7x2xf32> {
// CHECK-NEXT:    ^bb0(%arg3: tensor<7x2xf32>, %arg4: tensor<2xf32>):
// CHECK-NEXT:      %[[MUL:.+]] = dovetail.mul %arg3, %arg3 : tensor<7x2xf32>
// CHECK-NEXT:      dovetail.yield %[[MUL]] : tensor<7x2xf32>
// CHECK-NEXT:    }
// CHECK-NEXT:    return %[[SCAN]] : tensor<7x2xf32>

// -----

// The predicate has no batch: it stays a bool.
func.func @main(%x: tensor<2xf32>, %n: tensor<i32>, %k: tensor<i32>) -> (tensor<2xf32>, tensor<i32>) {
  %0:2 = dovetail.while init(%x, %n) consts(%k) : (tensor<2xf32>, tensor<i32>, tensor<i32>) -> (tensor<2xf32>, tensor<i32>) {
  ^bb0(%c: tensor<2xf32>, %i: tensor<i32>, %end: tensor<i32>):
    %1 = dovetail.compare lt %i, %end : tensor<i32>
    dovetail.yield %1 : tensor<i1>
  } do {
  ^bb0(%c: tensor<2xf32>, %i: tensor<i32>, %end: tensor<i32>):
    %1 = dovetail.mul %c, %c : tensor<2xf32>
    %2 = dovetail.add %i, %i : tensor<i32>
    dovetail.yield %1, %2 : tensor<2xf32>, tensor<i32>
  }
  return %0#0, %0#1 : tensor<2xf32>, tensor<i32>
}
// CHECK-LABEL: func.func private @main.batch(%arg0: tensor<2x7xf32>, %arg1: tensor<i32>, %arg2: tensor<i32>) -> (tensor<7x2xf32>, tensor<i32>)
// CHECK-NEXT:    %[[TRANSPOSE:.+]] = dovetail.transpose %arg0 [1, 0] : tensor<2x7xf32>
// CHECK-NEXT:    %[[WHILE:.+]]:2 = dovetail.while init(%[[TRANSPOSE]], %arg1) consts(%arg2) : (tensor<7x2xf32>, tensor<i32>, tensor<i32>) -> (tensor<7x2xf32>, tensor<i32>) {
// CHECK-NEXT:    ^bb0(%arg3: tensor<7x2xf32>, %arg4: tensor<i32>, %arg5: tensor<i32>):
// CHECK-NEXT:      %[[COMPARE:.+]] = dovetail.compare lt %arg4, %arg5 : tensor<i32>
// CHECK-NEXT:      dovetail.yield %[[COMPARE]] : tensor<i1>
// CHECK-NEXT:    } do {
// CHECK-NEXT:    ^bb0(%arg3: tensor<7x2xf32>, %arg4: tensor<i32>, %arg5: tensor<i32>):
// CHECK-NEXT:      %[[MUL:.+]] = dovetail.mul %arg3, %arg3 : tensor<7x2xf32>
// CHECK-NEXT:      %[[ADD:.+]] = dovetail.add %arg4, %arg4 : tensor<i32>
// CHECK-NEXT:      dovetail.yield %[[MUL]], %[[ADD]] : tensor<7x2xf32>, tensor<i32>
// CHECK-NEXT:    }
// CHECK-NEXT:    return %[[WHILE]]#0, %[[WHILE]]#1 : tensor<7x2xf32>, tensor<i32>

// -----

// The number of the branch has no batch: it stays a choice. Results have a batch where they have one in some branch.
func.func @main(%x: tensor<2xf32>, %i: tensor<i32>, %k: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
  %0:2 = dovetail.case %i of(%x, %k) : (tensor<i32>, tensor<2xf32>, tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
  ^bb0(%a: tensor<2xf32>, %b: tensor<2xf32>):
    %1 = dovetail.exp %b : tensor<2xf32>
    dovetail.yield %a, %1 : tensor<2xf32>, tensor<2xf32>
  }, {
  ^bb0(%a: tensor<2xf32>, %b: tensor<2xf32>):
    dovetail.yield %b, %b : tensor<2xf32>, tensor<2xf32>
  }
  return %0#0, %0#1 : tensor<2xf32>, tensor<2xf32>
}
// CHECK-LABEL: func.func private @main.batch(%arg0: tensor<2x7xf32>, %arg1: tensor<i32>, %arg2: tensor<2xf32>) -> (tensor<2x7xf32>, tensor<2xf32>)
// CHECK-NEXT:    %[[CASE:.+]]:2 = dovetail.case %arg1 of(%arg0, %arg2) : (tensor<i32>, tensor<2x7xf32>, tensor<2xf32>) -> (tensor<2x7xf32>, tensor<2xf32>) {
// CHECK-NEXT:    ^bb0(%arg3: tensor<2x7xf32>, %arg4: tensor<2xf32>):
// CHECK-NEXT:      %[[EXP:.+]] = dovetail.exp %arg4 : tensor<2xf32>
// CHECK-NEXT:      dovetail.yield %arg3, %[[EXP]] : tensor<2x7xf32>, tensor<2xf32>
// CHECK-NEXT:    }, {
// CHECK-NEXT:    ^bb0(%arg3: tensor<2x7xf32>, %arg4: tensor<2xf32>):
// CHECK-NEXT:      %[[BROADCAST:.+]] = dovetail.broadcast %arg4 dims [0] : tensor<2xf32> -> tensor<2x7xf32>
// CHECK-NEXT:      dovetail.yield %[[BROADCAST]], %arg4 : tensor<2x7xf32>, tensor<2xf32>
// CHECK-NEXT:    }
// CHECK-NEXT:    return %[[CASE]]#0, %[[CASE]]#1 : tensor<2x7xf32>, tensor<2xf32>
