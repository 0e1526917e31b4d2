// Transposed branches: a cotangent that some branch has is zero in the others.
// RUN: dovetail-opt %s --split-input-file --dovetail-transpose=linear=0,1 | FileCheck %s

func.func @main(%x: tensor<f32>, %y: tensor<f32>, %k: tensor<f32>, %i: tensor<i32>) -> tensor<f32> {
  %0 = dovetail.case %i of(%x, %y, %k) : (tensor<i32>, tensor<f32>, tensor<f32>, tensor<f32>) -> tensor<f32> {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>, %f: tensor<f32>):
    %1 = dovetail.mul %a, %f : tensor<f32>
    dovetail.yield %1 : tensor<f32>
  }, {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>, %f: tensor<f32>):
    %1 = dovetail.sub %a, %b : tensor<f32>
    dovetail.yield %1 : tensor<f32>
  }
  return %0 : tensor<f32>
}
// CHECK-LABEL: func.func private @main.transpose(%arg0: tensor<f32>, %arg1: tensor<i32>, %arg2: tensor<f32>) -> (tensor<f32>, tensor<f32>)
// CHECK-NEXT:    %[[CASE:.+]]:2 = dovetail.case %arg1 of(%arg0, %arg2) : (tensor<i32>, tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<f32>) {
// CHECK-NEXT:    ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
// CHECK-NEXT:      %[[MUL:.+]] = dovetail.mul %arg4, %arg3 : tensor<f32>
// CHECK-NEXT:      %[[CONSTANT:.+]] = dovetail.constant dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT:      dovetail.yield %[[MUL]], %[[CONSTANT]] : tensor<f32>, tensor<f32>
// CHECK-NEXT:    }, {
// CHECK-NEXT:    ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
// CHECK-NEXT:      %[[NEG:.+]] = dovetail.neg %arg4 : tensor<f32>
// CHECK-NEXT:      dovetail.yield %arg4, %[[NEG]] : tensor<f32>, tensor<f32>
// CHECK-NEXT:    }
// CHECK-NEXT:    return %[[CASE]]#0, %[[CASE]]#1 : tensor<f32>, tensor<f32>

// -----

// A zero of a size that is not known here.
func.func @main(%x: tensor<?xf32>, %y: tensor<?xf32>, %i: tensor<i32>) -> tensor<?xf32> {
  %0 = dovetail.case %i of(%x, %y) : (tensor<i32>, tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32> {
  ^bb0(%a: tensor<?xf32>, %b: tensor<?xf32>):
    dovetail.yield %a : tensor<?xf32>
  }, {
  ^bb0(%a: tensor<?xf32>, %b: tensor<?xf32>):
    dovetail.yield %b : tensor<?xf32>
  }
  return %0 : tensor<?xf32>
}
// CHECK-LABEL: func.func private @main.transpose(%arg0: tensor<i32>, %arg1: index, %arg2: index, %arg3: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>)
// CHECK-NEXT:    %[[CASE:.+]]:2 = dovetail.case %arg0 of(%arg1, %arg2, %arg3) : (tensor<i32>, index, index, tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>) {
// CHECK-NEXT:    ^bb0(%arg4: index, %arg5: index, %arg6: tensor<?xf32>):
// CHECK-NEXT:      %[[CONSTANT:.+]] = dovetail.constant dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT:      %[[BROADCAST:.+]] = dovetail.broadcast %[[CONSTANT]] dims [] sizes(%arg5) : tensor<f32> -> tensor<?xf32>
// CHECK-NEXT:      dovetail.yield %arg6, %[[BROADCAST]] : tensor<?xf32>, tensor<?xf32>
// CHECK-NEXT:    }, {
// CHECK-NEXT:    ^bb0(%arg4: index, %arg5: index, %arg6: tensor<?xf32>):
// CHECK-NEXT:      %[[CONSTANT_1:.+]] = dovetail.constant dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT:      %[[BROADCAST_1:.+]] = dovetail.broadcast %[[CONSTANT_1]] dims [] sizes(%arg4) : tensor<f32> -> tensor<?xf32>
// CHECK-NEXT:      dovetail.yield %[[BROADCAST_1]], %arg6 : tensor<?xf32>, tensor<?xf32>
// CHECK-NEXT:    }
// CHECK-NEXT:    %[[FIRST:.+]] = dovetail.with_sizes %[[CASE]]#0 sizes(%arg1) : tensor<?xf32>
// CHECK-NEXT:    %[[SECOND:.+]] = dovetail.with_sizes %[[CASE]]#1 sizes(%arg2) : tensor<?xf32>
// CHECK-NEXT:    return %[[FIRST]], %[[SECOND]] : tensor<?xf32>, tensor<?xf32>

// -----

// No branch uses the second argument, which has no cotangent.
func.func @main(%x: tensor<f32>, %y: tensor<f32>, %i: tensor<i32>) -> tensor<f32> {
  %0 = dovetail.case %i of(%x, %y) : (tensor<i32>, tensor<f32>, tensor<f32>) -> tensor<f32> {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = dovetail.neg %a : tensor<f32>
    dovetail.yield %1 : tensor<f32>
  }, {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    dovetail.yield %a : tensor<f32>
  }
  return %0 : tensor<f32>
}
// CHECK-LABEL: func.func private @main.transpose(%arg0: tensor<i32>, %arg1: tensor<f32>) -> tensor<f32>
// CHECK-NEXT:    %[[CASE:.+]] = dovetail.case %arg0 of(%arg1) : (tensor<i32>, tensor<f32>) -> tensor<f32> {
// CHECK-NEXT:    ^bb0(%arg2: tensor<f32>):
// CHECK-NEXT:      %[[NEG:.+]] = dovetail.neg %arg2 : tensor<f32>
// CHECK-NEXT:      dovetail.yield %[[NEG]] : tensor<f32>
// CHECK-NEXT:    }, {
// CHECK-NEXT:    ^bb0(%arg2: tensor<f32>):
// CHECK-NEXT:      dovetail.yield %arg2 : tensor<f32>
// CHECK-NEXT:    }
// CHECK-NEXT:    return %[[CASE]] : tensor<f32>
