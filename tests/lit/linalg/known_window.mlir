// One window at a known place is a slice, or the array.
// RUN: dovetail-opt %s --dovetail-decompose | FileCheck %s

// CHECK-LABEL: func.func @whole
// CHECK-NEXT:    return %arg0
func.func @whole(%x: tensor<6x4xf32>) -> tensor<6x4xf32> {
  %at = dovetail.constant dense<0> : tensor<2xi32>
  %0 = dovetail.gather %x, %at dims [0, 1] window [6, 4] : tensor<6x4xf32>, tensor<2xi32>
  return %0 : tensor<6x4xf32>
}

// CHECK-LABEL: func.func @part
// CHECK-NEXT:    %[[PART:.+]] = dovetail.slice %arg0 starts [2, 0] strides [1, 1] : tensor<6x4xf32> -> tensor<3x4xf32>
// CHECK-NEXT:    return %[[PART]]
func.func @part(%x: tensor<6x4xf32>) -> tensor<3x4xf32> {
  %at = dovetail.constant dense<2> : tensor<1xui8>
  %0 = dovetail.gather %x, %at dims [0] window [3] : tensor<6x4xf32>, tensor<1xui8>
  return %0 : tensor<3x4xf32>
}

// It reads as zeros.
// CHECK-LABEL: func.func @outside
// CHECK:         dovetail.gather
func.func @outside(%x: tensor<6x4xf32>) -> tensor<3x4xf32> {
  %at = dovetail.constant dense<4> : tensor<1xi32>
  %0 = dovetail.gather %x, %at dims [0] window [3] : tensor<6x4xf32>, tensor<1xi32>
  return %0 : tensor<3x4xf32>
}

// CHECK-LABEL: func.func @before
// CHECK:         dovetail.gather
func.func @before(%x: tensor<6x4xf32>) -> tensor<3x4xf32> {
  %at = dovetail.constant dense<-1> : tensor<1xi8>
  %0 = dovetail.gather %x, %at dims [0] window [3] : tensor<6x4xf32>, tensor<1xi8>
  return %0 : tensor<3x4xf32>
}
