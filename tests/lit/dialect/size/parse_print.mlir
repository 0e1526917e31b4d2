// Text of ops on sizes.
// RUN: dovetail-opt %s | FileCheck %s
// RUN: dovetail-opt %s --mlir-print-op-generic | dovetail-opt | FileCheck %s

func.func @sizes(%x: tensor<?x3xf32>, %y: tensor<3xf32>) -> (tensor<i32>, tensor<?x3xf32>, tensor<3xf32>) {
  %0 = dovetail.dim %x, 0 : tensor<?x3xf32>
  %1 = dovetail.assume %0 min 1 max 4096 multiple 8
  %2 = dovetail.from_index %1 : tensor<i32>
  %3 = dovetail.with_sizes %x sizes(%1) : tensor<?x3xf32>
  %4 = dovetail.with_sizes %y : tensor<3xf32>
  return %2, %3, %4 : tensor<i32>, tensor<?x3xf32>, tensor<3xf32>
}
// CHECK-LABEL: func.func @sizes
// CHECK-NEXT:    %[[DIM:.+]] = dovetail.dim %arg0, 0 : tensor<?x3xf32>
// CHECK-NEXT:    %[[SIZE:.+]] = dovetail.assume %[[DIM]] min 1 max 4096 multiple 8
// CHECK-NEXT:    dovetail.from_index %[[SIZE]] : tensor<i32>
// CHECK-NEXT:    dovetail.with_sizes %arg0 sizes(%[[SIZE]]) : tensor<?x3xf32>
// CHECK-NEXT:    dovetail.with_sizes %arg1 : tensor<3xf32>
