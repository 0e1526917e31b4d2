// RUN: dovetail-opt %s -split-input-file --dovetail-split-axes | FileCheck %s --check-prefix=SPLIT
// RUN: dovetail-opt %s -split-input-file --dovetail-pipeline=to=shard | FileCheck %s

#mesh = #dovetail.mesh<["d" = 2, "x" = 4]>

// Two groups on four devices: two axes of two devices, of which the first divides the groups.
// SPLIT-DAG: #[[MESH:.*]] = #dovetail.mesh<["d" = 2, "x" = 4]>
// SPLIT-DAG: #[[PARTS:.*]] = #dovetail.mesh<["d" = 2, "x:0" = 2, "x:1" = 2]>
// SPLIT: module attributes {dovetail.partition = #[[PARTS]], dovetail.whole_mesh = #[[MESH]]}
// SPLIT: func.func @main(%{{.*}}: tensor<8x16xf32> {dovetail.sharding = #dovetail.sharding<#[[PARTS]], [{"d"}, {"x:0", "x:1"}]>})
// Arguments and results are over whole axes; a sum is over the devices of a group.
// CHECK: module attributes {dovetail.mesh = #[[PARTS:.*]]}
// CHECK: func.func @main(%arg0: tensor<4x4xf32> {dovetail.sharding = #dovetail.sharding<#{{.*}}, [{"d"}, {"x"}]>})
// CHECK-SAME: -> (tensor<4x2xf32> {dovetail.sharding = #dovetail.sharding<#{{.*}}, [{"d"}, {}]>})
// CHECK-NOT: all_gather
// CHECK: dovetail.all_reduce_sum %{{.+}} over ["x:1"]
// CHECK: dovetail.all_gather %{{.+}} over ["x:0"]
module attributes {dovetail.partition = #mesh} {
  func.func @main(%x: tensor<8x16xf32> {dovetail.sharding = #dovetail.sharding<#mesh, [{"d"}, {"x"}]>}) -> tensor<8x2xf32> {
    %0 = dovetail.reshape %x : tensor<8x16xf32> -> tensor<8x2x8xf32>
    %1 = dovetail.reduce_sum %0 [2] : tensor<8x2x8xf32>
    return %1 : tensor<8x2xf32>
  }
}

// -----

#mesh = #dovetail.mesh<["x" = 8, "x:1" = 1]>

// One after the other: eight devices for groups of two in groups of two. Names are those of no other axis.
// SPLIT: dovetail.partition = #{{.*}}, dovetail.whole_mesh
// SPLIT: [{"x:0", "x:1'", "x:2"}]
module attributes {dovetail.partition = #mesh} {
  func.func @main(%x: tensor<16xf32> {dovetail.sharding = #dovetail.sharding<#mesh, [{"x"}]>}) -> tensor<2x2x4xf32> {
    %0 = dovetail.reshape %x : tensor<16xf32> -> tensor<2x2x4xf32>
    return %0 : tensor<2x2x4xf32>
  }
}

// -----

#mesh = #dovetail.mesh<["x" = 4, "y" = 6]>

// Six groups on four devices have no parts in common, eight are divided by the whole axis, and nothing is divided over the other one.
// SPLIT-NOT: whole_mesh
// SPLIT: [{"x"}]
module attributes {dovetail.partition = #mesh} {
  func.func @main(%x: tensor<96xf32> {dovetail.sharding = #dovetail.sharding<#mesh, [{"x"}]>}) -> (tensor<6x16xf32>, tensor<8x12xf32>, tensor<2x48xf32>) {
    %0 = dovetail.reshape %x : tensor<96xf32> -> tensor<6x16xf32>
    %1 = dovetail.reshape %x : tensor<96xf32> -> tensor<8x12xf32>
    %y = dovetail.neg %x : tensor<96xf32>
    %z = dovetail.reshard %y as <#mesh, [{}]> closed ["x"] : tensor<96xf32>
    %2 = dovetail.reshape %z : tensor<96xf32> -> tensor<2x48xf32>
    return %0, %1, %2 : tensor<6x16xf32>, tensor<8x12xf32>, tensor<2x48xf32>
  }
}

// -----

#mesh = #dovetail.mesh<["x" = 4]>

// A part of an axis that is stated is an axis.
// SPLIT: dovetail.reshard %{{.+}} as <#{{.*}}, [{"x:1"}]>
// CHECK: dovetail.axis_index over ["x:1"] sizes [2]
// CHECK: dovetail.exp %{{.+}} : tensor<4xf32>
// CHECK: dovetail.all_gather %{{.+}} over ["x:1"]
module attributes {dovetail.partition = #mesh} {
  func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
    %0 = dovetail.reshard %x as <#mesh, [{"x":(2)2}]> : tensor<8xf32>
    %1 = dovetail.exp %0 : tensor<8xf32>
    return %1 : tensor<8xf32>
  }
}
