// Ops on 16-bit floats that IREE rounds wrongly or not at all are computed in f32 and rounded here: for bf16, as
// integers, since IREE would take an f32 that is truncated and extended for itself.
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

// The maximum of f16 is that of f32, since IREE's own pass for it dies of vectors; the minimum is plain.
// CHECK-LABEL: @max
// CHECK: arith.maximumf %{{.*}} : f32
// CHECK-NEXT: arith.truncf %{{.*}} : f32 to f16
func.func @max(%arg0: tensor<4xf16>, %arg1: tensor<4xf16>) -> tensor<4xf16> {
  %0 = dovetail.max %arg0, %arg1 : tensor<4xf16>
  return %0 : tensor<4xf16>
}
