// Indices and updates are computed before a scatter, unless they are few: the code generator would compute them on the
// stack.
// RUN: dovetail-opt %s --split-input-file --dovetail-lower | FileCheck %s

// CHECK-LABEL: func.func @few
// CHECK-NOT: compute_barrier
// CHECK: "iree_linalg_ext.scatter"
func.func @few(%x: tensor<9xf32>, %i: tensor<5x1xi32>, %u: tensor<5x1xf32>) -> tensor<9xf32> {
  %0 = dovetail.sin %u : tensor<5x1xf32>
  %1 = dovetail.scatter_add %x, %i, %0 dims [0] window [1] : tensor<9xf32>, tensor<5x1xi32>, tensor<5x1xf32>
  return %1 : tensor<9xf32>
}

// -----

// CHECK-LABEL: func.func @many
// CHECK: %[[PLACES:.+]] = "iree_tensor_ext.compute_barrier.start"({{.+}}) : (tensor<9000x1xi32>)
// CHECK-NOT: compute_barrier
// CHECK: %[[UPDATES:.+]] = "iree_tensor_ext.compute_barrier.start"({{.+}}) : (tensor<9000xcomplex<f32>>)
// CHECK: "iree_linalg_ext.scatter"(%[[UPDATES]], %[[PLACES]],
func.func @many(%x: tensor<9xcomplex<f32>>, %i: tensor<9000x1xi32>, %u: tensor<9000x1xcomplex<f32>>)
    -> tensor<9xcomplex<f32>> {
  %0 = dovetail.sin %u : tensor<9000x1xcomplex<f32>>
  %1 = dovetail.scatter_add %x, %i, %0 dims [0] window [1]
      : tensor<9xcomplex<f32>>, tensor<9000x1xi32>, tensor<9000x1xcomplex<f32>>
  return %1 : tensor<9xcomplex<f32>>
}

// -----

// CHECK-LABEL: func.func @unknown
// CHECK: %[[PLACES:.+]] = "iree_tensor_ext.compute_barrier.start"({{.+}}) : (tensor<?x1xi32>, index)
// CHECK: %[[MASK:.+]] = "iree_tensor_ext.compute_barrier.start"({{.+}}) : (tensor<?xi1>, index)
// CHECK: "iree_linalg_ext.scatter"(%{{.+}}, %[[PLACES]], %[[MASK]],
func.func @unknown(%x: tensor<?xf32>, %i: tensor<?x1xi32>, %u: tensor<?x1xf32>) -> tensor<?xf32> {
  %1 = dovetail.scatter_add %x, %i, %u dims [0] window [1] : tensor<?xf32>, tensor<?x1xi32>, tensor<?x1xf32>
  return %1 : tensor<?xf32>
}
