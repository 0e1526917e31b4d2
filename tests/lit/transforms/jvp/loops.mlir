// Tangents of loops: carried where a carry has one at some step, absent elsewhere.
// RUN: dovetail-opt %s --split-input-file --dovetail-jvp=wrt=0 | FileCheck %s

// A constant's tangent reaches the first carry, from there the second, and never the third.
func.func @main(%k: tensor<f32>, %a: tensor<f32>, %b: tensor<f32>, %n: tensor<i32>) -> (tensor<f32>, tensor<f32>, tensor<i32>) {
  %0:3 = dovetail.scan length 4 init(%a, %b, %n) over() consts(%k) : (tensor<f32>, tensor<f32>, tensor<i32>, tensor<f32>) -> (tensor<f32>, tensor<f32>, tensor<i32>) {
  ^bb0(%x: tensor<f32>, %y: tensor<f32>, %i: tensor<i32>, %c: tensor<f32>):
    %1 = dovetail.mul %x, %c : tensor<f32>
    %2 = dovetail.add %x, %y : tensor<f32>
    %3 = dovetail.neg %i : tensor<i32>
    dovetail.yield %1, %2, %3 : tensor<f32>, tensor<f32>, tensor<i32>
  }
  return %0#0, %0#1, %0#2 : tensor<f32>, tensor<f32>, tensor<i32>
}
// CHECK-LABEL: func.func private @main.jvp(%arg0: tensor<f32>, %arg1: tensor<f32>, %arg2: tensor<f32>, %arg3: tensor<i32>, %arg4: tensor<f32>) -> (tensor<f32>, tensor<f32>, tensor<i32>, tensor<f32>, tensor<f32>)
// CHECK-NEXT:    %[[CONSTANT:.+]] = dovetail.constant dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT:    %[[CONSTANT_1:.+]] = dovetail.constant dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT:    %[[SCAN:.+]]:5 = dovetail.scan length 4 init(%arg1, %arg2, %arg3, %[[CONSTANT]], %[[CONSTANT_1]]) over() consts(%arg0, %arg4) : (tensor<f32>, tensor<f32>, tensor<i32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<f32>, tensor<i32>, tensor<f32>, tensor<f32>) {
// CHECK-NEXT:    ^bb0(%arg5: tensor<f32>, %arg6: tensor<f32>, %arg7: tensor<i32>, %arg8: tensor<f32>, %arg9: tensor<f32>, %arg10: tensor<f32>, %arg11: tensor<f32>):
// CHECK-NEXT:      %[[MUL:.+]] = dovetail.mul %arg5, %arg10 : tensor<f32>
// CHECK-NEXT:      %[[MUL_1:.+]] = dovetail.mul %arg8, %arg10 : tensor<f32>
// CHECK-NEXT:      %[[MUL_2:.+]] = dovetail.mul %arg5, %arg11 : tensor<f32>
// CHECK-NEXT:      %[[ADD:.+]] = dovetail.add %[[MUL_1]], %[[MUL_2]] : tensor<f32>
// CHECK-NEXT:      %[[ADD_1:.+]] = dovetail.add %arg5, %arg6 : tensor<f32>
// CHECK-NEXT:      %[[ADD_2:.+]] = dovetail.add %arg8, %arg9 : tensor<f32>
// CHECK-NEXT:      %[[NEG:.+]] = dovetail.neg %arg7 : tensor<i32>
// CHECK-NEXT:      dovetail.yield %[[MUL]], %[[ADD_1]], %[[NEG]], %[[ADD]], %[[ADD_2]] : tensor<f32>, tensor<f32>, tensor<i32>, tensor<f32>, tensor<f32>
// CHECK-NEXT:    }
// CHECK-NEXT:    return %[[SCAN]]#0, %[[SCAN]]#1, %[[SCAN]]#2, %[[SCAN]]#3, %[[SCAN]]#4 : tensor<f32>, tensor<f32>, tensor<i32>, tensor<f32>, tensor<f32>

// -----

