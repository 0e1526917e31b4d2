// Which values are kept: the fewest bytes from which cheap ops compute the others.
// RUN: dovetail-opt %s --split-input-file --dovetail-split=unknown=1 | FileCheck %s

// The exponential is dear and kept; what is made of it by arithmetic is made again.
func.func @main(%x: tensor<8xf32>, %t: tensor<8xf32>) -> tensor<8xf32> {
  %0 = dovetail.exp %x : tensor<8xf32>
  %1 = dovetail.add %0, %0 : tensor<8xf32>
  %2 = dovetail.mul %1, %0 : tensor<8xf32>
  %3 = dovetail.mul %t, %1 : tensor<8xf32>
  %4 = dovetail.mul %3, %2 : tensor<8xf32>
  return %4 : tensor<8xf32>
}
// CHECK-LABEL: func.func private @main.rest(%arg0: tensor<8xf32>, %arg1: tensor<8xf32>) -> tensor<8xf32>
// CHECK-NEXT: %[[SUM:.+]] = dovetail.add %arg0, %arg0
// CHECK-NEXT: %[[T:.+]] = dovetail.mul %arg1, %[[SUM]]
// CHECK-NEXT: %[[PRODUCT:.+]] = dovetail.mul %[[SUM]], %arg0
// CHECK-NEXT: dovetail.mul %[[T]], %[[PRODUCT]]
// CHECK-LABEL: func.func private @main.known
// CHECK: %[[EXP:.+]] = dovetail.exp
// CHECK: return %[[EXP]] : tensor<8xf32>

// -----

// A row is kept instead of the matrix in which it is repeated.
func.func @main(%x: tensor<8xf32>, %t: tensor<9x8xf32>) -> tensor<9x8xf32> {
  %0 = dovetail.exp %x : tensor<8xf32>
  %1 = dovetail.broadcast %0 dims [1] : tensor<8xf32> -> tensor<9x8xf32>
  %2 = dovetail.mul %t, %1 : tensor<9x8xf32>
  return %2 : tensor<9x8xf32>
}
// CHECK-LABEL: func.func private @main.rest(%arg0: tensor<8xf32>, %arg1: tensor<9x8xf32>)

// -----

// The sum of a matrix product is kept, not the product of which it is made cheaply: it takes fewer bytes.
func.func @main(%x: tensor<8x8xf32>, %t: tensor<8xf32>) -> tensor<8xf32> {
  %0 = dovetail.dot_general %x, %x batch [] x [] contract [1] x [0] : tensor<8x8xf32>, tensor<8x8xf32>
  %1 = dovetail.reduce_sum %0 [0] : tensor<8x8xf32>
  %2 = dovetail.neg %1 : tensor<8xf32>
  %3 = dovetail.mul %t, %2 : tensor<8xf32>
  return %3 : tensor<8xf32>
}
// CHECK-LABEL: func.func private @main.rest(%arg0: tensor<8xf32>, %arg1: tensor<8xf32>)
// CHECK-NEXT: dovetail.mul %arg1, %arg0

// -----

// Arguments cost a loop nothing but for its carries: what is made of slices is made again.
func.func @main(%xs: tensor<5x8xf32>, %t: tensor<8xf32>) -> tensor<8xf32> {
  %0 = dovetail.scan length 5 init(%t) over(%xs) consts() : (tensor<8xf32>, tensor<5x8xf32>) -> tensor<8xf32> {
  ^bb0(%c: tensor<8xf32>, %x: tensor<8xf32>):
    %1 = dovetail.mul %x, %x : tensor<8xf32>
    %2 = dovetail.mul %1, %c : tensor<8xf32>
    dovetail.yield %2 : tensor<8xf32>
  }
  return %0 : tensor<8xf32>
}
// CHECK-LABEL: func.func private @main.rest(%arg0: tensor<5x8xf32>, %arg1: tensor<8xf32>)
// CHECK-NEXT: dovetail.scan length 5 init(%arg1) over(%arg0)
// CHECK-LABEL: func.func private @main.known(%arg0: tensor<5x8xf32>)
// CHECK-NEXT: return %arg0
