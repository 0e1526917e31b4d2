// Functions of parts along some axes are divided along the others.
// RUN: dovetail-opt %s --split-input-file --verify-diagnostics --dovetail-propagate-shardings | FileCheck %s --check-prefix=PROPAGATE
// RUN: dovetail-opt %s --split-input-file --verify-diagnostics --dovetail-propagate-shardings --dovetail-partition --dovetail-localize --dovetail-inline --dovetail-simplify | FileCheck %s

// Shardings come in with arguments, and out with results, without the manual axes; sums over these stay as they are.
#mesh = #dovetail.mesh<["x" = 4, "y" = 2]>

// PROPAGATE: @f(%{{.*}}: tensor<4x8xf32> {dovetail.sharding = #dovetail.sharding<#mesh, [{}, {}]>}, %{{.*}}: tensor<8x6xf32> {dovetail.sharding = #dovetail.sharding<#mesh, [{}, {"y"}]>})
// PROPAGATE: dovetail.all_reduce_sum {{.*}}dovetail.shardings = [#dovetail.sharding<#mesh, [{"y"}]>]
// PROPAGATE: dovetail.shard_map {{.*}}dovetail.shardings = [#dovetail.sharding<#mesh, [{"x"}, {"y"}]>, #dovetail.sharding<#mesh, [{"y"}]>]
// CHECK: %[[DOT:.+]] = dovetail.dot_general %arg0, %arg1 {{.*}} : tensor<4x8xf32>, tensor<8x3xf32>
// CHECK-NEXT: %[[SUM:.+]] = dovetail.reduce_sum %[[DOT]] [0] : tensor<4x3xf32>
// CHECK-NEXT: %[[ALL:.+]] = dovetail.all_reduce_sum %[[SUM]] over ["x"] invariant : tensor<3xf32>
// CHECK-NEXT: return %[[DOT]], %[[ALL]] : tensor<4x3xf32>, tensor<3xf32>
module attributes {dovetail.partition = #mesh} {
  func.func private @f(%x: tensor<4x8xf32>, %w: tensor<8x6xf32>) -> (tensor<4x6xf32>, tensor<6xf32>) {
    %0 = dovetail.dot_general %x, %w batch [] x [] contract [1] x [0] : tensor<4x8xf32>, tensor<8x6xf32>
    %1 = dovetail.reduce_sum %0 [0] : tensor<4x6xf32>
    %2 = dovetail.all_reduce_sum %1 over ["x"] invariant : tensor<6xf32>
    return %0, %2 : tensor<4x6xf32>, tensor<6xf32>
  }
  func.func @main(%x: tensor<16x8xf32> {dovetail.sharding = #dovetail.sharding<#mesh, [{"x"}, {}]>}, %w: tensor<8x6xf32> {dovetail.sharding = #dovetail.sharding<#mesh, [{}, {"y"}]>}) -> (tensor<16x6xf32>, tensor<6xf32>) {
    %0:2 = dovetail.shard_map @f on <["x" = 4, "y" = 2]> manual ["x"] in [#dovetail.sharding<#mesh, [{"x"}, {}]>, #dovetail.sharding<#mesh, [{}, {}]>] out [#dovetail.sharding<#mesh, [{"x"}, {}]>, #dovetail.sharding<#mesh, [{}]>](%x, %w) : (tensor<16x8xf32>, tensor<8x6xf32>) -> (tensor<16x6xf32>, tensor<6xf32>)
    return %0#0, %0#1 : tensor<16x6xf32>, tensor<6xf32>
  }
}

// -----

// And in with what is wanted of results: the operands are divided as the function needs them.
#mesh = #dovetail.mesh<["x" = 4, "y" = 2]>

// PROPAGATE: @f(%{{.*}}: tensor<2x8xf32> {dovetail.sharding = #dovetail.sharding<#mesh, [{"y"}, {}]>})
// PROPAGATE: @main(%{{.*}}: tensor<8x8xf32> {dovetail.sharding = #dovetail.sharding<#mesh, [{"x", "y"}, {}]>})
// CHECK: @main(%{{.*}}: tensor<1x8xf32>
// CHECK-NEXT: dovetail.tanh
// CHECK-NEXT: return
module attributes {dovetail.partition = #mesh} {
  func.func private @f(%x: tensor<2x8xf32>) -> tensor<2x8xf32> {
    %0 = dovetail.tanh %x : tensor<2x8xf32>
    return %0 : tensor<2x8xf32>
  }
  func.func @main(%x: tensor<8x8xf32>) -> (tensor<8x8xf32> {dovetail.sharding = #dovetail.sharding<#mesh, [{"x", "y"}, {}]>}) {
    %0 = dovetail.shard_map @f on <["x" = 4, "y" = 2]> manual ["x"] in [#dovetail.sharding<#mesh, [{"x"}, {}]>] out [#dovetail.sharding<#mesh, [{"x"}, {}]>](%x) : (tensor<8x8xf32>) -> tensor<8x8xf32>
    return %0 : tensor<8x8xf32>
  }
}

// -----

// A part of a dimension that is divided along both is not divided unequally: it would be no part of the array.
#mesh = #dovetail.mesh<["x" = 4, "y" = 2]>

// PROPAGATE: @f(%{{.*}}: tensor<3x3xf32> {dovetail.sharding = #dovetail.sharding<#mesh, [{"y"}, {}]>})
// PROPAGATE: @main(%{{.*}}: tensor<12x3xf32> {dovetail.sharding = #dovetail.sharding<#mesh, [{"x"}, {}]>})
// CHECK: @main(%[[X:.+]]: tensor<3x3xf32>
// CHECK: dovetail.tanh {{.*}} : tensor<2x3xf32>
// CHECK: dovetail.all_gather
// CHECK: return {{.*}} : tensor<3x3xf32>
module attributes {dovetail.partition = #mesh} {
  func.func private @f(%x: tensor<3x3xf32>) -> tensor<3x3xf32> {
    %0 = dovetail.reshard %x as <#mesh, [{"y"}, {}]> : tensor<3x3xf32>
    %1 = dovetail.tanh %0 : tensor<3x3xf32>
    return %1 : tensor<3x3xf32>
  }
  func.func @main(%x: tensor<12x3xf32>) -> tensor<12x3xf32> {
    %0 = dovetail.shard_map @f on <["x" = 4, "y" = 2]> manual ["x"] in [#dovetail.sharding<#mesh, [{"x"}, {}]>] out [#dovetail.sharding<#mesh, [{"x"}, {}]>](%x) : (tensor<12x3xf32>) -> tensor<12x3xf32>
    return %0 : tensor<12x3xf32>
  }
}

// -----

// A function that two ops apply is divided for each; one inside takes parts along one more axis.
#mesh = #dovetail.mesh<["x" = 2, "y" = 2, "z" = 2]>

// PROPAGATE: @inner(%{{.*}}: tensor<4x2x8xf32> {dovetail.sharding = #dovetail.sharding<#mesh, [{"z"}, {}, {}]>})
// PROPAGATE: @outer(%{{.*}}: tensor<4x4x8xf32> {dovetail.sharding = #dovetail.sharding<#mesh, [{"z"}, {"y"}, {}]>})
// PROPAGATE: @outer_0(%{{.*}}: tensor<4x4x8xf32> {dovetail.sharding = #dovetail.sharding<#mesh, [{}, {"y"}, {"z"}]>})
// PROPAGATE: @inner_1(%{{.*}}: tensor<4x2x8xf32> {dovetail.sharding = #dovetail.sharding<#mesh, [{}, {}, {"z"}]>})
// CHECK: @main
// CHECK-NEXT: dovetail.all_reduce_sum %arg0 over ["x", "y"] : tensor<4x2x4xf32>
// CHECK-NEXT: dovetail.all_reduce_sum %arg1 over ["x", "y"] : tensor<2x2x8xf32>
// CHECK-NEXT: return
module attributes {dovetail.partition = #mesh} {
  func.func private @inner(%x: tensor<4x2x8xf32>) -> tensor<4x2x8xf32> {
    %0 = dovetail.all_reduce_sum %x over ["x", "y"] : tensor<4x2x8xf32>
    return %0 : tensor<4x2x8xf32>
  }
  func.func private @outer(%x: tensor<4x4x8xf32>) -> tensor<4x4x8xf32> {
    %0 = dovetail.shard_map @inner on <["x" = 2, "y" = 2, "z" = 2]> manual ["y"] in [#dovetail.sharding<#mesh, [{}, {"y"}, {}]>] out [#dovetail.sharding<#mesh, [{}, {"y"}, {}]>](%x) : (tensor<4x4x8xf32>) -> tensor<4x4x8xf32>
    return %0 : tensor<4x4x8xf32>
  }
  func.func @main(%x: tensor<8x4x8xf32> {dovetail.sharding = #dovetail.sharding<#mesh, [{"x"}, {"y"}, {"z"}]>}, %y: tensor<8x4x8xf32> {dovetail.sharding = #dovetail.sharding<#mesh, [{"x", "z"}, {"y"}, {}]>}) -> (tensor<8x4x8xf32>, tensor<8x4x8xf32>) {
    %0 = dovetail.shard_map @outer on <["x" = 2, "y" = 2, "z" = 2]> manual ["x"] in [#dovetail.sharding<#mesh, [{"x"}, {}, {}]>] out [#dovetail.sharding<#mesh, [{"x"}, {}, {}]>](%x) : (tensor<8x4x8xf32>) -> tensor<8x4x8xf32>
    %1 = dovetail.shard_map @outer on <["x" = 2, "y" = 2, "z" = 2]> manual ["x"] in [#dovetail.sharding<#mesh, [{"x"}, {}, {}]>] out [#dovetail.sharding<#mesh, [{"x"}, {}, {}]>](%y) : (tensor<8x4x8xf32>) -> tensor<8x4x8xf32>
    return %0, %1 : tensor<8x4x8xf32>, tensor<8x4x8xf32>
  }
}

// -----

#mesh = #dovetail.mesh<["x" = 4, "y" = 2]>

module attributes {dovetail.partition = #mesh} {
  func.func private @f(%x: tensor<2xf32>) -> tensor<2xf32> {
    // expected-error @+1 {{'dovetail.shardings' must not name axes along which arrays of 'f' are parts, got: [#dovetail.sharding<#dovetail.mesh<["x" = 4, "y" = 2]>, [{"x"}]>]}}
    %0 = dovetail.tanh %x {dovetail.shardings = [#dovetail.sharding<#mesh, [{"x"}]>]} : tensor<2xf32>
    return %0 : tensor<2xf32>
  }
  func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
    %0 = dovetail.shard_map @f on <["x" = 4, "y" = 2]> manual ["x"] in [#dovetail.sharding<#mesh, [{"x"}]>] out [#dovetail.sharding<#mesh, [{"x"}]>](%x) : (tensor<8xf32>) -> tensor<8xf32>
    return %0 : tensor<8xf32>
  }
}
