// Transposed loops run the other way: cotangents of carries are carried, those of slices stacked, those of constants summed.
// RUN: dovetail-opt %s --split-input-file --dovetail-transpose=linear=0,1 | FileCheck %s

// Carry and slices; the factor is not linear.
func.func @main(%a: tensor<f32>, %xs: tensor<4xf32>, %k: tensor<f32>) -> (tensor<f32>, tensor<4xf32>) {
  %0:2 = dovetail.scan length 4 init(%a) over(%xs) consts(%k) : (tensor<f32>, tensor<4xf32>, tensor<f32>) -> (tensor<f32>, tensor<4xf32>) {
  ^bb0(%c: tensor<f32>, %x: tensor<f32>, %f: tensor<f32>):
    %1 = dovetail.mul %c, %f : tensor<f32>
    %2 = dovetail.sub %1, %x : tensor<f32>
    dovetail.yield %2, %1 : tensor<f32>, tensor<f32>
  }
  return %0#0, %0#1 : tensor<f32>, tensor<4xf32>
}
// CHECK-LABEL: func.func private @main.transpose(%arg0: tensor<f32>, %arg1: tensor<f32>, %arg2: tensor<4xf32>) -> (tensor<f32>, tensor<4xf32>)
// CHECK-NEXT:    %[[SCAN:.+]]:2 = dovetail.scan length 4 init(%arg1) over(%arg2) consts(%arg0) {reverse = true} : (tensor<f32>, tensor<4xf32>, tensor<f32>) -> (tensor<f32>, tensor<4xf32>) {
// CHECK-NEXT:    ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>, %arg5: tensor<f32>):
// CHECK-NEXT:      %[[NEG:.+]] = dovetail.neg %arg3 : tensor<f32>
// CHECK-NEXT:      %[[ADD:.+]] = dovetail.add %arg4, %arg3 : tensor<f32>
// CHECK-NEXT:      %[[MUL:.+]] = dovetail.mul %[[ADD]], %arg5 : tensor<f32>
// CHECK-NEXT:      dovetail.yield %[[MUL]], %[[NEG]] : tensor<f32>, tensor<f32>
// CHECK-NEXT:    }
// CHECK-NEXT:    return %[[SCAN]]#0, %[[SCAN]]#1 : tensor<f32>, tensor<4xf32>

// -----

// A constant's cotangent is summed over the steps, and what runs in reverse is transposed to what does not.
func.func @main(%a: tensor<2xf32>, %w: tensor<2xf32>, %xs: tensor<4x2xf32>) -> tensor<2xf32> {
  %0 = dovetail.scan length 4 init(%a) over(%xs) consts(%w) {reverse = true} : (tensor<2xf32>, tensor<4x2xf32>, tensor<2xf32>) -> tensor<2xf32> {
  ^bb0(%c: tensor<2xf32>, %x: tensor<2xf32>, %v: tensor<2xf32>):
    %1 = dovetail.mul %v, %x : tensor<2xf32>
    %2 = dovetail.add %c, %1 : tensor<2xf32>
    dovetail.yield %2 : tensor<2xf32>
  }
  return %0 : tensor<2xf32>
}
// CHECK-LABEL: func.func private @main.transpose(%arg0: tensor<4x2xf32>, %arg1: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>)
// CHECK-NEXT:    %[[CONSTANT:.+]] = dovetail.constant dense<0.000000e+00> : tensor<2xf32>
// CHECK-NEXT:    %[[SCAN:.+]]:2 = dovetail.scan length 4 init(%arg1, %[[CONSTANT]]) over(%arg0) consts() : (tensor<2xf32>, tensor<2xf32>, tensor<4x2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
// CHECK-NEXT:    ^bb0(%arg2: tensor<2xf32>, %arg3: tensor<2xf32>, %arg4: tensor<2xf32>):
// CHECK-NEXT:      %[[MUL:.+]] = dovetail.mul %arg2, %arg4 : tensor<2xf32>
// CHECK-NEXT:      %[[ADD:.+]] = dovetail.add %arg3, %[[MUL]] : tensor<2xf32>
// CHECK-NEXT:      dovetail.yield %arg2, %[[ADD]] : tensor<2xf32>, tensor<2xf32>
// CHECK-NEXT:    }
// CHECK-NEXT:    return %[[SCAN]]#0, %[[SCAN]]#1 : tensor<2xf32>, tensor<2xf32>

// -----

// Only the stacked result is used: the carry, which it does not depend on, has no cotangent and is not carried.
func.func @main(%a: tensor<f32>, %xs: tensor<4xf32>, %k: tensor<f32>) -> tensor<4xf32> {
  %0:2 = dovetail.scan length 4 init(%a) over(%xs) consts(%k) : (tensor<f32>, tensor<4xf32>, tensor<f32>) -> (tensor<f32>, tensor<4xf32>) {
  ^bb0(%c: tensor<f32>, %x: tensor<f32>, %f: tensor<f32>):
    %1 = dovetail.mul %x, %f : tensor<f32>
    dovetail.yield %c, %1 : tensor<f32>, tensor<f32>
  }
  return %0#1 : tensor<4xf32>
}
// CHECK-LABEL: func.func private @main.transpose(%arg0: tensor<f32>, %arg1: tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT:    %[[SCAN:.+]] = dovetail.scan length 4 init() over(%arg1) consts(%arg0) {reverse = true} : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32> {
// CHECK-NEXT:    ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
// CHECK-NEXT:      %[[MUL:.+]] = dovetail.mul %arg2, %arg3 : tensor<f32>
// CHECK-NEXT:      dovetail.yield %[[MUL]] : tensor<f32>
// CHECK-NEXT:    }
// CHECK-NEXT:    return %[[SCAN]] : tensor<4xf32>

