// Dimensions that are not divided into equal parts are padded; padding is not reduced.
// RUN: dovetail-opt %s --split-input-file --dovetail-propagate-shardings --dovetail-partition --dovetail-inline | FileCheck %s

#mesh = #dovetail.mesh<["x" = 4]>

// CHECK-LABEL: func.func @main
// CHECK:         %[[ZERO:.+]] = dovetail.constant dense<0.000000e+00> : tensor<f32>
// CHECK:         %[[PADDED:.+]] = dovetail.pad %arg0, %[[ZERO]] low [0, 0] interior [0, 0] : tensor<10x3xf32>, tensor<f32> -> tensor<12x3xf32>
// CHECK:         %[[PARTS:.+]]:2 = dovetail.shard_map @main.local
// CHECK-SAME:      (%[[PADDED]]) : (tensor<12x3xf32>) -> (tensor<12x3xf32>, tensor<3xf32>)
// CHECK:         %[[RESULT:.+]] = dovetail.slice %[[PARTS]]#0 starts [0, 0] strides [1, 1] : tensor<12x3xf32> -> tensor<10x3xf32>
// CHECK:         return %[[RESULT]], %[[PARTS]]#1
// CHECK-LABEL: func.func private @main.local(%arg0: tensor<3x3xf32>)
// CHECK:         %[[COS:.+]] = dovetail.cos %arg0 : tensor<3x3xf32>
// CHECK:         %[[NUMBER:.+]] = dovetail.axis_index over ["x"] sizes [4]
// CHECK:         %[[FIRST:.+]] = dovetail.mul %[[NUMBER]], %{{.+}} : tensor<i32>
// CHECK:         %[[REST:.+]] = dovetail.sub %{{.+}}, %[[FIRST]] : tensor<i32>
// CHECK:         %[[END:.+]] = dovetail.broadcast %[[REST]]
// CHECK:         %[[INDEX:.+]] = dovetail.iota 0 : tensor<3x3xi32>
// CHECK:         %[[IS_ELEMENT:.+]] = dovetail.compare gt %[[END]], %[[INDEX]]
// CHECK:         %[[LOWEST:.+]] = dovetail.constant dense<0xFF800000> : tensor<3x3xf32>
// CHECK:         %[[MASKED:.+]] = dovetail.select %[[IS_ELEMENT]], %[[COS]], %[[LOWEST]]
// CHECK:         %[[MAX:.+]] = dovetail.reduce_max %[[MASKED]] [0]
// CHECK:         dovetail.all_reduce_max %[[MAX]] over ["x"] : tensor<3xf32>
module attributes {dovetail.partition = #mesh} {
  func.func @main(%x: tensor<10x3xf32> {dovetail.sharding = #dovetail.sharding<#mesh, [{"x"}, {}]>})
      -> (tensor<10x3xf32>, tensor<3xf32>) {
    %0 = dovetail.cos %x : tensor<10x3xf32>
    %1 = dovetail.reduce_max %0 [0] : tensor<10x3xf32>
    return %0, %1 : tensor<10x3xf32>, tensor<3xf32>
  }
}

// -----

#mesh = #dovetail.mesh<["x" = 2, "y" = 2]>

// Unequal parts over two axes are no parts of those over one: all are gathered first. What is gathered is cut.
// CHECK-LABEL: func.func private @main.local(%arg0: tensor<3xf32>)
// CHECK:         %[[ALL:.+]] = dovetail.all_gather %arg0 over ["x"] sizes [2] dimension 0 : tensor<3xf32>
// CHECK:         %[[WHOLE:.+]] = dovetail.reshape %[[ALL]] : tensor<2x3xf32> -> tensor<6xf32>
// CHECK:         %[[CUT:.+]] = dovetail.slice %[[WHOLE]] starts [0] strides [1] : tensor<6xf32> -> tensor<5xf32>
// CHECK:         %[[PADDED:.+]] = dovetail.pad %[[CUT]], %{{.+}} : tensor<5xf32>, tensor<f32> -> tensor<8xf32>
// CHECK:         dovetail.gather %[[PADDED]]
module attributes {dovetail.partition = #mesh} {
  func.func @main(%x: tensor<5xf32> {dovetail.sharding = #dovetail.sharding<#mesh, [{"x"}]>}) -> tensor<5xf32> {
    %0 = dovetail.reshard %x as <#mesh, [{"x", "y"}]> : tensor<5xf32>
    return %0 : tensor<5xf32>
  }
}

// -----

#mesh = #dovetail.mesh<["x" = 2]>

// The leading dimensions of regrouped ones are divided alike, into equal parts only.
// CHECK-LABEL: func.func private @main.local(%arg0: tensor<5x12xf32>, %arg1: tensor<2x12xf32>)
// CHECK:         dovetail.reshape %arg0 : tensor<5x12xf32> -> tensor<5x2x6xf32>
// CHECK:         %[[ALL:.+]] = dovetail.all_gather %arg1
// CHECK:         dovetail.reshape %{{.+}} : tensor<3x12xf32> -> tensor<36xf32>
module attributes {dovetail.partition = #mesh} {
  func.func @main(%x: tensor<5x24xf32> {dovetail.sharding = #dovetail.sharding<#mesh, [{}, {"x"}]>},
                  %y: tensor<3x12xf32> {dovetail.sharding = #dovetail.sharding<#mesh, [{"x"}, {}]>})
      -> (tensor<5x4x6xf32>, tensor<36xf32>) {
    %0 = dovetail.reshape %x : tensor<5x24xf32> -> tensor<5x4x6xf32>
    %1 = dovetail.reshape %y : tensor<3x12xf32> -> tensor<36xf32>
    return %0, %1 : tensor<5x4x6xf32>, tensor<36xf32>
  }
}
