// Devices that divide a rolled dimension exchange the elements that leave their parts.
// RUN: dovetail-opt %s --split-input-file --dovetail-propagate-shardings --dovetail-partition --dovetail-inline | FileCheck %s

#mesh = #dovetail.mesh<["x" = 4]>

// CHECK-LABEL: func.func private @main.local(%arg0: tensor<4x2xf32>) -> tensor<4x2xf32>
// CHECK:         %[[LAST:.+]] = dovetail.slice %arg0 starts [3, 0] strides [1, 1] : tensor<4x2xf32> -> tensor<1x2xf32>
// CHECK-NEXT:    %[[RECEIVED:.+]] = dovetail.permute %[[LAST]] over ["x"] sizes [4] from [0, 1, 2, 3] to [1, 2, 3, 0]
// CHECK-NEXT:    %[[REST:.+]] = dovetail.slice %arg0 starts [0, 0] strides [1, 1] : tensor<4x2xf32> -> tensor<3x2xf32>
// CHECK-NEXT:    %[[RESULT:.+]] = dovetail.concatenate %[[RECEIVED]], %[[REST]] dimension 0
// CHECK-NEXT:    return %[[RESULT]]
module attributes {dovetail.partition = #mesh} {
  func.func @main(%x: tensor<16x2xf32> {dovetail.sharding = #dovetail.sharding<#mesh, [{"x"}, {}]>}) -> tensor<16x2xf32> {
    %0 = dovetail.roll %x dimension 0 shift 1 : tensor<16x2xf32>
    return %0 : tensor<16x2xf32>
  }
}

// -----

#mesh = #dovetail.mesh<["x" = 4]>

// A whole part is sent, and nothing is cut.
// CHECK-LABEL: func.func private @main.local(%arg0: tensor<4x2xf32>) -> tensor<4x2xf32>
// CHECK:         %[[RESULT:.+]] = dovetail.permute %arg0 over ["x"] sizes [4] from [0, 1, 2, 3] to [2, 3, 0, 1]
// CHECK:         return
module attributes {dovetail.partition = #mesh} {
  func.func @main(%x: tensor<16x2xf32> {dovetail.sharding = #dovetail.sharding<#mesh, [{"x"}, {}]>}) -> tensor<16x2xf32> {
    %0 = dovetail.roll %x dimension 0 shift 8 : tensor<16x2xf32>
    return %0 : tensor<16x2xf32>
  }
}