// Slices have tangents, the carry has none; of the stacked results, only one has.
func.func @main(%xs: tensor<4x2xf32>, %a: tensor<2xf32>) -> (tensor<2xf32>, tensor<4x2xf32>, tensor<4x2xf32>) {
  %0:3 = dovetail.scan length 4 init(%a) over(%xs) consts() {reverse = true} : (tensor<2xf32>, tensor<4x2xf32>) -> (tensor<2xf32>, tensor<4x2xf32>, tensor<4x2xf32>) {
  ^bb0(%c: tensor<2xf32>, %x: tensor<2xf32>):
    %1 = dovetail.exp %c : tensor<2xf32>
    %2 = dovetail.mul %x, %1 : tensor<2xf32>
    dovetail.yield %1, %2, %c : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>
  }
  return %0#0, %0#1, %0#2 : tensor<2xf32>, tensor<4x2xf32>, tensor<4x2xf32>
}
// CHECK-LABEL: func.func private @main.jvp(%arg0: tensor<4x2xf32>, %arg1: tensor<2xf32>, %arg2: tensor<4x2xf32>) -> (tensor<2xf32>, tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x2xf32>)
// CHECK-NEXT:    %[[SCAN:.+]]:4 = dovetail.scan length 4 init(%arg1) over(%arg0, %arg2) consts() {reverse = true} : (tensor<2xf32>, tensor<4x2xf32>, tensor<4x2xf32>) -> (tensor<2xf32>, tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x2xf32>) {
// CHECK-NEXT:    ^bb0(%arg3: tensor<2xf32>, %arg4: tensor<2xf32>, %arg5: tensor<2xf32>):
// CHECK-NEXT:      %[[EXP:.+]] = dovetail.exp %arg3 : tensor<2xf32>
// CHECK-NEXT:      %[[MUL:.+]] = dovetail.mul %arg4, %[[EXP]] : tensor<2xf32>
// CHECK-NEXT:      %[[MUL_1:.+]] = dovetail.mul %arg5, %[[EXP]] : tensor<2xf32>
// CHECK-NEXT:      dovetail.yield %[[EXP]], %[[MUL]], %arg3, %[[MUL_1]] : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>
// CHECK-NEXT:    }
// CHECK-NEXT:    return %[[SCAN]]#0, %[[SCAN]]#1, %[[SCAN]]#2, %[[SCAN]]#3 : tensor<2xf32>, tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x2xf32>

// -----

// A carry whose next value has no tangent has one at the first step, then zero.
func.func @main(%a: tensor<f32>) -> (tensor<f32>, tensor<4xf32>) {
  %0:2 = dovetail.scan length 4 init(%a) over() consts() : (tensor<f32>) -> (tensor<f32>, tensor<4xf32>) {
  ^bb0(%c: tensor<f32>):
    %1 = dovetail.stop_gradient %c : tensor<f32>
    dovetail.yield %1, %c : tensor<f32>, tensor<f32>
  }
  return %0#0, %0#1 : tensor<f32>, tensor<4xf32>
}
// CHECK-LABEL: func.func private @main.jvp(%arg0: tensor<f32>, %arg1: tensor<f32>) -> (tensor<f32>, tensor<4xf32>, tensor<f32>, tensor<4xf32>)
// CHECK-NEXT:    %[[SCAN:.+]]:4 = dovetail.scan length 4 init(%arg0, %arg1) over() consts() : (tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<f32>, tensor<4xf32>, tensor<4xf32>) {
// CHECK-NEXT:    ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
// CHECK-NEXT:      %[[STOP_GRADIENT:.+]] = dovetail.stop_gradient %arg2 : tensor<f32>
// CHECK-NEXT:      %[[CONSTANT:.+]] = dovetail.constant dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT:      dovetail.yield %[[STOP_GRADIENT]], %[[CONSTANT]], %arg2, %arg3 : tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>
// CHECK-NEXT:    }
// CHECK-NEXT:    return %[[SCAN]]#0, %[[SCAN]]#2, %[[SCAN]]#1, %[[SCAN]]#3 : tensor<f32>, tensor<4xf32>, tensor<f32>, tensor<4xf32>

// -----

// Nothing of the loop depends on the argument.
func.func @main(%z: tensor<f32>, %a: tensor<f32>) -> tensor<f32> {
  %0 = dovetail.scan length 4 init(%a) over() consts(%z) : (tensor<f32>, tensor<f32>) -> tensor<f32> {
  ^bb0(%c: tensor<f32>, %unused: tensor<f32>):
    %1 = dovetail.sin %c : tensor<f32>
    dovetail.yield %1 : tensor<f32>
  }
  return %0 : tensor<f32>
}
// CHECK-LABEL: func.func private @main.jvp(%arg0: tensor<f32>, %arg1: tensor<f32>, %arg2: tensor<f32>) -> tensor<f32>
// CHECK-NEXT:    %[[SCAN:.+]] = dovetail.scan length 4 init(%arg1) over() consts(%arg0, %arg2) : (tensor<f32>, tensor<f32>, tensor<f32>) -> tensor<f32> {
// CHECK-NEXT:    ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>, %arg5: tensor<f32>):
// CHECK-NEXT:      %[[SIN:.+]] = dovetail.sin %arg3 : tensor<f32>
// CHECK-NEXT:      dovetail.yield %[[SIN]] : tensor<f32>
// CHECK-NEXT:    }
// CHECK-NEXT:    return %[[SCAN]] : tensor<f32>

