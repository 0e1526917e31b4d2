// What a slice is read from by index is the array that it is part of: IREE makes a vector of elements that lie apart in
// memory, and cannot load it.
// RUN: dovetail-opt %s --dovetail-lower | FileCheck %s

// CHECK-LABEL: func.func @column(
// CHECK-SAME: %[[X:.*]]: tensor<4x3xf64>
// CHECK: linalg.index 0
// CHECK: %[[BACK:.*]] = arith.subi
// CHECK: %[[COLUMN:.*]] = arith.addi %{{.*}}, %{{.*}} : index
// CHECK: tensor.extract %[[X]][%[[BACK]], %[[COLUMN]]]
func.func @column(%x: tensor<4x3xf64>) -> tensor<3x1xf64> {
  %0 = dovetail.slice %x starts [0, 1] strides [1, 1] : tensor<4x3xf64> -> tensor<3x1xf64>
  %1 = dovetail.reverse %0 [0] : tensor<3x1xf64>
  return %1 : tensor<3x1xf64>
}
