// Collectives over the axes of the module's mesh become calls of the library. Each is described by an array of numbers:
// site, kind, element type, devices of the mesh, number of axes and of pairs, axes as size and stride, pairs, and the op
// as text. Behind the buffers come the sizes of the dimensions before, between and behind those that the op names.
// RUN: dovetail-opt %s --split-input-file --dovetail-lower | FileCheck %s

module attributes {dovetail.mesh = #dovetail.mesh<["data" = 2, "model" = 4]>} {
  func.func @main(%x: tensor<2x3x5xf32> {dovetail.donated}) -> (tensor<2x3x5xf32>, tensor<2x4x3x5xf32>) {
    %0 = dovetail.all_reduce_sum %x over ["model", "data"] : tensor<2x3x5xf32>
    %1 = dovetail.all_gather %0 over ["model"] sizes [4] dimension 1 : tensor<2x3x5xf32>
    return %0, %1 : tensor<2x3x5xf32>, tensor<2x4x3x5xf32>
  }
}
// One executable serves all calls.
// CHECK-LABEL: module
// CHECK-NOT: dovetail.mesh
// CHECK: "hal.executable.export"()
// CHECK: layout = #hal.pipeline.layout<constants = 3, bindings = [{{.*}}ReadOnly>, {{.*}}ReadOnly>, {{.*}}ReadOnly>, #hal.pipeline.binding<storage_buffer>]>
// CHECK-SAME: sym_name = "collective"
// CHECK: func.func @collective()
// CHECK: call @dovetail_collective(%{{.*}}) : (memref<i64>, index, memref<i32>, index, memref<i8>, index, memref<i8>, index, index, index, index) -> ()
// CHECK: func.func private @dovetail_collective({{.*}}) attributes {llvm.bareptr = true}
// CHECK-NOT: hal.executable.export
// The program takes the number of the device last.
// CHECK: func.func @main(%[[X:.+]]: tensor<2x3x5xf32> {dovetail.donated}, %[[NUMBER:.+]]: tensor<i32>)
// CHECK-DAG: %[[SUM:.+]] = arith.constant dense<[0, 0, 26, 8, 2, 0, 4, 1, 2, 4, {{.*}}]> : tensor<14xi64>
// CHECK: %[[OUTER:.+]] = arith.constant 2 : index
// CHECK: %[[MIDDLE:.+]] = arith.constant 1 : index
// CHECK: %[[INNER:.+]] = arith.constant 15 : index
// CHECK: %[[A:.+]] = arith.index_cast %[[OUTER]]
// CHECK: %[[B:.+]] = arith.index_cast %[[MIDDLE]]
// CHECK: %[[C:.+]] = arith.index_cast %[[INNER]]
// CHECK: %[[REDUCED:.+]] = "flow.dispatch"(%[[SUM]], %[[NUMBER]], %[[X]], %[[A]], %[[B]], %[[C]]) {entry_points = [@collective::@collective], {{.*}}tied_operands = [-1 : index]}
// CHECK-DAG: %[[GATHER:.+]] = arith.constant dense<[1, 3, 26, 8, 1, 0, 4, 1, {{.*}}]>
// CHECK: "flow.dispatch"(%[[GATHER]], %[[NUMBER]], %[[REDUCED]], {{.*}} -> tensor<2x4x3x5xf32>

// -----

module attributes {dovetail.mesh = #dovetail.mesh<["data" = 2, "model" = 4]>} {
  func.func @exchanges(%x: tensor<2x4x?x5xui8>) -> (tensor<2x?x4x5xui8>, tensor<2x?x5xui8>, tensor<2x4x?x5xui8>) {
    %0 = dovetail.all_to_all %x over ["model"] sizes [4] from 1 to 2 : tensor<2x4x?x5xui8>
    %1 = dovetail.reduce_scatter %x over ["model"] sizes [4] dimension 1 : tensor<2x4x?x5xui8>
    %2 = dovetail.permute %x over ["data"] sizes [2] from [0] to [1] : tensor<2x4x?x5xui8>
    return %0, %1, %2 : tensor<2x?x4x5xui8>, tensor<2x?x5xui8>, tensor<2x4x?x5xui8>
  }
}
// CHECK-LABEL: func.func @exchanges(
// CHECK-SAME: %[[X:.+]]: tensor<2x4x?x5xi8>, %[[NUMBER:.+]]: tensor<i32>)
// CHECK: %[[SIZE:.+]] = tensor.dim %[[X]]
// CHECK: arith.constant dense<[0, 5, 9, 8, 1, 0, 4, 1,
// CHECK: %[[ANY:.+]] = arith.index_cast %[[SIZE]] : index to i32
// CHECK: "flow.dispatch"({{.*}}, %[[NUMBER]], %[[X]], %{{.+}}, %[[ANY]], %{{.+}}, %{{.+}}, %[[SIZE]]) {{.*}} -> tensor<2x?x4x5xi8>
// CHECK: arith.constant dense<[1, 4, 9, 8, 1, 0, 4, 1,
// CHECK: "flow.dispatch"{{.*}} -> tensor<2x?x5xi8>
// CHECK: arith.constant dense<[2, 7, 9, 8, 1, 1, 2, 4, 0, 1,
// CHECK: "flow.dispatch"{{.*}} -> tensor<2x4x?x5xi8>

// -----

// What a device computes from its number is not known before it runs.
module attributes {dovetail.mesh = #dovetail.mesh<["data" = 2, "model" = 4]>} {
  func.func @index(%x: tensor<3x0xf32>) -> (tensor<i32>, tensor<3x0xf32>, tensor<3x0xf32>) {
    %0 = dovetail.axis_index over ["data", "model"] sizes [2, 4]
    %1 = dovetail.vary %x over ["data"] : tensor<3x0xf32>
    %2 = dovetail.all_reduce_sum %1 over ["data"] : tensor<3x0xf32>
    return %0, %1, %2 : tensor<i32>, tensor<3x0xf32>, tensor<3x0xf32>
  }
}
// CHECK-NOT: hal.executable
// CHECK-LABEL: func.func @index(
// CHECK-SAME: %[[X:.+]]: tensor<3x0xf32>, %[[NUMBER:.+]]: tensor<i32>)
// CHECK: %[[INDEX:.+]] = linalg.generic {{.*}} ins(%[[NUMBER]] : tensor<i32>)
// CHECK: arith.divui
// CHECK: arith.remui
// CHECK: %[[NONE:.+]] = tensor.empty() : tensor<3x0xf32>
// CHECK: return %[[INDEX]], %[[X]], %[[NONE]]

// -----

// A loop in which devices meet runs on the host.
module attributes {dovetail.mesh = #dovetail.mesh<["data" = 2]>} {
  func.func @loop(%x: tensor<4xf32>) -> tensor<4xf32> {
    %0 = dovetail.scan length 3 init(%x) over() consts() : (tensor<4xf32>) -> tensor<4xf32> {
    ^bb0(%c: tensor<4xf32>):
      %1 = dovetail.all_reduce_sum %c over ["data"] : tensor<4xf32>
      dovetail.yield %1 : tensor<4xf32>
    }
    return %0 : tensor<4xf32>
  }
}
// CHECK-LABEL: func.func @loop(
// CHECK-SAME: %{{.+}}: tensor<4xf32>, %[[NUMBER:.+]]: tensor<i32>)
// CHECK: scf.for {{.*}} iter_args(%[[CARRY:.+]] = %
// CHECK: "flow.dispatch"(%{{.+}}, %[[NUMBER]], %[[CARRY]]
