// Shifts by one element: each device sends the element at the end of its part to a neighbour.
// RUN: dovetail-opt %s --split-input-file --dovetail-propagate-shardings --dovetail-partition --cse | FileCheck %s

#mesh = #dovetail.mesh<["x" = 4]>

// CHECK-LABEL: func.func private @main.local(%arg0: tensor<4x3xf32>, %arg1: tensor<f32>)
// CHECK:         %[[LAST:.+]] = dovetail.slice %arg0 starts [3, 0] strides [1, 1] : tensor<4x3xf32> -> tensor<1x3xf32>
// CHECK:         %[[SENT:.+]] = dovetail.permute %[[LAST]] over ["x"] sizes [4] from [0, 1, 2] to [1, 2, 3] : tensor<1x3xf32>
// CHECK:         %[[FIRST:.+]] = dovetail.compare eq %{{.+}}, %{{.+}} : tensor<i32>
// CHECK:         %[[IS_FIRST:.+]] = dovetail.broadcast %[[FIRST]] dims []
// CHECK:         %[[VALUE:.+]] = dovetail.broadcast %arg1 dims [] : tensor<f32> -> tensor<1x3xf32>
// CHECK:         %[[EDGE:.+]] = dovetail.select %[[IS_FIRST]], %[[VALUE]], %[[SENT]]
// CHECK:         %[[REST:.+]] = dovetail.slice %arg0 starts [0, 0] strides [1, 1] : tensor<4x3xf32> -> tensor<3x3xf32>
// CHECK:         %[[SHIFTED:.+]] = dovetail.concatenate %[[EDGE]], %[[REST]] dimension 0
// CHECK-NEXT:    return %[[SHIFTED]]
module attributes {dovetail.partition = #mesh} {
  func.func @main(%x: tensor<16x3xf32> {dovetail.sharding = #dovetail.sharding<#mesh, [{"x"}, {}]>}, %v: tensor<f32>) -> tensor<16x3xf32> {
    %0 = dovetail.pad %x, %v low [1, 0] interior [0, 0] : tensor<16x3xf32>, tensor<f32> -> tensor<16x3xf32>
    return %0 : tensor<16x3xf32>
  }
}

// -----

#mesh = #dovetail.mesh<["x" = 4]>

// Toward the front, what is behind the end of the array must not be the padding of its last part.
// CHECK-LABEL: func.func private @main.local(%arg0: tensor<4xf32>, %arg1: tensor<f32>)
// CHECK:         %[[INSIDE:.+]] = dovetail.compare gt %{{.+}}, %{{.+}} : tensor<4xi32>
// CHECK:         %[[VALUES:.+]] = dovetail.broadcast %arg1 dims [] : tensor<f32> -> tensor<4xf32>
// CHECK:         %[[X:.+]] = dovetail.select %[[INSIDE]], %arg0, %[[VALUES]]
// CHECK:         %[[FIRST:.+]] = dovetail.slice %[[X]] starts [0] strides [1] : tensor<4xf32> -> tensor<1xf32>
// CHECK:         dovetail.permute %[[FIRST]] over ["x"] sizes [4] from [1, 2, 3] to [0, 1, 2] : tensor<1xf32>
// CHECK:         %[[REST:.+]] = dovetail.slice %[[X]] starts [1] strides [1] : tensor<4xf32> -> tensor<3xf32>
// CHECK:         dovetail.concatenate %[[REST]], %{{.+}} dimension 0
module attributes {dovetail.partition = #mesh} {
  func.func @main(%x: tensor<15xf32> {dovetail.sharding = #dovetail.sharding<#mesh, [{"x"}]>}, %v: tensor<f32>) -> tensor<15xf32> {
    %0 = dovetail.pad %x, %v low [-1] interior [0] : tensor<15xf32>, tensor<f32> -> tensor<15xf32>
    return %0 : tensor<15xf32>
  }
}
