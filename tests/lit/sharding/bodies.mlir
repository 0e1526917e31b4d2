// Loops and branches on parts: what flows into bodies and out of them has one sharding.
// RUN: dovetail-opt %s --split-input-file --dovetail-propagate-shardings --dovetail-partition --dovetail-inline | FileCheck %s

#mesh = #dovetail.mesh<["data" = 2, "model" = 4]>

// The weights of each layer are slices of sharded ones, carries keep their sharding, and each iteration has one all-reduce.
// CHECK-LABEL: func.func private @main.local
// CHECK-SAME:    (%[[X:.+]]: tensor<4x16xf32>, %[[W:.+]]: tensor<3x16x8xf32>, %[[V:.+]]: tensor<3x8x16xf32>)
// CHECK-NEXT:    %[[R:.+]]:2 = dovetail.scan length 3 init(%[[X]]) over(%[[W]], %[[V]]) consts()
// CHECK-NEXT:    ^bb0(%[[H:.+]]: tensor<4x16xf32>, %[[A:.+]]: tensor<16x8xf32>, %[[B:.+]]: tensor<8x16xf32>):
// CHECK-NEXT:      %[[P:.+]] = dovetail.dot_general %[[H]], %[[A]]
// CHECK-NEXT:      %[[Q:.+]] = dovetail.dot_general %[[P]], %[[B]]
// CHECK-NEXT:      %[[S:.+]] = dovetail.all_reduce_sum %[[Q]] over ["model"] : tensor<4x16xf32>
// CHECK-NEXT:      dovetail.yield %[[S]], %[[S]]
// CHECK:         return %[[R]]#0, %[[R]]#1 : tensor<4x16xf32>, tensor<3x4x16xf32>
module attributes {dovetail.partition = #mesh} {
  func.func @main(%x: tensor<8x16xf32> {dovetail.sharding = #dovetail.sharding<#mesh, [{"data"}, {}]>},
                  %w: tensor<3x16x32xf32> {dovetail.sharding = #dovetail.sharding<#mesh, [{}, {}, {"model"}]>},
                  %v: tensor<3x32x16xf32> {dovetail.sharding = #dovetail.sharding<#mesh, [{}, {"model"}, {}]>})
      -> (tensor<8x16xf32>, tensor<3x8x16xf32>) {
    %0:2 = dovetail.scan length 3 init(%x) over(%w, %v) consts()
        : (tensor<8x16xf32>, tensor<3x16x32xf32>, tensor<3x32x16xf32>) -> (tensor<8x16xf32>, tensor<3x8x16xf32>) {
    ^bb0(%h: tensor<8x16xf32>, %a: tensor<16x32xf32>, %b: tensor<32x16xf32>):
      %1 = dovetail.dot_general %h, %a batch [] x [] contract [1] x [0] : tensor<8x16xf32>, tensor<16x32xf32>
      %2 = dovetail.dot_general %1, %b batch [] x [] contract [1] x [0] : tensor<8x32xf32>, tensor<32x16xf32>
      dovetail.yield %2, %2 : tensor<8x16xf32>, tensor<8x16xf32>
    }
    return %0#0, %0#1 : tensor<8x16xf32>, tensor<3x8x16xf32>
  }
}

// -----

#mesh = #dovetail.mesh<["x" = 2]>

// All devices decide alike: a predicate is of the whole carry. Every device has all slices along the dimension of a loop.
// CHECK-LABEL: func.func private @main.local
// CHECK:         %[[LAST:.+]] = dovetail.while init(%arg0) consts()
// CHECK:           %[[SUM:.+]] = dovetail.reduce_sum %{{.+}} [0] : tensor<2xf32>
// CHECK:           %[[ALL:.+]] = dovetail.all_reduce_sum %[[SUM]] over ["x"]
// CHECK:           %[[MORE:.+]] = dovetail.compare lt %[[ALL]], %{{.+}} : tensor<f32>
// CHECK:           dovetail.yield %[[MORE]] : tensor<i1>
// CHECK:         %[[GATHERED:.+]] = dovetail.all_gather %[[LAST]]
// CHECK:         %[[WHOLE:.+]] = dovetail.reshape %[[GATHERED]]
// CHECK:         dovetail.scan length 4 init(%{{.+}}) over(%[[WHOLE]])
module attributes {dovetail.partition = #mesh} {
  func.func @main(%x: tensor<4xf32> {dovetail.sharding = #dovetail.sharding<#mesh, [{"x"}]>}) -> tensor<f32> {
    %zero = dovetail.constant dense<0.0> : tensor<f32>
    %0 = dovetail.while init(%x) consts() : (tensor<4xf32>) -> tensor<4xf32> {
    ^bb0(%carry: tensor<4xf32>):
      %limit = dovetail.constant dense<9.0> : tensor<f32>
      %2 = dovetail.reduce_sum %carry [0] : tensor<4xf32>
      %3 = dovetail.compare lt %2, %limit : tensor<f32>
      dovetail.yield %3 : tensor<i1>
    } do {
    ^bb0(%carry: tensor<4xf32>):
      %2 = dovetail.add %carry, %carry : tensor<4xf32>
      dovetail.yield %2 : tensor<4xf32>
    }
    %1 = dovetail.scan length 4 init(%zero) over(%0) consts() : (tensor<f32>, tensor<4xf32>) -> tensor<f32> {
    ^bb0(%carry: tensor<f32>, %element: tensor<f32>):
      %2 = dovetail.add %carry, %element : tensor<f32>
      dovetail.yield %2 : tensor<f32>
    }
    return %1 : tensor<f32>
  }
}

// -----

#mesh = #dovetail.mesh<["x" = 2]>

// A branch that returns another sharding moves its result; a function of parts within stays one.
// CHECK-LABEL: func.func private @main.local
// CHECK:         dovetail.case %arg1 of(%arg0) : (tensor<i32>, tensor<2x4xf32>) -> tensor<2x4xf32> {
// CHECK-NEXT:    ^bb0(%[[P:.+]]: tensor<2x4xf32>):
// CHECK-NEXT:      %[[SIN:.+]] = dovetail.sin %[[P]] : tensor<2x4xf32>
// CHECK-NEXT:      dovetail.yield %[[SIN]]
// CHECK:           dovetail.all_to_all
// CHECK:           dovetail.all_to_all
// CHECK:           dovetail.yield %{{.+}} : tensor<2x4xf32>
module attributes {dovetail.partition = #mesh} {
  func.func private @part(%x: tensor<2x4xf32>) -> tensor<2x4xf32> {
    %0 = dovetail.sin %x : tensor<2x4xf32>
    return %0 : tensor<2x4xf32>
  }
  func.func @main(%x: tensor<4x4xf32> {dovetail.sharding = #dovetail.sharding<#mesh, [{"x"}, {}]>}, %i: tensor<i32>)
      -> tensor<4x4xf32> {
    %0 = dovetail.case %i of(%x) : (tensor<i32>, tensor<4x4xf32>) -> tensor<4x4xf32> {
    ^bb0(%arg: tensor<4x4xf32>):
      %1 = dovetail.shard_map @part on #mesh manual ["x"] in [#dovetail.sharding<#mesh, [{"x"}, {}]>]
        out [#dovetail.sharding<#mesh, [{"x"}, {}]>](%arg) : (tensor<4x4xf32>) -> tensor<4x4xf32>
      dovetail.yield %1 : tensor<4x4xf32>
    }, {
    ^bb0(%arg: tensor<4x4xf32>):
      %1 = dovetail.reshard %arg as <#mesh, [{}, {"x"}]> : tensor<4x4xf32>
      dovetail.yield %1 : tensor<4x4xf32>
    }
    return %0 : tensor<4x4xf32>
  }
}

// -----

#mesh = #dovetail.mesh<["x" = 2]>

// What loops stack in an unknown number of iterations is sharded along its other dimensions.
// CHECK-LABEL: func.func private @main.local
// CHECK:         dovetail.scan length -1 count %arg1 init() over() consts(%arg0)
// CHECK-SAME:      -> tensor<?x2xf32>
// CHECK:         dovetail.reduce_sum %{{.+}} [0] : tensor<?x2xf32>
module attributes {dovetail.partition = #mesh} {
  func.func @main(%x: tensor<4xf32> {dovetail.sharding = #dovetail.sharding<#mesh, [{"x"}]>}, %n: tensor<i32>)
      -> tensor<4xf32> {
    %0 = dovetail.scan length -1 count %n init() over() consts(%x) : (tensor<4xf32>, tensor<i32>) -> tensor<?x4xf32> {
    ^bb0(%same: tensor<4xf32>):
      dovetail.yield %same : tensor<4xf32>
    }
    %1 = dovetail.reduce_sum %0 [0] : tensor<?x4xf32>
    return %1 : tensor<4xf32>
  }
}
