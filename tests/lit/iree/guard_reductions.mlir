// What may fold to one number is not fused into a reduction that counts its elements.
// RUN: dovetail-opt %s --dovetail-lower --dovetail-guard-reductions --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @all_ones
// CHECK: %[[ONES:.*]] = linalg.generic
// CHECK: %[[STORED:.*]] = "iree_tensor_ext.compute_barrier.start"(%[[ONES]])
// CHECK: linalg.generic {{.*}}"reduction"{{.*}} ins(%[[STORED]]
func.func @all_ones(%x: tensor<64xi32>) -> tensor<i32> {
  %0 = dovetail.constant dense<-1> : tensor<64xi32>
  %1 = dovetail.or %x, %0 : tensor<64xi32>
  %2 = dovetail.reduce_sum %1 [0] : tensor<64xi32>
  return %2 : tensor<i32>
}

// -----

// Integers of one origin cancel each other, also across ops.
// CHECK-LABEL: func.func @cancelled
// CHECK: linalg.generic
// CHECK: linalg.generic
// CHECK: compute_barrier.start
func.func @cancelled(%x: tensor<64xi32>) -> tensor<i32> {
  %0 = dovetail.constant dense<5> : tensor<64xi32>
  %1 = dovetail.add %x, %0 : tensor<64xi32>
  %2 = dovetail.sub %1, %x : tensor<64xi32>
  %3 = dovetail.reduce_sum %2 [0] : tensor<64xi32>
  return %3 : tensor<i32>
}

// -----

// A choice by what the code generator evaluates may be that of a constant; the sum of zeros does not matter.
// CHECK-LABEL: func.func @chosen
// CHECK: compute_barrier.start
// CHECK-NOT: compute_barrier.start
func.func @chosen(%x: tensor<64xf32>, %y: tensor<64xf32>) -> (tensor<f32>, tensor<f32>) {
  %0 = dovetail.iota 0 : tensor<64xi32>
  %1 = dovetail.constant dense<7> : tensor<64xi32>
  %2 = dovetail.compare lt %0, %1 : tensor<64xi32>
  %3 = dovetail.constant dense<2.0> : tensor<64xf32>
  %4 = dovetail.select %2, %x, %3 : tensor<64xi1>, tensor<64xf32>
  %5 = dovetail.reduce_sum %4 [0] : tensor<64xf32>
  %6 = dovetail.constant dense<0.0> : tensor<64xf32>
  %7 = dovetail.select %2, %y, %6 : tensor<64xi1>, tensor<64xf32>
  %8 = dovetail.reduce_sum %7 [0] : tensor<64xf32>
  return %5, %8 : tensor<f32>, tensor<f32>
}

// -----

// Nothing is made of floats, of comparisons with usual bounds, or of what a maximum counts once.
// CHECK-LABEL: func.func @usual
// CHECK-NOT: compute_barrier.start
// CHECK: return
func.func @usual(%x: tensor<64xf32>, %k: tensor<64xi32>) -> (tensor<f32>, tensor<i32>, tensor<i32>) {
  %0 = dovetail.constant dense<2> : tensor<64xi32>
  %1 = dovetail.compare lt %k, %0 : tensor<64xi32>
  %2 = dovetail.constant dense<3.0> : tensor<64xf32>
  %3 = dovetail.select %1, %x, %2 : tensor<64xi1>, tensor<64xf32>
  %4 = dovetail.mul %3, %x : tensor<64xf32>
  %5 = dovetail.reduce_sum %4 [0] : tensor<64xf32>
  %6 = dovetail.floor_rem %k, %0 : tensor<64xi32>
  %7 = dovetail.reduce_sum %6 [0] : tensor<64xi32>
  %8 = dovetail.constant dense<-1> : tensor<64xi32>
  %9 = dovetail.or %k, %8 : tensor<64xi32>
  %10 = dovetail.reduce_max %9 [0] : tensor<64xi32>
  return %5, %7, %10 : tensor<f32>, tensor<i32>, tensor<i32>
}
