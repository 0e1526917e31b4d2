// The program of one device: ops on parts, and collectives where parts are needed elsewhere.
// RUN: dovetail-opt %s --split-input-file --dovetail-propagate-shardings --dovetail-partition --dovetail-inline | FileCheck %s

#mesh = #dovetail.mesh<["data" = 2, "model" = 4]>

// Two products of a tensor-parallel layer, and one all-reduce.
// CHECK-LABEL: func.func @main(
// CHECK:         dovetail.shard_map @main.local on #mesh manual ["data", "model"]
// CHECK-LABEL: func.func private @main.local
// CHECK-SAME:    (%[[X:.+]]: tensor<4x16xf32>, %[[A:.+]]: tensor<16x8xf32>, %[[B:.+]]: tensor<8x16xf32>)
// CHECK-NEXT:    %[[H:.+]] = dovetail.dot_general %[[X]], %[[A]] {{.*}} : tensor<4x16xf32>, tensor<16x8xf32>
// CHECK-NEXT:    %[[T:.+]] = dovetail.tanh %[[H]] : tensor<4x8xf32>
// CHECK-NEXT:    %[[P:.+]] = dovetail.dot_general %[[T]], %[[B]] {{.*}} : tensor<4x8xf32>, tensor<8x16xf32>
// CHECK-NEXT:    %[[Y:.+]] = dovetail.all_reduce_sum %[[P]] over ["model"] : tensor<4x16xf32>
// CHECK-NEXT:    return %[[Y]]
module attributes {dovetail.partition = #mesh} {
  func.func @main(%x: tensor<8x16xf32> {dovetail.sharding = #dovetail.sharding<#mesh, [{"data"}, {}]>},
                  %w1: tensor<16x32xf32> {dovetail.sharding = #dovetail.sharding<#mesh, [{}, {"model"}]>},
                  %w2: tensor<32x16xf32> {dovetail.sharding = #dovetail.sharding<#mesh, [{"model"}, {}]>})
      -> tensor<8x16xf32> {
    %0 = dovetail.dot_general %x, %w1 batch [] x [] contract [1] x [0] : tensor<8x16xf32>, tensor<16x32xf32>
    %1 = dovetail.tanh %0 : tensor<8x32xf32>
    %2 = dovetail.dot_general %1, %w2 batch [] x [] contract [1] x [0] : tensor<8x32xf32>, tensor<32x16xf32>
    return %2 : tensor<8x16xf32>
  }
}

// -----

#mesh = #dovetail.mesh<["x" = 2]>

// A sum that is wanted sharded is a reduce-scatter; an axis that moves to another dimension is an all-to-all.
// CHECK-LABEL: func.func private @main.local
// CHECK:         %[[PART:.+]] = dovetail.reduce_sum %arg0 [0] : tensor<2x6xf32>
// CHECK:         %[[SPLIT:.+]] = dovetail.reshape %[[PART]] : tensor<6xf32> -> tensor<2x3xf32>
// CHECK:         dovetail.reduce_scatter %[[SPLIT]] over ["x"] sizes [2] dimension 0 : tensor<2x3xf32>
// CHECK:         %[[PARTS:.+]] = dovetail.reshape %arg0 : tensor<2x6xf32> -> tensor<2x2x3xf32>
// CHECK:         dovetail.all_to_all %[[PARTS]] over ["x"] sizes [2] from 1 to 0 : tensor<2x2x3xf32>
module attributes {dovetail.partition = #mesh} {
  func.func @main(%x: tensor<4x6xf32> {dovetail.sharding = #dovetail.sharding<#mesh, [{"x"}, {}]>})
      -> (tensor<6xf32>, tensor<4x6xf32>) {
    %0 = dovetail.reduce_sum %x [0] : tensor<4x6xf32>
    %1 = dovetail.reshard %0 as <#mesh, [{"x"}]> : tensor<6xf32>
    %2 = dovetail.reshard %x as <#mesh, [{}, {"x"}]> : tensor<4x6xf32>
    return %1, %2 : tensor<6xf32>, tensor<4x6xf32>
  }
}

// -----

#mesh = #dovetail.mesh<["x" = 2]>

// What has no factor map is computed by all.
// CHECK-LABEL: func.func private @main.local
// CHECK:         %[[ALL:.+]] = dovetail.all_gather %arg0 over ["x"] sizes [2] dimension 0 : tensor<2xf32>
// CHECK:         %[[WHOLE:.+]] = dovetail.reshape %[[ALL]]
// CHECK:         dovetail.reverse %[[WHOLE]] [0] : tensor<4xf32>
module attributes {dovetail.partition = #mesh} {
  func.func @main(%x: tensor<4xf32> {dovetail.sharding = #dovetail.sharding<#mesh, [{"x"}]>}) -> tensor<4xf32> {
    %0 = dovetail.reverse %x [0] : tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}

// -----

#mesh = #dovetail.mesh<["x" = 2]>

// The first dimension of a group that a reshape splits or merges stays divided, unless the other size does not divide.
// CHECK-LABEL: func.func private @main.local
// CHECK-NEXT:    dovetail.reshape %arg0 : tensor<3x4xf32> -> tensor<3x2x2xf32>
// CHECK-NEXT:    %[[ALL:.+]] = dovetail.all_gather %arg1 over ["x"] sizes [2] dimension 1 : tensor<4x3xf32>
// CHECK-NEXT:    %[[WHOLE:.+]] = dovetail.reshape %[[ALL]] : tensor<4x2x3xf32> -> tensor<4x6xf32>
// CHECK-NEXT:    dovetail.reshape %[[WHOLE]] : tensor<4x6xf32> -> tensor<4x3x2xf32>
// CHECK-NEXT:    dovetail.reshape %arg2 : tensor<1x6xf32> -> tensor<6xf32>
module attributes {dovetail.partition = #mesh} {
  func.func @main(%x: tensor<3x8xf32> {dovetail.sharding = #dovetail.sharding<#mesh, [{}, {"x"}]>},
                  %y: tensor<4x6xf32> {dovetail.sharding = #dovetail.sharding<#mesh, [{}, {"x"}]>},
                  %z: tensor<2x6xf32> {dovetail.sharding = #dovetail.sharding<#mesh, [{"x"}, {}]>})
      -> (tensor<3x4x2xf32>, tensor<4x3x2xf32>, tensor<12xf32>) {
    %0 = dovetail.reshape %x : tensor<3x8xf32> -> tensor<3x4x2xf32>
    %1 = dovetail.reshape %y : tensor<4x6xf32> -> tensor<4x3x2xf32>
    %2 = dovetail.reshape %z : tensor<2x6xf32> -> tensor<12xf32>
    return %0, %1, %2 : tensor<3x4x2xf32>, tensor<4x3x2xf32>, tensor<12xf32>
  }
}

// -----

#mesh = #dovetail.mesh<["x" = 2]>

// Terms are added before they are summed over devices; not if one of the operands is needed elsewhere.
// CHECK-LABEL: func.func private @main.local
// CHECK-NEXT:    %[[A:.+]] = dovetail.dot_general %arg0, %arg2
// CHECK-NEXT:    %[[B:.+]] = dovetail.dot_general %arg1, %arg2
// CHECK-NEXT:    %[[DIFFERENCE:.+]] = dovetail.sub %[[A]], %[[B]] : tensor<4x6xf32>
// CHECK-NEXT:    %[[C:.+]] = dovetail.dot_general %arg0, %arg3
// CHECK-NEXT:    %[[ALL:.+]] = dovetail.all_reduce_sum %[[DIFFERENCE]] over ["x"]
// CHECK-NEXT:    %[[SUMMED:.+]] = dovetail.all_reduce_sum %[[C]] over ["x"]
// CHECK-NEXT:    %[[TOTAL:.+]] = dovetail.add %[[ALL]], %[[SUMMED]]
// CHECK-NEXT:    return %[[TOTAL]], %[[SUMMED]]
module attributes {dovetail.partition = #mesh} {
  func.func @main(%x: tensor<4x800xf32> {dovetail.sharding = #dovetail.sharding<#mesh, [{}, {"x"}]>},
                  %y: tensor<4x800xf32> {dovetail.sharding = #dovetail.sharding<#mesh, [{}, {"x"}]>},
                  %w: tensor<800x6xf32> {dovetail.sharding = #dovetail.sharding<#mesh, [{"x"}, {}]>},
                  %v: tensor<800x6xf32> {dovetail.sharding = #dovetail.sharding<#mesh, [{"x"}, {}]>})
      -> (tensor<4x6xf32>, tensor<4x6xf32>) {
    %0 = dovetail.dot_general %x, %w batch [] x [] contract [1] x [0] : tensor<4x800xf32>, tensor<800x6xf32>
    %1 = dovetail.dot_general %y, %w batch [] x [] contract [1] x [0] : tensor<4x800xf32>, tensor<800x6xf32>
    %2 = dovetail.sub %0, %1 : tensor<4x6xf32>
    %3 = dovetail.dot_general %x, %v batch [] x [] contract [1] x [0] : tensor<4x800xf32>, tensor<800x6xf32>
    %4 = dovetail.add %2, %3 : tensor<4x6xf32>
    return %4, %3 : tensor<4x6xf32>, tensor<4x6xf32>
  }
}

// -----

#mesh = #dovetail.mesh<["x" = 2]>

// Indices are those of a device's own part, added before they are rounded. Combinations without a collective gather terms.
// CHECK-LABEL: func.func private @main.local(%arg0: tensor<4xf16>)
// CHECK:         %[[NUMBER:.+]] = dovetail.axis_index over ["x"] sizes [2]
// CHECK:         %[[FIRST:.+]] = dovetail.mul %[[NUMBER]], %{{.+}} : tensor<i32>
// CHECK:         %[[LOCAL:.+]] = dovetail.iota 0 : tensor<4xi32>
// CHECK:         %[[START:.+]] = dovetail.broadcast %[[FIRST]]
// CHECK:         %[[INDEX:.+]] = dovetail.add %[[LOCAL]], %[[START]] : tensor<4xi32>
// CHECK:         %[[ROUNDED:.+]] = dovetail.convert %[[INDEX]] : tensor<4xi32> -> tensor<4xf16>
// CHECK:         dovetail.mul %arg0, %[[ROUNDED]]
// CHECK:         %[[PROD:.+]] = dovetail.reduce_prod %{{.+}} [0] : tensor<4xf16>
// CHECK:         %[[TERMS:.+]] = dovetail.all_gather %[[PROD]] over ["x"] sizes [2] dimension 0 : tensor<f16>
// CHECK:         dovetail.reduce_prod %[[TERMS]] [0] : tensor<2xf16>
module attributes {dovetail.partition = #mesh} {
  func.func @main(%x: tensor<8xf16> {dovetail.sharding = #dovetail.sharding<#mesh, [{"x"}]>}) -> tensor<f16> {
    %0 = dovetail.iota 0 : tensor<8xf16>
    %1 = dovetail.mul %x, %0 : tensor<8xf16>
    %2 = dovetail.reduce_prod %1 [0] : tensor<8xf16>
    return %2 : tensor<f16>
  }
}

// -----

#mesh = #dovetail.mesh<["x" = 2]>

// What each device computes all of is returned in parts, as propagation asks for.
// CHECK-LABEL: func.func private @main.local
// CHECK-SAME:    (%arg0: tensor<3x4xf32>) -> tensor<3x4xf32>
// CHECK:         dovetail.all_gather %arg0
// CHECK:         dovetail.reverse {{.*}} : tensor<6x4xf32>
// CHECK:         return %{{.+}} : tensor<3x4xf32>
module attributes {dovetail.partition = #mesh} {
  func.func @main(%x: tensor<6x4xf32> {dovetail.sharding = #dovetail.sharding<#mesh, [{"x"}, {}]>}) -> tensor<6x4xf32> {
    %0 = dovetail.reverse %x [0] : tensor<6x4xf32>
    return %0 : tensor<6x4xf32>
  }
}

// -----

#mesh = #dovetail.mesh<["x" = 4, "y" = 2]>

// What needs no array of the others may be divided over the same axes.
// CHECK-LABEL: func.func private @main.local
// CHECK-SAME:    (%[[A:.+]]: tensor<2x6xf32>, %[[B:.+]]: tensor<6x2xf32>, %[[C:.+]]: tensor<3x3xf32>)
// CHECK-NOT:     all_
// CHECK:         dovetail.optimization_barrier %[[A]], %[[B]], %[[C]] : tensor<2x6xf32>, tensor<6x2xf32>, tensor<3x3xf32>
// CHECK-NOT:     all_
// CHECK:         return
module attributes {dovetail.partition = #mesh} {
  func.func @main(%a: tensor<8x6xf32> {dovetail.sharding = #dovetail.sharding<#mesh, [{"x"}, {}]>},
                  %b: tensor<6x8xf32> {dovetail.sharding = #dovetail.sharding<#mesh, [{}, {"x"}]>},
                  %c: tensor<12x6xf32> {dovetail.sharding = #dovetail.sharding<#mesh, [{"x"}, {"y"}]>})
      -> (tensor<8x6xf32>, tensor<6x8xf32>, tensor<12x6xf32>) {
    %0:3 = dovetail.optimization_barrier %a, %b, %c : tensor<8x6xf32>, tensor<6x8xf32>, tensor<12x6xf32>
    return %0#0, %0#1, %0#2 : tensor<8x6xf32>, tensor<6x8xf32>, tensor<12x6xf32>
  }
}

// -----

#mesh = #dovetail.mesh<["data" = 1, "model" = 2]>

// Over an axis of size 1 nothing is exchanged.
// CHECK-LABEL: func.func private @main.local
// CHECK-NOT:     "data"
// CHECK:         return
module attributes {dovetail.partition = #mesh} {
  func.func @main(%x: tensor<8x6xf32> {dovetail.sharding = #dovetail.sharding<#mesh, [{"data"}, {}]>},
                  %w: tensor<6x4xf32> {dovetail.sharding = #dovetail.sharding<#mesh, [{"data"}, {"model"}]>})
      -> (tensor<8x4xf32>, tensor<4xf32>, tensor<8x6xf32>) {
    %0 = dovetail.dot_general %x, %w batch [] x [] contract [1] x [0] : tensor<8x6xf32>, tensor<6x4xf32>
    %1 = dovetail.reduce_max %0 [0] : tensor<8x4xf32>
    %2 = dovetail.cumsum %x, 0 : tensor<8x6xf32>
    return %0, %1, %2 : tensor<8x4xf32>, tensor<4xf32>, tensor<8x6xf32>
  }
}
