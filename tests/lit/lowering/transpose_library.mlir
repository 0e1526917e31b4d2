// Transposes by the library: of large arrays in memory, where the result is not read by ops that read the array instead.
// RUN: dovetail-opt %s --dovetail-lower --split-input-file | FileCheck %s

// Dimensions that stay next to each other are one: these are 1024 rows of 96 and the other way around.
// CHECK-LABEL: func.func @main
// CHECK-DAG:     %[[ROWS:.+]] = arith.constant 1024 : index
// CHECK-DAG:     %[[COLUMNS:.+]] = arith.constant 96 : index
// CHECK-NOT:     linalg.transpose
// CHECK:         %[[ANS:.+]] = "flow.dispatch"({{.*}}entry_points = [@transpose::@transpose]
// CHECK-SAME:    -> tensor<96x32x32xf32>
// CHECK:         return %[[ANS]]
module attributes {dovetail.target = "cpu", dovetail.host_functions, dovetail.threads = 2 : i64} {
  func.func @main(%x: tensor<32x32x96xf32>) -> tensor<96x32x32xf32> {
    %0 = dovetail.transpose %x [2, 0, 1] : tensor<32x32x96xf32>
    return %0 : tensor<96x32x32xf32>
  }
}

// -----

// Not of small arrays, nor of narrow ones, nor of those whose rows stay rows, nor of bits.
// CHECK-LABEL: func.func @main
// CHECK-NOT:     flow.dispatch
module attributes {dovetail.target = "cpu", dovetail.host_functions, dovetail.threads = 2 : i64} {
  func.func @main(%x: tensor<96x96xf32>, %y: tensor<90000x3xf32>, %z: tensor<32x32x96xf32>, %b: tensor<1024x1024xi1>)
      -> (tensor<96x96xf32>, tensor<3x90000xf32>, tensor<32x32x96xf32>, tensor<1024x1024xi1>) {
    %0 = dovetail.transpose %x [1, 0] : tensor<96x96xf32>
    %1 = dovetail.transpose %y [1, 0] : tensor<90000x3xf32>
    %2 = dovetail.transpose %z [1, 0, 2] : tensor<32x32x96xf32>
    %3 = dovetail.transpose %b [1, 0] : tensor<1024x1024xi1>
    return %0, %1, %2, %3 : tensor<96x96xf32>, tensor<3x90000xf32>, tensor<32x32x96xf32>, tensor<1024x1024xi1>
  }
}

// -----

// Nor where other ops are fused with them.
// CHECK-LABEL: func.func @main
// CHECK-NOT:     flow.dispatch
module attributes {dovetail.target = "cpu", dovetail.host_functions, dovetail.threads = 2 : i64} {
  func.func @main(%x: tensor<512x512xf32>) -> (tensor<512x512xf32>, tensor<512x512xf32>) {
    %0 = dovetail.transpose %x [1, 0] : tensor<512x512xf32>
    %1 = dovetail.neg %0 : tensor<512x512xf32>
    %2 = dovetail.neg %x : tensor<512x512xf32>
    %3 = dovetail.transpose %2 [1, 0] : tensor<512x512xf32>
    return %1, %3 : tensor<512x512xf32>, tensor<512x512xf32>
  }
}
