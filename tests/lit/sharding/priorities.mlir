// Dimensions are propagated in the order of their priorities, 0 first.
// RUN: dovetail-opt %s --split-input-file --dovetail-propagate-shardings | FileCheck %s

#mesh = #dovetail.mesh<["x" = 2, "y" = 2]>

// Without priorities, the operands agree on nothing. The batch comes first, the weights' own axes when they are free.
// CHECK-LABEL: func.func @main
// CHECK:         dovetail.dot_general {{.*}}dovetail.shardings = [#dovetail.sharding<#mesh, [{"x"}, {"y"}]>]
module attributes {dovetail.partition = #mesh} {
  func.func @main(%x: tensor<8x4xf32> {dovetail.sharding = #dovetail.sharding<#mesh, [{"x"}, {}]>},
                  %w: tensor<4x8xf32> {dovetail.sharding = #dovetail.sharding<#mesh, [{}, {"y"}p1]>}) -> tensor<8x8xf32> {
    %0 = dovetail.dot_general %x, %w batch [] x [] contract [1] x [0] : tensor<8x4xf32>, tensor<4x8xf32>
    return %0 : tensor<8x8xf32>
  }
}

// -----

#mesh = #dovetail.mesh<["x" = 2, "y" = 2]>

// Both want to divide the sum's rows: the one of the lower number does, whatever the order of the operands.
// CHECK-LABEL: func.func @main
// CHECK:         dovetail.add {{.*}}dovetail.shardings = [#dovetail.sharding<#mesh, [{"y"}]>]
// CHECK:         dovetail.mul {{.*}}dovetail.shardings = [#dovetail.sharding<#mesh, [{"x"}]>]
module attributes {dovetail.partition = #mesh} {
  func.func @main(%a: tensor<8xf32> {dovetail.sharding = #dovetail.sharding<#mesh, [{"x"}p2]>},
                  %b: tensor<8xf32> {dovetail.sharding = #dovetail.sharding<#mesh, [{"y"}p1]>},
                  %c: tensor<8xf32> {dovetail.sharding = #dovetail.sharding<#mesh, [{"x"}]>},
                  %d: tensor<8xf32> {dovetail.sharding = #dovetail.sharding<#mesh, [{"y"}p1]>}) -> (tensor<8xf32>, tensor<8xf32>) {
    %0 = dovetail.add %a, %b : tensor<8xf32>
    %1 = dovetail.mul %c, %d : tensor<8xf32>
    return %0, %1 : tensor<8xf32>, tensor<8xf32>
  }
}
