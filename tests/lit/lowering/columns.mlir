// Reductions of columns by the library: those of one array are one call.
// RUN: dovetail-opt %s --dovetail-lower --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @main
// CHECK-NOT:     linalg.generic
// CHECK:         %[[ANS:.+]]:3 = "flow.dispatch"({{.*}}entry_points = [@columns_3::@columns_3]
// CHECK-SAME:    -> (tensor<512xf32>, tensor<512xf32>, tensor<512xf32>)
// CHECK:         return %[[ANS]]#1, %[[ANS]]#0, %[[ANS]]#2
module attributes {dovetail.target = "cpu", dovetail.host_functions, dovetail.threads = 2 : i64} {
  func.func @main(%x: tensor<8x64x512xf32>) -> (tensor<512xf32>, tensor<512xf32>, tensor<512xf32>) {
    %0 = dovetail.reduce_max %x [0, 1] : tensor<8x64x512xf32>
    %1 = dovetail.reduce_sum %x [0, 1] : tensor<8x64x512xf32>
    %2 = dovetail.reduce_min %x [0, 1] : tensor<8x64x512xf32>
    return %0, %1, %2 : tensor<512xf32>, tensor<512xf32>, tensor<512xf32>
  }
}

// -----

// A variance takes two calls; the differences are not made.
// CHECK-LABEL: func.func @main
// CHECK:         "flow.dispatch"({{.*}}entry_points = [@columns_1::@columns_1]
// CHECK:         "flow.dispatch"({{.*}}entry_points = [@columns_1::@columns_1]
module attributes {dovetail.target = "cpu", dovetail.host_functions, dovetail.threads = 2 : i64} {
  func.func @main(%x: tensor<8x64x512xf32>) -> tensor<8x512xf32> {
    %0 = dovetail.reduce_sum %x [1] : tensor<8x64x512xf32>
    %1 = dovetail.constant dense<0.015625> : tensor<8x512xf32>
    %2 = dovetail.mul %0, %1 : tensor<8x512xf32>
    %3 = dovetail.broadcast %2 dims [0, 2] : tensor<8x512xf32> -> tensor<8x64x512xf32>
    %4 = dovetail.sub %x, %3 : tensor<8x64x512xf32>
    %5 = dovetail.integer_pow %4, 2 : tensor<8x64x512xf32>
    %6 = dovetail.reduce_sum %5 [1] : tensor<8x64x512xf32>
    return %6 : tensor<8x512xf32>
  }
}

// -----

// Not rows, nor what is computed on the way, nor small arrays.
// CHECK-LABEL: func.func @main
// CHECK-NOT:     columns
module attributes {dovetail.target = "cpu", dovetail.host_functions, dovetail.threads = 2 : i64} {
  func.func @main(%x: tensor<512x512xf32>, %y: tensor<64x128xf32>) -> (tensor<512xf32>, tensor<512xf32>, tensor<128xf32>) {
    %0 = dovetail.reduce_sum %x [1] : tensor<512x512xf32>
    %1 = dovetail.exp %x : tensor<512x512xf32>
    %2 = dovetail.reduce_sum %1 [0] : tensor<512x512xf32>
    %3 = dovetail.reduce_sum %y [0] : tensor<64x128xf32>
    return %0, %2, %3 : tensor<512xf32>, tensor<512xf32>, tensor<128xf32>
  }
}
