// Loops over the programs of a grid.
// RUN: dovetail-opt %s --dovetail-vectorize-grids --dovetail-divide-loops | FileCheck %s

// Blocks next to each other are the array, and an op on blocks of rows is one on all rows.
// CHECK-LABEL: func.func @rows(%arg0: tensor<8x3xf32>)
// CHECK-NEXT: %[[SUM:.+]] = dovetail.reduce_sum %arg0 [1] : tensor<8x3xf32>
// CHECK-NEXT: %[[ALL:.+]] = dovetail.broadcast %[[SUM]] dims [0] : tensor<8xf32> -> tensor<8x3xf32>
// CHECK-NEXT: %[[DIV:.+]] = dovetail.div %arg0, %[[ALL]] : tensor<8x3xf32>
// CHECK-NEXT: return %[[DIV]]
func.func @rows(%arg0: tensor<8x3xf32>) -> tensor<8x3xf32> {
  %zero = dovetail.constant dense<0> : tensor<i32>
  %out = dovetail.constant dense<0.0> : tensor<8x3xf32>
  %0:2 = dovetail.scan length 4 init(%zero, %out) over() consts(%arg0) {dovetail.grid = true} : (tensor<i32>, tensor<8x3xf32>, tensor<8x3xf32>) -> (tensor<i32>, tensor<8x3xf32>) {
  ^bb0(%i: tensor<i32>, %o: tensor<8x3xf32>, %x: tensor<8x3xf32>):
    %one = dovetail.constant dense<1> : tensor<i32>
    %two = dovetail.constant dense<2> : tensor<i32>
    %none = dovetail.constant dense<0> : tensor<1xi32>
    %start = dovetail.mul %i, %two : tensor<i32>
    %1 = dovetail.reshape %start : tensor<i32> -> tensor<1xi32>
    %2 = dovetail.concatenate %1, %none dimension 0 : tensor<1xi32>, tensor<1xi32>
    %3 = dovetail.gather %x, %2 dims [0, 1] window [2, 3] : tensor<8x3xf32>, tensor<2xi32>
    %4 = dovetail.reduce_sum %3 [1] : tensor<2x3xf32>
    %5 = dovetail.broadcast %4 dims [0] : tensor<2xf32> -> tensor<2x3xf32>
    %6 = dovetail.div %3, %5 : tensor<2x3xf32>
    %7 = dovetail.scatter %o, %2, %6 dims [0, 1] window [2, 3] : tensor<8x3xf32>, tensor<2xi32>, tensor<2x3xf32>
    %8 = dovetail.add %i, %one : tensor<i32>
    dovetail.yield %8, %7 : tensor<i32>, tensor<8x3xf32>
  }
  return %0#1 : tensor<8x3xf32>
}

