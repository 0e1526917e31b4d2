// Shardings are propagated along the factors that a program states of a function; what devices compute, the program says.
// RUN: dovetail-opt %s --split-input-file --dovetail-propagate-shardings | FileCheck %s
// RUN: dovetail-opt %s --split-input-file --verify-diagnostics --dovetail-propagate-shardings --dovetail-partition -o /dev/null

#mesh = #dovetail.mesh<["x" = 4, "y" = 2]>

// CHECK: dovetail.custom_partition
// CHECK-SAME: dovetail.shardings = [#dovetail.sharding<#mesh, [{"y"}, {"x"}]>]
// CHECK: dovetail.custom_partition
// CHECK-SAME: dovetail.shardings = [#dovetail.sharding<#mesh, [{}, {}]>]
module attributes {dovetail.partition = #mesh} {
  func.func private @f(%x: tensor<16x8xf32>) -> tensor<8x16xf32> {
    %0 = dovetail.transpose %x [1, 0] : tensor<16x8xf32>
    return %0 : tensor<8x16xf32>
  }
  func.func @main(%x: tensor<16x8xf32> {dovetail.sharding = #dovetail.sharding<#mesh, [{"x"}, {"y"}]>}) -> (tensor<8x16xf32>, tensor<8x16xf32>) {
    // expected-error @+1 {{'f' must be partitioned by the program that has its rule, "p.0", got: a program that has none}}
    %0 = dovetail.custom_partition @f rules "p.0" factors [array<i64: 0, 1>, array<i64: 1, 0>](%x) : (tensor<16x8xf32>) -> tensor<8x16xf32>
    %1 = dovetail.custom_partition @f rules "p.1"(%x) : (tensor<16x8xf32>) -> tensor<8x16xf32>
    return %0, %1 : tensor<8x16xf32>, tensor<8x16xf32>
  }
}

// -----

// What is repeated takes the axes of what it meets, before it passes on its own.
#mesh = #dovetail.mesh<["x" = 4, "y" = 2]>

// CHECK: dovetail.broadcast
// CHECK-SAME: dovetail.shardings = [#dovetail.sharding<#mesh, [{"x"}, {"y"}]>]
// CHECK: dovetail.add
// CHECK-SAME: dovetail.shardings = [#dovetail.sharding<#mesh, [{"x"}, {"y"}]>]
module attributes {dovetail.partition = #mesh} {
  func.func @main(%x: tensor<16x8xf32> {dovetail.sharding = #dovetail.sharding<#mesh, [{"x"}, {"y"}]>}, %row: tensor<8xf32> {dovetail.sharding = #dovetail.sharding<#mesh, [{"x"}]>}) -> tensor<16x8xf32> {
    %0 = dovetail.broadcast %row dims [1] : tensor<8xf32> -> tensor<16x8xf32>
    %1 = dovetail.add %x, %0 : tensor<16x8xf32>
    return %1 : tensor<16x8xf32>
  }
}

// -----

// Where operands disagree, a third one does not decide.
#mesh = #dovetail.mesh<["x" = 4, "y" = 2]>

// CHECK: dovetail.select
// CHECK-SAME: dovetail.shardings = [#dovetail.sharding<#mesh, [{}]>]
module attributes {dovetail.partition = #mesh} {
  func.func @main(%c: tensor<8xi1> {dovetail.sharding = #dovetail.sharding<#mesh, [{"y"}]>}, %x: tensor<8xf32> {dovetail.sharding = #dovetail.sharding<#mesh, [{"x"}]>}, %z: tensor<8xf32> {dovetail.sharding = #dovetail.sharding<#mesh, [{"x"}]>}) -> tensor<8xf32> {
    %0 = dovetail.select %c, %x, %z : tensor<8xi1>, tensor<8xf32>
    return %0 : tensor<8xf32>
  }
}
