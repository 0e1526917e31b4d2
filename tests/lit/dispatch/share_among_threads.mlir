// The threads of a workgroup of a GPU share each op: they wait for each other before and after it, and keep small arrays
// in the memory of the workgroup.
// RUN: dovetail-opt %s --split-input-file --dovetail-divide-loops --dovetail-lower | FileCheck %s

// A few numbers are for one thread.
// CHECK-LABEL: func.func @once0() {
// CHECK-NOT:     gpu.barrier
// CHECK-LABEL: func.func @few(
// CHECK:         "flow.dispatch"
module attributes {dovetail.target = "cuda"} {
  func.func @few(%x: tensor<4xf32>) -> tensor<4xf32> {
    %0 = dovetail.scan length 100 init(%x) over() consts() : (tensor<4xf32>) -> tensor<4xf32> {
    ^bb0(%a: tensor<4xf32>):
      %1 = dovetail.mul %a, %a : tensor<4xf32>
      dovetail.yield %1 : tensor<4xf32>
    }
    return %0 : tensor<4xf32>
  }
}

// -----

// More than that are shared: neighbouring threads have neighbouring elements. Each row of a workgroup's own is added up
// by as many threads as there are for it, in the memory that they share.
// CHECK-LABEL: func.func @once0() attributes {{.+}}pipeline = #iree_gpu.pipeline<BaseLowering> workgroup_size = [256, 1, 1]
// What is larger than that is in a flat buffer, of which each workgroup has a part.
// CHECK:         %[[FLAT:.+]] = "hal.interface.binding.subspan"(%c0){{.+}} : (index) -> memref<2097152xf32>
// CHECK:         %[[SUMS:.+]] = memref.alloc() : memref<256xf32, #gpu.address_space<workgroup>>
// CHECK:         %[[THREAD:.+]] = "gpu.thread_id"
// CHECK:         %[[GROUP:.+]] = "hal.interface.workgroup.id"
// CHECK:         %[[BEGIN:.+]] = arith.muli %[[GROUP]], %c4096
// CHECK:         %[[LANE:.+]] = arith.remui %[[THREAD]], %{{.+}} : index
// CHECK:         scf.for %{{.+}} = %[[LANE]]
// CHECK:           arith.maximumf
// CHECK:         memref.store %{{.+}}, %[[SUMS]][%[[THREAD]]]
// CHECK:         gpu.barrier
// CHECK:         scf.if
// CHECK:           arith.addi %[[THREAD]], %c128
// CHECK:         gpu.barrier
// CHECK:         scf.if
// CHECK:           arith.addi %[[THREAD]], %c64
// CHECK:         gpu.barrier
// CHECK:         memref.store {{.+}} %[[FLAT]][%{{.+}}] : memref<2097152xf32>
// CHECK-NOT:     linalg
// CHECK-LABEL: func.func @softmax(
// CHECK-COUNT-1: "flow.dispatch"
// CHECK-NOT:     "flow.dispatch"
// CHECK-NOT:     linalg
module attributes {dovetail.target = "cuda"} {
  func.func @softmax(%x: tensor<512x4096xf32>) -> tensor<512x4096xf32> {
    %index = dovetail.constant dense<0> : tensor<i32>
    %0 = dovetail.case %index of(%x) {dovetail.kernel} : (tensor<i32>, tensor<512x4096xf32>) -> tensor<512x4096xf32> {
    ^bb0(%a: tensor<512x4096xf32>):
      %1 = dovetail.reduce_max %a [1] : tensor<512x4096xf32>
      %2 = dovetail.broadcast %1 dims [0] : tensor<512xf32> -> tensor<512x4096xf32>
      %3 = dovetail.sub %a, %2 : tensor<512x4096xf32>
      %4 = dovetail.mul %3, %3 : tensor<512x4096xf32>
      %5 = dovetail.reduce_sum %4 [1] : tensor<512x4096xf32>
      %6 = dovetail.broadcast %5 dims [0] : tensor<512xf32> -> tensor<512x4096xf32>
      %7 = dovetail.div %4, %6 : tensor<512x4096xf32>
      dovetail.yield %7 : tensor<512x4096xf32>
    }
    return %0 : tensor<512x4096xf32>
  }
}

// -----

// Code for SPIR-V waits for what is written to arrays, too.
// CHECK-LABEL: func.func @once0() attributes {{.+}}pipeline = #iree_gpu.spirv_pipeline<BaseLowering> workgroup_size = [128, 1, 1]
// CHECK:         "spirv.ControlBarrier"(){{.+}}AcquireRelease|UniformMemory|WorkgroupMemory
module attributes {dovetail.target = "vulkan"} {
  func.func @chain(%x: tensor<512x4096xf32>) -> tensor<512x4096xf32> {
    %index = dovetail.constant dense<0> : tensor<i32>
    %0 = dovetail.case %index of(%x) {dovetail.kernel} : (tensor<i32>, tensor<512x4096xf32>) -> tensor<512x4096xf32> {
    ^bb0(%a: tensor<512x4096xf32>):
      %1 = dovetail.sin %a : tensor<512x4096xf32>
      %2 = dovetail.reduce_max %1 [1] : tensor<512x4096xf32>
      %3 = dovetail.broadcast %2 dims [0] : tensor<512xf32> -> tensor<512x4096xf32>
      %4 = dovetail.sub %1, %3 : tensor<512x4096xf32>
      %5 = dovetail.reduce_sum %4 [1] : tensor<512x4096xf32>
      %6 = dovetail.broadcast %5 dims [0] : tensor<512xf32> -> tensor<512x4096xf32>
      %7 = dovetail.mul %4, %6 : tensor<512x4096xf32>
      dovetail.yield %7 : tensor<512x4096xf32>
    }
    return %0 : tensor<512x4096xf32>
  }
}
