// Ops that are applied by themselves: axes go forward, and not along right hand sides, of which each device solves all.
// RUN: dovetail-opt %s --split-input-file --dovetail-propagate-shardings=eager | FileCheck %s --check-prefixes=CHECK,EAGER
// RUN: dovetail-opt %s --split-input-file --dovetail-propagate-shardings="forward" | FileCheck %s --check-prefixes=CHECK,FORWARD

#mesh = #dovetail.mesh<["x" = 2, "y" = 2]>

// CHECK-LABEL: func.func @main
// CHECK:         dovetail.triangular_solve
// CHECK-SAME:    dovetail.shardings = [#dovetail.sharding<#mesh, [{"x"}, {}, {}]>]
module attributes {dovetail.partition = #mesh} {
  func.func @main(%a: tensor<4x8x8xf32> {dovetail.sharding = #dovetail.sharding<#mesh, [{"x"}, {}, {}]>},
                  %b: tensor<4x8x2xf32> {dovetail.sharding = #dovetail.sharding<#mesh, [{"x"}, {}, {"y"}]>})
      -> tensor<4x8x2xf32> {
    %0 = dovetail.triangular_solve %a, %b left_side = true lower = true : tensor<4x8x8xf32>, tensor<4x8x2xf32>
    return %0 : tensor<4x8x2xf32>
  }
}

// -----

#mesh = #dovetail.mesh<["x" = 2, "y" = 2]>

// The first result is divided as its use is only if both are of one program.
// CHECK-LABEL: func.func @main
// CHECK:         dovetail.broadcast
// EAGER-SAME:    dovetail.shardings = [#dovetail.sharding<#mesh, [{"x"}, {"y"}]>]
// FORWARD-SAME:  dovetail.shardings = [#dovetail.sharding<#mesh, [{}, {}]>]
// CHECK:         dovetail.add
// EAGER-SAME:    dovetail.shardings = [#dovetail.sharding<#mesh, [{"x"}, {"y"}]>]
// FORWARD-SAME:  dovetail.shardings = [#dovetail.sharding<#mesh, [{"x"}, {"y"}]>]
module attributes {dovetail.partition = #mesh} {
  func.func @main(%a: tensor<4x4xf32> {dovetail.sharding = #dovetail.sharding<#mesh, [{"x"}, {"y"}]>},
                  %b: tensor<4xf32> {dovetail.sharding = #dovetail.sharding<#mesh, [{}]>}) -> tensor<4x4xf32> {
    %0 = dovetail.broadcast %b dims [1] : tensor<4xf32> -> tensor<4x4xf32>
    %1 = dovetail.add %a, %0 : tensor<4x4xf32>
    return %1 : tensor<4x4xf32>
  }
}
