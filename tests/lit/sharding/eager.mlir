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

// What an op repeats is part of it: the matrix decides first, and the row, which is divided over the same axis, follows.
// CHECK-LABEL: func.func @main
// CHECK:         dovetail.broadcast
// CHECK-SAME:    dovetail.shardings = [#dovetail.sharding<#mesh, [{"x"}, {"y"}]>]
// CHECK:         dovetail.add
// CHECK-SAME:    dovetail.shardings = [#dovetail.sharding<#mesh, [{"x"}, {"y"}]>]
module attributes {dovetail.partition = #mesh} {
  func.func @main(%a: tensor<4x4xf32> {dovetail.sharding = #dovetail.sharding<#mesh, [{"x"}, {"y"}]>},
                  %b: tensor<4xf32> {dovetail.sharding = #dovetail.sharding<#mesh, [{"x"}]>}) -> tensor<4x4xf32> {
    %0 = dovetail.broadcast %b dims [1] : tensor<4xf32> -> tensor<4x4xf32>
    %1 = dovetail.add %a, %0 : tensor<4x4xf32>
    return %1 : tensor<4x4xf32>
  }
}

// -----

#mesh = #dovetail.mesh<["x" = 2, "y" = 2]>

// The first result is divided as its use is only if both are of one program.
// CHECK-LABEL: func.func @main
// CHECK:         dovetail.sin
// EAGER-SAME:    dovetail.shardings = [#dovetail.sharding<#mesh, [{"x"}, {"y"}]>]
// FORWARD-SAME:  dovetail.shardings = [#dovetail.sharding<#mesh, [{}, {}]>]
// CHECK:         dovetail.add
// CHECK-SAME:    dovetail.shardings = [#dovetail.sharding<#mesh, [{"x"}, {"y"}]>]
module attributes {dovetail.partition = #mesh} {
  func.func @main(%a: tensor<4x4xf32> {dovetail.sharding = #dovetail.sharding<#mesh, [{"x"}, {"y"}]>},
                  %b: tensor<4x4xf32> {dovetail.sharding = #dovetail.sharding<#mesh, [{}, {}]>}) -> tensor<4x4xf32> {
    %0 = dovetail.sin %b : tensor<4x4xf32>
    %1 = dovetail.add %a, %0 : tensor<4x4xf32>
    return %1 : tensor<4x4xf32>
  }
}

// -----

#mesh = #dovetail.mesh<["x" = 2, "y" = 2]>

// An axis that two dimensions want goes to that of the larger array, here the second operand's.
// CHECK-LABEL: func.func @main
// CHECK:         dovetail.dot_general
// CHECK-SAME:    dovetail.shardings = [#dovetail.sharding<#mesh, [{}, {"x"}]>]
module attributes {dovetail.partition = #mesh} {
  func.func @main(%a: tensor<4x4xf32> {dovetail.sharding = #dovetail.sharding<#mesh, [{"x"}, {}]>},
                  %b: tensor<4x8xf32> {dovetail.sharding = #dovetail.sharding<#mesh, [{}, {"x"}]>}) -> tensor<4x8xf32> {
    %0 = dovetail.dot_general %a, %b batch [] x [] contract [1] x [0] : tensor<4x4xf32>, tensor<4x8xf32>
    return %0 : tensor<4x8xf32>
  }
}

// -----

#mesh = #dovetail.mesh<["x" = 2, "y" = 2]>

// Of equal arrays, to that of the first.
// CHECK-LABEL: func.func @main
// CHECK:         dovetail.sub
// CHECK-SAME:    dovetail.shardings = [#dovetail.sharding<#mesh, [{}, {"x"}]>]
// CHECK:         dovetail.erf
// CHECK-SAME:    dovetail.shardings = [#dovetail.sharding<#mesh, [{}, {}]>]
module attributes {dovetail.partition = #mesh} {
  func.func @main(%a: tensor<4x4xf32> {dovetail.sharding = #dovetail.sharding<#mesh, [{}, {"x"}]>},
                  %b: tensor<4x4xf32> {dovetail.sharding = #dovetail.sharding<#mesh, [{"x"}, {}]>}) -> tensor<4x4xf32> {
    %0 = dovetail.sub %a, %b : tensor<4x4xf32>
    %1 = dovetail.erf %0 : tensor<4x4xf32>
    return %1 : tensor<4x4xf32>
  }
}

// -----

#mesh = #dovetail.mesh<["x" = 2, "y" = 2]>

// Where operands disagree, that of some ops decides which the ops that JAX composes them of take first: along each
// dimension, or between dimensions as well.
// CHECK-LABEL: func.func @main
// CHECK:         dovetail.sub
// EAGER-SAME:    dovetail.shardings = [#dovetail.sharding<#mesh, [{}, {}]>]
// CHECK:         dovetail.floor_div
// EAGER-SAME:    dovetail.shardings = [#dovetail.sharding<#mesh, [{}, {"y"}]>]
// CHECK:         dovetail.floor_div
// EAGER-SAME:    dovetail.shardings = [#dovetail.sharding<#mesh, [{}, {"x"}]>]
// CHECK:         dovetail.copysign
// EAGER-SAME:    dovetail.shardings = [#dovetail.sharding<#mesh, [{"x"}, {}]>]
module attributes {dovetail.partition = #mesh} {
  func.func @main(%a: tensor<4x4xf32> {dovetail.sharding = #dovetail.sharding<#mesh, [{}, {"x"}]>},
                  %b: tensor<4x4xf32> {dovetail.sharding = #dovetail.sharding<#mesh, [{}, {"y"}]>},
                  %c: tensor<4x4xf32> {dovetail.sharding = #dovetail.sharding<#mesh, [{"x"}, {}]>})
      -> (tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>) {
    %0 = dovetail.sub %a, %b : tensor<4x4xf32>
    %1 = dovetail.floor_div %a, %b : tensor<4x4xf32>
    %2 = dovetail.floor_div %a, %c : tensor<4x4xf32>
    %3 = dovetail.copysign %a, %c : tensor<4x4xf32>
    return %0, %1, %2, %3 : tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>
  }
}

// -----

#mesh = #dovetail.mesh<["x" = 2, "y" = 2]>

// Operands that are divided otherwise along a dimension whose elements move do not decide how the result is.
// CHECK-LABEL: func.func @main
// CHECK:         dovetail.concatenate
// EAGER-SAME:    dovetail.shardings = [#dovetail.sharding<#mesh, [{}, {}]>]
module attributes {dovetail.partition = #mesh} {
  func.func @main(%a: tensor<4x4xf32> {dovetail.sharding = #dovetail.sharding<#mesh, [{"x"}, {}]>},
                  %b: tensor<4x4xf32> {dovetail.sharding = #dovetail.sharding<#mesh, [{"y"}, {}]>}) -> tensor<8x4xf32> {
    %0 = dovetail.concatenate %a, %b dimension 0 : tensor<4x4xf32>, tensor<4x4xf32>
    return %0 : tensor<8x4xf32>
  }
}
