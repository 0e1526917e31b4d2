// Pointwise ops over a batch: all operands get the batch where the first has it.
// RUN: dovetail-opt %s --split-input-file --dovetail-batch='dims=1,-1 size=5' | FileCheck %s

func.func @main(%arg0: tensor<3xf32>, %arg1: tensor<3xf32>) -> tensor<3xf32> {
  %0 = dovetail.mul %arg0, %arg1 : tensor<3xf32>
  return %0 : tensor<3xf32>
}
// CHECK-LABEL: func.func private @main.batch(%arg0: tensor<3x5xf32>, %arg1: tensor<3xf32>) -> tensor<3x5xf32>
// CHECK-NEXT:    %[[BROADCAST:.+]] = dovetail.broadcast %arg1 dims [0] : tensor<3xf32> -> tensor<3x5xf32>
// CHECK-NEXT:    %[[MUL:.+]] = dovetail.mul %arg0, %[[BROADCAST]] : tensor<3x5xf32>
// CHECK-NEXT:    return %[[MUL]] : tensor<3x5xf32>

// -----

func.func @main(%arg0: tensor<3xf32>, %arg1: tensor<3xf32>) -> tensor<3xf32> {
  %0 = dovetail.exp %arg1 : tensor<3xf32>
  return %0 : tensor<3xf32>
}
// CHECK-LABEL: func.func private @main.batch(%arg0: tensor<3x5xf32>, %arg1: tensor<3xf32>) -> tensor<3xf32>
// CHECK-NEXT:    %[[EXP:.+]] = dovetail.exp %arg1 : tensor<3xf32>
// CHECK-NEXT:    return %[[EXP]] : tensor<3xf32>

// -----

func.func @main(%arg0: tensor<2x3xf32>, %arg1: tensor<2x3xf32>) -> tensor<2x3xi1> {
  %0 = dovetail.compare lt %arg1, %arg0 : tensor<2x3xf32>
  return %0 : tensor<2x3xi1>
}
// CHECK-LABEL: func.func private @main.batch(%arg0: tensor<2x5x3xf32>, %arg1: tensor<2x3xf32>) -> tensor<2x5x3xi1>
// CHECK-NEXT:    %[[BROADCAST:.+]] = dovetail.broadcast %arg1 dims [0, 2] : tensor<2x3xf32> -> tensor<2x5x3xf32>
// CHECK-NEXT:    %[[COMPARE:.+]] = dovetail.compare lt %[[BROADCAST]], %arg0 : tensor<2x5x3xf32>
// CHECK-NEXT:    return %[[COMPARE]] : tensor<2x5x3xi1>

// -----

func.func @main(%arg0: tensor<3xi1>, %arg1: tensor<3xf32>) -> tensor<3xf32> {
  %0 = dovetail.select %arg0, %arg1, %arg1 : tensor<3xi1>, tensor<3xf32>
  return %0 : tensor<3xf32>
}
// CHECK-LABEL: func.func private @main.batch(%arg0: tensor<3x5xi1>, %arg1: tensor<3xf32>) -> tensor<3x5xf32>
// CHECK-NEXT:    %[[BROADCAST:.+]] = dovetail.broadcast %arg1 dims [0] : tensor<3xf32> -> tensor<3x5xf32>
// CHECK-NEXT:    %[[BROADCAST_1:.+]] = dovetail.broadcast %arg1 dims [0] : tensor<3xf32> -> tensor<3x5xf32>
// CHECK-NEXT:    %[[SELECT:.+]] = dovetail.select %arg0, %[[BROADCAST]], %[[BROADCAST_1]] : tensor<3x5xi1>, tensor<3x5xf32>
// CHECK-NEXT:    return %[[SELECT]] : tensor<3x5xf32>

// -----

func.func @main(%arg0: tensor<3xf32>, %arg1: tensor<3xf32>) -> tensor<3xf32> {
  %1 = dovetail.exp %arg1 : tensor<3xf32>
  %2 = dovetail.neg %arg0 : tensor<3xf32>
  %0 = dovetail.add %2, %1 : tensor<3xf32>
  return %0 : tensor<3xf32>
}
// CHECK-LABEL: func.func private @main.batch(%arg0: tensor<3x5xf32>, %arg1: tensor<3xf32>) -> tensor<3x5xf32>
// CHECK-NEXT:    %[[EXP:.+]] = dovetail.exp %arg1 : tensor<3xf32>
// CHECK-NEXT:    %[[NEG:.+]] = dovetail.neg %arg0 : tensor<3x5xf32>
// CHECK-NEXT:    %[[BROADCAST:.+]] = dovetail.broadcast %[[EXP]] dims [0] : tensor<3xf32> -> tensor<3x5xf32>
// CHECK-NEXT:    %[[ADD:.+]] = dovetail.add %[[NEG]], %[[BROADCAST]] : tensor<3x5xf32>
// CHECK-NEXT:    return %[[ADD]] : tensor<3x5xf32>

// -----

func.func @main(%arg0: tensor<3xf32>, %arg1: tensor<3xf32>) -> tensor<3xui8> {
  %0 = dovetail.convert %arg0 : tensor<3xf32> -> tensor<3xui8>
  return %0 : tensor<3xui8>
}
// CHECK-LABEL: func.func private @main.batch(%arg0: tensor<3x5xf32>, %arg1: tensor<3xf32>) -> tensor<3x5xui8>
// CHECK-NEXT:    %[[CONVERT:.+]] = dovetail.convert %arg0 : tensor<3x5xf32> -> tensor<3x5xui8>
// CHECK-NEXT:    return %[[CONVERT]] : tensor<3x5xui8>
