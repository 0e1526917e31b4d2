// Of operands that ask for different shardings the first decides: a product is not exchanged for a transpose before,
// and what an earlier function of parts returns is known when a later one is visited.
// RUN: dovetail-opt %s --split-input-file --dovetail-simplify --dovetail-propagate-shardings | FileCheck %s

#mesh = #dovetail.mesh<["a" = 2, "b" = 4]>
// CHECK-LABEL: func.func @main
// CHECK:         %[[DOT:.+]] = dovetail.dot_general %arg0, %arg1
// CHECK-SAME:      [{"b"}, {}]
// CHECK:         dovetail.transpose %[[DOT]]
// CHECK-SAME:      [{}, {"b"}]
module attributes {dovetail.partition = #mesh} {
  func.func @main(%x: tensor<8x8xf32> {dovetail.sharding = #dovetail.sharding<#mesh, [{"a"}, {"b"}]>}, %y: tensor<8x8xf32> {dovetail.sharding = #dovetail.sharding<#mesh, [{"a"}, {"b"}]>}) -> tensor<8x8xf32> {
    %0 = dovetail.dot_general %x, %y batch [] x [] contract [0] x [0] : tensor<8x8xf32>, tensor<8x8xf32>
    %1 = dovetail.transpose %0 [1, 0] : tensor<8x8xf32>
    return %1 : tensor<8x8xf32>
  }
}

// -----

// A program that is not divided has one op.
// CHECK-LABEL: func.func @one_device
// CHECK:         %[[DOT:.+]] = dovetail.dot_general %arg1, %arg0
// CHECK-NEXT:    return %[[DOT]]
func.func @one_device(%x: tensor<8x8xf32>, %y: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %0 = dovetail.dot_general %x, %y batch [] x [] contract [0] x [0] : tensor<8x8xf32>, tensor<8x8xf32>
  %1 = dovetail.transpose %0 [1, 0] : tensor<8x8xf32>
  return %1 : tensor<8x8xf32>
}

// -----

// In the second function, %arg1 is what the first computes, divided along columns.
#mesh = #dovetail.mesh<["a" = 2, "b" = 4]>
// CHECK-LABEL: func.func private @second
// CHECK:         dovetail.dot_general %arg1, %arg0
// CHECK-SAME:      [{"b"}, {}]
module attributes {dovetail.partition = #mesh} {
  func.func @main(%x: tensor<8x8xf32> {dovetail.sharding = #dovetail.sharding<#mesh, [{"a"}, {"b"}]>}, %w: tensor<8x8xf32> {dovetail.sharding = #dovetail.sharding<#mesh, [{}, {"b"}]>}) -> tensor<16x8xf32> {
    %0 = dovetail.shard_map @first on #mesh manual ["a"] in [#dovetail.sharding<#mesh, [{"a"}, {}]>, #dovetail.sharding<#mesh, [{}, {}]>] out [#dovetail.sharding<#mesh, [{"a"}, {}]>](%x, %w) : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    %1 = dovetail.shard_map @second on #mesh manual ["a"] in [#dovetail.sharding<#mesh, [{"a"}, {}]>, #dovetail.sharding<#mesh, [{"a"}, {}]>] out [#dovetail.sharding<#mesh, [{"a"}, {}]>](%x, %0) : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<16x8xf32>
    return %1 : tensor<16x8xf32>
  }
  func.func private @first(%x: tensor<4x8xf32>, %w: tensor<8x8xf32>) -> tensor<4x8xf32> {
    %0 = dovetail.dot_general %x, %w batch [] x [] contract [1] x [0] : tensor<4x8xf32>, tensor<8x8xf32>
    return %0 : tensor<4x8xf32>
  }
  func.func private @second(%x: tensor<4x8xf32>, %y: tensor<4x8xf32>) -> tensor<8x8xf32> {
    %0 = dovetail.dot_general %y, %x batch [] x [] contract [0] x [0] : tensor<4x8xf32>, tensor<4x8xf32>
    return %0 : tensor<8x8xf32>
  }
}
