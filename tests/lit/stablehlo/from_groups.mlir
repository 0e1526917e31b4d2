// RUN: dovetail-opt %s --dovetail-from-stablehlo | FileCheck %s

// Groups within an axis: of the values of all devices, each takes those of its own group.
module attributes {mhlo.num_replicas = 4 : i32} {
  // CHECK-LABEL: func.func @main
  func.func @main(%x: tensor<4x2xf32>) -> (tensor<4x2xf32>, tensor<2x2xf32>, tensor<4x2xf32>) {
    // CHECK: %[[ALL:.+]] = dovetail.all_gather %arg0 over ["replica"] sizes [4] dimension 0
    // CHECK: %[[ROWS:.+]] = dovetail.constant dense<{{\[\[}}0, 3], [1, 2], [1, 2], [0, 3]]> : tensor<4x2xi32>
    // CHECK: %[[I:.+]] = dovetail.axis_index over ["replica"] sizes [4]
    // CHECK: dovetail.gather %[[ALL]]
    // CHECK: dovetail.reduce_sum %{{.+}} [0] : tensor<2x4x2xf32>
    %0 = "stablehlo.all_reduce"(%x) <{replica_groups = dense<[[0, 3], [1, 2]]> : tensor<2x2xi64>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %s = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }) : (tensor<4x2xf32>) -> tensor<4x2xf32>
    // The place of each device in its group says which part is its own.
    // CHECK: dovetail.constant dense<{{\[\[}}0], [1], [0], [1]]> : tensor<4x1xi32>
    %1 = "stablehlo.reduce_scatter"(%x) <{scatter_dimension = 0 : i64, replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %s = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }) : (tensor<4x2xf32>) -> tensor<2x2xf32>
    %2 = "stablehlo.collective_permute"(%x) <{source_target_pairs = dense<[[0, 2], [3, 0]]> : tensor<2x2xi64>}> : (tensor<4x2xf32>) -> tensor<4x2xf32>
    return %0, %1, %2 : tensor<4x2xf32>, tensor<2x2xf32>, tensor<4x2xf32>
  }
}
