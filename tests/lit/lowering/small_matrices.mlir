// Batches of small matrices: kernels for CPUs, in which each lane of vectors holds a matrix.
// RUN: dovetail-opt %s --split-input-file --dovetail-decompose --dovetail-lower | FileCheck %s

// Solving factorizes the matrix again, without its factors.
// CHECK-LABEL: "hal.executable.source"
// CHECK: func @lu_solve_f32_3_3_3_2_100()
// CHECK: vector.maskedload {{.*}} : memref<900xf32>, vector<16xi1>, vector<16xf32> into vector<16xf32>
// CHECK: vector.maskedstore
// CHECK-LABEL: func @main
// CHECK-NOT: linalg.generic
// CHECK: %[[X:.*]] = "flow.dispatch"(%arg0, %arg1) {entry_points = [@lu_solve_f32_3_3_3_2_100::@lu_solve_f32_3_3_3_2_100]
// CHECK: return %[[X]]
module attributes {dovetail.target = "cpu"} {
  func.func @main(%a: tensor<100x3x3xf32>, %b: tensor<100x3x2xf32>) -> tensor<100x3x2xf32> {
    %lu, %pivots, %permutation = dovetail.lu %a : tensor<100x3x3xf32>
    %x = dovetail.lu_solve %a, %lu, %permutation, %b
        : tensor<100x3x3xf32>, tensor<100x3x3xf32>, tensor<100x3xi32>, tensor<100x3x2xf32>
    return %x : tensor<100x3x2xf32>
  }
}

// -----

// Vectors that every CPU has, and any number of matrices.
// CHECK: func @cholesky_f64_8_8_n()
// CHECK: vector.load {{.*}}, vector<2xf64>
// CHECK-LABEL: func @generic
// CHECK: "flow.dispatch"
module attributes {dovetail.target = "cpu-generic"} {
  func.func @generic(%a: tensor<?x8x8xf64>) -> tensor<?x8x8xf64> {
    %l = dovetail.cholesky %a : tensor<?x8x8xf64>
    return %l : tensor<?x8x8xf64>
  }
}

// -----

// Not on other devices.
// CHECK-NOT: vector.
// CHECK-LABEL: func @others
module attributes {dovetail.target = "cuda"} {
  func.func @others(%a: tensor<10x3x3xf32>) -> tensor<10x3x3xf32> {
    %l = dovetail.cholesky %a : tensor<10x3x3xf32>
    return %l : tensor<10x3x3xf32>
  }
}
