// Windows of an array that repeats one element are not read.
// RUN: dovetail-opt %s --canonicalize | FileCheck %s

// CHECK-LABEL: func.func @mask
// CHECK:         %[[INSIDE:.+]] = dovetail.and
// CHECK-NEXT:    %[[ANS:.+]] = dovetail.broadcast %[[INSIDE]] dims [0] : tensor<5xi1> -> tensor<5x2x3xi1>
// CHECK-NEXT:    return %[[ANS]]
func.func @mask(%arg0: tensor<5x1xi32>) -> tensor<5x2x3xi1> {
  %0 = dovetail.constant dense<true> : tensor<8x3xi1>
  %1 = dovetail.gather %0, %arg0 dims [0] window [2] : tensor<8x3xi1>, tensor<5x1xi32>
  return %1 : tensor<5x2x3xi1>
}

// Unsigned indices are not negative.
// CHECK-LABEL: func.func @unsigned
// CHECK:         dovetail.compare le
// CHECK-NOT:     dovetail.compare
// CHECK:         dovetail.select
func.func @unsigned(%arg0: tensor<5x1xui32>) -> tensor<5x1xf32> {
  %0 = dovetail.constant dense<2.5> : tensor<8xf32>
  %1 = dovetail.gather %0, %arg0 dims [0] window [1] : tensor<8xf32>, tensor<5x1xui32>
  return %1 : tensor<5x1xf32>
}