// Windows that overlap are slices of the array where parts of them do not. The number of a program is an iota.
// CHECK-LABEL: func.func @halo(%arg0: tensor<7xf32>)
// CHECK-NEXT: %[[IOTA:.+]] = dovetail.iota 0 : tensor<3xi32>
// CHECK-NEXT: %[[LEFT:.+]] = dovetail.slice %arg0 starts [0] strides [1] : tensor<7xf32> -> tensor<6xf32>
// CHECK-NEXT: %[[RIGHT:.+]] = dovetail.slice %arg0 starts [1] strides [1] : tensor<7xf32> -> tensor<6xf32>
// CHECK-NEXT: %[[SUM:.+]] = dovetail.add %[[LEFT]], %[[RIGHT]]
// CHECK-NEXT: dovetail.convert %[[IOTA]]
// CHECK: %[[MUL:.+]] = dovetail.mul %[[SUM]], %{{.+}} : tensor<6xf32>
// CHECK-NEXT: return %[[MUL]]
func.func @halo(%arg0: tensor<7xf32>) -> tensor<6xf32> {
  %zero = dovetail.constant dense<0> : tensor<i32>
  %out = dovetail.constant dense<0.0> : tensor<6xf32>
  %0:2 = dovetail.scan length 3 init(%zero, %out) over() consts(%arg0) {dovetail.grid = true} : (tensor<i32>, tensor<6xf32>, tensor<7xf32>) -> (tensor<i32>, tensor<6xf32>) {
  ^bb0(%i: tensor<i32>, %o: tensor<6xf32>, %x: tensor<7xf32>):
    %one = dovetail.constant dense<1> : tensor<i32>
    %two = dovetail.constant dense<2> : tensor<i32>
    %start = dovetail.mul %i, %two : tensor<i32>
    %1 = dovetail.reshape %start : tensor<i32> -> tensor<1xi32>
    %2 = dovetail.gather %x, %1 dims [0] window [3] : tensor<7xf32>, tensor<1xi32>
    %3 = dovetail.slice %2 starts [0] strides [1] : tensor<3xf32> -> tensor<2xf32>
    %4 = dovetail.slice %2 starts [1] strides [1] : tensor<3xf32> -> tensor<2xf32>
    %5 = dovetail.add %3, %4 : tensor<2xf32>
    %6 = dovetail.convert %i : tensor<i32> -> tensor<f32>
    %7 = dovetail.broadcast %6 dims [] : tensor<f32> -> tensor<2xf32>
    %8 = dovetail.mul %5, %7 : tensor<2xf32>
    %9 = dovetail.scatter %o, %1, %8 dims [0] window [2] : tensor<6xf32>, tensor<1xi32>, tensor<2xf32>
    %10 = dovetail.add %i, %one : tensor<i32>
    dovetail.yield %10, %9 : tensor<i32>, tensor<6xf32>
  }
  return %0#1 : tensor<6xf32>
}

// A program that reads what the one before has written: the loop stays.
// CHECK-LABEL: func.func @dependent
// CHECK: dovetail.scan length 3
func.func @dependent(%arg0: tensor<4xf32>) -> tensor<4xf32> {
  %zero = dovetail.constant dense<0> : tensor<i32>
  %0:2 = dovetail.scan length 3 init(%zero, %arg0) over() consts() {dovetail.grid = true} : (tensor<i32>, tensor<4xf32>) -> (tensor<i32>, tensor<4xf32>) {
  ^bb0(%i: tensor<i32>, %o: tensor<4xf32>):
    %one = dovetail.constant dense<1> : tensor<i32>
    %next = dovetail.add %i, %one : tensor<i32>
    %1 = dovetail.reshape %i : tensor<i32> -> tensor<1xi32>
    %2 = dovetail.reshape %next : tensor<i32> -> tensor<1xi32>
    %3 = dovetail.gather %o, %1 dims [0] window [1] : tensor<4xf32>, tensor<1xi32>
    %4 = dovetail.exp %3 : tensor<1xf32>
    %5 = dovetail.scatter %o, %2, %4 dims [0] window [1] : tensor<4xf32>, tensor<1xi32>, tensor<1xf32>
    dovetail.yield %next, %5 : tensor<i32>, tensor<4xf32>
  }
  return %0#1 : tensor<4xf32>
}

// Two arrays that change places in every iteration: windows of one are windows of the other.
// CHECK-LABEL: func.func @exchanged
// CHECK: dovetail.scan length 2
func.func @exchanged(%arg0: tensor<2xf32>, %arg1: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
  %zero = dovetail.constant dense<0> : tensor<i32>
  %0:3 = dovetail.scan length 2 init(%zero, %arg0, %arg1) over() consts() {dovetail.grid = true} : (tensor<i32>, tensor<2xf32>, tensor<2xf32>) -> (tensor<i32>, tensor<2xf32>, tensor<2xf32>) {
  ^bb0(%i: tensor<i32>, %a: tensor<2xf32>, %b: tensor<2xf32>):
    %one = dovetail.constant dense<1> : tensor<i32>
    %1 = dovetail.reshape %i : tensor<i32> -> tensor<1xi32>
    %2 = dovetail.gather %a, %1 dims [0] window [1] : tensor<2xf32>, tensor<1xi32>
    %3 = dovetail.exp %2 : tensor<1xf32>
    %4 = dovetail.scatter %a, %1, %3 dims [0] window [1] : tensor<2xf32>, tensor<1xi32>, tensor<1xf32>
    %5 = dovetail.add %i, %one : tensor<i32>
    dovetail.yield %5, %b, %4 : tensor<i32>, tensor<2xf32>, tensor<2xf32>
  }
  return %0#1, %0#2 : tensor<2xf32>, tensor<2xf32>
}

