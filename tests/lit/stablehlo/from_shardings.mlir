// RUN: dovetail-opt %s --dovetail-from-stablehlo | FileCheck %s
// RUN: dovetail-opt %s --dovetail-from-stablehlo --dovetail-to-stablehlo | FileCheck %s --check-prefix=BACK
// RUN: dovetail-opt %s | dovetail-opt - | FileCheck %s --check-prefix=TEXT
// RUN: dovetail-opt %s --mlir-print-op-generic | dovetail-opt - | FileCheck %s --check-prefix=TEXT
// RUN: dovetail-opt %s --dovetail-from-stablehlo --dovetail-pipeline=to=shard | FileCheck %s --check-prefix=PARTS

// Shardings of arguments and results are attributes, constraints are ops, and the mesh is that of the module.
// CHECK: module attributes {dovetail.partition = #mesh}
// BACK: module attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32}
module @jit_f attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  // TEXT: sdy.mesh @mesh = <["data" = 2, "model" = 4]>
  // BACK: sdy.mesh @mesh = <["data" = 2, "model" = 4]>
  sdy.mesh @mesh = <["data"=2, "model"=4]>
  // CHECK: func.func public @main(
  // CHECK-SAME: tensor<8x4xf32> {dovetail.sharding = #dovetail.sharding<#mesh, [{"data"}, {}]>}
  // CHECK-SAME: tensor<4x8xf32> {dovetail.sharding = #dovetail.sharding<#mesh, [{}, {"model", ?}p1]>}
  // CHECK-SAME: -> (tensor<8xf32> {dovetail.sharding = #dovetail.sharding<#mesh, [{"model"}]>})
  // BACK: func.func public @main(
  // BACK-SAME: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}]>}
  // BACK-SAME: tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"model", ?}p1]>}
  // BACK-SAME: -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"model"}]>})
  func.func public @main(%x: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}]>}, %w: tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"model", ?}p1]>}) -> (tensor<8xf32> {jax.result_info = "result", sdy.sharding = #sdy.sharding<@mesh, [{"model"}]>}) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<8x4xf32>, tensor<4x8xf32>) -> tensor<8x8xf32>
    // CHECK: dovetail.reshard %{{.+}} as <#mesh, [{"data"}, {"model"}]>
    // BACK: sdy.sharding_constraint %{{.+}} <@mesh, [{"data"}, {"model"}]>
    // TEXT: sdy.sharding_constraint %{{.+}} <@mesh, [{"data"}, {"model"}]>
    %1 = sdy.sharding_constraint %0 <@mesh, [{"data"}, {"model"}]> : tensor<8x8xf32>
    // PARTS: dovetail.reduce_sum %{{.+}} [0] : tensor<4x2xf32>
    // PARTS: dovetail.all_reduce_sum %{{.+}} over ["data"] : tensor<2xf32>
    %2 = stablehlo.reduce(%1 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<8x8xf32>, tensor<f32>) -> tensor<8xf32>
    // A function of the parts that devices have.
    // CHECK: dovetail.shard_map @parts on #mesh manual ["data", "model"]
    // BACK: sdy.manual_computation(%{{.+}}) in_shardings=[<@mesh, [{"model"}]>] out_shardings=[<@mesh, [{"model"}]>] manual_axes={"data", "model"} (%{{.+}}: tensor<2xf32>)
    // TEXT: sdy.manual_computation(%{{.+}}) in_shardings=[<@mesh, [{"model"}]>] out_shardings=[<@mesh, [{"model"}]>] manual_axes={"data", "model"} (%{{.+}}: tensor<2xf32>)
    %3 = sdy.manual_computation(%2) in_shardings=[<@mesh, [{"model"}]>] out_shardings=[<@mesh, [{"model"}]>] manual_axes={"data", "model"} (%part: tensor<2xf32>) {
      // BACK: stablehlo.all_reduce
      // BACK-SAME: replica_groups = dense<{{\[\[}}0, 1, 2, 3], [4, 5, 6, 7]]>
      %4 = "stablehlo.all_reduce"(%part) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>, replica_groups = dense<[[0, 1, 2, 3], [4, 5, 6, 7]]> : tensor<2x4xi64>, use_global_device_ids}> ({
      ^bb0(%a: tensor<f32>, %b: tensor<f32>):
        %s = stablehlo.maximum %a, %b : tensor<f32>
        %t = sdy.sharding_constraint %s <@mesh, []> : tensor<f32>
        stablehlo.return %t : tensor<f32>
      }) : (tensor<2xf32>) -> tensor<2xf32>
      // BACK: sdy.return
      sdy.return %4 : tensor<2xf32>
    } : (tensor<8xf32>) -> tensor<8xf32>
    return %3 : tensor<8xf32>
  }
  // CHECK: func.func private @parts(%arg0: tensor<2xf32>)
  // CHECK: dovetail.all_reduce_max %{{.+}} over ["model"]
}
