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

// -----

#mesh = #dovetail.mesh<["x" = 2, "y" = 2]>

// A window that is all of a dimension is so in a part: a cache is updated where it is.
// CHECK-LABEL: func.func private @main.local
// CHECK-SAME:    (%[[CACHE:.+]]: tensor<4x3x16xf32>, %[[PLACE:.+]]: tensor<3xi32>, %[[NEW:.+]]: tensor<4x3x1xf32>)
// CHECK-NOT:     all_
// CHECK:         %[[UPDATED:.+]] = dovetail.scatter %[[CACHE]], %[[PLACE]], %[[NEW]] dims [0, 1, 2] window [4, 3, 1] {unique = true}
// CHECK-NOT:     all_
// CHECK:         %[[READ:.+]] = dovetail.gather %[[UPDATED]], %[[PLACE]] dims [0, 1, 2] window [4, 3, 2]
// CHECK-NEXT:    return %[[UPDATED]], %[[READ]] : tensor<4x3x16xf32>, tensor<4x3x2xf32>
module attributes {dovetail.partition = #mesh} {
  func.func @main(%cache: tensor<8x5x16xf32> {dovetail.sharding = #dovetail.sharding<#mesh, [{"x"}, {"y"}, {}]>},
                  %place: tensor<3xi32>, %new: tensor<8x5x1xf32>) -> (tensor<8x5x16xf32>, tensor<8x5x2xf32>) {
    %0 = dovetail.scatter %cache, %place, %new dims [0, 1, 2] window [8, 5, 1] {unique = true}
        : tensor<8x5x16xf32>, tensor<3xi32>, tensor<8x5x1xf32>
    %1 = dovetail.gather %0, %place dims [0, 1, 2] window [8, 5, 2] : tensor<8x5x16xf32>, tensor<3xi32>
    return %0, %1 : tensor<8x5x16xf32>, tensor<8x5x2xf32>
  }
}

// -----

#mesh = #dovetail.mesh<["x" = 4]>

// Indices that count a dimension are those of a batch: each device reads and writes its own elements, which its indices
// count from the first of them.
// CHECK-LABEL: func.func private @main.local
// CHECK-SAME:    (%[[X:.+]]: tensor<2x16xf32>, %[[AT:.+]]: tensor<2x1xi32>)
// CHECK-NOT:     all_
// CHECK:         dovetail.concatenate
// CHECK:         %[[COUNTS:.+]] = dovetail.iota 0 : tensor<2x1xi32>
// CHECK-NEXT:    %[[OTHERS:.+]] = dovetail.slice %{{.+}} starts [0, 1]
// CHECK-NEXT:    %[[OWN:.+]] = dovetail.concatenate %[[COUNTS]], %[[OTHERS]] dimension 1
// CHECK-NEXT:    %[[READ:.+]] = dovetail.gather %[[X]], %[[OWN]] dims [0, 1] window [1, 1] : tensor<2x16xf32>, tensor<2x2xi32>
// CHECK-NOT:     {{all_|reduce}}
// CHECK:         %[[NEW:.+]] = dovetail.scatter_mul %[[X]], %{{.+}}, %[[READ]] dims [0, 1] window [1, 1]
// CHECK-NEXT:    return %[[NEW]]
module attributes {dovetail.partition = #mesh} {
  func.func @main(%x: tensor<8x16xf32> {dovetail.sharding = #dovetail.sharding<#mesh, [{"x"}, {}]>},
                  %at: tensor<8x1xi32>) -> tensor<8x16xf32> {
    %counts = dovetail.iota 0 : tensor<8x1xi32>
    %none = dovetail.constant dense<0> : tensor<8x1xi32>
    %last = dovetail.constant dense<7> : tensor<8x1xi32>
    %size = dovetail.constant dense<8> : tensor<8x1xi32>
    %isLess = dovetail.compare lt %counts, %none : tensor<8x1xi32>
    %next = dovetail.add %counts, %size : tensor<8x1xi32>
    %chosen = dovetail.select %isLess, %next, %counts : tensor<8x1xi1>, tensor<8x1xi32>
    %within = dovetail.clamp %none, %chosen, %last : tensor<8x1xi32>
    %places = dovetail.concatenate %within, %at dimension 1 : tensor<8x1xi32>, tensor<8x1xi32>
    %0 = dovetail.gather %x, %places dims [0, 1] window [1, 1] : tensor<8x16xf32>, tensor<8x2xi32>
    %1 = dovetail.scatter_mul %x, %places, %0 dims [0, 1] window [1, 1] : tensor<8x16xf32>, tensor<8x2xi32>, tensor<8x1x1xf32>
    return %1 : tensor<8x16xf32>
  }
}

// -----

#mesh = #dovetail.mesh<["x" = 4]>

// From 128 on, these are negative: they count nothing.
// CHECK-LABEL: func.func private @main.local
// CHECK:         dovetail.gather
// CHECK:         all_reduce
module attributes {dovetail.partition = #mesh} {
  func.func @main(%x: tensor<200x16xf32> {dovetail.sharding = #dovetail.sharding<#mesh, [{"x"}, {}]>}) -> tensor<200x1x1xf32> {
    %counts = dovetail.iota 0 : tensor<200x1xi8>
    %columns = dovetail.constant dense<1> : tensor<200x1xi8>
    %places = dovetail.concatenate %counts, %columns dimension 1 : tensor<200x1xi8>, tensor<200x1xi8>
    %0 = dovetail.gather %x, %places dims [0, 1] window [1, 1] : tensor<200x16xf32>, tensor<200x2xi8>
    return %0 : tensor<200x1x1xf32>
  }
}

// -----

#mesh = #dovetail.mesh<["x" = 4]>

// The gradient of a table, from the data of each device; what was there counts once.
// CHECK-LABEL: func.func private @main.local
// CHECK-SAME:    (%[[TABLE:.+]]: tensor<16x8xf32>, %[[ROWS:.+]]: tensor<250x1xi32>, %[[NEW:.+]]: tensor<250x1x8xf32>)
// CHECK-NOT:     all_gather
// CHECK:         %[[ONCE:.+]] = dovetail.select %{{.+}}, %[[TABLE]], %{{.+}} : tensor<16x8xi1>, tensor<16x8xf32>
// CHECK-NEXT:    %[[OWN:.+]] = dovetail.scatter_add %[[ONCE]], %[[ROWS]], %[[NEW]] dims [0] window [1]
// CHECK-NEXT:    dovetail.all_reduce_sum %[[OWN]] over ["x"] : tensor<16x8xf32>
module attributes {dovetail.partition = #mesh} {
  func.func @main(%table: tensor<16x8xf32>,
                  %rows: tensor<1000x1xi32> {dovetail.sharding = #dovetail.sharding<#mesh, [{"x"}, {}]>},
                  %new: tensor<1000x1x8xf32> {dovetail.sharding = #dovetail.sharding<#mesh, [{"x"}, {}, {}]>}) -> tensor<16x8xf32> {
    %0 = dovetail.scatter_add %table, %rows, %new dims [0] window [1] : tensor<16x8xf32>, tensor<1000x1xi32>, tensor<1000x1x8xf32>
    return %0 : tensor<16x8xf32>
  }
}

// -----

#mesh = #dovetail.mesh<["x" = 4]>

// The last of several updates is not found in parts.
// CHECK-LABEL: func.func private @main.local
// CHECK:         dovetail.all_gather
// CHECK:         dovetail.scatter
module attributes {dovetail.partition = #mesh} {
  func.func @main(%table: tensor<16x8xf32>,
                  %rows: tensor<1000x1xi32> {dovetail.sharding = #dovetail.sharding<#mesh, [{"x"}, {}]>},
                  %new: tensor<1000x1x8xf32>) -> tensor<16x8xf32> {
    %0 = dovetail.scatter %table, %rows, %new dims [0] window [1] : tensor<16x8xf32>, tensor<1000x1xi32>, tensor<1000x1x8xf32>
    return %0 : tensor<16x8xf32>
  }
}
