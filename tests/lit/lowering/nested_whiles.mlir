// Loops in one another become one dispatch where each would run on one thread anyway.
// RUN: dovetail-opt %s --split-input-file --dovetail-lower | FileCheck %s

// Loops of unknown length count once, however many are nested.
// CHECK-LABEL: func.func @nested
// CHECK: flow.dispatch
// CHECK-NOT: scf.while
// CHECK: return
module attributes {dovetail.target = "cpu"} {
func.func @nested(%arg0: tensor<i32>, %arg1: tensor<3000xf32>) -> tensor<3000xf32> {
  %0 = dovetail.constant dense<0> : tensor<i32>
  %1:2 = dovetail.while init(%0, %arg1) consts(%arg0) : (tensor<i32>, tensor<3000xf32>, tensor<i32>) -> (tensor<i32>, tensor<3000xf32>) {
  ^bb0(%arg2: tensor<i32>, %arg3: tensor<3000xf32>, %arg4: tensor<i32>):
    %2 = dovetail.compare lt %arg2, %arg4 : tensor<i32>
    dovetail.yield %2 : tensor<i1>
  } do {
  ^bb0(%arg2: tensor<i32>, %arg3: tensor<3000xf32>, %arg4: tensor<i32>):
    %2 = dovetail.constant dense<0> : tensor<i32>
    %3 = dovetail.constant dense<1> : tensor<i32>
    %4 = dovetail.add %arg2, %3 : tensor<i32>
    %5:2 = dovetail.while init(%2, %arg3) consts(%arg4) : (tensor<i32>, tensor<3000xf32>, tensor<i32>) -> (tensor<i32>, tensor<3000xf32>) {
    ^bb0(%arg5: tensor<i32>, %arg6: tensor<3000xf32>, %arg7: tensor<i32>):
      %6 = dovetail.compare lt %arg5, %arg7 : tensor<i32>
      dovetail.yield %6 : tensor<i1>
    } do {
    ^bb0(%arg5: tensor<i32>, %arg6: tensor<3000xf32>, %arg7: tensor<i32>):
      %6 = dovetail.constant dense<0> : tensor<i32>
      %7 = dovetail.constant dense<1> : tensor<i32>
      %8 = dovetail.add %arg5, %7 : tensor<i32>
      %9:2 = dovetail.while init(%6, %arg6) consts(%arg7) : (tensor<i32>, tensor<3000xf32>, tensor<i32>) -> (tensor<i32>, tensor<3000xf32>) {
      ^bb0(%arg8: tensor<i32>, %arg9: tensor<3000xf32>, %arg10: tensor<i32>):
        %10 = dovetail.compare lt %arg8, %arg10 : tensor<i32>
        dovetail.yield %10 : tensor<i1>
      } do {
      ^bb0(%arg8: tensor<i32>, %arg9: tensor<3000xf32>, %arg10: tensor<i32>):
        %10 = dovetail.constant dense<1> : tensor<i32>
        %11 = dovetail.add %arg8, %10 : tensor<i32>
        %12 = dovetail.cos %arg9 : tensor<3000xf32>
        dovetail.yield %11, %12 : tensor<i32>, tensor<3000xf32>
      }
      dovetail.yield %8, %9#1 : tensor<i32>, tensor<3000xf32>
    }
    dovetail.yield %4, %5#1 : tensor<i32>, tensor<3000xf32>
  }
  return %1#1 : tensor<3000xf32>
}
}

// -----

// What only the condition reads is carried like the rest.
// CHECK-LABEL: func.func @only_in_condition
// CHECK: flow.dispatch
// CHECK-NOT: scf.while
// CHECK: return
module attributes {dovetail.target = "cpu"} {
func.func @only_in_condition(%arg0: tensor<i32>, %arg1: tensor<7xf32>) -> tensor<7xf32> {
  %0 = dovetail.constant dense<0> : tensor<i32>
  %1:3 = dovetail.while init(%0, %arg0, %arg1) consts() : (tensor<i32>, tensor<i32>, tensor<7xf32>) -> (tensor<i32>, tensor<i32>, tensor<7xf32>) {
  ^bb0(%arg2: tensor<i32>, %arg3: tensor<i32>, %arg4: tensor<7xf32>):
    %2 = dovetail.compare lt %arg2, %arg3 : tensor<i32>
    dovetail.yield %2 : tensor<i1>
  } do {
  ^bb0(%arg2: tensor<i32>, %arg3: tensor<i32>, %arg4: tensor<7xf32>):
    %2 = dovetail.constant dense<5.000000e-01> : tensor<7xf32>
    %3 = dovetail.constant dense<1> : tensor<i32>
    %4 = dovetail.add %arg2, %3 : tensor<i32>
    %5 = dovetail.slice %arg4 starts [0] strides [1] : tensor<7xf32> -> tensor<1xf32>
    %6 = dovetail.reshape %5 : tensor<1xf32> -> tensor<f32>
    %7 = dovetail.convert %6 : tensor<f32> -> tensor<i32>
    %8 = dovetail.mul %arg4, %2 : tensor<7xf32>
    dovetail.yield %4, %7, %8 : tensor<i32>, tensor<i32>, tensor<7xf32>
  }
  return %1#2 : tensor<7xf32>
}
}
