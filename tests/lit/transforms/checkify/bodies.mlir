// The failure goes through loops, branches and calls.
// RUN: dovetail-opt %s --split-input-file --dovetail-checkify=kinds=div | FileCheck %s

func.func @main(%x: tensor<f32>, %xs: tensor<3xf32>) -> tensor<f32> {
  %0 = dovetail.scan length 3 init(%x) over(%xs) consts() : (tensor<f32>, tensor<3xf32>) -> tensor<f32> {
  ^bb0(%c: tensor<f32>, %y: tensor<f32>):
    %1 = dovetail.div %c, %y : tensor<f32>
    dovetail.yield %1 : tensor<f32>
  }
  return %0 : tensor<f32>
}
// CHECK-LABEL: func.func private @main.checked(%arg0: tensor<f32>, %arg1: tensor<3xf32>, %arg2: tensor<1xi32>)
// CHECK-NEXT:    %[[LOOP:.*]]:2 = dovetail.scan length 3 init(%arg0, %arg2) over(%arg1)
// CHECK-NEXT:    ^bb0(%{{.*}}: tensor<f32>, %[[BEFORE:.*]]: tensor<1xi32>, %{{.*}}: tensor<f32>):
// CHECK:           %[[AFTER:.*]] = dovetail.select %{{.*}}, %{{.*}}, %[[BEFORE]]
// CHECK-NEXT:      dovetail.yield %{{.*}}, %[[AFTER]]
// CHECK:         return %[[LOOP]]#0, %[[LOOP]]#1

// -----

// A predicate that can fail is computed before the loop and at the end of its body.
func.func @main(%x: tensor<f32>) -> tensor<f32> {
  %0 = dovetail.while init(%x) consts() : (tensor<f32>) -> tensor<f32> {
  ^bb0(%c: tensor<f32>):
    %1 = dovetail.div %c, %c : tensor<f32>
    %2 = dovetail.is_finite %1 : tensor<f32>
    dovetail.yield %2 : tensor<i1>
  } do {
  ^bb0(%c: tensor<f32>):
    %1 = dovetail.sin %c : tensor<f32>
    dovetail.yield %1 : tensor<f32>
  }
  return %0 : tensor<f32>
}
// CHECK-LABEL: func.func private @main.checked(
// CHECK-NEXT:    dovetail.div %arg0, %arg0
// CHECK:         %[[RUNS:.*]] = dovetail.is_finite
// CHECK:         %[[FIRST:.*]] = dovetail.select %{{.*}}, %{{.*}}, %arg1
// CHECK:         dovetail.while init(%arg0, %[[RUNS]], %[[FIRST]])
// CHECK-NEXT:    ^bb0(%{{.*}}: tensor<f32>, %[[P:.*]]: tensor<i1>, %{{.*}}: tensor<1xi32>):
// CHECK-NEXT:      dovetail.yield %[[P]]
// CHECK:           %[[X:.*]] = dovetail.sin
// CHECK-NEXT:      dovetail.div %[[X]], %[[X]]
// CHECK:           %[[AGAIN:.*]] = dovetail.is_finite
// CHECK:           dovetail.yield %[[X]], %[[AGAIN]], %{{.*}} : tensor<f32>, tensor<i1>, tensor<1xi32>

// -----

// A predicate that cannot stays as it is.
func.func @main(%x: tensor<f32>, %y: tensor<f32>) -> tensor<f32> {
  %0 = dovetail.while init(%x) consts(%y) : (tensor<f32>, tensor<f32>) -> tensor<f32> {
  ^bb0(%c: tensor<f32>, %d: tensor<f32>):
    %2 = dovetail.is_finite %c : tensor<f32>
    dovetail.yield %2 : tensor<i1>
  } do {
  ^bb0(%c: tensor<f32>, %d: tensor<f32>):
    %1 = dovetail.div %c, %d : tensor<f32>
    dovetail.yield %1 : tensor<f32>
  }
  return %0 : tensor<f32>
}
// CHECK-LABEL: func.func private @main.checked(
// CHECK-NEXT:    dovetail.while init(%arg0, %arg2) consts(%arg1)
// CHECK-NEXT:    ^bb0(%[[C:.*]]: tensor<f32>, %{{.*}}: tensor<1xi32>, %{{.*}}: tensor<f32>):
// CHECK-NEXT:      dovetail.is_finite %[[C]]

// -----

// Calls take the failure; a function with a rule is called as before, and besides for its failure.
func.func private @f(%x: tensor<f32>) -> tensor<f32> {
  %0 = dovetail.div %x, %x : tensor<f32>
  return %0 : tensor<f32>
}
func.func private @rule(%x: tensor<f32>, %t: tensor<f32>) -> (tensor<f32>, tensor<f32>) {
  return %x, %t : tensor<f32>, tensor<f32>
}
func.func @main(%x: tensor<f32>) -> tensor<f32> {
  %0 = dovetail.call @f(%x) : (tensor<f32>) -> tensor<f32>
  %1 = dovetail.custom_jvp @f rule @rule(%0) : (tensor<f32>) -> tensor<f32>
  return %1 : tensor<f32>
}
// CHECK-LABEL: func.func private @main.checked(
// CHECK-NEXT:    %[[CALL:.*]]:2 = dovetail.call @f.checked(%arg0, %arg1)
// CHECK-NEXT:    %[[BESIDES:.*]]:2 = dovetail.call @f.checked(%[[CALL]]#0, %[[CALL]]#1)
// CHECK-NEXT:    %[[RESULT:.*]] = dovetail.custom_jvp @f rule @rule(%[[CALL]]#0)
// CHECK-NEXT:    return %[[RESULT]], %[[BESIDES]]#1

// -----

// A function without failures is not touched.
func.func private @g(%x: tensor<f32>) -> tensor<f32> {
  %0 = dovetail.sin %x : tensor<f32>
  return %0 : tensor<f32>
}
func.func @main(%x: tensor<f32>) -> tensor<f32> {
  %0 = dovetail.call @g(%x) : (tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}
// CHECK-LABEL: func.func private @main.checked(
// CHECK-NEXT:    %[[RESULT:.*]] = dovetail.call @g(%arg0)
// CHECK-NEXT:    return %[[RESULT]], %arg1
