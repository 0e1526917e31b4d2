// The first device calls functions of the host, with whole arrays; all get the results. Along manual axes, each calls.
// RUN: dovetail-opt %s --split-input-file --dovetail-propagate-shardings --dovetail-partition --dovetail-localize --dovetail-inline | FileCheck %s

#mesh = #dovetail.mesh<["x" = 2, "y" = 2]>

// CHECK-LABEL: func.func @main
// CHECK-SAME:    (%[[X:.+]]: tensor<4xf32>
// CHECK:         %[[PARTS:.+]] = dovetail.all_gather %[[X]] over ["x"]
// CHECK:         %[[WHOLE:.+]] = dovetail.reshape %[[PARTS]]
// CHECK:         %[[DEVICE:.+]] = dovetail.axis_index over ["x", "y"] sizes [2, 2]
// CHECK:         %[[RESULTS:.+]]:2 = dovetail.case %[[DEVICE]] of(%[[WHOLE]])
// CHECK-NEXT:    ^bb0(%[[ARG:.+]]: tensor<8xf32>):
// CHECK-NEXT:      %[[CALL:.+]]:2 = dovetail.callback "f" effect "io"(%[[ARG]])
// CHECK-NEXT:      dovetail.yield %[[CALL]]#0, %[[CALL]]#1
// CHECK:           %[[ZEROS:.+]] = dovetail.constant dense<0.000000e+00> : tensor<8xf32>
// CHECK:           %[[FALSE:.+]] = dovetail.constant dense<false> : tensor<i1>
// CHECK:           dovetail.yield %[[ZEROS]], %[[FALSE]]
// CHECK:         dovetail.all_gather %[[RESULTS]]#0 over ["x", "y"] sizes [2, 2] dimension 0 : tensor<8xf32>
// CHECK:         dovetail.slice %{{.+}} starts [0, 0] strides [1, 1] : tensor<4x8xf32> -> tensor<1x8xf32>
// CHECK:         dovetail.all_gather %[[RESULTS]]#1 over ["x", "y"] sizes [2, 2] dimension 0 : tensor<i1>
// CHECK-NOT:     all_gather
module attributes {dovetail.partition = #mesh} {
  func.func @main(%x: tensor<8xf32> {dovetail.sharding = #dovetail.sharding<#mesh, [{"x"}]>}) -> (tensor<8xf32>, tensor<i1>) {
    %0:2 = dovetail.callback "f" effect "io"(%x) : (tensor<8xf32>) -> (tensor<8xf32>, tensor<i1>)
    return %0#0, %0#1 : tensor<8xf32>, tensor<i1>
  }
}

// -----

#mesh = #dovetail.mesh<["x" = 2]>

// CHECK-LABEL: func.func @main
// CHECK-NEXT:    %[[CALL:.+]] = dovetail.callback "g" effect "none" over ["x"](%arg0) : (tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT:    return %[[CALL]]
module attributes {dovetail.partition = #mesh} {
  func.func private @part(%x: tensor<4xf32>) -> tensor<4xf32> {
    %0 = dovetail.callback "g" effect "none" over ["x"](%x) : (tensor<4xf32>) -> tensor<4xf32>
    return %0 : tensor<4xf32>
  }
  func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
    %0 = dovetail.shard_map @part on #mesh manual ["x"] in [#dovetail.sharding<#mesh, [{"x"}]>] out [#dovetail.sharding<#mesh, [{"x"}]>] (%x) : (tensor<8xf32>) -> tensor<8xf32>
    return %0 : tensor<8xf32>
  }
}

// -----

#mesh = #dovetail.mesh<["x" = 2, "y" = 2]>

// Along `x`, there is a call for each part, by the first device along `y`, with all of what is divided over `y`.
// CHECK-LABEL: func.func @main
// CHECK:         %[[PARTS:.+]] = dovetail.all_gather %{{.+}} over ["y"]
// CHECK:         %[[DEVICE:.+]] = dovetail.axis_index over ["y"] sizes [2]
// CHECK:         %[[RESULT:.+]] = dovetail.case %[[DEVICE]] of(%{{.+}}) : (tensor<i32>, tensor<4x4xf32>) -> tensor<4x4xf32>
// CHECK:           dovetail.callback "g" effect "io" over ["x"](%{{.+}}) : (tensor<4x4xf32>) -> tensor<4x4xf32>
// CHECK:         dovetail.all_gather %[[RESULT]] over ["y"] sizes [2] dimension 0 : tensor<4x4xf32>
// CHECK-NOT:     all_gather
module attributes {dovetail.partition = #mesh} {
  func.func private @part(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
    %0 = dovetail.callback "g" effect "io" over ["x"](%x) : (tensor<4x4xf32>) -> tensor<4x4xf32>
    return %0 : tensor<4x4xf32>
  }
  func.func @main(%x: tensor<8x4xf32> {dovetail.sharding = #dovetail.sharding<#mesh, [{"x"}, {"y"}]>}) -> tensor<8x4xf32> {
    %0 = dovetail.shard_map @part on #mesh manual ["x"] in [#dovetail.sharding<#mesh, [{"x"}, {}]>] out [#dovetail.sharding<#mesh, [{"x"}, {}]>] (%x) : (tensor<8x4xf32>) -> tensor<8x4xf32>
    return %0 : tensor<8x4xf32>
  }
}
