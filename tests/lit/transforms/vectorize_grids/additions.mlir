// Programs that add to windows which may overlap: one scatter adds the windows of all, in their order.
// RUN: dovetail-opt %s --dovetail-vectorize-grids --dovetail-divide-loops | FileCheck %s

// What a window holds is read, and the sum is written; the first program starts the array. What the read of a window
// outside of the array is clamped to does not matter, since the write is dropped.
// CHECK-LABEL: func.func @histogram(%arg0: tensor<5xi32>)
// CHECK-NEXT: %[[ONES:.+]] = dovetail.constant dense<1> : tensor<5x1xi32>
// CHECK-NEXT: %[[ZEROS:.+]] = dovetail.constant dense<0> : tensor<8xi32>
// CHECK-NEXT: %[[PLACES:.+]] = dovetail.reshape %arg0 : tensor<5xi32> -> tensor<5x1xi32>
// CHECK-NEXT: %[[ADDED:.+]] = dovetail.scatter_add %[[ZEROS]], %[[PLACES]], %[[ONES]] dims [0] window [1]
// CHECK-NOT: unique
// CHECK: return %[[ADDED]]
func.func @histogram(%arg0: tensor<5xi32>) -> tensor<8xi32> {
  %zero = dovetail.constant dense<0> : tensor<i32>
  %out = dovetail.constant dense<-1> : tensor<8xi32>
  %0:2 = dovetail.scan length 5 init(%zero, %out) over() consts(%arg0) {dovetail.grid = true} : (tensor<i32>, tensor<8xi32>, tensor<5xi32>) -> (tensor<i32>, tensor<8xi32>) {
  ^bb0(%i: tensor<i32>, %o: tensor<8xi32>, %x: tensor<5xi32>):
    %none = dovetail.constant dense<0> : tensor<i32>
    %one = dovetail.constant dense<1> : tensor<i32>
    %highest = dovetail.constant dense<7> : tensor<i32>
    %is_first = dovetail.compare eq %i, %none : tensor<i32>
    %first = dovetail.convert %is_first : tensor<i1> -> tensor<i32>
    %1 = dovetail.case %first of(%o) : (tensor<i32>, tensor<8xi32>) -> tensor<8xi32> {
    ^bb0(%a: tensor<8xi32>):
      dovetail.yield %a : tensor<8xi32>
    }, {
    ^bb0(%a: tensor<8xi32>):
      %zeros = dovetail.constant dense<0> : tensor<8xi32>
      dovetail.yield %zeros : tensor<8xi32>
    }
    %own = dovetail.reshape %i : tensor<i32> -> tensor<1xi32>
    %2 = dovetail.gather %x, %own dims [0] window [1] : tensor<5xi32>, tensor<1xi32>
    %3 = dovetail.reshape %2 : tensor<1xi32> -> tensor<i32>
    %4 = dovetail.clamp %none, %3, %highest : tensor<i32>
    %read = dovetail.reshape %4 : tensor<i32> -> tensor<1xi32>
    %5 = dovetail.gather %1, %read dims [0] window [1] : tensor<8xi32>, tensor<1xi32>
    %6 = dovetail.reshape %5 : tensor<1xi32> -> tensor<i32>
    %7 = dovetail.add %6, %one : tensor<i32>
    %8 = dovetail.reshape %7 : tensor<i32> -> tensor<1xi32>
    %9 = dovetail.scatter %1, %2, %8 dims [0] window [1] : tensor<8xi32>, tensor<1xi32>, tensor<1xi32>
    %10 = dovetail.add %i, %one : tensor<i32>
    dovetail.yield %10, %9 : tensor<i32>, tensor<8xi32>
  }
  return %0#1 : tensor<8xi32>
}

// What is read has another use: programs depend on each other.
// CHECK-LABEL: func.func @seen
// CHECK: dovetail.scan
func.func @seen(%arg0: tensor<5x1xi32>, %arg1: tensor<8xf32>) -> (tensor<8xf32>, tensor<f32>) {
  %zero = dovetail.constant dense<0> : tensor<i32>
  %none = dovetail.constant dense<0.0> : tensor<f32>
  %0:3 = dovetail.scan length 5 init(%zero, %arg1, %none) over() consts(%arg0) {dovetail.grid = true} : (tensor<i32>, tensor<8xf32>, tensor<f32>, tensor<5x1xi32>) -> (tensor<i32>, tensor<8xf32>, tensor<f32>) {
  ^bb0(%i: tensor<i32>, %o: tensor<8xf32>, %most: tensor<f32>, %x: tensor<5x1xi32>):
    %one = dovetail.constant dense<1> : tensor<i32>
    %f = dovetail.constant dense<1.0> : tensor<1xf32>
    %own = dovetail.reshape %i : tensor<i32> -> tensor<1xi32>
    %2 = dovetail.gather %x, %own dims [0] window [1] : tensor<5x1xi32>, tensor<1xi32>
    %3 = dovetail.reshape %2 : tensor<1x1xi32> -> tensor<1xi32>
    %5 = dovetail.gather %o, %3 dims [0] window [1] : tensor<8xf32>, tensor<1xi32>
    %7 = dovetail.add %5, %f : tensor<1xf32>
    %8 = dovetail.scatter %o, %3, %7 dims [0] window [1] : tensor<8xf32>, tensor<1xi32>, tensor<1xf32>
    %9 = dovetail.reshape %5 : tensor<1xf32> -> tensor<f32>
    %10 = dovetail.max %most, %9 : tensor<f32>
    %11 = dovetail.add %i, %one : tensor<i32>
    dovetail.yield %11, %8, %10 : tensor<i32>, tensor<8xf32>, tensor<f32>
  }
  return %0#1, %0#2 : tensor<8xf32>, tensor<f32>
}
