// What branches keep for their rests: in slots that they share.
// RUN: dovetail-opt %s --split-input-file --dovetail-split=unknown=1 | FileCheck %s

// The first branch keeps two values, the second one; a value of another type has a slot of its own.
func.func @main(%x: tensor<f32>, %t: tensor<f32>, %i: tensor<i32>) -> tensor<f32> {
  %0 = dovetail.case %i of(%x, %t) : (tensor<i32>, tensor<f32>, tensor<f32>) -> tensor<f32> {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = dovetail.sin %a : tensor<f32>
    %2 = dovetail.cos %a : tensor<f32>
    %3 = dovetail.mul %b, %1 : tensor<f32>
    %4 = dovetail.mul %3, %2 : tensor<f32>
    dovetail.yield %4 : tensor<f32>
  }, {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = dovetail.exp %a : tensor<f32>
    %2 = dovetail.mul %b, %1 : tensor<f32>
    dovetail.yield %2 : tensor<f32>
  }, {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = dovetail.compare lt %a, %a : tensor<f32>
    %w = dovetail.broadcast %c dims [] : tensor<i1> -> tensor<3xi1>
    %1 = dovetail.reduce_or %w [0] : tensor<3xi1>
    %2 = dovetail.select %1, %b, %a : tensor<i1>, tensor<f32>
    dovetail.yield %2 : tensor<f32>
  }
  return %0 : tensor<f32>
}
// CHECK-LABEL: func.func private @main.rest(%arg0: tensor<i32>, %arg1: tensor<f32>, %arg2: tensor<f32>, %arg3: tensor<i1>, %arg4: tensor<f32>, %arg5: tensor<f32>) -> tensor<f32>
// CHECK-NEXT:    %[[CASE:.+]] = dovetail.case %arg0 of(%arg1, %arg2, %arg3, %arg4, %arg5) : (tensor<i32>, tensor<f32>, tensor<f32>, tensor<i1>, tensor<f32>, tensor<f32>) -> tensor<f32> {
// CHECK-NEXT:    ^bb0(%arg6: tensor<f32>, %arg7: tensor<f32>, %arg8: tensor<i1>, %arg9: tensor<f32>, %arg10: tensor<f32>):
// CHECK-NEXT:      %[[MUL:.+]] = dovetail.mul %arg10, %arg6 : tensor<f32>
// CHECK-NEXT:      %[[MUL_1:.+]] = dovetail.mul %[[MUL]], %arg7 : tensor<f32>
// CHECK-NEXT:      dovetail.yield %[[MUL_1]] : tensor<f32>
// CHECK-NEXT:    }, {
// CHECK-NEXT:    ^bb0(%arg6: tensor<f32>, %arg7: tensor<f32>, %arg8: tensor<i1>, %arg9: tensor<f32>, %arg10: tensor<f32>):
// CHECK-NEXT:      %[[MUL_2:.+]] = dovetail.mul %arg10, %arg6 : tensor<f32>
// CHECK-NEXT:      dovetail.yield %[[MUL_2]] : tensor<f32>
// CHECK-NEXT:    }, {
// CHECK-NEXT:    ^bb0(%arg6: tensor<f32>, %arg7: tensor<f32>, %arg8: tensor<i1>, %arg9: tensor<f32>, %arg10: tensor<f32>):
// CHECK-NEXT:      %[[SELECT:.+]] = dovetail.select %arg8, %arg10, %arg9 : tensor<i1>, tensor<f32>
// CHECK-NEXT:      dovetail.yield %[[SELECT]] : tensor<f32>
// CHECK-NEXT:    }
// CHECK-NEXT:    return %[[CASE]] : tensor<f32>

