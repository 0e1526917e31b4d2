// Small matrices take one loop, larger ones a loop over blocks of columns; a batch is the same with one more dimension.
// RUN: dovetail-opt %s --dovetail-decompose | FileCheck %s --implicit-check-not=dovetail.cholesky --implicit-check-not=dovetail.triangular_solve

// CHECK-LABEL: @small
// CHECK: dovetail.scan length 5 {{.*}} -> tensor<5x5xf32>
// CHECK: dovetail.dot_general {{.*}} : tensor<5xf32>, tensor<5x5xf32>
// CHECK-NOT: dovetail.scan
func.func @small(%a: tensor<5x5xf32>) -> tensor<5x5xf32> {
  %l = dovetail.cholesky %a : tensor<5x5xf32>
  return %l : tensor<5x5xf32>
}

// CHECK-LABEL: @blocks
// CHECK: dovetail.scan length 3 {{.*}} -> tensor<3x32x96xf64>
// CHECK: dovetail.dot_general {{.*}} : tensor<96x32xf64>, tensor<96x96xf64>
// CHECK: dovetail.scan length 32 {{.*}} -> tensor<32x96xf64>
func.func @blocks(%a: tensor<70x70xf64>) -> tensor<70x70xf64> {
  %l = dovetail.cholesky %a : tensor<70x70xf64>
  return %l : tensor<70x70xf64>
}

// CHECK-LABEL: @batch
// CHECK: dovetail.reshape %{{.*}} : tensor<2x3x5x5xf32> -> tensor<6x5x5xf32>
// CHECK: dovetail.scan length 5 {{.*}} -> tensor<6x5x5xf32>
// CHECK: dovetail.reshape %{{.*}} : tensor<6x5x5xf32> -> tensor<2x3x5x5xf32>
func.func @batch(%a: tensor<2x3x5x5xf32>) -> tensor<2x3x5x5xf32> {
  %l = dovetail.cholesky %a : tensor<2x3x5x5xf32>
  return %l : tensor<2x3x5x5xf32>
}

// CHECK-LABEL: @unknown_sizes
// CHECK: dovetail.scan length -1 {{.*}} -> tensor<?x?x?xf32>
func.func @unknown_sizes(%a: tensor<?x?x?xf32>) -> tensor<?x?x?xf32> {
  %l = dovetail.cholesky %a : tensor<?x?x?xf32>
  return %l : tensor<?x?x?xf32>
}

// CHECK-LABEL: @nothing
// CHECK: return %{{.*}} : tensor<0x0xf32>
func.func @nothing(%a: tensor<0x0xf32>) -> tensor<0x0xf32> {
  %l = dovetail.cholesky %a : tensor<0x0xf32>
  return %l : tensor<0x0xf32>
}

// CHECK-LABEL: @within_a_loop
// CHECK: dovetail.scan length 4
// CHECK: dovetail.scan length 5
func.func @within_a_loop(%a: tensor<4x5x5xf32>, %b: tensor<5x2xf32>) -> tensor<5x2xf32> {
  %x = dovetail.scan length 4 init(%b) over(%a) consts() : (tensor<5x2xf32>, tensor<4x5x5xf32>) -> tensor<5x2xf32> {
  ^bb0(%now: tensor<5x2xf32>, %each: tensor<5x5xf32>):
    %next = dovetail.triangular_solve %each, %now left_side = true lower = true : tensor<5x5xf32>, tensor<5x2xf32>
    dovetail.yield %next : tensor<5x2xf32>
  }
  return %x : tensor<5x2xf32>
}
