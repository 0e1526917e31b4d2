// What is known is computed once, and what the rest needs of it again, but for what the policy saves.
// RUN: dovetail-opt %s --split-input-file --dovetail-split="unknown=1" | FileCheck %s

// Nothing is kept but the argument.
func.func private @f(%x: tensor<2x2xf32>, %t: tensor<2x2xf32>) -> (tensor<2x2xf32>, tensor<2x2xf32>) {
  %0 = dovetail.dot_general %x, %x batch [] x [] contract [1] x [0] : tensor<2x2xf32>, tensor<2x2xf32>
  %1 = dovetail.dot_general %0, %x batch [] x [] contract [1] x [0] : tensor<2x2xf32>, tensor<2x2xf32>
  %2 = dovetail.mul %1, %t : tensor<2x2xf32>
  return %0, %2 : tensor<2x2xf32>, tensor<2x2xf32>
}

// CHECK-LABEL: func.func private @main.rest(
// CHECK-SAME:    %[[X:.+]]: tensor<2x2xf32>, %[[T:.+]]: tensor<2x2xf32>)
// CHECK-NEXT:    %[[OUT:.+]] = dovetail.checkpoint @f.rest(%[[X]], %[[T]]) {recomputes = true}
// CHECK-NEXT:    return %[[OUT]]
// CHECK-LABEL: func.func private @main.known(
// CHECK-SAME:    %[[X:.+]]: tensor<2x2xf32>)
// CHECK-NEXT:    %[[OUT:.+]] = dovetail.checkpoint @f.known(%[[X]]) : (tensor<2x2xf32>) -> tensor<2x2xf32>
// CHECK-NEXT:    return %[[OUT]], %[[X]]
func.func @main(%x: tensor<2x2xf32>, %t: tensor<2x2xf32>) -> (tensor<2x2xf32>, tensor<2x2xf32>) {
  %0:2 = dovetail.checkpoint @f(%x, %t) : (tensor<2x2xf32>, tensor<2x2xf32>) -> (tensor<2x2xf32>, tensor<2x2xf32>)
  return %0#0, %0#1 : tensor<2x2xf32>, tensor<2x2xf32>
}

// -----

// What is saved comes from the known part; policies look into calls.
func.func private @product(%x: tensor<2x2xf32>) -> tensor<2x2xf32> {
  %0 = dovetail.dot_general %x, %x batch [] x [] contract [1] x [0] : tensor<2x2xf32>, tensor<2x2xf32>
  return %0 : tensor<2x2xf32>
}
func.func private @f(%x: tensor<2x2xf32>, %t: tensor<2x2xf32>) -> tensor<2x2xf32> {
  %0 = dovetail.call @product(%x) : (tensor<2x2xf32>) -> tensor<2x2xf32>
  %1 = dovetail.cumsum %0, 0 : tensor<2x2xf32>
  %2 = dovetail.mul %1, %t : tensor<2x2xf32>
  return %2 : tensor<2x2xf32>
}

// CHECK-LABEL: func.func private @f.rest(
// CHECK-SAME:    %[[DOT:.+]]: tensor<2x2xf32>, %[[T:.+]]: tensor<2x2xf32>)
// CHECK-NEXT:    %[[SUM:.+]] = dovetail.cumsum %[[DOT]]
// CHECK-NEXT:    %[[MUL:.+]] = dovetail.mul %[[SUM]], %[[T]]
// CHECK-NEXT:    return %[[MUL]]
// CHECK-LABEL: func.func private @f.known(
// CHECK-NEXT:    %[[DOT:.+]] = dovetail.dot_general
// CHECK:         return %[[DOT]]
// CHECK-LABEL: func.func private @main.rest(
// CHECK:         dovetail.checkpoint @f.rest saving {{\[\["unbatched_dot"\]\]}}(%arg0, %arg1) {recomputes = true}
// CHECK-LABEL: func.func private @main.known(
// CHECK:         dovetail.checkpoint @f.known saving {{\[\["unbatched_dot"\]\]}}(%arg0)
func.func @main(%x: tensor<2x2xf32>, %t: tensor<2x2xf32>) -> tensor<2x2xf32> {
  %0 = dovetail.checkpoint @f saving [["unbatched_dot"]](%x, %t) : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  return %0 : tensor<2x2xf32>
}

// -----

// With nothing to compute again there is no checkpoint.
func.func private @f(%x: tensor<2xf32>, %t: tensor<2xf32>) -> tensor<2xf32> {
  %0 = dovetail.cumsum %x, 0 : tensor<2xf32>
  %1 = dovetail.name %0 "sum" : tensor<2xf32>
  %2 = dovetail.mul %1, %t : tensor<2xf32>
  return %2 : tensor<2xf32>
}

// CHECK-LABEL: func.func private @main.rest(
// CHECK-NEXT:    dovetail.call @f.rest(%arg0, %arg1)
func.func @main(%x: tensor<2xf32>, %t: tensor<2xf32>) -> tensor<2xf32> {
  %0 = dovetail.checkpoint @f saving [["named", "sum"]](%x, %t) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// -----

// Results of ops by their mnemonics.
func.func private @f(%x: tensor<2xf32>, %t: tensor<2xf32>) -> tensor<2xf32> {
  %0 = dovetail.sin %x : tensor<2xf32>
  %1 = dovetail.cos %0 : tensor<2xf32>
  %2 = dovetail.mul %1, %t : tensor<2xf32>
  return %2 : tensor<2xf32>
}

// CHECK-LABEL: func.func private @f.rest(
// CHECK-SAME:    %[[SIN:.+]]: tensor<2xf32>, %[[T:.+]]: tensor<2xf32>)
// CHECK-NEXT:    %[[COS:.+]] = dovetail.cos %[[SIN]]
// CHECK-NEXT:    dovetail.mul %[[COS]], %[[T]]
func.func @main(%x: tensor<2xf32>, %t: tensor<2xf32>) -> tensor<2xf32> {
  %0 = dovetail.checkpoint @f saving [["op", "sin", "exp"]](%x, %t) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
