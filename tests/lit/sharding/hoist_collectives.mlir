// What a loop adds up is summed over devices once, after the loop.
// RUN: dovetail-opt %s --split-input-file --dovetail-hoist-collectives | FileCheck %s

// Nested loops: the sum leaves both. The other carry is used in each iteration.
// CHECK-LABEL: func.func @main
// CHECK:         %[[LAST:.+]]:2 = dovetail.scan
// CHECK-NEXT:    ^bb0(%[[SUM:.+]]: tensor<3xf32>, %[[H:.+]]: tensor<3xf32>, %[[X:.+]]: tensor<4x3xf32>)
// CHECK:           %[[INNER:.+]] = dovetail.scan
// CHECK-NEXT:      ^bb0(%[[ACC:.+]]: tensor<3xf32>, %[[ROW:.+]]: tensor<3xf32>)
// CHECK-NEXT:        %[[SIN:.+]] = dovetail.sin %[[ROW]]
// CHECK-NEXT:        %[[NEG:.+]] = dovetail.neg %[[SIN]]
// CHECK-NEXT:        %[[NEXT:.+]] = dovetail.add %[[ACC]], %[[NEG]]
// CHECK-NEXT:        %[[NEXT2:.+]] = dovetail.sub %[[NEXT]], %[[ROW]]
// CHECK-NEXT:        dovetail.yield %[[NEXT2]]
// CHECK:           %[[BOTH:.+]] = dovetail.add %[[INNER]], %[[SUM]]
// CHECK:           %[[TANH:.+]] = dovetail.tanh %[[H]]
// CHECK:           %[[REDUCED:.+]] = dovetail.all_reduce_sum %[[TANH]] over ["x"]
// CHECK:           dovetail.yield %[[BOTH]], %[[REDUCED]]
// CHECK:         %[[ALL:.+]] = dovetail.all_reduce_sum %[[LAST]]#0 over ["x"] : tensor<3xf32>
// CHECK:         return %[[ALL]], %[[LAST]]#1
func.func @main(%x: tensor<2x4x3xf32>, %h: tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>) {
  %zero = dovetail.constant dense<0.0> : tensor<3xf32>
  %0:2 = dovetail.scan length 2 init(%zero, %h) over(%x) consts()
      : (tensor<3xf32>, tensor<3xf32>, tensor<2x4x3xf32>) -> (tensor<3xf32>, tensor<3xf32>) {
  ^bb0(%sum: tensor<3xf32>, %state: tensor<3xf32>, %rows: tensor<4x3xf32>):
    %none = dovetail.constant dense<0.0> : tensor<3xf32>
    %1 = dovetail.scan length 4 init(%none) over(%rows) consts() : (tensor<3xf32>, tensor<4x3xf32>) -> tensor<3xf32> {
    ^bb0(%acc: tensor<3xf32>, %row: tensor<3xf32>):
      %sin = dovetail.sin %row : tensor<3xf32>
      %2 = dovetail.all_reduce_sum %sin over ["x"] : tensor<3xf32>
      %3 = dovetail.neg %2 : tensor<3xf32>
      %4 = dovetail.add %acc, %3 : tensor<3xf32>
      %5 = dovetail.all_reduce_sum %row over ["x"] : tensor<3xf32>
      %6 = dovetail.sub %4, %5 : tensor<3xf32>
      dovetail.yield %6 : tensor<3xf32>
    }
    %7 = dovetail.add %1, %sum : tensor<3xf32>
    %8 = dovetail.tanh %state : tensor<3xf32>
    %9 = dovetail.all_reduce_sum %8 over ["x"] : tensor<3xf32>
    dovetail.yield %7, %9 : tensor<3xf32>, tensor<3xf32>
  }
  return %0#0, %0#1 : tensor<3xf32>, tensor<3xf32>
}

// -----