// The inner loop overwrites in its first iteration what the outer one carries: that is its initial value, and programs of
// the outer one are independent. What the last iteration writes is written after the loop.
// CHECK-LABEL: func.func @sums(%arg0: tensor<2x12xf32>)
// CHECK-DAG: %[[ZEROS:.+]] = dovetail.constant dense<0.000000e+00> : tensor<2x3xf32>
// CHECK: %[[LOOP:.+]]:2 = dovetail.scan length 4 init(%{{.+}}, %[[ZEROS]])
// CHECK-SAME: -> (tensor<i32>, tensor<2x3xf32>)
// CHECK-NOT: dovetail.case
// CHECK: dovetail.gather %{{.+}} dims [0, 1] window [2, 3] : tensor<2x12xf32>
// CHECK: return %[[LOOP]]#1
func.func @sums(%arg0: tensor<2x12xf32>) -> tensor<2x3xf32> {
  %zero = dovetail.constant dense<0> : tensor<i32>
  %out = dovetail.constant dense<0.0> : tensor<2x3xf32>
  %scratch = dovetail.constant dense<7.0> : tensor<1x3xf32>
  %0:3 = dovetail.scan length 2 init(%zero, %out, %scratch) over() consts(%arg0) {dovetail.grid = true} : (tensor<i32>, tensor<2x3xf32>, tensor<1x3xf32>, tensor<2x12xf32>) -> (tensor<i32>, tensor<2x3xf32>, tensor<1x3xf32>) {
  ^bb0(%i: tensor<i32>, %o: tensor<2x3xf32>, %s: tensor<1x3xf32>, %x: tensor<2x12xf32>):
    %none = dovetail.constant dense<0> : tensor<i32>
    %one = dovetail.constant dense<1> : tensor<i32>
    %1:3 = dovetail.scan length 4 init(%none, %o, %s) over() consts(%i, %x) {dovetail.grid = true} : (tensor<i32>, tensor<2x3xf32>, tensor<1x3xf32>, tensor<i32>, tensor<2x12xf32>) -> (tensor<i32>, tensor<2x3xf32>, tensor<1x3xf32>) {
    ^bb0(%k: tensor<i32>, %p: tensor<2x3xf32>, %t: tensor<1x3xf32>, %j: tensor<i32>, %y: tensor<2x12xf32>):
      %zeroInner = dovetail.constant dense<0> : tensor<i32>
      %oneInner = dovetail.constant dense<1> : tensor<i32>
      %three = dovetail.constant dense<3> : tensor<i32>
      %none1 = dovetail.constant dense<0> : tensor<1xi32>
      %isFirst = dovetail.compare eq %k, %zeroInner : tensor<i32>
      %branch = dovetail.convert %isFirst : tensor<i1> -> tensor<i32>
      %u = dovetail.case %branch of(%t) : (tensor<i32>, tensor<1x3xf32>) -> tensor<1x3xf32> {
      ^bb0(%v: tensor<1x3xf32>):
        dovetail.yield %v : tensor<1x3xf32>
      }, {
      ^bb0(%v: tensor<1x3xf32>):
        %z = dovetail.constant dense<0.0> : tensor<1x3xf32>
        dovetail.yield %z : tensor<1x3xf32>
      }
      %start = dovetail.mul %k, %three : tensor<i32>
      %row = dovetail.reshape %j : tensor<i32> -> tensor<1xi32>
      %column = dovetail.reshape %start : tensor<i32> -> tensor<1xi32>
      %from = dovetail.concatenate %row, %column dimension 0 : tensor<1xi32>, tensor<1xi32>
      %window = dovetail.gather %y, %from dims [0, 1] window [1, 3] : tensor<2x12xf32>, tensor<2xi32>
      %w = dovetail.add %u, %window : tensor<1x3xf32>
      %isLast = dovetail.compare eq %k, %three : tensor<i32>
      %other = dovetail.convert %isLast : tensor<i1> -> tensor<i32>
      %q = dovetail.case %other of(%p, %w, %row) : (tensor<i32>, tensor<2x3xf32>, tensor<1x3xf32>, tensor<1xi32>) -> tensor<2x3xf32> {
      ^bb0(%a: tensor<2x3xf32>, %b: tensor<1x3xf32>, %r: tensor<1xi32>):
        dovetail.yield %a : tensor<2x3xf32>
      }, {
      ^bb0(%a: tensor<2x3xf32>, %b: tensor<1x3xf32>, %r: tensor<1xi32>):
        %n = dovetail.constant dense<0> : tensor<1xi32>
        %at = dovetail.concatenate %r, %n dimension 0 : tensor<1xi32>, tensor<1xi32>
        %c = dovetail.scatter %a, %at, %b dims [0, 1] window [1, 3] : tensor<2x3xf32>, tensor<2xi32>, tensor<1x3xf32>
        dovetail.yield %c : tensor<2x3xf32>
      }
      %next = dovetail.add %k, %oneInner : tensor<i32>
      dovetail.yield %next, %q, %w : tensor<i32>, tensor<2x3xf32>, tensor<1x3xf32>
    }
    %2 = dovetail.add %i, %one : tensor<i32>
    dovetail.yield %2, %1#1, %1#2 : tensor<i32>, tensor<2x3xf32>, tensor<1x3xf32>
  }
  return %0#1 : tensor<2x3xf32>
}