// CHECK-LABEL: func.func private @main.known(%arg0: tensor<f32>, %arg1: tensor<i32>) -> (tensor<i32>, tensor<f32>, tensor<f32>, tensor<i1>, tensor<f32>)
// CHECK-NEXT:    %[[CASE:.+]]:3 = dovetail.case %arg1 of(%arg0) : (tensor<i32>, tensor<f32>) -> (tensor<f32>, tensor<f32>, tensor<i1>) {
// CHECK-NEXT:    ^bb0(%arg2: tensor<f32>):
// CHECK-NEXT:      %[[SIN:.+]] = dovetail.sin %arg2 : tensor<f32>
// CHECK-NEXT:      %[[COS:.+]] = dovetail.cos %arg2 : tensor<f32>
// CHECK:      %[[CONSTANT:.+]] = dovetail.constant dense<false> : tensor<i1>
// CHECK-NEXT:      dovetail.yield %[[SIN]], %[[COS]], %[[CONSTANT]] : tensor<f32>, tensor<f32>, tensor<i1>
// CHECK-NEXT:    }, {
// CHECK-NEXT:    ^bb0(%arg2: tensor<f32>):
// CHECK-NEXT:      %[[EXP:.+]] = dovetail.exp %arg2 : tensor<f32>
// CHECK:      %[[CONSTANT_1:.+]] = dovetail.constant dense<0.000000e+00> : tensor<f32>
// CHECK:      %[[CONSTANT_2:.+]] = dovetail.constant dense<false> : tensor<i1>
// CHECK-NEXT:      dovetail.yield %[[EXP]], %[[CONSTANT_1]], %[[CONSTANT_2]] : tensor<f32>, tensor<f32>, tensor<i1>
// CHECK-NEXT:    }, {
// CHECK-NEXT:    ^bb0(%arg2: tensor<f32>):
// CHECK:      %[[ANY:.+]] = dovetail.reduce_or
// CHECK:      %[[CONSTANT_3:.+]] = dovetail.constant dense<0.000000e+00> : tensor<f32>
// CHECK:      %[[CONSTANT_4:.+]] = dovetail.constant dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT:      dovetail.yield %[[CONSTANT_3]], %[[CONSTANT_4]], %[[ANY]] : tensor<f32>, tensor<f32>, tensor<i1>
// CHECK-NEXT:    }
// CHECK-NEXT:    return %arg1, %[[CASE]]#0, %[[CASE]]#1, %[[CASE]]#2, %arg0 : tensor<i32>, tensor<f32>, tensor<f32>, tensor<i1>, tensor<f32>

// -----

// What is unknown in one branch comes from the rest; the other results are known.
func.func @main(%x: tensor<f32>, %t: tensor<f32>, %i: tensor<i32>) -> (tensor<f32>, tensor<f32>) {
  %0:2 = dovetail.case %i of(%x, %t) : (tensor<i32>, tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<f32>) {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = dovetail.exp %a : tensor<f32>
    dovetail.yield %1, %b : tensor<f32>, tensor<f32>
  }, {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = dovetail.sin %a : tensor<f32>
    dovetail.yield %a, %1 : tensor<f32>, tensor<f32>
  }
  return %0#0, %0#1 : tensor<f32>, tensor<f32>
}
// CHECK-LABEL: func.func private @main.rest(%arg0: tensor<i32>, %arg1: tensor<f32>, %arg2: tensor<f32>) -> tensor<f32>
// CHECK-NEXT:    %[[CASE:.+]] = dovetail.case %arg0 of(%arg1, %arg2) : (tensor<i32>, tensor<f32>, tensor<f32>) -> tensor<f32> {
// CHECK-NEXT:    ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
// CHECK-NEXT:      dovetail.yield %arg4 : tensor<f32>
// CHECK-NEXT:    }, {
// CHECK-NEXT:    ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
// CHECK-NEXT:      dovetail.yield %arg3 : tensor<f32>
// CHECK-NEXT:    }
// CHECK-NEXT:    return %[[CASE]] : tensor<f32>

