// Loops and branches of the host that pass on references only get an array of a byte; those of scalar code do not.
// RUN: dovetail-opt %s --split-input-file --dovetail-keep-waits | FileCheck %s

#id = affine_map<(d0) -> (d0)>

// CHECK-LABEL: func.func @stored
// CHECK:         linalg.generic
// CHECK:           scf.if %{{.+}} -> (f32) {
// CHECK:         %[[LOOP:.+]]:2 = scf.for {{.*}} -> (i32, tensor<i8>) {
// CHECK:           %[[KEPT:.+]] = "util.optimization_barrier"(%{{.+}}) : (tensor<i8>) -> tensor<i8>
// CHECK:           scf.yield %{{.+}}, %[[KEPT]] : i32, tensor<i8>
// CHECK:         "util.optimization_barrier"(%[[LOOP]]#1) : (tensor<i8>) -> tensor<i8>
// CHECK:         return %{{.+}}, %[[LOOP]]#0
func.func @stored(%x: tensor<3xf32>, %n: index) -> (tensor<3xf32>, i32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1 : i32
  %table = arith.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
  %empty = tensor.empty() : tensor<3xf32>
  %larger = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]} ins(%x, %table : tensor<3xf32>, tensor<3xf32>) outs(%empty : tensor<3xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %isLess = arith.cmpf olt, %a, %b : f32
    %chosen = scf.if %isLess -> f32 {
      scf.yield %b : f32
    } else {
      scf.yield %a : f32
    }
    linalg.yield %chosen : f32
  } -> tensor<3xf32>
  %count = scf.for %i = %c0 to %n step %c1 iter_args(%before = %one) -> i32 {
    %next = arith.addi %before, %one : i32
    scf.yield %next : i32
  }
  return %larger, %count : tensor<3xf32>, i32
}

// -----

// Nothing is initialized before the program runs.
// CHECK-LABEL: func.func @computed
// CHECK-NOT:     tensor<i8>
func.func @computed(%n: index) -> i32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1 : i32
  %count = scf.for %i = %c0 to %n step %c1 iter_args(%before = %one) -> i32 {
    %next = arith.addi %before, %one : i32
    scf.yield %next : i32
  }
  return %count : i32
}

// -----

// Numbers that depend on no argument are computed when the program is loaded, wherever they are used.
#id = affine_map<(d0) -> (d0)>

// CHECK-LABEL: func.func @numbers
// CHECK:         scf.for {{.*}} -> (i32, tensor<i8>)
func.func @numbers(%n: index) -> i32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1 : i32
  %count = scf.for %i = %c0 to %n step %c1 iter_args(%before = %one) -> i32 {
    %empty = tensor.empty() : tensor<3xi32>
    %numbers = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel"]} outs(%empty : tensor<3xi32>) {
    ^bb0(%out: i32):
      %place = linalg.index 0 : index
      %number = arith.index_cast %place : index to i32
      linalg.yield %number : i32
    } -> tensor<3xi32>
    %element = tensor.extract %numbers[%i] : tensor<3xi32>
    %next = arith.addi %before, %element : i32
    scf.yield %next : i32
  }
  return %count : i32
}

// -----

// What a loop computes of its own number is no constant.
#id = affine_map<(d0) -> (d0)>

// CHECK-LABEL: func.func @of_the_iteration
// CHECK-NOT:     tensor<i8>
func.func @of_the_iteration(%n: index) -> i32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1 : i32
  %count = scf.for %i = %c0 to %n step %c1 iter_args(%before = %one) -> i32 {
    %empty = tensor.empty() : tensor<3xi32>
    %numbers = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel"]} outs(%empty : tensor<3xi32>) {
    ^bb0(%out: i32):
      %number = arith.index_cast %i : index to i32
      linalg.yield %number : i32
    } -> tensor<3xi32>
    %element = tensor.extract %numbers[%c0] : tensor<3xi32>
    %next = arith.addi %before, %element : i32
    scf.yield %next : i32
  }
  return %count : i32
}
