// Arrays of short rows that broadcasts make and reductions take have their rows first.
// RUN: dovetail-opt %s --split-input-file --dovetail-place-short-rows | FileCheck %s

// CHECK-LABEL: func.func @classes
// CHECK-SAME:    (%[[X:.+]]: tensor<100xf32>, %[[MEANS:.+]]: tensor<3xf32>)
// CHECK-DAG:     %[[HALF:.+]] = dovetail.constant dense<5.000000e-01> : tensor<3x100xf32>
// CHECK-DAG:     %[[POINTS:.+]] = dovetail.broadcast %[[X]] dims [1] : tensor<100xf32> -> tensor<3x100xf32>
// CHECK-DAG:     %[[CENTERS:.+]] = dovetail.broadcast %[[MEANS]] dims [0] : tensor<3xf32> -> tensor<3x100xf32>
// CHECK:         %[[APART:.+]] = dovetail.sub %[[POINTS]], %[[CENTERS]] : tensor<3x100xf32>
// CHECK:         %[[SCALED:.+]] = dovetail.mul %[[APART]], %[[HALF]] : tensor<3x100xf32>
// CHECK:         %[[NEAREST:.+]] = dovetail.reduce_max %[[SCALED]] [0] : tensor<3x100xf32>
// CHECK:         %[[SUM:.+]] = dovetail.reduce_sum %[[SCALED]] [1] : tensor<3x100xf32>
// CHECK:         return %[[NEAREST]], %[[SUM]]
module attributes {dovetail.target = "cpu"} {
  func.func @classes(%x: tensor<100xf32>, %means: tensor<3xf32>) -> (tensor<100xf32>, tensor<3xf32>) {
    %half = dovetail.constant dense<5.000000e-01> : tensor<100x3xf32>
    %points = dovetail.broadcast %x dims [0] : tensor<100xf32> -> tensor<100x3xf32>
    %centers = dovetail.broadcast %means dims [1] : tensor<3xf32> -> tensor<100x3xf32>
    %apart = dovetail.sub %points, %centers : tensor<100x3xf32>
    %scaled = dovetail.mul %apart, %half : tensor<100x3xf32>
    %nearest = dovetail.reduce_max %scaled [1] : tensor<100x3xf32>
    %sum = dovetail.reduce_sum %scaled [0] : tensor<100x3xf32>
    return %nearest, %sum : tensor<100xf32>, tensor<3xf32>
  }
}

// -----

// What is read and returned may be transposed where it is much smaller.

// CHECK-LABEL: func.func @pairs
// CHECK-SAME:    (%[[X:.+]]: tensor<40x3xf32>)
// CHECK-DAG:     %[[ROWS:.+]] = dovetail.transpose %[[X]] [1, 0] : tensor<40x3xf32>
// CHECK-DAG:     %[[FROM:.+]] = dovetail.broadcast %[[ROWS]] dims [0, 1] : tensor<3x40xf32> -> tensor<3x40x40xf32>
// CHECK-DAG:     %[[TO:.+]] = dovetail.broadcast %[[ROWS]] dims [0, 2] : tensor<3x40xf32> -> tensor<3x40x40xf32>
// CHECK:         %[[APART:.+]] = dovetail.sub %[[FROM]], %[[TO]] : tensor<3x40x40xf32>
// CHECK:         %[[SUM:.+]] = dovetail.reduce_sum %[[APART]] [2] : tensor<3x40x40xf32>
// CHECK:         dovetail.transpose %[[SUM]] [1, 0] : tensor<3x40xf32>
module attributes {dovetail.target = "cpu"} {
  func.func @pairs(%x: tensor<40x3xf32>) -> tensor<40x3xf32> {
    %from = dovetail.broadcast %x dims [0, 2] : tensor<40x3xf32> -> tensor<40x40x3xf32>
    %to = dovetail.broadcast %x dims [1, 2] : tensor<40x3xf32> -> tensor<40x40x3xf32>
    %apart = dovetail.sub %from, %to : tensor<40x40x3xf32>
    %sum = dovetail.reduce_sum %apart [1] : tensor<40x40x3xf32>
    return %sum : tensor<40x3xf32>
  }
}

// -----

// Those of many pairs are computed where their rows are reduced.

// CHECK-LABEL: func.func @many_pairs
// CHECK-NOT:     tensor<3x1000x1000xf32>
module attributes {dovetail.target = "cpu"} {
  func.func @many_pairs(%x: tensor<1000x3xf32>) -> tensor<1000x1000xf32> {
    %from = dovetail.broadcast %x dims [0, 2] : tensor<1000x3xf32> -> tensor<1000x1000x3xf32>
    %to = dovetail.broadcast %x dims [1, 2] : tensor<1000x3xf32> -> tensor<1000x1000x3xf32>
    %apart = dovetail.sub %from, %to : tensor<1000x1000x3xf32>
    %sum = dovetail.reduce_sum %apart [2] : tensor<1000x1000x3xf32>
    return %sum : tensor<1000x1000xf32>
  }
}

// -----

// Arrays stay as they are if one would be copied: one of the arguments, or a result.

// CHECK-LABEL: func.func @argument
// CHECK-NOT:     tensor<3x100xf32>
// CHECK-LABEL: func.func @result
// CHECK-NOT:     tensor<3x100xf32>
module attributes {dovetail.target = "cpu"} {
  func.func @argument(%x: tensor<100x3xf32>, %means: tensor<3xf32>) -> tensor<100xf32> {
    %centers = dovetail.broadcast %means dims [1] : tensor<3xf32> -> tensor<100x3xf32>
    %apart = dovetail.sub %x, %centers : tensor<100x3xf32>
    %sum = dovetail.reduce_sum %apart [1] : tensor<100x3xf32>
    return %sum : tensor<100xf32>
  }
  func.func @result(%x: tensor<100xf32>, %means: tensor<3xf32>) -> (tensor<100x3xf32>, tensor<3xf32>) {
    %points = dovetail.broadcast %x dims [0] : tensor<100xf32> -> tensor<100x3xf32>
    %centers = dovetail.broadcast %means dims [1] : tensor<3xf32> -> tensor<100x3xf32>
    %apart = dovetail.sub %points, %centers : tensor<100x3xf32>
    %sum = dovetail.reduce_sum %apart [0] : tensor<100x3xf32>
    return %apart, %sum : tensor<100x3xf32>, tensor<3xf32>
  }
}

// -----

// On other targets, arrays stay as they are.

// CHECK-LABEL: func.func @other
// CHECK-NOT:     tensor<3x100xf32>
module {
  func.func @other(%x: tensor<100xf32>, %means: tensor<3xf32>) -> tensor<3xf32> {
    %points = dovetail.broadcast %x dims [0] : tensor<100xf32> -> tensor<100x3xf32>
    %centers = dovetail.broadcast %means dims [1] : tensor<3xf32> -> tensor<100x3xf32>
    %apart = dovetail.sub %points, %centers : tensor<100x3xf32>
    %sum = dovetail.reduce_sum %apart [0] : tensor<100x3xf32>
    return %sum : tensor<3xf32>
  }
}
