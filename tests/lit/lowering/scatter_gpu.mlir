// On GPUs, threads make updates: each is of an element, by an atomic instruction where several may be of the same one.
// RUN: dovetail-opt %s --split-input-file --dovetail-lower | FileCheck %s

// Threads compute the rows of updates, and what is elementwise in these. Rows of arrays whose size is not known have
// numbers of 64 bits.
module attributes {dovetail.target = "cuda"} {
  // CHECK: func.func @rows_scatter_add_f32_by_i64_1()
  // CHECK: memref.load {{.*}} : memref<?xi32>
  // CHECK: memref.load {{.*}} : memref<?xf32>
  // CHECK: func.func @rows_scatter_add_f32_by_i32_0()
  // CHECK: scf.for
  // CHECK: %[[INDEX:.+]] = memref.load {{.*}} : memref<50xi32>
  // CHECK: %[[PLACE:.+]] = arith.index_cast %[[INDEX]]
  // CHECK: %[[CHOSEN:.+]] = arith.select %{{.+}}, %[[PLACE]]
  // CHECK: %[[ROW:.+]] = arith.index_cast %[[CHOSEN]]
  // CHECK: %[[KEPT:.+]] = arith.cmpi sge, %[[ROW]]
  // CHECK: scf.if %[[KEPT]]
  // CHECK: %[[UPDATE:.+]] = memref.load {{.*}} : memref<400xf32>
  // CHECK: memref.atomic_rmw addf %[[UPDATE]]
  // CHECK-NOT: "hal.executable.source"()
  // CHECK-LABEL: func.func @add
  // CHECK: "flow.dispatch"({{.*}}%arg0, {{.*}}%arg1, {{.*}}@rows_scatter_add_f32_by_i32_0{{.*}}tied_operands = [0 : index]
  func.func @add(%x: tensor<90x8xf32>, %i: tensor<50x1xi32>, %u: tensor<50x1x8xf32>) -> tensor<90x8xf32> {
    %0 = dovetail.scatter_add %x, %i, %u dims [0] window [1]
        : tensor<90x8xf32>, tensor<50x1xi32>, tensor<50x1x8xf32>
    return %0 : tensor<90x8xf32>
  }
  // CHECK-LABEL: func.func @add_more
  // CHECK: "flow.dispatch"{{.*}}@rows_scatter_add_f32_by_i64
  func.func @add_more(%x: tensor<?xcomplex<f32>>, %i: tensor<?x1xi32>, %u: tensor<?x1xcomplex<f32>>)
      -> tensor<?xcomplex<f32>> {
    %0 = dovetail.scatter_add %x, %i, %u dims [0] window [1]
        : tensor<?xcomplex<f32>>, tensor<?x1xi32>, tensor<?x1xcomplex<f32>>
    return %0 : tensor<?xcomplex<f32>>
  }
}

// -----

module attributes {dovetail.target = "rocm"} {
  // CHECK: func.func @rows_scatter_max_f64_by_i32_{{[0-9]+}}()
  // CHECK: memref.generic_atomic_rmw
  // CHECK-LABEL: func.func @max
  func.func @max(%x: tensor<90xf64>, %i: tensor<50x1xi32>, %u: tensor<50x1xf64>) -> tensor<90xf64> {
    %0 = dovetail.scatter_max %x, %i, %u dims [0] window [1] : tensor<90xf64>, tensor<50x1xi32>, tensor<50x1xf64>
    return %0 : tensor<90xf64>
  }
}

// -----

// The last of the updates of a row replaces it: each claims its row first. Bytes are moved.
module attributes {dovetail.target = "vulkan"} {
  // CHECK: func.func @rows_scatter_i16_by_i32_{{[0-9]+}}()
  // CHECK: %[[LAST:.+]] = arith.cmpi eq
  // CHECK: scf.if %[[LAST]]
  // CHECK: memref.store %{{.+}} : memref<?xi16
  // CHECK: func.func @rows_claim_by_i32_0()
  // CHECK: memref.atomic_rmw maxs
  // CHECK-LABEL: func.func @replace
  // CHECK: %[[NONE:.+]] = arith.constant -1 : i32
  // CHECK: %[[NOBODY:.+]] = linalg.fill ins(%[[NONE]]
  // CHECK: %[[OWNERS:.+]] = "flow.dispatch"(%{{.+}}, %[[NOBODY]], {{.*}}@rows_claim_by_i32
  // CHECK: "flow.dispatch"({{.*}}%[[OWNERS]], {{.*}}@rows_scatter_i16_by_i32
  func.func @replace(%x: tensor<90xbf16>, %i: tensor<50x1xi32>, %u: tensor<50x1xbf16>) -> tensor<90xbf16> {
    %0 = dovetail.scatter %x, %i, %u dims [0] window [1] : tensor<90xbf16>, tensor<50x1xi32>, tensor<50x1xbf16>
    return %0 : tensor<90xbf16>
  }
}

// -----

module attributes {dovetail.target = "cuda"} {
  // CHECK: func.func @rows_scatter_unique_i32_by_i32_{{[0-9]+}}()
  // CHECK-NOT: atomic_rmw
  // CHECK-LABEL: func.func @unique
  func.func @unique(%x: tensor<90xf32>, %i: tensor<50x1xi32>, %u: tensor<50x1xf32>) -> tensor<90xf32> {
    %0 = dovetail.scatter %x, %i, %u dims [0] window [1] {unique = true} : tensor<90xf32>, tensor<50x1xi32>, tensor<50x1xf32>
    return %0 : tensor<90xf32>
  }
}

// -----

// SPIR-V has no such loops.
module attributes {dovetail.target = "vulkan"} {
  // CHECK-NOT: "hal.executable.source"()
  // CHECK-LABEL: func.func @max
  // CHECK: "iree_linalg_ext.scatter"
  func.func @max(%x: tensor<90xf32>, %i: tensor<50x1xi32>, %u: tensor<50x1xf32>) -> tensor<90xf32> {
    %0 = dovetail.scatter_max %x, %i, %u dims [0] window [1] : tensor<90xf32>, tensor<50x1xi32>, tensor<50x1xf32>
    return %0 : tensor<90xf32>
  }
}
