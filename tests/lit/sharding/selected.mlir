// Dimensions that indices select from are divided: what is outside of a device's part reads as zeros, or is dropped.
// RUN: dovetail-opt %s --split-input-file --dovetail-propagate-shardings --dovetail-partition --dovetail-inline | FileCheck %s

#mesh = #dovetail.mesh<["x" = 4]>

// Rows of a table that is larger than what is read of it: the table stays where it is.
// CHECK-LABEL: func.func private @main.local
// CHECK-SAME:    (%[[TABLE:.+]]: tensor<250x64xf32>, %[[ROWS:.+]]: tensor<16x1xi32>)
// CHECK-NOT:     all_gather
// CHECK:         %[[WITHIN:.+]] = dovetail.sub %[[ROWS]], %{{.+}} : tensor<16x1xi32>
// CHECK:         %[[OWN:.+]] = dovetail.gather %[[TABLE]], %[[WITHIN]] dims [0] window [1] : tensor<250x64xf32>, tensor<16x1xi32>
// CHECK:         dovetail.all_reduce_sum %[[OWN]] over ["x"] : tensor<16x1x64xf32>
module attributes {dovetail.partition = #mesh} {
  func.func @main(%table: tensor<1000x64xf32> {dovetail.sharding = #dovetail.sharding<#mesh, [{"x"}, {}]>},
                  %rows: tensor<16x1xi32>) -> tensor<16x1x64xf32> {
    %0 = dovetail.gather %table, %rows dims [0] window [1] : tensor<1000x64xf32>, tensor<16x1xi32>
    return %0 : tensor<16x1x64xf32>
  }
}

// -----

#mesh = #dovetail.mesh<["x" = 4]>

// Of a small table, less moves if it is gathered.
// CHECK-LABEL: func.func private @main.local
// CHECK:         dovetail.all_gather %arg0
// CHECK-NOT:     all_reduce
module attributes {dovetail.partition = #mesh} {
  func.func @main(%table: tensor<8x4xf32> {dovetail.sharding = #dovetail.sharding<#mesh, [{"x"}, {}]>},
                  %rows: tensor<1000x1xi32>) -> tensor<1000x1x4xf32> {
    %0 = dovetail.gather %table, %rows dims [0] window [1] : tensor<8x4xf32>, tensor<1000x1xi32>
    return %0 : tensor<1000x1x4xf32>
  }
}

// -----

#mesh = #dovetail.mesh<["x" = 4, "y" = 2]>

// Each device updates its own rows and columns.
// CHECK-LABEL: func.func private @main.local
// CHECK-SAME:    (%[[X:.+]]: tensor<2x4xf32>,
// CHECK-NOT:     all_gather
// CHECK:         %[[WITHIN:.+]] = dovetail.sub
// CHECK:         %[[NEW:.+]] = dovetail.scatter_add %[[X]], %[[WITHIN]], %{{.+}} dims [0, 1] window [1, 1] : tensor<2x4xf32>, tensor<5x2xi32>, tensor<5x1x1xf32>
// CHECK-NEXT:    return %[[NEW]]
module attributes {dovetail.partition = #mesh} {
  func.func @main(%x: tensor<8x8xf32> {dovetail.sharding = #dovetail.sharding<#mesh, [{"x"}, {"y"}]>},
                  %places: tensor<5x2xi32>, %updates: tensor<5x1x1xf32>) -> tensor<8x8xf32> {
    %0 = dovetail.scatter_add %x, %places, %updates dims [0, 1] window [1, 1] : tensor<8x8xf32>, tensor<5x2xi32>, tensor<5x1x1xf32>
    return %0 : tensor<8x8xf32>
  }
}

// -----

#mesh = #dovetail.mesh<["x" = 2]>

// A window of several elements may be in two parts.
// CHECK-LABEL: func.func private @main.local
// CHECK:         dovetail.all_gather %arg0
// CHECK:         dovetail.scatter {{.*}} dims [0] window [3] : tensor<8xf32>
module attributes {dovetail.partition = #mesh} {
  func.func @main(%x: tensor<8xf32> {dovetail.sharding = #dovetail.sharding<#mesh, [{"x"}]>}, %place: tensor<1xi32>,
                  %update: tensor<3xf32>) -> tensor<8xf32> {
    %0 = dovetail.scatter %x, %place, %update dims [0] window [3] : tensor<8xf32>, tensor<1xi32>, tensor<3xf32>
    return %0 : tensor<8xf32>
  }
}
