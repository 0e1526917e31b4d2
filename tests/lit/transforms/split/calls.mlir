// A call with some known arguments becomes two calls, made once for each callee.
// RUN: dovetail-opt %s --split-input-file --dovetail-split=unknown=1 | FileCheck %s

func.func private @inner(%arg0: tensor<2x3xf32>, %arg1: tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>) {
  %0 = dovetail.exp %arg0 : tensor<2x3xf32>
  %1 = dovetail.mul %0, %arg1 : tensor<2x3xf32>
  return %0, %1 : tensor<2x3xf32>, tensor<2x3xf32>
}

func.func @main(%arg0: tensor<2x3xf32>, %arg1: tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>) {
  %2:2 = dovetail.call @inner(%arg0, %arg1) : (tensor<2x3xf32>, tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>)
  %3:2 = dovetail.call @inner(%2#0, %arg1) : (tensor<2x3xf32>, tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>)
  %1 = dovetail.add %2#1, %3#1 : tensor<2x3xf32>
  %0 = dovetail.neg %3#0 : tensor<2x3xf32>
  return %0, %1 : tensor<2x3xf32>, tensor<2x3xf32>
}
// CHECK-LABEL: func.func private @inner(%arg0: tensor<2x3xf32>, %arg1: tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>)
// CHECK-NEXT:    %[[EXP:.+]] = dovetail.exp %arg0 : tensor<2x3xf32>
// CHECK-NEXT:    %[[MUL:.+]] = dovetail.mul %[[EXP]], %arg1 : tensor<2x3xf32>
// CHECK-NEXT:    return %[[EXP]], %[[MUL]] : tensor<2x3xf32>, tensor<2x3xf32>

// CHECK-LABEL: func.func private @inner.rest(%arg0: tensor<2x3xf32>, %arg1: tensor<2x3xf32>) -> tensor<2x3xf32>
// CHECK-NEXT:    %[[MUL:.+]] = dovetail.mul %arg0, %arg1 : tensor<2x3xf32>
// CHECK-NEXT:    return %[[MUL]] : tensor<2x3xf32>

// CHECK-LABEL: func.func private @inner.known(%arg0: tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>)
// CHECK-NEXT:    %[[EXP:.+]] = dovetail.exp %arg0 : tensor<2x3xf32>
// CHECK-NEXT:    return %[[EXP]], %[[EXP]] : tensor<2x3xf32>, tensor<2x3xf32>

// CHECK-LABEL: func.func @main(%arg0: tensor<2x3xf32>, %arg1: tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>)
// CHECK-NEXT:    %[[CALL:.+]]:2 = dovetail.call @inner(%arg0, %arg1) : (tensor<2x3xf32>, tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>)
// CHECK-NEXT:    %[[CALL_1:.+]]:2 = dovetail.call @inner(%[[CALL]]#0, %arg1) : (tensor<2x3xf32>, tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>)
// CHECK-NEXT:    %[[ADD:.+]] = dovetail.add %[[CALL]]#1, %[[CALL_1]]#1 : tensor<2x3xf32>
// CHECK-NEXT:    %[[NEG:.+]] = dovetail.neg %[[CALL_1]]#0 : tensor<2x3xf32>
// CHECK-NEXT:    return %[[NEG]], %[[ADD]] : tensor<2x3xf32>, tensor<2x3xf32>

// CHECK-LABEL: func.func private @main.rest(%arg0: tensor<2x3xf32>, %arg1: tensor<2x3xf32>, %arg2: tensor<2x3xf32>) -> tensor<2x3xf32>
// CHECK-NEXT:    %[[CALL:.+]] = dovetail.call @inner.rest(%arg0, %arg2) : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
// CHECK-NEXT:    %[[CALL_1:.+]] = dovetail.call @inner.rest(%arg1, %arg2) : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
// CHECK-NEXT:    %[[ADD:.+]] = dovetail.add %[[CALL]], %[[CALL_1]] : tensor<2x3xf32>
// CHECK-NEXT:    return %[[ADD]] : tensor<2x3xf32>

// CHECK-LABEL: func.func private @main.known(%arg0: tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>)
// CHECK-NEXT:    %[[CALL:.+]]:2 = dovetail.call @inner.known(%arg0) : (tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>)
// CHECK-NEXT:    %[[CALL_1:.+]]:2 = dovetail.call @inner.known(%[[CALL]]#0) : (tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>)
// CHECK-NEXT:    %[[NEG:.+]] = dovetail.neg %[[CALL_1]]#0 : tensor<2x3xf32>
// CHECK-NEXT:    return %[[NEG]], %[[CALL]]#1, %[[CALL_1]]#1 : tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>

// -----

func.func private @inner(%arg0: tensor<2x3xf32>, %arg1: tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>) {
  %0 = dovetail.exp %arg0 : tensor<2x3xf32>
  %1 = dovetail.mul %0, %arg1 : tensor<2x3xf32>
  return %0, %1 : tensor<2x3xf32>, tensor<2x3xf32>
}

func.func @main(%arg0: tensor<2x3xf32>, %arg1: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %2:2 = dovetail.call @inner(%arg0, %arg0) : (tensor<2x3xf32>, tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>)
  %3:2 = dovetail.call @inner(%arg1, %arg1) : (tensor<2x3xf32>, tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>)
  %0 = dovetail.mul %2#0, %3#1 : tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
// CHECK-LABEL: func.func private @inner(%arg0: tensor<2x3xf32>, %arg1: tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>)
// CHECK-NEXT:    %[[EXP:.+]] = dovetail.exp %arg0 : tensor<2x3xf32>
// CHECK-NEXT:    %[[MUL:.+]] = dovetail.mul %[[EXP]], %arg1 : tensor<2x3xf32>
// CHECK-NEXT:    return %[[EXP]], %[[MUL]] : tensor<2x3xf32>, tensor<2x3xf32>

// CHECK-LABEL: func.func @main(%arg0: tensor<2x3xf32>, %arg1: tensor<2x3xf32>) -> tensor<2x3xf32>
// CHECK-NEXT:    %[[CALL:.+]]:2 = dovetail.call @inner(%arg0, %arg0) : (tensor<2x3xf32>, tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>)
// CHECK-NEXT:    %[[CALL_1:.+]]:2 = dovetail.call @inner(%arg1, %arg1) : (tensor<2x3xf32>, tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>)
// CHECK-NEXT:    %[[MUL:.+]] = dovetail.mul %[[CALL]]#0, %[[CALL_1]]#1 : tensor<2x3xf32>
// CHECK-NEXT:    return %[[MUL]] : tensor<2x3xf32>

// CHECK-LABEL: func.func private @main.rest(%arg0: tensor<2x3xf32>, %arg1: tensor<2x3xf32>) -> tensor<2x3xf32>
// CHECK-NEXT:    %[[CALL:.+]]:2 = dovetail.call @inner(%arg1, %arg1) : (tensor<2x3xf32>, tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>)
// CHECK-NEXT:    %[[MUL:.+]] = dovetail.mul %arg0, %[[CALL]]#1 : tensor<2x3xf32>
// CHECK-NEXT:    return %[[MUL]] : tensor<2x3xf32>

// CHECK-LABEL: func.func private @main.known(%arg0: tensor<2x3xf32>) -> tensor<2x3xf32>
// CHECK-NEXT:    %[[CALL:.+]]:2 = dovetail.call @inner(%arg0, %arg0) : (tensor<2x3xf32>, tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>)
// CHECK-NEXT:    return %[[CALL]]#0 : tensor<2x3xf32>
