// RUN: dovetail-opt %s --dovetail-from-stablehlo | FileCheck %s
// RUN: dovetail-opt %s --dovetail-from-stablehlo | sed -e 's/module {/module attributes {dovetail.mesh = #dovetail.mesh<["replica" = 2, "partition" = 2]>} {/' | dovetail-opt - --dovetail-to-stablehlo | FileCheck %s --check-prefix=BACK

// The program of each device: collectives are over axes named after the two numbers that a device has.
module attributes {mhlo.num_replicas = 2 : i32, mhlo.num_partitions = 2 : i32} {
  // CHECK-LABEL: func.func @main
  func.func @main(%x: tensor<4x2xf32>) -> (tensor<4x2xf32>, tensor<4x2xf32>, tensor<8x2xf32>, tensor<2x2xf32>, tensor<2x4xf32>, tensor<4x2xf32>, tensor<4x2xf32>, tensor<ui32>, tensor<ui32>) {
    // CHECK: dovetail.all_reduce_sum %arg0 over ["replica", "partition"]
    // BACK: "stablehlo.all_reduce"(%arg0)
    // BACK-SAME: replica_groups = dense<{{\[\[}}0, 1, 2, 3]]> : tensor<1x4xi64>
    %0 = "stablehlo.all_reduce"(%x) <{replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %s = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }) : (tensor<4x2xf32>) -> tensor<4x2xf32>
    // Products are of gathered values.
    // CHECK: %[[ALL:.+]] = dovetail.all_gather %arg0 over ["partition"] sizes [2] dimension 0
    // CHECK: dovetail.reduce_prod %[[ALL]] [0]
    // BACK: "stablehlo.all_gather"
    // BACK-SAME: replica_groups = dense<{{\[\[}}0, 1], [2, 3]]>
    %1 = "stablehlo.all_reduce"(%x) <{replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %s = stablehlo.multiply %a, %b : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }) : (tensor<4x2xf32>) -> tensor<4x2xf32>
    // CHECK: dovetail.all_gather %arg0 over ["replica"] sizes [2] dimension 0
    // BACK: "stablehlo.all_gather"
    // BACK-SAME: replica_groups = dense<{{\[\[}}0, 2], [1, 3]]>
    %2 = "stablehlo.all_gather"(%x) <{all_gather_dim = 0 : i64, replica_groups = dense<[[0, 2], [1, 3]]> : tensor<2x2xi64>}> : (tensor<4x2xf32>) -> tensor<8x2xf32>
    // CHECK: dovetail.reduce_scatter %{{.+}} over ["partition"] sizes [2] dimension 0 : tensor<2x2x2xf32>
    // BACK: "stablehlo.reduce_scatter"
    %3 = "stablehlo.reduce_scatter"(%x) <{scatter_dimension = 0 : i64, replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %s = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }) : (tensor<4x2xf32>) -> tensor<2x2xf32>
    // CHECK: dovetail.all_to_all %{{.+}} over ["partition"] sizes [2] from 0 to 1 : tensor<2x2x2xf32>
    // BACK: "stablehlo.all_to_all"
    // BACK-SAME: split_count = 2
    %4 = "stablehlo.all_to_all"(%x) <{split_dimension = 0 : i64, concat_dimension = 1 : i64, split_count = 2 : i64, replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>}> : (tensor<4x2xf32>) -> tensor<2x4xf32>
    // Pairs that are the same for both replicas.
    // CHECK: dovetail.permute %arg0 over ["partition"] sizes [2] from [0] to [1]
    // BACK: "stablehlo.collective_permute"
    // BACK-SAME: source_target_pairs = dense<{{\[\[}}0, 1], [2, 3]]>
    %5 = "stablehlo.collective_permute"(%x) <{source_target_pairs = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>}> : (tensor<4x2xf32>) -> tensor<4x2xf32>
    // CHECK: dovetail.all_gather %arg0 over ["partition"] sizes [2] dimension 0
    %6 = "stablehlo.collective_broadcast"(%x) <{replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>}> : (tensor<4x2xf32>) -> tensor<4x2xf32>
    // CHECK: dovetail.axis_index over ["replica"] sizes [2]
    // CHECK: dovetail.axis_index over ["partition"] sizes [2]
    // BACK: stablehlo.partition_id : tensor<ui32>
    %7 = stablehlo.replica_id : tensor<ui32>
    %8 = stablehlo.partition_id : tensor<ui32>
    return %0, %1, %2, %3, %4, %5, %6, %7, %8 : tensor<4x2xf32>, tensor<4x2xf32>, tensor<8x2xf32>, tensor<2x2xf32>, tensor<2x4xf32>, tensor<4x2xf32>, tensor<4x2xf32>, tensor<ui32>, tensor<ui32>
  }
}
