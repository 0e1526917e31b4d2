// Sums that a program leaves to do: each device has a term, until it is to be had without.
// RUN: dovetail-opt %s --split-input-file --dovetail-propagate-shardings --dovetail-partition --dovetail-inline | FileCheck %s

#mesh = #dovetail.mesh<["x" = 2, "y" = 2]>

// A product left as terms; two of them are added, and what is linear in them is of terms, too; one sum at the end.
// CHECK-LABEL: func.func private @main.local
// CHECK-SAME:    (%[[A:.+]]: tensor<4x4xf32>, %[[B:.+]]: tensor<4x6xf32>, %[[T:.+]]: tensor<4x6xf32>)
// CHECK-NEXT:    %[[P:.+]] = dovetail.dot_general %[[A]], %[[B]] {{.*}} : tensor<4x4xf32>, tensor<4x6xf32>
// CHECK-NEXT:    %[[S:.+]] = dovetail.add %[[P]], %[[T]]
// CHECK-NEXT:    %[[D:.+]] = dovetail.sub %[[P]], %[[T]]
// CHECK-NEXT:    %[[C:.+]] = dovetail.slice %[[S]] starts [0, 1] {{.*}} -> tensor<4x2xf32>
// CHECK-NEXT:    %[[W:.+]] = dovetail.all_reduce_sum %[[C]] over ["x"]
// CHECK-NEXT:    return %[[W]], %[[D]]
module attributes {dovetail.partition = #mesh} {
  func.func @main(%a: tensor<4x8xf32> {dovetail.sharding = #dovetail.sharding<#mesh, [{}, {"x"}]>},
                  %b: tensor<8x6xf32> {dovetail.sharding = #dovetail.sharding<#mesh, [{"x"}, {}]>},
                  %t: tensor<4x6xf32> {dovetail.sharding = #dovetail.sharding<#mesh, [{}, {}], unreduced = {"x"}>})
      -> (tensor<4x2xf32>, tensor<4x6xf32>) {
    %0 = dovetail.dot_general %a, %b batch [] x [] contract [1] x [0] : tensor<4x8xf32>, tensor<8x6xf32>
    %1 = dovetail.reshard %0 as <#mesh, [{}, {}], unreduced = {"x"}> : tensor<4x6xf32>
    %2 = dovetail.add %1, %t : tensor<4x6xf32>
    %3 = dovetail.sub %1, %t : tensor<4x6xf32>
    %4 = dovetail.slice %2 starts [0, 1] strides [1, 1] : tensor<4x6xf32> -> tensor<4x2xf32>
    %5 = dovetail.reshard %4 as <#mesh, [{}, {}]> : tensor<4x2xf32>
    %6 = dovetail.reshard %3 as <#mesh, [{}, {}], unreduced = {"x"}> : tensor<4x6xf32>
    return %5, %6 : tensor<4x2xf32>, tensor<4x6xf32>
  }
}

// -----

#mesh = #dovetail.mesh<["x" = 2, "y" = 2]>

// From terms to parts: a reduce-scatter. To a sum over one of two axes: the terms over the other are left.
// CHECK-LABEL: func.func private @main.local(%{{.+}}: tensor<4xf32>
// CHECK-NEXT:    %[[R:.+]] = dovetail.reshape
// CHECK-NEXT:    %[[S:.+]] = dovetail.reduce_scatter %[[R]] over ["x"] sizes [2] dimension 0
// CHECK-NEXT:    %[[A:.+]] = dovetail.all_reduce_sum %{{.+}} over ["y"]
// CHECK-NEXT:    return %[[S]], %[[A]] : tensor<2xf32>, tensor<4xf32>
module attributes {dovetail.partition = #mesh} {
  func.func @main(%t: tensor<4xf32> {dovetail.sharding = #dovetail.sharding<#mesh, [{}], unreduced = {"x"}>},
                  %u: tensor<4xf32> {dovetail.sharding = #dovetail.sharding<#mesh, [{}], unreduced = {"x", "y"}>})
      -> (tensor<4xf32>, tensor<4xf32>) {
    %0 = dovetail.reshard %t as <#mesh, [{"x"}]> : tensor<4xf32>
    %1 = dovetail.reshard %u as <#mesh, [{}], unreduced = {"x"}> : tensor<4xf32>
    return %0, %1 : tensor<4xf32>, tensor<4xf32>
  }
}

// -----

#mesh = #dovetail.mesh<["x" = 2, "y" = 2]>

// To terms, without communication: the first device has what all have; a part stays where it is, among zeros.
// CHECK-LABEL: func.func private @main.local
// CHECK-SAME:    (%[[A:.+]]: tensor<4xf32>, %[[B:.+]]: tensor<2xf32>)
// CHECK-NOT:     all_
// CHECK:         dovetail.axis_index over ["x"] sizes [2]
// CHECK:         %[[FIRST:.+]] = dovetail.select {{.+}}, %[[A]], {{.+}} : tensor<4xi1>, tensor<4xf32>
// CHECK:         %[[TWO:.+]] = dovetail.broadcast %[[B]]{{.*}} : tensor<2xf32> -> tensor<2x2xf32>
// CHECK:         %[[PLACED:.+]] = dovetail.select {{.+}}, %[[TWO]], {{.+}} : tensor<2x2xi1>, tensor<2x2xf32>
// CHECK:         %[[TERM:.+]] = dovetail.reshape %[[PLACED]] : tensor<2x2xf32> -> tensor<4xf32>
// CHECK-NEXT:    return %[[FIRST]], %[[TERM]]
module attributes {dovetail.partition = #mesh} {
  func.func @main(%a: tensor<4xf32> {dovetail.sharding = #dovetail.sharding<#mesh, [{}]>},
                  %b: tensor<4xf32> {dovetail.sharding = #dovetail.sharding<#mesh, [{"x"}]>})
      -> (tensor<4xf32>, tensor<4xf32>) {
    %0 = dovetail.reshard %a as <#mesh, [{}], unreduced = {"x"}> : tensor<4xf32>
    %1 = dovetail.reshard %b as <#mesh, [{}], unreduced = {"x"}> : tensor<4xf32>
    return %0, %1 : tensor<4xf32>, tensor<4xf32>
  }
}

// -----

#mesh = #dovetail.mesh<["x" = 2]>

// What is not linear takes the sum.
// CHECK-LABEL: func.func private @main.local
// CHECK-NEXT:    %[[S:.+]] = dovetail.all_reduce_sum %{{.+}} over ["x"]
// CHECK-NEXT:    dovetail.sin %[[S]]
module attributes {dovetail.partition = #mesh} {
  func.func @main(%t: tensor<4xf32> {dovetail.sharding = #dovetail.sharding<#mesh, [{}], unreduced = {"x"}>})
      -> tensor<4xf32> {
    %0 = dovetail.sin %t : tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}

// -----

#mesh = #dovetail.mesh<["x" = 2]>

// A loop carries terms, and the sum is done after it.
// CHECK-LABEL: func.func private @main.local
// CHECK:         %[[L:.+]] = dovetail.scan length 3 init(%{{.+}}) over(%{{.+}})
// CHECK-NOT:     all_reduce
// CHECK:         %[[S:.+]] = dovetail.all_reduce_sum %[[L]] over ["x"]
// CHECK-NEXT:    return %[[S]]
module attributes {dovetail.partition = #mesh} {
  func.func @main(%t: tensor<4xf32> {dovetail.sharding = #dovetail.sharding<#mesh, [{}], unreduced = {"x"}>},
                  %xs: tensor<3x8x4xf32> {dovetail.sharding = #dovetail.sharding<#mesh, [{}, {"x"}, {}]>})
      -> tensor<4xf32> {
    %0 = dovetail.scan length 3 init(%t) over(%xs) consts() : (tensor<4xf32>, tensor<3x8x4xf32>) -> tensor<4xf32> {
    ^bb0(%c: tensor<4xf32>, %x: tensor<8x4xf32>):
      %1 = dovetail.reduce_sum %x [0] : tensor<8x4xf32>
      %2 = dovetail.reshard %1 as <#mesh, [{}], unreduced = {"x"}> : tensor<4xf32>
      %3 = dovetail.add %c, %2 : tensor<4xf32>
      dovetail.yield %3 : tensor<4xf32>
    }
    %4 = dovetail.reshard %0 as <#mesh, [{}]> : tensor<4xf32>
    return %4 : tensor<4xf32>
  }
}