// -----

// The last carry is not used, but the stacked carries are: its cotangent begins as zero.
func.func @main(%a: tensor<f32>, %unused: tensor<f32>, %k: tensor<f32>) -> tensor<4xf32> {
  %0:2 = dovetail.scan length 4 init(%a) over() consts(%k) : (tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<4xf32>) {
  ^bb0(%c: tensor<f32>, %f: tensor<f32>):
    %1 = dovetail.mul %c, %f : tensor<f32>
    dovetail.yield %1, %c : tensor<f32>, tensor<f32>
  }
  return %0#1 : tensor<4xf32>
}
// CHECK-LABEL: func.func private @main.transpose(%arg0: tensor<f32>, %arg1: tensor<4xf32>) -> tensor<f32>
// CHECK-NEXT:    %[[CONSTANT:.+]] = dovetail.constant dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT:    %[[SCAN:.+]] = dovetail.scan length 4 init(%[[CONSTANT]]) over(%arg1) consts(%arg0) {reverse = true} : (tensor<f32>, tensor<4xf32>, tensor<f32>) -> tensor<f32> {
// CHECK-NEXT:    ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>, %arg4: tensor<f32>):
// CHECK-NEXT:      %[[MUL:.+]] = dovetail.mul %arg2, %arg4 : tensor<f32>
// CHECK-NEXT:      %[[ADD:.+]] = dovetail.add %arg3, %[[MUL]] : tensor<f32>
// CHECK-NEXT:      dovetail.yield %[[ADD]] : tensor<f32>
// CHECK-NEXT:    }
// CHECK-NEXT:    return %[[SCAN]] : tensor<f32>

// -----

// A carry that starts as a constant is linear from the second step on; its own cotangent is not kept.
func.func @main(%unused: tensor<f32>, %xs: tensor<4xf32>) -> tensor<f32> {
  %1 = dovetail.constant dense<0.0> : tensor<f32>
  %0 = dovetail.scan length 4 init(%1) over(%xs) consts() : (tensor<f32>, tensor<4xf32>) -> tensor<f32> {
  ^bb0(%c: tensor<f32>, %x: tensor<f32>):
    %2 = dovetail.add %c, %x : tensor<f32>
    dovetail.yield %2 : tensor<f32>
  }
  return %0 : tensor<f32>
}
// CHECK-LABEL: func.func private @main.transpose(%arg0: tensor<f32>) -> tensor<4xf32>
// CHECK-NEXT:    %[[CONSTANT:.+]] = dovetail.constant dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT:    %[[SCAN:.+]]:2 = dovetail.scan length 4 init(%arg0) over() consts() {reverse = true} : (tensor<f32>) -> (tensor<f32>, tensor<4xf32>) {
// CHECK-NEXT:    ^bb0(%arg1: tensor<f32>):
// CHECK-NEXT:      dovetail.yield %arg1, %arg1 : tensor<f32>, tensor<f32>
// CHECK-NEXT:    }
// CHECK-NEXT:    return %[[SCAN]]#1 : tensor<4xf32>

// -----

// Sizes of linear slices and constants come from outside, as does the number of steps.
func.func @main(%a: tensor<?xf32>, %w: tensor<?xf32>, %xs: tensor<?x?xf32>, %n: tensor<i32>) -> tensor<?xf32> {
  %0 = dovetail.scan length -1 count %n init(%a) over(%xs) consts(%w) : (tensor<?xf32>, tensor<?x?xf32>, tensor<?xf32>, tensor<i32>) -> tensor<?xf32> {
  ^bb0(%c: tensor<?xf32>, %x: tensor<?xf32>, %v: tensor<?xf32>):
    %1 = dovetail.mul %v, %x : tensor<?xf32>
    %2 = dovetail.add %c, %1 : tensor<?xf32>
    dovetail.yield %2 : tensor<?xf32>
  }
  return %0 : tensor<?xf32>
}
// CHECK-LABEL: func.func private @main.transpose(%arg0: tensor<?x?xf32>, %arg1: tensor<i32>, %arg2: index, %arg3: index, %arg4: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>)
// CHECK-NEXT:    %[[CONSTANT:.+]] = dovetail.constant dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT:    %[[BROADCAST:.+]] = dovetail.broadcast %[[CONSTANT]] dims [] sizes(%arg3) : tensor<f32> -> tensor<?xf32>
// CHECK-NEXT:    %[[SCAN:.+]]:2 = dovetail.scan length -1 count %arg1 init(%arg4, %[[BROADCAST]]) over(%arg0) consts(%arg2, %arg3) {reverse = true} : (tensor<?xf32>, tensor<?xf32>, tensor<?x?xf32>, index, index, tensor<i32>) -> (tensor<?xf32>, tensor<?xf32>) {
// CHECK-NEXT:    ^bb0(%arg5: tensor<?xf32>, %arg6: tensor<?xf32>, %arg7: tensor<?xf32>, %arg8: index, %arg9: index):
// CHECK-NEXT:      %[[MUL:.+]] = dovetail.mul %arg5, %arg7 : tensor<?xf32>
// CHECK-NEXT:      %[[ADD:.+]] = dovetail.add %arg6, %[[MUL]] : tensor<?xf32>
// CHECK-NEXT:      dovetail.yield %arg5, %[[ADD]] : tensor<?xf32>, tensor<?xf32>
// CHECK-NEXT:    }
// CHECK-NEXT:    return %[[SCAN]]#0, %[[SCAN]]#1 : tensor<?xf32>, tensor<?xf32>
