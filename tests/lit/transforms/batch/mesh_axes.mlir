// A batch that is divided over axes of a mesh: ops that state shardings divide it, and those within parts get a part.
// RUN: dovetail-opt %s --dovetail-batch='function=constraint dims=1 size=8 mesh-axes=x' | FileCheck %s --check-prefix=CONSTRAINT
// RUN: dovetail-opt %s --dovetail-batch='function=constraint dims=0 size=8' | FileCheck %s --check-prefix=OPEN
// RUN: dovetail-opt %s --dovetail-batch='function=parts dims=0,-1 size=8 mesh-axes=x,z' | FileCheck %s --check-prefix=PARTS
// RUN: dovetail-opt %s --dovetail-batch='function=some dims=0 size=8 mesh-axes=x,z' | FileCheck %s --check-prefix=SOME
// RUN: dovetail-opt %s --dovetail-batch='function=named dims=0 size=8 axis=i mesh-axes=x' | FileCheck %s --check-prefix=NAMED
// RUN: dovetail-opt %s --dovetail-batch='function=hidden dims=0 size=8 axis=y mesh-axes=x' | FileCheck %s --check-prefix=HIDDEN
// RUN: dovetail-opt %s --dovetail-expand | FileCheck %s --check-prefix=NESTED

#mesh = #dovetail.mesh<["x" = 2, "y" = 4, "z" = 2]>

func.func @constraint(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = dovetail.reshard %a as <#mesh, [{"y"}]> : tensor<4xf32>
  return %0 : tensor<4xf32>
}
// CONSTRAINT-LABEL: func.func private @constraint.batch(%arg0: tensor<4x8xf32>)
// CONSTRAINT-NEXT:    dovetail.reshard %arg0 as <#{{.+}}, [{"y"}, {"x"}]> : tensor<4x8xf32>
// OPEN-LABEL: func.func private @constraint.batch
// OPEN-NEXT:    dovetail.reshard %arg0 as <#{{.+}}, [{?}, {"y"}]> : tensor<8x4xf32>

// Values that vary along the new axes are told apart from others.
func.func @parts(%a: tensor<4xf32>, %w: tensor<f32>) -> tensor<4xf32> {
  %0 = dovetail.shard_map @scaled on #mesh manual ["x", "y", "z"]
    in [#dovetail.sharding<#mesh, [{"y"}]>, #dovetail.sharding<#mesh, []>] out [#dovetail.sharding<#mesh, [{"y"}]>]
    checked (%a, %w) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func private @scaled(%a: tensor<1xf32>, %w: tensor<f32>) -> tensor<1xf32> {
  %0 = dovetail.vary %w over ["y"] : tensor<f32>
  %1 = dovetail.reshape %0 : tensor<f32> -> tensor<1xf32>
  %2 = dovetail.mul %a, %1 : tensor<1xf32>
  return %2 : tensor<1xf32>
}
// PARTS-LABEL: func.func private @parts.batch(%arg0: tensor<8x4xf32>, %arg1: tensor<f32>) -> tensor<8x4xf32>
// PARTS-NEXT:    dovetail.shard_map @scaled.batch.vary on #[[MESH:.+]] manual ["x", "y", "z"]
// PARTS-SAME:      in [#dovetail.sharding<#[[MESH]], [{"x", "z"}, {"y"}]>, #dovetail.sharding<#[[MESH]], []>]
// PARTS-SAME:      out [#dovetail.sharding<#[[MESH]], [{"x", "z"}, {"y"}]>] checked(%arg0, %arg1)
// PARTS-LABEL: func.func private @scaled.batch.vary(%arg0: tensor<2x1xf32>, %arg1: tensor<f32>) -> tensor<2x1xf32>
// PARTS-NEXT:    %[[Y:.+]] = dovetail.vary %arg1 over ["y"] : tensor<f32>
// PARTS:         dovetail.vary %{{.+}} over ["x", "z"]

// Only x is an axis of parts; within, z is left.
func.func @some(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = dovetail.shard_map @constrained on #mesh manual ["x"] in [#dovetail.sharding<#mesh, [{}]>]
    out [#dovetail.sharding<#mesh, [{}]>](%a) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func private @constrained(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = dovetail.reshard %a as <#mesh, [{"y"}]> : tensor<4xf32>
  return %0 : tensor<4xf32>
}
// SOME-LABEL: func.func private @some.batch
// SOME-NEXT:    in [#dovetail.sharding<#[[MESH:.+]], [{"x"}, {}]>]
// SOME-LABEL: func.func private @constrained.batch(%arg0: tensor<4x4xf32>)
// SOME-NEXT:    dovetail.reshard %arg0 as <#{{.+}}, [{"z"}, {"y"}]> : tensor<4x4xf32>

// A batch over which the function computes stays whole.
func.func @named(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = dovetail.shard_map @summed on #mesh manual ["x", "y"] in [#dovetail.sharding<#mesh, [{"y"}]>]
    out [#dovetail.sharding<#mesh, [{"y"}]>](%a) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func private @summed(%a: tensor<1xf32>) -> tensor<1xf32> {
  %0 = dovetail.all_reduce_sum %a over ["i"] : tensor<1xf32>
  %1 = dovetail.mul %0, %a : tensor<1xf32>
  return %1 : tensor<1xf32>
}
// NAMED-LABEL: func.func private @named.batch
// NAMED-NEXT:    in [#dovetail.sharding<#{{.+}}, [{}, {"y"}]>] out [#dovetail.sharding<#{{.+}}, [{}, {"y"}]>]
// NAMED-LABEL: func.func private @summed.batch(%arg0: tensor<8x1xf32>)
// NAMED-NEXT:    dovetail.reduce_sum %arg0 [0] : tensor<8x1xf32>

// Within, the name y is that of the mesh's axis.
func.func @hidden(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = dovetail.shard_map @over_mesh on #mesh manual ["x", "y"] in [#dovetail.sharding<#mesh, [{"y"}]>]
    out [#dovetail.sharding<#mesh, [{"y"}]>](%a) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func private @over_mesh(%a: tensor<1xf32>) -> tensor<1xf32> {
  %0 = dovetail.all_reduce_sum %a over ["y"] : tensor<1xf32>
  return %0 : tensor<1xf32>
}
// HIDDEN-LABEL: func.func private @hidden.batch
// HIDDEN-NEXT:    in [#dovetail.sharding<#{{.+}}, [{"x"}, {"y"}]>]
// HIDDEN-LABEL: func.func private @over_mesh.batch(%arg0: tensor<4x1xf32>)
// HIDDEN-NEXT:    dovetail.all_reduce_sum %arg0 over ["y"] : tensor<4x1xf32>

// Each request has its own axes, and the inner one is expanded first.
func.func private @inner(%a: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %0 = dovetail.vmap @constraint in [0] out [0] over ["x"](%a) : (tensor<8x4xf32>) -> tensor<8x4xf32>
  return %0 : tensor<8x4xf32>
}
func.func @nested(%a: tensor<6x8x4xf32>) -> tensor<6x8x4xf32> {
  %0 = dovetail.vmap @inner in [0] out [0] over ["z"](%a) : (tensor<6x8x4xf32>) -> tensor<6x8x4xf32>
  return %0 : tensor<6x8x4xf32>
}
// NESTED: dovetail.reshard %{{.+}} as <#{{.+}}, [{"z"}, {"x"}, {"y"}]> : tensor<6x8x4xf32>
