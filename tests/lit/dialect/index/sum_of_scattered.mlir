// A sum of what is scattered onto zeros is that of the updates whose windows are inside.
// RUN: dovetail-opt %s --canonicalize | FileCheck %s

// One index is left, the other says which updates count.
// CHECK-LABEL: func.func @along_one
// CHECK-DAG:     %[[ZEROS:.+]] = dovetail.constant dense<0.000000e+00> : tensor<8xf32>
// CHECK-DAG:     %[[FIRST:.+]] = dovetail.constant dense<0> : tensor<5xi32>
// CHECK-DAG:     %[[LAST:.+]] = dovetail.constant dense<9> : tensor<5xi32>
// CHECK:         %[[LOW:.+]] = dovetail.compare ge %{{.+}}, %[[FIRST]]
// CHECK:         %[[HIGH:.+]] = dovetail.compare le %{{.+}}, %[[LAST]]
// CHECK:         %[[INSIDE:.+]] = dovetail.and %[[LOW]], %[[HIGH]]
// CHECK:         %[[SPREAD:.+]] = dovetail.broadcast %[[INSIDE]] dims [0]
// CHECK:         %[[UPDATES:.+]] = dovetail.select %[[SPREAD]], %arg2
// CHECK:         %[[SUM:.+]] = dovetail.reduce_sum %[[UPDATES]] [2]
// CHECK:         %[[NEGATED:.+]] = dovetail.neg %[[SUM]] : tensor<5x1xf32>
// CHECK:         %[[ANS:.+]] = dovetail.scatter_add %[[ZEROS]], %arg0, %[[NEGATED]] dims [0] window [1]
// CHECK:         return %[[ANS]]
func.func @along_one(%arg0: tensor<5x1xi32>, %arg1: tensor<5x1xi32>, %arg2: tensor<5x1x1xf32>) -> tensor<8xf32> {
  %0 = dovetail.constant dense<0.0> : tensor<8x10xf32>
  %1 = dovetail.concatenate %arg0, %arg1 dimension 1 : tensor<5x1xi32>, tensor<5x1xi32>
  %2 = dovetail.scatter_add %0, %1, %arg2 dims [0, 1] window [1, 1] : tensor<8x10xf32>, tensor<5x2xi32>, tensor<5x1x1xf32>
  %3 = dovetail.neg %2 : tensor<8x10xf32>
  %4 = dovetail.reduce_sum %3 [1] : tensor<8x10xf32>
  return %4 : tensor<8xf32>
}

// Nothing is left to scatter to; no number of the type is beyond the last start.
// CHECK-LABEL: func.func @all
// CHECK:         dovetail.compare ge
// CHECK-NOT:     dovetail.compare
// CHECK:         %[[SUM:.+]] = dovetail.reduce_sum %{{.+}} [0, 1, 2]
// CHECK:         return %[[SUM]]
func.func @all(%arg0: tensor<5x1xi8>, %arg1: tensor<5x4x3xf32>) -> tensor<f32> {
  %0 = dovetail.constant dense<0.0> : tensor<900x3xf32>
  %1 = dovetail.scatter_add %0, %arg0, %arg1 dims [0] window [4] : tensor<900x3xf32>, tensor<5x1xi8>, tensor<5x4x3xf32>
  %2 = dovetail.reduce_sum %1 [0, 1] : tensor<900x3xf32>
  return %2 : tensor<f32>
}

// There are more updates than elements.
// CHECK-LABEL: func.func @many
// CHECK:         dovetail.scatter_add
// CHECK-NEXT:    dovetail.reduce_sum
func.func @many(%arg0: tensor<50x1xi32>, %arg1: tensor<50x1xf32>) -> tensor<f32> {
  %0 = dovetail.constant dense<0.0> : tensor<10xf32>
  %1 = dovetail.scatter_add %0, %arg0, %arg1 dims [0] window [1] : tensor<10xf32>, tensor<50x1xi32>, tensor<50x1xf32>
  %2 = dovetail.reduce_sum %1 [0] : tensor<10xf32>
  return %2 : tensor<f32>
}

// Not onto zeros.
// CHECK-LABEL: func.func @ones
// CHECK:         dovetail.scatter_add
// CHECK-NEXT:    dovetail.reduce_sum
func.func @ones(%arg0: tensor<5x1xi32>, %arg1: tensor<5x1xf32>) -> tensor<f32> {
  %0 = dovetail.constant dense<1.0> : tensor<10xf32>
  %1 = dovetail.scatter_add %0, %arg0, %arg1 dims [0] window [1] : tensor<10xf32>, tensor<5x1xi32>, tensor<5x1xf32>
  %2 = dovetail.reduce_sum %1 [0] : tensor<10xf32>
  return %2 : tensor<f32>
}
