// A rolled dimension is two slices; where its size is not known, its lowering computes the place of each element.
// RUN: dovetail-opt %s --dovetail-decompose | FileCheck %s

// CHECK-LABEL: func.func @known(%arg0: tensor<2x5xf32>)
// CHECK-DAG:     %[[LAST:.+]] = dovetail.slice %arg0 starts [0, 3] strides [1, 1] : tensor<2x5xf32> -> tensor<2x2xf32>
// CHECK-DAG:     %[[FIRST:.+]] = dovetail.slice %arg0 starts [0, 0] strides [1, 1] : tensor<2x5xf32> -> tensor<2x3xf32>
// CHECK:         dovetail.concatenate %[[LAST]], %[[FIRST]] dimension 1
func.func @known(%arg0: tensor<2x5xf32>) -> tensor<2x5xf32> {
  %0 = dovetail.roll %arg0 dimension 1 shift 2 : tensor<2x5xf32>
  return %0 : tensor<2x5xf32>
}

// CHECK-LABEL: func.func @unknown(%arg0: tensor<2x?xf32>)
// CHECK:         dovetail.roll
func.func @unknown(%arg0: tensor<2x?xf32>) -> tensor<2x?xf32> {
  %0 = dovetail.roll %arg0 dimension 1 shift 2 : tensor<2x?xf32>
  return %0 : tensor<2x?xf32>
}
