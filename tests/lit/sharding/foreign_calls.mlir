// Devices call foreign functions on their parts of a batch; without one, the first device calls them on whole arrays.
// RUN: dovetail-opt %s --split-input-file --dovetail-propagate-shardings --dovetail-partition --dovetail-localize --dovetail-inline | FileCheck %s

#mesh = #dovetail.mesh<["x" = 2]>

// CHECK-LABEL: func.func @main
// CHECK-SAME:    (%[[X:.+]]: tensor<4x3xf32>
// CHECK-NEXT:    %[[Y:.+]]:2 = dovetail.ffi_call "f"(%[[X]]) {batch_dims = 1 : i64} : (tensor<4x3xf32>) -> (tensor<4x3xf32>, tensor<4xf32>)
// CHECK-NEXT:    return %[[Y]]#0, %[[Y]]#1
module attributes {dovetail.partition = #mesh} {
  func.func @main(%x: tensor<8x3xf32> {dovetail.sharding = #dovetail.sharding<#mesh, [{"x"}, {}]>})
      -> (tensor<8x3xf32>, tensor<8xf32>) {
    %0:2 = dovetail.ffi_call "f"(%x) {batch_dims = 1 : i64} : (tensor<8x3xf32>) -> (tensor<8x3xf32>, tensor<8xf32>)
    return %0#0, %0#1 : tensor<8x3xf32>, tensor<8xf32>
  }
}

// -----

// Along other dimensions, each device gets the whole array.
#mesh = #dovetail.mesh<["x" = 2]>

// CHECK-LABEL: func.func @main
// CHECK:         %[[PARTS:.+]] = dovetail.all_gather
// CHECK:         dovetail.ffi_call "f"(%{{.+}}) {batch_dims = 1 : i64} : (tensor<8x4xf32>) -> tensor<8x4xf32>
module attributes {dovetail.partition = #mesh} {
  func.func @main(%x: tensor<8x4xf32> {dovetail.sharding = #dovetail.sharding<#mesh, [{}, {"x"}]>}) -> tensor<8x4xf32> {
    %0 = dovetail.ffi_call "f"(%x) {batch_dims = 1 : i64} : (tensor<8x4xf32>) -> tensor<8x4xf32>
    return %0 : tensor<8x4xf32>
  }
}

// -----

#mesh = #dovetail.mesh<["x" = 2]>

// CHECK-LABEL: func.func @main
// CHECK:         dovetail.all_gather
// CHECK:         %[[DEVICE:.+]] = dovetail.axis_index over ["x"]
// CHECK:         dovetail.case %[[DEVICE]]
// CHECK:           dovetail.ffi_call "f"(%{{.+}}) : (tensor<8x4xf32>) -> tensor<8x4xf32>
// CHECK:           dovetail.constant dense<0.000000e+00> : tensor<8x4xf32>
// CHECK:         dovetail.case %{{.+}} of
// CHECK:           dovetail.ffi_call "g"(%{{.+}}) {batch_dims = 1 : i64, has_side_effect = true}
module attributes {dovetail.partition = #mesh} {
  func.func @main(%x: tensor<8x4xf32> {dovetail.sharding = #dovetail.sharding<#mesh, [{"x"}, {}]>}) -> tensor<8x4xf32> {
    %0 = dovetail.ffi_call "f"(%x) : (tensor<8x4xf32>) -> tensor<8x4xf32>
    dovetail.ffi_call "g"(%0) {batch_dims = 1 : i64, has_side_effect = true} : (tensor<8x4xf32>) -> ()
    return %0 : tensor<8x4xf32>
  }
}

// -----

// By its loops, of which those that no result has are not divided.
#mesh = #dovetail.mesh<["x" = 2, "y" = 2]>

// CHECK-LABEL: func.func @main
// CHECK-SAME:    (%[[X:.+]]: tensor<4x2xf32>{{.*}}, %[[Y:.+]]: tensor<4x2xf32>
// CHECK-NEXT:    %[[PARTS:.+]] = dovetail.all_gather %[[X]]
// CHECK-NEXT:    %[[ROWS:.+]] = dovetail.reshape %[[PARTS]]
// CHECK-NEXT:    %{{.+}} = dovetail.ffi_call "f"(%[[ROWS]], %[[Y]]) {factors = [array<i64: 0, 1>, array<i64: 1, 2>, array<i64: 0, 2>]} : (tensor<4x4xf32>, tensor<4x2xf32>) -> tensor<4x2xf32>
module attributes {dovetail.partition = #mesh} {
  func.func @main(%x: tensor<8x4xf32> {dovetail.sharding = #dovetail.sharding<#mesh, [{"x"}, {"y"}]>},
                  %y: tensor<4x4xf32> {dovetail.sharding = #dovetail.sharding<#mesh, [{}, {"y"}]>}) -> tensor<8x4xf32> {
    %0 = dovetail.ffi_call "f"(%x, %y) {factors = [array<i64: 0, 1>, array<i64: 1, 2>, array<i64: 0, 2>]} : (tensor<8x4xf32>, tensor<4x4xf32>) -> tensor<8x4xf32>
    return %0 : tensor<8x4xf32>
  }
}
