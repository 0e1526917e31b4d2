// Decompositions by a library, in programs that run in the process that compiles them.
// RUN: dovetail-opt %s --dovetail-lower | FileCheck %s

// Some need their host function.
// CHECK: func private @host.f0({{.*}}dovetail.host_op = ["qr", {full_matrices = false, pivoting = true}
// One function has the vectors, another the values alone; both take the numbers of a batch of matrices.
// CHECK-DAG: call @dovetail_blas_qr({{.*}}) : (memref<i8>, index, memref<i8>, index, memref<i8>, index, index
// CHECK-DAG: call @dovetail_blas_eigvalsh({{.*}}) : (memref<i8>, index, memref<i8>, index, index
// CHECK-LABEL: func @main
// CHECK: "flow.dispatch"({{.*}}entry_points = [@qr::@qr]
// CHECK-SAME: -> (tensor<3x6x4xf32>, tensor<3x4x4xf32>)
// Values are real.
// CHECK: "flow.dispatch"({{.*}}entry_points = [@eigvalsh::@eigvalsh]
// CHECK-SAME: -> tensor<?x5xf32>
// CHECK: call @host.f0
module attributes {dovetail.host_functions, dovetail.threads = 2 : i64} {
  func.func @main(%a: tensor<3x6x4xf32>, %b: tensor<?x5x5xcomplex<f32>>)
      -> (tensor<3x6x4xf32>, tensor<?x5xf32>, tensor<3x4xi32>) {
    %q, %r = dovetail.qr %a : tensor<3x6x4xf32>
    %w = dovetail.eigh %b vectors = false : tensor<?x5x5xcomplex<f32>>
    %q2, %r2, %permutation = dovetail.qr %a pivoting = true : tensor<3x6x4xf32>
    return %q, %w, %permutation : tensor<3x6x4xf32>, tensor<?x5xf32>, tensor<3x4xi32>
  }
}
