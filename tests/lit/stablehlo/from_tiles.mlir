// RUN: dovetail-opt %s --dovetail-from-stablehlo --split-input-file | FileCheck %s

// Shardings as tiles of numbered devices: their mesh has the coarsest axes by which all of them divide dimensions.

// CHECK: #mesh = #dovetail.mesh<["axis_0" = 2, "axis_1" = 4]>
// CHECK: module attributes {dovetail.partition = #mesh}
module attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  // CHECK: func.func public @main(
  // CHECK-SAME: dovetail.sharding = #dovetail.sharding<#mesh, [{"axis_0"}, {"axis_1"}]>
  // CHECK-SAME: dovetail.sharding = #dovetail.sharding<#mesh, [{}, {"axis_0"}]>
  // CHECK-SAME: dovetail.sharding = #dovetail.sharding<#mesh, [{}, {}]>
  // CHECK-SAME: -> (tensor<8x8xf32> {dovetail.sharding = #dovetail.sharding<#mesh, [{"axis_0", "axis_1"}, {}]>}
  func.func public @main(%x: tensor<8x8xf32> {mhlo.sharding = "{devices=[2,4]<=[8]}"}, %y: tensor<8x8xf32> {mhlo.sharding = "{devices=[1,2,4]<=[8] last_tile_dim_replicate}"}, %z: tensor<8x8xf32> {mhlo.sharding = "{replicated}"}) -> (tensor<8x8xf32> {mhlo.sharding = "{devices=[8,1]<=[8]}"}) {
    %0 = stablehlo.add %x, %y : tensor<8x8xf32>
    // CHECK: dovetail.reshard %{{.+}} as <#mesh, [{"axis_1"}, {}]>
    %1 = stablehlo.custom_call @Sharding(%0) {backend_config = "", mhlo.sharding = "{devices=[4,1,2]<=[2,4]T(1,0) last_tile_dim_replicate}"} : (tensor<8x8xf32>) -> tensor<8x8xf32>
    // The same, with the numbers of all devices.
    // CHECK: dovetail.reshard %{{.+}} as <#mesh, [{"axis_1"}, {"axis_0"}]>
    %2 = stablehlo.custom_call @Sharding(%z) {mhlo.sharding = "{devices=[4,2]0,4,1,5,2,6,3,7}"} : (tensor<8x8xf32>) -> tensor<8x8xf32>
    %3 = stablehlo.add %1, %2 : tensor<8x8xf32>
    return %3 : tensor<8x8xf32>
  }
}

// -----

// Thirds of halves and halves of thirds have no axes in common, and devices in a free order have none.
// CHECK-NOT: dovetail.partition
// CHECK: func.func @main(%arg0: tensor<6xf32>, %arg1: tensor<6xf32>, %arg2: tensor<4xf32>)
func.func @main(%x: tensor<6xf32> {mhlo.sharding = "{devices=[2,3]<=[6] last_tile_dim_replicate}"}, %y: tensor<6xf32> {mhlo.sharding = "{devices=[3,2]<=[6] last_tile_dim_replicate}"}, %z: tensor<4xf32> {mhlo.sharding = "{devices=[4]0,3,1,2}"}) -> tensor<6xf32> {
  // CHECK-NOT: reshard
  %0 = stablehlo.custom_call @Sharding(%x) {mhlo.sharding = "{manual}"} : (tensor<6xf32>) -> tensor<6xf32>
  return %0 : tensor<6xf32>
}
