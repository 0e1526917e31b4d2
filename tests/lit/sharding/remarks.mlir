// What every device computes on whole arrays is remarked on, and why a program runs on one device.
// RUN: dovetail-opt %s --split-input-file --remarks-filter=sharding --dovetail-propagate-shardings --dovetail-partition -o /dev/null 2>&1 | FileCheck %s

#mesh = #dovetail.mesh<["x" = 4, "y" = 2]>

// CHECK-NOT: sin
// CHECK: remark{{.*}}every device computes `sort` on the whole of dimension 0 of operand 0, which is sharded over 'x', 'y': the op has no rule for parts along it
// CHECK-NOT: remark
module attributes {dovetail.partition = #mesh} {
  func.func @main(%x: tensor<16x8xf32> {dovetail.sharding = #dovetail.sharding<#mesh, [{"x", "y"}, {}]>}) -> tensor<16x8xf32> {
    %0 = dovetail.sin %x : tensor<16x8xf32>
    %1 = dovetail.sort %0 dimension 0 keys 1 : tensor<16x8xf32>
    return %1 : tensor<16x8xf32>
  }
}

// -----

#mesh = #dovetail.mesh<["x" = 4]>

// CHECK: remark{{.*}}the program runs on one device instead of 4: it has arguments or results of unknown shapes
module attributes {dovetail.partition = #mesh} {
  func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {
    return %x : tensor<?xf32>
  }
}

// -----

#mesh = #dovetail.mesh<["x" = 4]>

// Every device would call it.
// CHECK: remark{{.*}}the program runs on one device instead of 4: it calls a function that has side effects and is not inlined
module attributes {dovetail.partition = #mesh} {
  func.func private @log(%x: tensor<4xf32>) -> tensor<4xf32> {
    dovetail.callback "log" effect "io"(%x) : (tensor<4xf32>) -> ()
    return %x : tensor<4xf32>
  }
  func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
    %0 = dovetail.call @log(%x) : (tensor<4xf32>) -> tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}
