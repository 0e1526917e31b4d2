// A function of integers is transposed where it is linear itself; it has no derivative.
// RUN: dovetail-opt %s --split-input-file --verify-diagnostics --dovetail-transpose=linear=0 | FileCheck %s

func.func @main(%arg0: tensor<3xi32>, %arg1: tensor<3xi32>) -> tensor<3xi8> {
  %0 = dovetail.mul %arg0, %arg1 : tensor<3xi32>
  %1 = dovetail.sub %0, %arg0 : tensor<3xi32>
  %2 = dovetail.convert %1 : tensor<3xi32> -> tensor<3xi8>
  return %2 : tensor<3xi8>
}
// CHECK-LABEL: func.func private @main.transpose(%arg0: tensor<3xi32>, %arg1: tensor<3xi8>) -> tensor<3xi32>
// CHECK-NEXT:    %[[CT:.+]] = dovetail.convert %arg1 : tensor<3xi8> -> tensor<3xi32>
// CHECK-NEXT:    %[[NEG:.+]] = dovetail.neg %[[CT]] : tensor<3xi32>
// CHECK-NEXT:    %[[MUL:.+]] = dovetail.mul %[[CT]], %arg0 : tensor<3xi32>
// CHECK-NEXT:    %[[SUM:.+]] = dovetail.add %[[NEG]], %[[MUL]] : tensor<3xi32>
// CHECK-NEXT:    return %[[SUM]] : tensor<3xi32>

// -----

// expected-error @+1 {{argument 0 must be an array of numbers, got: 'tensor<3xi1>'}}
func.func @main(%arg0: tensor<3xi1>) -> tensor<3xi1> {
  return %arg0 : tensor<3xi1>
}
