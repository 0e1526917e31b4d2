// Where the host has functions for them, only small matrices in loops are decomposed.
// RUN: dovetail-opt %s --dovetail-decompose | FileCheck %s

module attributes {dovetail.host_functions} {
  // CHECK-LABEL: @main
  // CHECK: dovetail.cholesky %{{.*}} : tensor<5x5xf32>
  // CHECK: dovetail.scan length 4
  // CHECK-NOT: dovetail.triangular_solve
  // CHECK: dovetail.scan length 5
  // CHECK: dovetail.triangular_solve %{{.*}} : tensor<64x64xf32>, tensor<64x2xf32>
  func.func @main(%a: tensor<5x5xf32>, %b: tensor<5x2xf32>, %c: tensor<64x64xf32>, %d: tensor<64x2xf32>) -> (tensor<5x2xf32>, tensor<64x2xf32>) {
    %l = dovetail.cholesky %a : tensor<5x5xf32>
    %x:2 = dovetail.scan length 4 init(%b, %d) over() consts(%l, %c) : (tensor<5x2xf32>, tensor<64x2xf32>, tensor<5x5xf32>, tensor<64x64xf32>) -> (tensor<5x2xf32>, tensor<64x2xf32>) {
    ^bb0(%now: tensor<5x2xf32>, %large: tensor<64x2xf32>, %small: tensor<5x5xf32>, %other: tensor<64x64xf32>):
      %next = dovetail.triangular_solve %small, %now left_side = true lower = true : tensor<5x5xf32>, tensor<5x2xf32>
      %then = dovetail.triangular_solve %other, %large left_side = true lower = true : tensor<64x64xf32>, tensor<64x2xf32>
      dovetail.yield %next, %then : tensor<5x2xf32>, tensor<64x2xf32>
    }
    return %x#0, %x#1 : tensor<5x2xf32>, tensor<64x2xf32>
  }
}
