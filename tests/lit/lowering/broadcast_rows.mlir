// Short rows that are computed from broadcast arrays are reduced in one loop nest, whose tiles hold whole rows.
// RUN: dovetail-opt %s --dovetail-lower --canonicalize | FileCheck %s

module attributes {dovetail.target = "cpu"} {
func.func @distances(%arg0: tensor<40x32xf32>, %arg1: tensor<50x32xf32>) -> tensor<40x50xf32> {
  %0 = dovetail.broadcast %arg0 dims [0, 2] : tensor<40x32xf32> -> tensor<40x50x32xf32>
  %1 = dovetail.broadcast %arg1 dims [1, 2] : tensor<50x32xf32> -> tensor<40x50x32xf32>
  %2 = dovetail.sub %0, %1 : tensor<40x50x32xf32>
  %3 = dovetail.mul %2, %2 : tensor<40x50x32xf32>
  %4 = dovetail.reduce_sum %3 [2] : tensor<40x50x32xf32>
  return %4 : tensor<40x50xf32>
}
// CHECK-DAG: #[[LEFT:.*]] = affine_map<(d0, d1, d2) -> (d0, d2)>
// CHECK-DAG: #[[RIGHT:.*]] = affine_map<(d0, d1, d2) -> (d1, d2)>
// CHECK-DAG: #[[RESULT:.*]] = affine_map<(d0, d1, d2) -> (d0, d1)>
// CHECK-LABEL: func.func @distances
// CHECK: linalg.fill
// CHECK: linalg.generic {indexing_maps = [#[[LEFT]], #[[RIGHT]], #[[RESULT]]], iterator_types = ["parallel", "parallel", "reduction"]} ins(%arg0, %arg1 : tensor<40x32xf32>, tensor<50x32xf32>)
// CHECK-SAME: vector_common_parallel = [4, 8, 0], vector_reduction = [0, 0, 32]
// CHECK: arith.subf
// CHECK-NEXT: arith.mulf
// CHECK-NEXT: arith.addf
// CHECK-NOT: linalg.generic
// CHECK: return

// Of more terms, sums are formed in f64.
func.func @longer(%arg0: tensor<40x100xf32>, %arg1: tensor<50x100xf32>) -> tensor<40x50xf32> {
  %0 = dovetail.broadcast %arg0 dims [0, 2] : tensor<40x100xf32> -> tensor<40x50x100xf32>
  %1 = dovetail.broadcast %arg1 dims [1, 2] : tensor<50x100xf32> -> tensor<40x50x100xf32>
  %2 = dovetail.sub %0, %1 : tensor<40x50x100xf32>
  %3 = dovetail.abs %2 : tensor<40x50x100xf32>
  %4 = dovetail.reduce_sum %3 [2] : tensor<40x50x100xf32>
  return %4 : tensor<40x50xf32>
}
// CHECK-LABEL: func.func @longer
// CHECK: linalg.generic {{.*}} outs(%{{.*}} : tensor<40x50xf64>)
// CHECK-SAME: vector_common_parallel = [1, 8, 0], vector_reduction = [0, 0, 100]
// CHECK: return

// What is stored is read as it lies, and what has other users is computed once.
func.func @others(%arg0: tensor<40x50x32xf32>, %arg1: tensor<50x32xf32>) -> (tensor<40x50xf32>, tensor<40x50xf32>, tensor<40x50x32xf32>) {
  %0 = dovetail.broadcast %arg1 dims [1, 2] : tensor<50x32xf32> -> tensor<40x50x32xf32>
  %1 = dovetail.sub %arg0, %0 : tensor<40x50x32xf32>
  %2 = dovetail.reduce_sum %1 [2] : tensor<40x50x32xf32>
  %3 = dovetail.exp %0 : tensor<40x50x32xf32>
  %4 = dovetail.reduce_sum %3 [2] : tensor<40x50x32xf32>
  return %2, %4, %3 : tensor<40x50xf32>, tensor<40x50xf32>, tensor<40x50x32xf32>
}
// CHECK-LABEL: func.func @others
// CHECK-NOT: vector_common_parallel
// CHECK: return

// The code generator knows products of matrices.
func.func @products(%arg0: tensor<40x32xf32>, %arg1: tensor<50x32xf32>) -> tensor<40x50xf32> {
  %0 = dovetail.broadcast %arg0 dims [0, 2] : tensor<40x32xf32> -> tensor<40x50x32xf32>
  %1 = dovetail.broadcast %arg1 dims [1, 2] : tensor<50x32xf32> -> tensor<40x50x32xf32>
  %2 = dovetail.mul %0, %1 : tensor<40x50x32xf32>
  %3 = dovetail.reduce_sum %2 [2] : tensor<40x50x32xf32>
  return %3 : tensor<40x50xf32>
}
// CHECK-LABEL: func.func @products
// CHECK-NOT: vector_common_parallel
// CHECK: return
}
