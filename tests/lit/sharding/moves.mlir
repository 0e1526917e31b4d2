// Parts move from one sharding to another so that each device receives the fewest bytes.
// RUN: dovetail-opt %s -split-input-file --dovetail-propagate-shardings --dovetail-partition | FileCheck %s

#mesh = #dovetail.mesh<["x" = 2, "y" = 2]>

// Devices exchange their parts in pairs: gathered, each part would arrive three times.
// CHECK-LABEL: func.func private @main.local
// CHECK-NEXT:    dovetail.permute %arg0 over ["x", "y"] sizes [2, 2] from [0, 3, 1, 2] to [0, 3, 2, 1]
// CHECK-NEXT:    return
module attributes {dovetail.partition = #mesh} {
  func.func @main(%x: tensor<8xf32> {dovetail.sharding = #dovetail.sharding<#mesh, [{"x", "y"}]>})
      -> (tensor<8xf32> {dovetail.sharding = #dovetail.sharding<#mesh, [{"y", "x"}]>}) {
    return %x : tensor<8xf32>
  }
}

// -----

#mesh = #dovetail.mesh<["x" = 2, "y" = 4]>

// First each device takes a smaller part, then it gets another one, and what it lacks of that: a half of what it would
// receive if the array was gathered.
// CHECK-LABEL: func.func private @main.local
// CHECK-NOT:     all_gather
// CHECK:         dovetail.gather %arg0
// CHECK:         dovetail.permute
// CHECK:         dovetail.all_gather {{.*}} over ["x"]
// CHECK-NOT:     permute
// CHECK:         return
module attributes {dovetail.partition = #mesh} {
  func.func @main(%x: tensor<8xf32> {dovetail.sharding = #dovetail.sharding<#mesh, [{"x"}]>})
      -> (tensor<8xf32> {dovetail.sharding = #dovetail.sharding<#mesh, [{"y"}]>}) {
    return %x : tensor<8xf32>
  }
}

// -----

#mesh = #dovetail.mesh<["x" = 32, "y" = 16]>

// A permutation of many devices would list them.
// CHECK-LABEL: func.func private @main.local
// CHECK-NOT:     permute
// CHECK:         dovetail.all_gather
module attributes {dovetail.partition = #mesh} {
  func.func @main(%x: tensor<512xf32> {dovetail.sharding = #dovetail.sharding<#mesh, [{"x", "y"}]>})
      -> (tensor<512xf32> {dovetail.sharding = #dovetail.sharding<#mesh, [{"y", "x"}]>}) {
    return %x : tensor<512xf32>
  }
}
