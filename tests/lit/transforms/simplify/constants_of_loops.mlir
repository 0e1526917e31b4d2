// What depends on a loop's constants only is computed before it, if that takes little memory.
// RUN: dovetail-opt %s --split-input-file --dovetail-simplify | FileCheck %s

// A transpose is no larger than its operand; an outer product is.
// CHECK-LABEL: func.func @main
// CHECK:         %[[T:.+]] = dovetail.transpose %arg1
// CHECK:         dovetail.scan {{.*}} consts(%arg2, %[[T]])
// CHECK:           dovetail.dot_general {{.*}} : tensor<4xf32>, tensor<4xf32>
func.func @main(%xs: tensor<3x4x4xf32>, %w: tensor<4x4xf32>, %v: tensor<4xf32>) -> tensor<3x4x4xf32> {
  %0 = dovetail.scan length 3 init() over(%xs) consts(%w, %v) : (tensor<3x4x4xf32>, tensor<4x4xf32>, tensor<4xf32>) -> tensor<3x4x4xf32> {
  ^bb0(%x: tensor<4x4xf32>, %a: tensor<4x4xf32>, %b: tensor<4xf32>):
    %1 = dovetail.transpose %a [1, 0] : tensor<4x4xf32>
    %2 = dovetail.dot_general %b, %b batch [] x [] contract [] x [] : tensor<4xf32>, tensor<4xf32>
    %3 = dovetail.mul %1, %2 : tensor<4x4xf32>
    %4 = dovetail.mul %3, %x : tensor<4x4xf32>
    dovetail.yield %4 : tensor<4x4xf32>
  }
  return %0 : tensor<3x4x4xf32>
}

// -----

// Devices exchange a small array once, and a large one in each iteration.
// CHECK-LABEL: func.func @main
// CHECK:         dovetail.all_gather %{{.+}} : tensor<4xf32>
// CHECK:         dovetail.scan
// CHECK-NOT:       dovetail.all_gather %{{.+}} : tensor<4xf32>
// CHECK:           dovetail.all_gather %{{.+}} : tensor<1048576xf32>
func.func @main(%xs: tensor<3x4xf32>, %small: tensor<4xf32>, %large: tensor<1048576xf32>) -> tensor<3x4xf32> {
  %0 = dovetail.scan length 3 init() over(%xs) consts(%small, %large) : (tensor<3x4xf32>, tensor<4xf32>, tensor<1048576xf32>) -> tensor<3x4xf32> {
  ^bb0(%x: tensor<4xf32>, %a: tensor<4xf32>, %b: tensor<1048576xf32>):
    %1 = dovetail.all_gather %a over ["x"] sizes [2] dimension 0 : tensor<4xf32>
    %2 = dovetail.all_gather %b over ["x"] sizes [2] dimension 0 : tensor<1048576xf32>
    %3 = dovetail.reduce_sum %1 [0] : tensor<2x4xf32>
    %4 = dovetail.reduce_sum %2 [0, 1] : tensor<2x1048576xf32>
    %5 = dovetail.mul %3, %x : tensor<4xf32>
    %6 = dovetail.broadcast %4 dims [] : tensor<f32> -> tensor<4xf32>
    %7 = dovetail.mul %5, %6 : tensor<4xf32>
    dovetail.yield %7 : tensor<4xf32>
  }
  return %0 : tensor<3x4xf32>
}
