// Running reductions in parts: each device continues from what the parts before its own combine to.
// RUN: dovetail-opt %s --split-input-file --dovetail-propagate-shardings --dovetail-partition --cse | FileCheck %s

#mesh = #dovetail.mesh<["x" = 4]>

// A device gathers one row of each part, instead of all rows.
// CHECK-LABEL: func.func private @main.local(%arg0: tensor<4x3xf32>)
// CHECK:         %[[SELF:.+]] = dovetail.axis_index over ["x"] sizes [4]
// CHECK:         %[[OWN:.+]] = dovetail.cumsum %arg0, 0 : tensor<4x3xf32>
// CHECK:         %[[LAST:.+]] = dovetail.slice %[[OWN]] starts [3, 0] strides [1, 1] : tensor<4x3xf32> -> tensor<1x3xf32>
// CHECK:         %[[ROW:.+]] = dovetail.reshape %[[LAST]] : tensor<1x3xf32> -> tensor<3xf32>
// CHECK:         %[[ALL:.+]] = dovetail.all_gather %[[ROW]] over ["x"] sizes [4] dimension 0 : tensor<3xf32>
// CHECK-DAG:     %[[INDEX:.+]] = dovetail.iota 0 : tensor<4x3xi32>
// CHECK-DAG:     %[[HERE:.+]] = dovetail.broadcast %[[SELF]] dims [] : tensor<i32> -> tensor<4x3xi32>
// CHECK:         %[[BEFORE:.+]] = dovetail.compare gt %[[HERE]], %[[INDEX]]
// CHECK:         %[[ZEROS:.+]] = dovetail.constant dense<0.000000e+00>
// CHECK:         %[[TOTALS:.+]] = dovetail.select %[[BEFORE]], %[[ALL]], %[[ZEROS]]
// CHECK:         %[[SUMS:.+]] = dovetail.cumsum %[[TOTALS]], 0 : tensor<4x3xf32>
// CHECK:         %[[SUM:.+]] = dovetail.slice %[[SUMS]] starts [3, 0]
// CHECK:         %[[START:.+]] = dovetail.broadcast %{{.+}} dims [1] : tensor<3xf32> -> tensor<4x3xf32>
// CHECK:         dovetail.add %[[START]], %[[OWN]] : tensor<4x3xf32>
module attributes {dovetail.partition = #mesh} {
  func.func @main(%x: tensor<16x3xf32> {dovetail.sharding = #dovetail.sharding<#mesh, [{"x"}, {}]>}) -> tensor<16x3xf32> {
    %0 = dovetail.cumsum %x, 0 : tensor<16x3xf32>
    return %0 : tensor<16x3xf32>
  }
}

// -----

#mesh = #dovetail.mesh<["x" = 2, "y" = 2]>

// From the end: there the padding comes first, and must not count.
// CHECK-LABEL: func.func private @main.local(%arg0: tensor<3x2xf32>)
// CHECK:         %[[SELF:.+]] = dovetail.axis_index over ["y", "x"] sizes [2, 2]
// CHECK:         %[[INSIDE:.+]] = dovetail.compare gt %{{.+}}, %{{.+}} : tensor<3x2xi32>
// CHECK:         %[[LEAST:.+]] = dovetail.constant dense<0xFF800000> : tensor<3x2xf32>
// CHECK:         %[[X:.+]] = dovetail.select %[[INSIDE]], %arg0, %[[LEAST]]
// CHECK:         %[[OWN:.+]] = dovetail.cummax %[[X]], 1 reverse = true : tensor<3x2xf32>
// CHECK:         dovetail.slice %[[OWN]] starts [0, 0]
// CHECK:         %[[ALL:.+]] = dovetail.all_gather %{{.+}} over ["y", "x"] sizes [2, 2] dimension 1 : tensor<3xf32>
// CHECK-DAG:     %[[INDEX:.+]] = dovetail.iota 1 : tensor<3x4xi32>
// CHECK-DAG:     %[[HERE:.+]] = dovetail.broadcast %[[SELF]] dims [] : tensor<i32> -> tensor<3x4xi32>
// CHECK:         dovetail.compare gt %[[INDEX]], %[[HERE]]
// CHECK:         dovetail.cummax %{{.+}}, 1 reverse = true : tensor<3x4xf32>
// CHECK:         dovetail.max %{{.+}}, %[[OWN]] : tensor<3x2xf32>
module attributes {dovetail.partition = #mesh} {
  func.func @main(%x: tensor<3x6xf32> {dovetail.sharding = #dovetail.sharding<#mesh, [{}, {"y", "x"}]>}) -> tensor<3x6xf32> {
    %0 = dovetail.cummax %x, 1 reverse = true : tensor<3x6xf32>
    return %0 : tensor<3x6xf32>
  }
}

// -----

#mesh = #dovetail.mesh<["x" = 4]>

// Each part starts from the last element of the parts before.
// CHECK-LABEL: func.func private @main.local(%arg0: tensor<4xf32>, %arg1: tensor<4xf32>)
// CHECK:         %[[PRODUCT:.+]] = dovetail.reduce_prod %arg0 [0] : tensor<4xf32>
// CHECK:         %[[PRODUCTS:.+]] = dovetail.all_gather %[[PRODUCT]] over ["x"] sizes [4] dimension 0 : tensor<f32>
// CHECK:         %[[F:.+]] = dovetail.select %{{.+}}, %[[PRODUCTS]], %{{.+}}
// CHECK:         %[[OWN:.+]] = dovetail.linear_recurrence %arg0, %arg1, 0 : tensor<4xf32>, tensor<4xf32>
// CHECK:         dovetail.slice %[[OWN]] starts [3]
// CHECK:         %[[ENDS:.+]] = dovetail.all_gather %{{.+}} over ["x"] sizes [4] dimension 0 : tensor<f32>
// CHECK:         %[[X:.+]] = dovetail.select %{{.+}}, %[[ENDS]], %{{.+}}
// CHECK:         %[[CARRIES:.+]] = dovetail.linear_recurrence %[[F]], %[[X]], 0 : tensor<4xf32>, tensor<4xf32>
// CHECK:         dovetail.slice %[[CARRIES]] starts [3]
// CHECK:         %[[CARRIED:.+]] = dovetail.mul %arg0, %{{.+}} : tensor<4xf32>
// CHECK:         %[[SUM:.+]] = dovetail.add %arg1, %[[CARRIED]]
// CHECK:         %[[STARTED:.+]] = dovetail.select %{{.+}}, %[[SUM]], %arg1
// CHECK:         dovetail.linear_recurrence %arg0, %[[STARTED]], 0 : tensor<4xf32>, tensor<4xf32>
module attributes {dovetail.partition = #mesh} {
  func.func @main(%f: tensor<16xf32> {dovetail.sharding = #dovetail.sharding<#mesh, [{"x"}]>}, %x: tensor<16xf32>) -> tensor<16xf32> {
    %0 = dovetail.linear_recurrence %f, %x, 0 : tensor<16xf32>, tensor<16xf32>
    return %0 : tensor<16xf32>
  }
}

// -----

#mesh = #dovetail.mesh<["x" = 4]>

// Along another dimension nothing is needed of other parts.
// CHECK-LABEL: func.func private @main.local(%arg0: tensor<16x1xf32>)
// CHECK-NEXT:    %[[OWN:.+]] = dovetail.cummin %arg0, 0 : tensor<16x1xf32>
// CHECK-NEXT:    return %[[OWN]]
module attributes {dovetail.partition = #mesh} {
  func.func @main(%x: tensor<16x4xf32> {dovetail.sharding = #dovetail.sharding<#mesh, [{}, {"x"}]>}) -> tensor<16x4xf32> {
    %0 = dovetail.cummin %x, 0 : tensor<16x4xf32>
    return %0 : tensor<16x4xf32>
  }
}
