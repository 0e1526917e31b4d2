// Ops on arrays without elements are merged as others are, also where the first of a dispatch is a temporary.
// RUN: dovetail-opt %s --dovetail-pipeline="from=check to=carry" | FileCheck %s

// CHECK-LABEL: func.func @main
// CHECK: return
module attributes {dovetail.target = "cpu"} {
  func.func @main(%x: tensor<4x0xf32>) -> tensor<4x2x0xi32> {
    %none = dovetail.constant dense<-1> : tensor<0xi32>
    %least = dovetail.constant dense<0xFF800000> : tensor<4x0xf32>
    %zero = dovetail.constant dense<0.000000e+00> : tensor<4x0xf32>
    %0 = dovetail.compare ne %zero, %zero : tensor<4x0xf32>
    %1 = dovetail.select %0, %least, %zero : tensor<4x0xi1>, tensor<4x0xf32>
    %2 = dovetail.argmax %1, 0 : tensor<4x0xf32> -> tensor<0xi32>
    %3 = dovetail.reduce_and %0 [0] : tensor<4x0xi1>
    %4 = dovetail.select %3, %none, %2 : tensor<0xi1>, tensor<0xi32>
    %5 = dovetail.reshape %4 : tensor<0xi32> -> tensor<1x0xi32>
    %6 = dovetail.concatenate %5, %5 dimension 0 : tensor<1x0xi32>, tensor<1x0xi32>
    %7 = dovetail.broadcast %6 dims [1, 2] : tensor<2x0xi32> -> tensor<4x2x0xi32>
    return %7 : tensor<4x2x0xi32>
  }
}