// -----

// The number of steps and the sizes have no tangents.
func.func @main(%xs: tensor<?x?xf32>, %n: tensor<i32>, %a: tensor<?xf32>) -> tensor<?xf32> {
  %size = dovetail.dim %xs, 1 : tensor<?x?xf32>
  %0 = dovetail.scan length -1 count %n init(%a) over(%xs) consts(%size) : (tensor<?xf32>, tensor<?x?xf32>, index, tensor<i32>) -> tensor<?xf32> {
  ^bb0(%c: tensor<?xf32>, %x: tensor<?xf32>, %s: index):
    %1 = dovetail.iota 0 sizes(%s) : tensor<?xf32>
    %2 = dovetail.mul %x, %1 : tensor<?xf32>
    %3 = dovetail.add %c, %2 : tensor<?xf32>
    dovetail.yield %3 : tensor<?xf32>
  }
  return %0 : tensor<?xf32>
}
// CHECK-LABEL: func.func private @main.jvp(%arg0: tensor<?x?xf32>, %arg1: tensor<i32>, %arg2: tensor<?xf32>, %arg3: tensor<?x?xf32>) -> (tensor<?xf32>, tensor<?xf32>)
// CHECK-NEXT:    %[[DIM:.+]] = dovetail.dim %arg0, 1 : tensor<?x?xf32>
// CHECK-NEXT:    %[[DIM_1:.+]] = dovetail.dim %arg2, 0 : tensor<?xf32>
// CHECK-NEXT:    %[[CONSTANT:.+]] = dovetail.constant dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT:    %[[BROADCAST:.+]] = dovetail.broadcast %[[CONSTANT]] dims [] sizes(%[[DIM_1]]) : tensor<f32> -> tensor<?xf32>
// CHECK-NEXT:    %[[SCAN:.+]]:2 = dovetail.scan length -1 count %arg1 init(%arg2, %[[BROADCAST]]) over(%arg0, %arg3) consts(%[[DIM]]) : (tensor<?xf32>, tensor<?xf32>, tensor<?x?xf32>, tensor<?x?xf32>, index, tensor<i32>) -> (tensor<?xf32>, tensor<?xf32>) {
// CHECK-NEXT:    ^bb0(%arg4: tensor<?xf32>, %arg5: tensor<?xf32>, %arg6: tensor<?xf32>, %arg7: tensor<?xf32>, %arg8: index):
// CHECK-NEXT:      %[[IOTA:.+]] = dovetail.iota 0 sizes(%arg8) : tensor<?xf32>
// CHECK-NEXT:      %[[MUL:.+]] = dovetail.mul %arg6, %[[IOTA]] : tensor<?xf32>
// CHECK-NEXT:      %[[MUL_1:.+]] = dovetail.mul %arg7, %[[IOTA]] : tensor<?xf32>
// CHECK-NEXT:      %[[ADD:.+]] = dovetail.add %arg4, %[[MUL]] : tensor<?xf32>
// CHECK-NEXT:      %[[ADD_1:.+]] = dovetail.add %arg5, %[[MUL_1]] : tensor<?xf32>
// CHECK-NEXT:      dovetail.yield %[[ADD]], %[[ADD_1]] : tensor<?xf32>, tensor<?xf32>
// CHECK-NEXT:    }
// CHECK-NEXT:    return %[[SCAN]]#0, %[[SCAN]]#1 : tensor<?xf32>, tensor<?xf32>

// -----

