// Ops on bf16 are computed in f32 and rounded as integers: IREE would take an f32 that is truncated and extended for
// itself.
// RUN: dovetail-opt %s --dovetail-lower | FileCheck %s

// CHECK-LABEL: @add
// CHECK: arith.extf %{{.*}} : bf16 to f32
// CHECK: arith.addf %{{.*}} : f32
// CHECK: arith.trunci %{{.*}} : i32 to i16
// CHECK: arith.bitcast %{{.*}} : i16 to bf16
// CHECK-NOT: arith.truncf
func.func @add(%arg0: tensor<4xbf16>, %arg1: tensor<4xbf16>) -> tensor<4xbf16> {
  %0 = dovetail.add %arg0, %arg1 : tensor<4xbf16>
  return %0 : tensor<4xbf16>
}

// CHECK-LABEL: @tanh
// CHECK: arith.bitcast %{{.*}} : i16 to bf16
// CHECK-NOT: arith.truncf
func.func @tanh(%arg0: tensor<4xbf16>) -> tensor<4xbf16> {
  %0 = dovetail.tanh %arg0 : tensor<4xbf16>
  return %0 : tensor<4xbf16>
}

// Products of matrices stay in f32 until they are complete.
// CHECK-LABEL: @dot
// CHECK: arith.mulf %{{.*}} : f32
// CHECK-NEXT: arith.addf %{{.*}} : f32
// CHECK-NEXT: linalg.yield %{{.*}} : f32
// CHECK: arith.bitcast %{{.*}} : i16 to bf16
func.func @dot(%arg0: tensor<4x8xbf16>, %arg1: tensor<8x4xbf16>) -> tensor<4x4xbf16> {
  %0 = dovetail.dot_general %arg0, %arg1 batch [] x [] contract [1] x [0] : tensor<4x8xbf16>, tensor<8x4xbf16>
  return %0 : tensor<4x4xbf16>
}
