// A sum with the weights of a softmax is divided once it has been taken.
// RUN: dovetail-opt %s --canonicalize | FileCheck %s

// CHECK-LABEL: func.func @attention
// CHECK: %[[TERMS:.*]] = dovetail.exp
// CHECK: %[[SUMS:.*]] = dovetail.reduce_sum %[[TERMS]] [2]
// CHECK: %[[DOT:.*]] = dovetail.dot_general %[[TERMS]], %arg1 batch [0] x [0] contract [2] x [1]
// CHECK: %[[ALL:.*]] = dovetail.broadcast %[[SUMS]] dims [0, 1] : tensor<2x8xf32> -> tensor<2x8x4xf32>
// CHECK: dovetail.div %[[DOT]], %[[ALL]] : tensor<2x8x4xf32>
func.func @attention(%arg0: tensor<2x8x16xf32>, %arg1: tensor<2x16x4xf32>) -> tensor<2x8x4xf32> {
  %lowest = dovetail.constant dense<0xFF800000> : tensor<2x8xf32>
  %0 = dovetail.reduce_max %arg0 [2] : tensor<2x8x16xf32>
  %1 = dovetail.max %0, %lowest : tensor<2x8xf32>
  %2 = dovetail.broadcast %1 dims [0, 1] : tensor<2x8xf32> -> tensor<2x8x16xf32>
  %3 = dovetail.sub %arg0, %2 : tensor<2x8x16xf32>
  %4 = dovetail.exp %3 : tensor<2x8x16xf32>
  %5 = dovetail.reduce_sum %4 [2] : tensor<2x8x16xf32>
  %6 = dovetail.broadcast %5 dims [0, 1] : tensor<2x8xf32> -> tensor<2x8x16xf32>
  %7 = dovetail.div %4, %6 : tensor<2x8x16xf32>
  %8 = dovetail.dot_general %7, %arg1 batch [0] x [0] contract [2] x [1] : tensor<2x8x16xf32>, tensor<2x16x4xf32>
  return %8 : tensor<2x8x4xf32>
}

// On the right, of unknown sizes.
// CHECK-LABEL: func.func @right
// CHECK: %[[TERMS:.*]] = dovetail.exp
// CHECK: %[[SUMS:.*]] = dovetail.reduce_sum %[[TERMS]] [0]
// CHECK: %[[DOT:.*]] = dovetail.dot_general %arg1, %[[TERMS]] batch [] x [] contract [1] x [0]
// CHECK: %[[ALL:.*]] = dovetail.broadcast %[[SUMS]] dims [1] sizes({{.*}}) : tensor<?xf32> -> tensor<4x?xf32>
// CHECK: dovetail.div %[[DOT]], %[[ALL]]
func.func @right(%arg0: tensor<?x?xf32>, %arg1: tensor<4x?xf32>, %n: index, %m: index) -> tensor<4x?xf32> {
  %0 = dovetail.reduce_max %arg0 [0] : tensor<?x?xf32>
  %2 = dovetail.broadcast %0 dims [1] sizes(%n, %m) : tensor<?xf32> -> tensor<?x?xf32>
  %3 = dovetail.sub %arg0, %2 : tensor<?x?xf32>
  %4 = dovetail.exp %3 : tensor<?x?xf32>
  %5 = dovetail.reduce_sum %4 [0] : tensor<?x?xf32>
  %6 = dovetail.broadcast %5 dims [1] sizes(%n, %m) : tensor<?xf32> -> tensor<?x?xf32>
  %7 = dovetail.div %4, %6 : tensor<?x?xf32>
  %8 = dovetail.dot_general %arg1, %7 batch [] x [] contract [1] x [0] : tensor<4x?xf32>, tensor<?x?xf32>
  return %8 : tensor<4x?xf32>
}

// Terms that may all be small, sums in f16, weights that are needed, and results that are larger than they are stay.
// CHECK-LABEL: func.func @unshifted
// CHECK: dovetail.div %{{.*}} : tensor<8x16xf32>
func.func @unshifted(%arg0: tensor<8x16xf32>, %arg1: tensor<16x4xf32>) -> tensor<8x4xf32> {
  %4 = dovetail.exp %arg0 : tensor<8x16xf32>
  %5 = dovetail.reduce_sum %4 [1] : tensor<8x16xf32>
  %6 = dovetail.broadcast %5 dims [0] : tensor<8xf32> -> tensor<8x16xf32>
  %7 = dovetail.div %4, %6 : tensor<8x16xf32>
  %8 = dovetail.dot_general %7, %arg1 batch [] x [] contract [1] x [0] : tensor<8x16xf32>, tensor<16x4xf32>
  return %8 : tensor<8x4xf32>
}

// CHECK-LABEL: func.func @narrow
// CHECK: dovetail.div %{{.*}} : tensor<8x16xf16>
func.func @narrow(%arg0: tensor<8x16xf16>, %arg1: tensor<16x4xf16>) -> tensor<8x4xf16> {
  %0 = dovetail.reduce_max %arg0 [1] : tensor<8x16xf16>
  %2 = dovetail.broadcast %0 dims [0] : tensor<8xf16> -> tensor<8x16xf16>
  %3 = dovetail.sub %arg0, %2 : tensor<8x16xf16>
  %4 = dovetail.exp %3 : tensor<8x16xf16>
  %5 = dovetail.reduce_sum %4 [1] : tensor<8x16xf16>
  %6 = dovetail.broadcast %5 dims [0] : tensor<8xf16> -> tensor<8x16xf16>
  %7 = dovetail.div %4, %6 : tensor<8x16xf16>
  %8 = dovetail.dot_general %7, %arg1 batch [] x [] contract [1] x [0] : tensor<8x16xf16>, tensor<16x4xf16>
  return %8 : tensor<8x4xf16>
}

// CHECK-LABEL: func.func @wide
// CHECK: dovetail.div %{{.*}} : tensor<8x16xf32>
func.func @wide(%arg0: tensor<8x16xf32>, %arg1: tensor<16x40xf32>) -> tensor<8x40xf32> {
  %0 = dovetail.reduce_max %arg0 [1] : tensor<8x16xf32>
  %2 = dovetail.broadcast %0 dims [0] : tensor<8xf32> -> tensor<8x16xf32>
  %3 = dovetail.sub %arg0, %2 : tensor<8x16xf32>
  %4 = dovetail.exp %3 : tensor<8x16xf32>
  %5 = dovetail.reduce_sum %4 [1] : tensor<8x16xf32>
  %6 = dovetail.broadcast %5 dims [0] : tensor<8xf32> -> tensor<8x16xf32>
  %7 = dovetail.div %4, %6 : tensor<8x16xf32>
  %8 = dovetail.dot_general %7, %arg1 batch [] x [] contract [1] x [0] : tensor<8x16xf32>, tensor<16x40xf32>
  return %8 : tensor<8x40xf32>
}
