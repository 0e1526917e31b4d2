// RUN: dovetail-opt %s -split-input-file --dovetail-propagate-shardings --dovetail-partition | FileCheck %s

#mesh = #dovetail.mesh<["x" = 4, "y" = 2]>

// What is divided over two axes is split between them, and merged again, where it is.
// CHECK-LABEL: func.func private @main.local
// CHECK-NOT:     all_gather
// CHECK:         dovetail.reshape %arg0 : tensor<4xf32> -> tensor<1x4xf32>
// CHECK:         dovetail.reshape %arg1 : tensor<1x2x3xf32> -> tensor<2x3xf32>
// CHECK-NOT:     all_gather
module attributes {dovetail.partition = #mesh} {
  func.func @main(%x: tensor<32xf32> {dovetail.sharding = #dovetail.sharding<#mesh, [{"x", "y"}]>},
                  %y: tensor<4x4x3xf32> {dovetail.sharding = #dovetail.sharding<#mesh, [{"x"}, {"y"}, {}]>})
      -> (tensor<4x8xf32>, tensor<16x3xf32>) {
    %0 = dovetail.reshape %x : tensor<32xf32> -> tensor<4x8xf32>
    %1 = dovetail.reshape %y : tensor<4x4x3xf32> -> tensor<16x3xf32>
    return %0, %1 : tensor<4x8xf32>, tensor<16x3xf32>
  }
}

// -----

#mesh = #dovetail.mesh<["x" = 4, "y" = 2]>

// Rows of which a device has several are parts of none that it has of the merged dimension.
// CHECK-LABEL: func.func private @main.local
// CHECK:         dovetail.all_gather %arg0 over ["y"]
module attributes {dovetail.partition = #mesh} {
  func.func @main(%x: tensor<8x4xf32> {dovetail.sharding = #dovetail.sharding<#mesh, [{"x"}, {"y"}]>}) -> tensor<32xf32> {
    %0 = dovetail.reshape %x : tensor<8x4xf32> -> tensor<32xf32>
    return %0 : tensor<32xf32>
  }
}
