// Loops that run as long as a predicate holds: counted with what is known, then a loop of as many steps.
// RUN: dovetail-opt %s --split-input-file --dovetail-split=unknown=1 | FileCheck %s

func.func @main(%p: tensor<f32>, %t: tensor<f32>, %k: tensor<f32>) -> (tensor<f32>, tensor<f32>) {
  %0:2 = dovetail.while init(%p, %t) consts(%k) : (tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<f32>) {
  ^bb0(%c: tensor<f32>, %d: tensor<f32>, %bound: tensor<f32>):
    %1 = dovetail.compare lt %c, %bound : tensor<f32>
    dovetail.yield %1 : tensor<i1>
  } do {
  ^bb0(%c: tensor<f32>, %d: tensor<f32>, %bound: tensor<f32>):
    %1 = dovetail.exp %c : tensor<f32>
    %2 = dovetail.mul %d, %1 : tensor<f32>
    dovetail.yield %1, %2 : tensor<f32>, tensor<f32>
  }
  return %0#0, %0#1 : tensor<f32>, tensor<f32>
}
// CHECK-LABEL: func.func private @main.rest(%arg0: tensor<?xf32>, %arg1: tensor<i32>, %arg2: tensor<f32>) -> tensor<f32>
// CHECK-NEXT:    %[[SCAN:.+]] = dovetail.scan length -1 count %arg1 init(%arg2) over(%arg0) consts() : (tensor<f32>, tensor<?xf32>, tensor<i32>) -> tensor<f32> {
// CHECK-NEXT:    ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
// CHECK-NEXT:      %[[MUL:.+]] = dovetail.mul %arg3, %arg4 : tensor<f32>
// CHECK-NEXT:      dovetail.yield %[[MUL]] : tensor<f32>
// CHECK-NEXT:    }
// CHECK-NEXT:    return %[[SCAN]] : tensor<f32>

// CHECK-LABEL: func.func private @main.known(%arg0: tensor<f32>, %arg1: tensor<f32>) -> (tensor<f32>, tensor<?xf32>, tensor<i32>)
// CHECK-NEXT:    %[[CONSTANT:.+]] = dovetail.constant dense<0> : tensor<i32>
// CHECK-NEXT:    %[[WHILE:.+]]:2 = dovetail.while init(%arg0, %[[CONSTANT]]) consts(%arg1) : (tensor<f32>, tensor<i32>, tensor<f32>) -> (tensor<f32>, tensor<i32>) {
// CHECK-NEXT:    ^bb0(%arg2: tensor<f32>, %arg3: tensor<i32>, %arg4: tensor<f32>):
// CHECK-NEXT:      %[[COMPARE:.+]] = dovetail.compare lt %arg2, %arg4 : tensor<f32>
// CHECK-NEXT:      dovetail.yield %[[COMPARE]] : tensor<i1>
// CHECK-NEXT:    } do {
// CHECK-NEXT:    ^bb0(%arg2: tensor<f32>, %arg3: tensor<i32>, %arg4: tensor<f32>):
// CHECK-NEXT:      %[[EXP:.+]] = dovetail.exp %arg2 : tensor<f32>
// CHECK-NEXT:      %[[CONSTANT_1:.+]] = dovetail.constant dense<1> : tensor<i32>
// CHECK-NEXT:      %[[ADD:.+]] = dovetail.add %arg3, %[[CONSTANT_1]] : tensor<i32>
// CHECK-NEXT:      dovetail.yield %[[EXP]], %[[ADD]] : tensor<f32>, tensor<i32>
// CHECK-NEXT:    }
// CHECK-NEXT:    %[[SCAN:.+]]:2 = dovetail.scan length -1 count %[[WHILE]]#1 init(%arg0) over() consts(%arg1) : (tensor<f32>, tensor<f32>, tensor<i32>) -> (tensor<f32>, tensor<?xf32>) {
// CHECK-NEXT:    ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
// CHECK-NEXT:      %[[EXP_1:.+]] = dovetail.exp %arg2 : tensor<f32>
// CHECK-NEXT:      dovetail.yield %[[EXP_1]], %[[EXP_1]] : tensor<f32>, tensor<f32>
// CHECK-NEXT:    }
// CHECK-NEXT:    return %[[WHILE]]#0, %[[SCAN]]#1, %[[WHILE]]#1 : tensor<f32>, tensor<?xf32>, tensor<i32>

// -----

// How often it runs is unknown: it stays whole.
func.func @main(%k: tensor<f32>, %a: tensor<f32>) -> tensor<f32> {
  %0 = dovetail.while init(%a) consts(%k) : (tensor<f32>, tensor<f32>) -> tensor<f32> {
  ^bb0(%c: tensor<f32>, %bound: tensor<f32>):
    %1 = dovetail.compare lt %c, %bound : tensor<f32>
    dovetail.yield %1 : tensor<i1>
  } do {
  ^bb0(%c: tensor<f32>, %bound: tensor<f32>):
    %1 = dovetail.exp %c : tensor<f32>
    dovetail.yield %1 : tensor<f32>
  }
  return %0 : tensor<f32>
}
// CHECK-LABEL: func.func private @main.rest(%arg0: tensor<f32>, %arg1: tensor<f32>) -> tensor<f32>
// CHECK-NEXT:    %[[WHILE:.+]] = dovetail.while init(%arg1) consts(%arg0) : (tensor<f32>, tensor<f32>) -> tensor<f32> {
// CHECK-NEXT:    ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
// CHECK-NEXT:      %[[COMPARE:.+]] = dovetail.compare lt %arg2, %arg3 : tensor<f32>
// CHECK-NEXT:      dovetail.yield %[[COMPARE]] : tensor<i1>
// CHECK-NEXT:    } do {
// CHECK-NEXT:    ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
// CHECK-NEXT:      %[[EXP:.+]] = dovetail.exp %arg2 : tensor<f32>
// CHECK-NEXT:      dovetail.yield %[[EXP]] : tensor<f32>
// CHECK-NEXT:    }
// CHECK-NEXT:    return %[[WHILE]] : tensor<f32>

// CHECK-LABEL: func.func private @main.known(%arg0: tensor<f32>) -> tensor<f32>
// CHECK-NEXT:    return %arg0 : tensor<f32>