// A loop with a predicate that does not need the sum.
// CHECK-LABEL: func.func @main
// CHECK:         %[[LAST:.+]]:2 = dovetail.while
// CHECK-NOT:     all_reduce_sum
// CHECK:         %[[ALL:.+]] = dovetail.all_reduce_sum %[[LAST]]#0 over ["x", "y"]
// CHECK-NEXT:    return %[[ALL]]
func.func @main(%x: tensor<3xf32>, %first: tensor<i32>) -> tensor<3xf32> {
  %zero = dovetail.constant dense<0.0> : tensor<3xf32>
  %0:2 = dovetail.while init(%zero, %first) consts(%x) : (tensor<3xf32>, tensor<i32>, tensor<3xf32>) -> (tensor<3xf32>, tensor<i32>) {
  ^bb0(%sum: tensor<3xf32>, %i: tensor<i32>, %y: tensor<3xf32>):
    %end = dovetail.constant dense<9> : tensor<i32>
    %1 = dovetail.compare lt %i, %end : tensor<i32>
    dovetail.yield %1 : tensor<i1>
  } do {
  ^bb0(%sum: tensor<3xf32>, %i: tensor<i32>, %y: tensor<3xf32>):
    %one = dovetail.constant dense<1> : tensor<i32>
    %next = dovetail.add %i, %one : tensor<i32>
    %1 = dovetail.all_reduce_sum %y over ["x", "y"] : tensor<3xf32>
    %2 = dovetail.add %sum, %1 : tensor<3xf32>
    dovetail.yield %2, %next : tensor<3xf32>, tensor<i32>
  }
  return %0#0 : tensor<3xf32>
}

// -----

// Sums stay in the loop if it starts from something else, stacks them, multiplies what it has, takes maxima, mixes axes, or
// needs what it has added up.
// CHECK-LABEL: func.func @main
// CHECK:         dovetail.scan
// CHECK-COUNT-5: dovetail.all_reduce_sum
// CHECK:         dovetail.all_reduce_max
// CHECK:         dovetail.all_reduce_sum
// CHECK:         dovetail.yield
// CHECK-NOT:     dovetail.all_reduce
func.func @main(%x: tensor<4x3xf32>, %first: tensor<3xf32>)
    -> (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<4x3xf32>) {
  %zero = dovetail.constant dense<0.0> : tensor<3xf32>
  %0:7 = dovetail.scan length 4 init(%first, %zero, %zero, %zero, %zero, %zero) over(%x) consts()
      : (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<4x3xf32>)
      -> (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<4x3xf32>) {
  ^bb0(%a: tensor<3xf32>, %b: tensor<3xf32>, %c: tensor<3xf32>, %d: tensor<3xf32>, %e: tensor<3xf32>, %f: tensor<3xf32>, %row: tensor<3xf32>):
    %s0 = dovetail.all_reduce_sum %row over ["x"] : tensor<3xf32>
    %a1 = dovetail.add %a, %s0 : tensor<3xf32>
    %r1 = dovetail.sin %row : tensor<3xf32>
    %s1 = dovetail.all_reduce_sum %r1 over ["x"] : tensor<3xf32>
    %b1 = dovetail.add %b, %s1 : tensor<3xf32>
    %r2 = dovetail.cos %row : tensor<3xf32>
    %s2 = dovetail.all_reduce_sum %r2 over ["x"] : tensor<3xf32>
    %c1 = dovetail.mul %c, %s2 : tensor<3xf32>
    %r3 = dovetail.tan %row : tensor<3xf32>
    %s3 = dovetail.all_reduce_sum %r3 over ["x"] : tensor<3xf32>
    %s4 = dovetail.all_reduce_sum %r3 over ["y"] : tensor<3xf32>
    %d1 = dovetail.add %d, %s3 : tensor<3xf32>
    %d2 = dovetail.add %d1, %s4 : tensor<3xf32>
    %s5 = dovetail.all_reduce_max %row over ["x"] : tensor<3xf32>
    %e1 = dovetail.add %e, %s5 : tensor<3xf32>
    %used = dovetail.exp %f : tensor<3xf32>
    %s6 = dovetail.all_reduce_sum %used over ["x"] : tensor<3xf32>
    %f1 = dovetail.add %f, %s6 : tensor<3xf32>
    dovetail.yield %a1, %b1, %c1, %d2, %e1, %f1, %b1 : tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>
  }
  return %0#0, %0#1, %0#2, %0#3, %0#4, %0#5, %0#6
      : tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<4x3xf32>
}