// CHECK-LABEL: func.func private @main.known(%arg0: tensor<f32>, %arg1: tensor<i32>) -> (tensor<f32>, tensor<i32>, tensor<f32>)
// CHECK-NEXT:    %[[CASE:.+]]:2 = dovetail.case %arg1 of(%arg0) : (tensor<i32>, tensor<f32>) -> (tensor<f32>, tensor<f32>) {
// CHECK-NEXT:    ^bb0(%arg2: tensor<f32>):
// CHECK-NEXT:      %[[EXP:.+]] = dovetail.exp %arg2 : tensor<f32>
// CHECK:      %[[CONSTANT:.+]] = dovetail.constant dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT:      dovetail.yield %[[EXP]], %[[CONSTANT]] : tensor<f32>, tensor<f32>
// CHECK-NEXT:    }, {
// CHECK-NEXT:    ^bb0(%arg2: tensor<f32>):
// CHECK-NEXT:      %[[SIN:.+]] = dovetail.sin %arg2 : tensor<f32>
// CHECK-NEXT:      dovetail.yield %arg2, %[[SIN]] : tensor<f32>, tensor<f32>
// CHECK-NEXT:    }
// CHECK-NEXT:    return %[[CASE]]#0, %arg1, %[[CASE]]#1 : tensor<f32>, tensor<i32>, tensor<f32>

// -----

// Which branch it is is unknown: it stays whole.
func.func @main(%x: tensor<f32>, %t: tensor<f32>) -> tensor<f32> {
  %1 = dovetail.convert %t : tensor<f32> -> tensor<i32>
  %0 = dovetail.case %1 of(%x) : (tensor<i32>, tensor<f32>) -> tensor<f32> {
  ^bb0(%a: tensor<f32>):
    %2 = dovetail.exp %a : tensor<f32>
    dovetail.yield %2 : tensor<f32>
  }, {
  ^bb0(%a: tensor<f32>):
    dovetail.yield %a : tensor<f32>
  }
  return %0 : tensor<f32>
}
// CHECK-LABEL: func.func private @main.rest(%arg0: tensor<f32>, %arg1: tensor<f32>) -> tensor<f32>
// CHECK-NEXT:    %[[CONVERT:.+]] = dovetail.convert %arg1 : tensor<f32> -> tensor<i32>
// CHECK-NEXT:    %[[CASE:.+]] = dovetail.case %[[CONVERT]] of(%arg0) : (tensor<i32>, tensor<f32>) -> tensor<f32> {
// CHECK-NEXT:    ^bb0(%arg2: tensor<f32>):
// CHECK-NEXT:      %[[EXP:.+]] = dovetail.exp %arg2 : tensor<f32>
// CHECK-NEXT:      dovetail.yield %[[EXP]] : tensor<f32>
// CHECK-NEXT:    }, {
// CHECK-NEXT:    ^bb0(%arg2: tensor<f32>):
// CHECK-NEXT:      dovetail.yield %arg2 : tensor<f32>
// CHECK-NEXT:    }
// CHECK-NEXT:    return %[[CASE]] : tensor<f32>

// CHECK-LABEL: func.func private @main.known(%arg0: tensor<f32>) -> tensor<f32>
// CHECK-NEXT:    return %arg0 : tensor<f32>

// -----

// A size that a branch computes from those of its arguments is computed in front of it, and kept in no slot.
// CHECK-LABEL: func.func private @main.known(%arg0: tensor<i32>, %arg1: tensor<?xf32>) -> ({{.*}}index)
// CHECK:         %[[SIZE:.+]] = dovetail.dim %arg1, 0
// CHECK:         %[[LESS:.+]] = arith.addi %[[SIZE]]
// CHECK:         return {{.*}}%[[LESS]]
func.func @main(%i: tensor<i32>, %t: tensor<f32>, %x: tensor<?xf32>) -> tensor<?xf32> {
  %0 = dovetail.case %i of(%x, %t) : (tensor<i32>, tensor<?xf32>, tensor<f32>) -> tensor<?xf32> {
  ^bb0(%a: tensor<?xf32>, %b: tensor<f32>):
    %c-1 = arith.constant -1 : index
    %size = dovetail.dim %a, 0 : tensor<?xf32>
    %less = arith.addi %size, %c-1 : index
    %1 = dovetail.broadcast %b dims [] sizes(%less) : tensor<f32> -> tensor<?xf32>
    dovetail.yield %1 : tensor<?xf32>
  }, {
  ^bb0(%a: tensor<?xf32>, %b: tensor<f32>):
    %size = dovetail.dim %a, 0 : tensor<?xf32>
    %1 = dovetail.broadcast %b dims [] sizes(%size) : tensor<f32> -> tensor<?xf32>
    dovetail.yield %1 : tensor<?xf32>
  }
  return %0 : tensor<?xf32>
}