// The predicate takes the tangents too, and does not look at them.
func.func @main(%a: tensor<f32>, %k: tensor<f32>) -> tensor<f32> {
  %0 = dovetail.while init(%a) consts(%k) : (tensor<f32>, tensor<f32>) -> tensor<f32> {
  ^bb0(%c: tensor<f32>, %bound: tensor<f32>):
    %1 = dovetail.compare lt %c, %bound : tensor<f32>
    dovetail.yield %1 : tensor<i1>
  } do {
  ^bb0(%c: tensor<f32>, %bound: tensor<f32>):
    %1 = dovetail.mul %c, %c : tensor<f32>
    dovetail.yield %1 : tensor<f32>
  }
  return %0 : tensor<f32>
}
// CHECK-LABEL: func.func private @main.jvp(%arg0: tensor<f32>, %arg1: tensor<f32>, %arg2: tensor<f32>) -> (tensor<f32>, tensor<f32>)
// CHECK-NEXT:    %[[WHILE:.+]]:2 = dovetail.while init(%arg0, %arg2) consts(%arg1) : (tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<f32>) {
// CHECK-NEXT:    ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>, %arg5: tensor<f32>):
// CHECK-NEXT:      %[[COMPARE:.+]] = dovetail.compare lt %arg3, %arg5 : tensor<f32>
// CHECK-NEXT:      dovetail.yield %[[COMPARE]] : tensor<i1>
// CHECK-NEXT:    } do {
// CHECK-NEXT:    ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>, %arg5: tensor<f32>):
// CHECK-NEXT:      %[[MUL:.+]] = dovetail.mul %arg3, %arg3 : tensor<f32>
// CHECK-NEXT:      %[[MUL_1:.+]] = dovetail.mul %arg4, %arg3 : tensor<f32>
// CHECK-NEXT:      %[[MUL_2:.+]] = dovetail.mul %arg3, %arg4 : tensor<f32>
// CHECK-NEXT:      %[[ADD:.+]] = dovetail.add %[[MUL_1]], %[[MUL_2]] : tensor<f32>
// CHECK-NEXT:      dovetail.yield %[[MUL]], %[[ADD]] : tensor<f32>, tensor<f32>
// CHECK-NEXT:    }
// CHECK-NEXT:    return %[[WHILE]]#0, %[[WHILE]]#1 : tensor<f32>, tensor<f32>

// -----

// A loop in a loop: the inner one's tangent is the outer one's.
func.func @main(%a: tensor<f32>, %k: tensor<f32>) -> tensor<f32> {
  %0 = dovetail.scan length 2 init(%a) over() consts(%k) : (tensor<f32>, tensor<f32>) -> tensor<f32> {
  ^bb0(%c: tensor<f32>, %m: tensor<f32>):
    %1 = dovetail.scan length 3 init(%c) over() consts(%m) : (tensor<f32>, tensor<f32>) -> tensor<f32> {
    ^bb0(%d: tensor<f32>, %f: tensor<f32>):
      %2 = dovetail.mul %d, %f : tensor<f32>
      dovetail.yield %2 : tensor<f32>
    }
    dovetail.yield %1 : tensor<f32>
  }
  return %0 : tensor<f32>
}
// CHECK-LABEL: func.func private @main.jvp(%arg0: tensor<f32>, %arg1: tensor<f32>, %arg2: tensor<f32>) -> (tensor<f32>, tensor<f32>)
// CHECK-NEXT:    %[[SCAN:.+]]:2 = dovetail.scan length 2 init(%arg0, %arg2) over() consts(%arg1) : (tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<f32>) {
// CHECK-NEXT:    ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>, %arg5: tensor<f32>):
// CHECK-NEXT:      %[[SCAN_1:.+]]:2 = dovetail.scan length 3 init(%arg3, %arg4) over() consts(%arg5) : (tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<f32>) {
// CHECK-NEXT:      ^bb0(%arg6: tensor<f32>, %arg7: tensor<f32>, %arg8: tensor<f32>):
// CHECK-NEXT:        %[[MUL:.+]] = dovetail.mul %arg6, %arg8 : tensor<f32>
// CHECK-NEXT:        %[[MUL_1:.+]] = dovetail.mul %arg7, %arg8 : tensor<f32>
// CHECK-NEXT:        dovetail.yield %[[MUL]], %[[MUL_1]] : tensor<f32>, tensor<f32>
// CHECK-NEXT:      }
// CHECK-NEXT:      dovetail.yield %[[SCAN_1]]#0, %[[SCAN_1]]#1 : tensor<f32>, tensor<f32>
// CHECK-NEXT:    }
// CHECK-NEXT:    return %[[SCAN]]#0, %[[SCAN]]#1 : tensor<f32>, tensor<f32>
