// Axes are propagated along factors, forward and backward; where they meet others, each array keeps its own.
// RUN: dovetail-opt %s --split-input-file --dovetail-propagate-shardings | FileCheck %s

#mesh = #dovetail.mesh<["data" = 2, "model" = 4]>

// The Megatron pattern follows from the weights alone: the hidden layer is sharded, and so is the contraction after it.
// CHECK-LABEL: func.func @main
// CHECK-SAME:    %arg0: tensor<8x16xf32> {dovetail.sharding = #dovetail.sharding<#mesh, [{"data"}, {}]>}
// CHECK:         dovetail.dot_general %arg0, %arg1
// CHECK-SAME:    dovetail.shardings = [#dovetail.sharding<#mesh, [{"data"}, {"model"}]>]
// CHECK:         dovetail.tanh
// CHECK-SAME:    dovetail.shardings = [#dovetail.sharding<#mesh, [{"data"}, {"model"}]>]
// CHECK:         dovetail.dot_general
// CHECK-SAME:    dovetail.shardings = [#dovetail.sharding<#mesh, [{"data"}, {}]>]
module attributes {dovetail.partition = #mesh} {
  func.func @main(%x: tensor<8x16xf32> {dovetail.sharding = #dovetail.sharding<#mesh, [{"data"}, {}]>},
                  %w1: tensor<16x32xf32> {dovetail.sharding = #dovetail.sharding<#mesh, [{}, {"model"}]>},
                  %w2: tensor<32x16xf32> {dovetail.sharding = #dovetail.sharding<#mesh, [{"model"}, {}]>})
      -> tensor<8x16xf32> {
    %0 = dovetail.dot_general %x, %w1 batch [] x [] contract [1] x [0] : tensor<8x16xf32>, tensor<16x32xf32>
    %1 = dovetail.tanh %0 : tensor<8x32xf32>
    %2 = dovetail.dot_general %1, %w2 batch [] x [] contract [1] x [0] : tensor<8x32xf32>, tensor<32x16xf32>
    return %2 : tensor<8x16xf32>
  }
}

// -----

#mesh = #dovetail.mesh<["x" = 2]>

// An argument without a sharding gets that of its uses. A reversed dimension is not divided, but wanted in parts, and so
// is what has elements of a dimension at other places, if parts are equal.
// CHECK-LABEL: func.func @main
// CHECK-SAME:    %arg0: tensor<4x3xf32> {dovetail.sharding = #dovetail.sharding<#mesh, [{"x"}, {}]>}
// CHECK-SAME:    %arg1: tensor<4x3xf32> {dovetail.sharding = #dovetail.sharding<#mesh, [{"x"}, {}]>}
// CHECK:         dovetail.add
// CHECK-SAME:    [{"x"}, {}]
// CHECK:         dovetail.reverse
// CHECK-SAME:    [{"x"}, {}]
// CHECK:         dovetail.slice
// CHECK-SAME:    [{"x"}, {}]
// CHECK:         dovetail.concatenate
// CHECK-SAME:    [{}, {}]
module attributes {dovetail.partition = #mesh} {
  func.func @main(%x: tensor<4x3xf32>, %y: tensor<4x3xf32> {dovetail.sharding = #dovetail.sharding<#mesh, [{"x"}, {}]>})
      -> tensor<7x2xf32> {
    %0 = dovetail.add %x, %y : tensor<4x3xf32>
    %1 = dovetail.reverse %0 [0] : tensor<4x3xf32>
    %2 = dovetail.slice %1 starts [0, 1] strides [1, 1] : tensor<4x3xf32> -> tensor<4x2xf32>
    %3 = dovetail.slice %1 starts [1, 1] strides [1, 1] : tensor<4x3xf32> -> tensor<3x2xf32>
    %4 = dovetail.concatenate %2, %3 dimension 0 : tensor<4x2xf32>, tensor<3x2xf32>
    return %4 : tensor<7x2xf32>
  }
}

// -----

#mesh = #dovetail.mesh<["x" = 2]>

// Axes that do not divide a size in between are found again where they do, through what is computed element by element;
// not after a size of less than one element for each device.
// CHECK-LABEL: func.func @main
// CHECK:         dovetail.pad
// CHECK-SAME:    [#dovetail.sharding<#mesh, [{}]>]
// CHECK:         dovetail.tanh
// CHECK-SAME:    [#dovetail.sharding<#mesh, [{}]>]
// CHECK:         dovetail.slice
// CHECK-SAME:    [#dovetail.sharding<#mesh, [{"x"}]>]
// CHECK:         dovetail.slice
// CHECK-SAME:    [#dovetail.sharding<#mesh, [{}]>]
// CHECK:         dovetail.concatenate
// CHECK-SAME:    [#dovetail.sharding<#mesh, [{}]>]
module attributes {dovetail.partition = #mesh} {
  func.func @main(%x: tensor<4xf32> {dovetail.sharding = #dovetail.sharding<#mesh, [{"x"}]>}, %zero: tensor<f32>)
      -> (tensor<4xf32>, tensor<2xf32>) {
    %0 = dovetail.pad %x, %zero low [1] interior [0] : tensor<4xf32>, tensor<f32> -> tensor<5xf32>
    %1 = dovetail.tanh %0 : tensor<5xf32>
    %2 = dovetail.slice %1 starts [1] strides [1] : tensor<5xf32> -> tensor<4xf32>
    %3 = dovetail.slice %x starts [1] strides [1] : tensor<4xf32> -> tensor<1xf32>
    %4 = dovetail.concatenate %3, %3 dimension 0 : tensor<1xf32>, tensor<1xf32>
    return %2, %4 : tensor<4xf32>, tensor<2xf32>
  }
}

// -----

#mesh = #dovetail.mesh<["x" = 2]>

// Bodies state what they take; a carry is sharded as what flows to it.
// CHECK-LABEL: func.func @main
// CHECK-SAME:    %arg0: tensor<4xf32> {dovetail.sharding = #dovetail.sharding<#mesh, [{"x"}]>}
// CHECK-SAME:    %arg1: tensor<3x4xf32> {dovetail.sharding = #dovetail.sharding<#mesh, [{}, {"x"}]>}
// CHECK:         dovetail.scan length 3
// CHECK-SAME:    dovetail.argument_shardings = {{\[\[}}#dovetail.sharding<#mesh, [{"x"}]>, #dovetail.sharding<#mesh, [{"x"}]>{{\]\]}}
// CHECK-SAME:    dovetail.shardings = [#dovetail.sharding<#mesh, [{"x"}]>, #dovetail.sharding<#mesh, [{}, {"x"}]>]
module attributes {dovetail.partition = #mesh} {
  func.func @main(%x: tensor<4xf32> {dovetail.sharding = #dovetail.sharding<#mesh, [{"x"}]>}, %y: tensor<3x4xf32>)
      -> tensor<3x4xf32> {
    %0:2 = dovetail.scan length 3 init(%x) over(%y) consts()
        : (tensor<4xf32>, tensor<3x4xf32>) -> (tensor<4xf32>, tensor<3x4xf32>) {
    ^bb0(%carry: tensor<4xf32>, %slice: tensor<4xf32>):
      %1 = dovetail.mul %carry, %slice : tensor<4xf32>
      dovetail.yield %1, %1 : tensor<4xf32>, tensor<4xf32>
    }
    return %0#1 : tensor<3x4xf32>
  }
}

// -----

#mesh = #dovetail.mesh<["x" = 2, "y" = 2]>

// Open dimensions are divided further, but not over closed axes, nor over those within them.
// CHECK-LABEL: func.func @main
// CHECK:         dovetail.reshard %arg0 as <#mesh, [{}, {"x"}]> closed ["y"]
// CHECK:         dovetail.tanh
// CHECK-SAME:    dovetail.shardings = [#dovetail.sharding<#mesh, [{}, {"x"}]>]
// CHECK:         dovetail.reshard %arg1 as <#mesh, [{}, {}]> closed ["y"]
module attributes {dovetail.partition = #mesh} {
  func.func @main(%x: tensor<4x8xf32> {dovetail.sharding = #dovetail.sharding<#mesh, [{"y"}, {"x"}]>},
                  %y: tensor<4x8xf32> {dovetail.sharding = #dovetail.sharding<#mesh, [{"y", "x"}, {}]>})
      -> (tensor<4x8xf32>, tensor<4x8xf32>) {
    %0 = dovetail.reshard %x as <#mesh, [{?}, {?}]> closed ["y"] : tensor<4x8xf32>
    %1 = dovetail.tanh %0 : tensor<4x8xf32>
    %2 = dovetail.reshard %y as <#mesh, [{?}, {?}]> closed ["y"] : tensor<4x8xf32>
    return %1, %2 : tensor<4x8xf32>, tensor<4x8xf32>
  }
}
