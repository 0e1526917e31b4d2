// All generated arrays depend on an opaque number, in loops, too.
// RUN: dovetail-opt %s --dovetail-separate-generated=all | FileCheck %s

// CHECK-LABEL: func.func @main
// CHECK: %[[ONE:.*]] = "util.optimization_barrier"(%{{.*}}) : (tensor<i32>)
// CHECK: %[[IOTA:.*]] = linalg.generic
// CHECK: linalg.index
// CHECK: linalg.generic {{.*}} ins(%[[IOTA]], %[[ONE]] : tensor<8xi32>, tensor<i32>)
// CHECK: scf.for
// CHECK: linalg.index
// CHECK: linalg.generic {{.*}} ins(%{{.*}}, %[[ONE]] : tensor<8xi32>, tensor<i32>)
// CHECK-NOT: %[[ONE]]
// CHECK: return
#id = affine_map<(i) -> (i)>
func.func @main(%n: index, %x: tensor<8xi32>) -> tensor<8xi32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %e = tensor.empty() : tensor<8xi32>
  %iota = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel"]} outs(%e : tensor<8xi32>) {
  ^bb0(%out: i32):
    %i = linalg.index 0 : index
    %j = arith.index_cast %i : index to i32
    linalg.yield %j : i32
  } -> tensor<8xi32>
  %r = scf.for %k = %c0 to %n step %c1 iter_args(%a = %iota) -> tensor<8xi32> {
    %m = arith.index_cast %k : index to i32
    %number = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel"]} outs(%e : tensor<8xi32>) {
    ^bb0(%out: i32):
      %i = linalg.index 0 : index
      %j = arith.index_cast %i : index to i32
      %s = arith.addi %j, %m : i32
      linalg.yield %s : i32
    } -> tensor<8xi32>
    scf.yield %number : tensor<8xi32>
  }
  %sum = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]}
      ins(%r, %x : tensor<8xi32>, tensor<8xi32>) outs(%e : tensor<8xi32>) {
  ^bb0(%a: i32, %b: i32, %out: i32):
    %s = arith.addi %a, %b : i32
    linalg.yield %s : i32
  } -> tensor<8xi32>
  return %sum : tensor<8xi32>
}