// Products of blocks that are added up are one product.
// CHECK-LABEL: func.func @products(%arg0: tensor<2x6xf32>, %arg1: tensor<6x5xf32>, %arg2: tensor<2x5xf32>)
// CHECK-NEXT: %[[DOT:.+]] = dovetail.dot_general %arg0, %arg1 batch [] x [] contract [1] x [0]
// CHECK-NEXT: %[[SUM:.+]] = dovetail.add %arg2, %[[DOT]]
// CHECK-NEXT: return %[[SUM]]
func.func @products(%arg0: tensor<2x6xf32>, %arg1: tensor<6x5xf32>, %arg2: tensor<2x5xf32>) -> tensor<2x5xf32> {
  %zero = dovetail.constant dense<0> : tensor<i32>
  %0:2 = dovetail.scan length 3 init(%zero, %arg2) over() consts(%arg0, %arg1) {dovetail.grid = true} : (tensor<i32>, tensor<2x5xf32>, tensor<2x6xf32>, tensor<6x5xf32>) -> (tensor<i32>, tensor<2x5xf32>) {
  ^bb0(%i: tensor<i32>, %s: tensor<2x5xf32>, %x: tensor<2x6xf32>, %y: tensor<6x5xf32>):
    %one = dovetail.constant dense<1> : tensor<i32>
    %two = dovetail.constant dense<2> : tensor<i32>
    %none = dovetail.constant dense<0> : tensor<1xi32>
    %start = dovetail.mul %i, %two : tensor<i32>
    %1 = dovetail.reshape %start : tensor<i32> -> tensor<1xi32>
    %2 = dovetail.concatenate %none, %1 dimension 0 : tensor<1xi32>, tensor<1xi32>
    %3 = dovetail.concatenate %1, %none dimension 0 : tensor<1xi32>, tensor<1xi32>
    %4 = dovetail.gather %x, %2 dims [0, 1] window [2, 2] : tensor<2x6xf32>, tensor<2xi32>
    %5 = dovetail.gather %y, %3 dims [0, 1] window [2, 5] : tensor<6x5xf32>, tensor<2xi32>
    %6 = dovetail.dot_general %4, %5 batch [] x [] contract [1] x [0] : tensor<2x2xf32>, tensor<2x5xf32>
    %7 = dovetail.add %s, %6 : tensor<2x5xf32>
    %8 = dovetail.add %i, %one : tensor<i32>
    dovetail.yield %8, %7 : tensor<i32>, tensor<2x5xf32>
  }
  return %0#1 : tensor<2x5xf32>
}
