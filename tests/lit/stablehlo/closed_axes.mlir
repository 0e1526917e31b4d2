// RUN: dovetail-opt %s --dovetail-from-stablehlo | FileCheck %s
// RUN: dovetail-opt %s --dovetail-from-stablehlo --dovetail-to-stablehlo | FileCheck %s --check-prefix=BACK
// RUN: dovetail-opt %s --dovetail-from-stablehlo --dovetail-to-stablehlo | dovetail-opt - --dovetail-from-stablehlo | FileCheck %s

// Where dimensions are open, axes over which an array is replicated are closed.
module @jit_g attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["data"=2, "model"=4]>
  // CHECK: func.func public @main
  func.func public @main(%x: tensor<8x4xf32>) -> tensor<8x4xf32> {
    // CHECK-NEXT: dovetail.reshard %{{.+}} as <#mesh, [{"data", ?}, {?}]> closed ["model"]
    // BACK: sdy.sharding_constraint %{{.+}} <@mesh, [{"data", ?}, {?}], replicated = {"model"}>
    %0 = sdy.sharding_constraint %x <@mesh, [{"data", ?}, {?}], replicated={"model"}> : tensor<8x4xf32>
    // A part of an axis cannot be closed.
    // CHECK-NEXT: dovetail.reshard %{{.+}} as <#mesh, [{?}, {?}], replicated = {"model":(1)2}> : {{.+}}
    %1 = sdy.sharding_constraint %0 <@mesh, [{?}, {?}], replicated={"model":(1)2}> : tensor<8x4xf32>
    return %1 : tensor<8x4xf32>
  }
}
