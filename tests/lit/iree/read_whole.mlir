// Elements at computed places are read from the whole array, where it is and how long its steps are.
// RUN: dovetail-opt %s --split-input-file --dovetail-read-whole | FileCheck %s

// CHECK-LABEL: func.func @main
// CHECK-SAME: %[[X:.*]]: tensor<4x8x6xf32>, %[[I:.*]]: index
// CHECK: linalg.generic
// CHECK: %[[PLACE:.*]] = arith.index_cast
// CHECK: %[[TWICE:.*]] = arith.muli %[[PLACE]], %c2
// CHECK: %[[SHIFTED:.*]] = arith.addi %c1{{.*}}, %[[TWICE]]
// CHECK: tensor.extract %[[X]][%[[I]], %[[PLACE]], %[[SHIFTED]]] : tensor<4x8x6xf32>
#map = affine_map<(d0) -> (d0)>
module attributes {dovetail.target = "cuda"} {
  func.func @main(%x: tensor<4x8x6xf32>, %i: index, %places: tensor<3xi32>) -> tensor<3xf32> {
    %slice = tensor.extract_slice %x[%i, 0, 1] [1, 8, 3] [1, 1, 2] : tensor<4x8x6xf32> to tensor<8x3xf32>
    %empty = tensor.empty() : tensor<3xf32>
    %0 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]}
        ins(%places : tensor<3xi32>) outs(%empty : tensor<3xf32>) {
    ^bb0(%place: i32, %out: f32):
      %1 = arith.index_cast %place : i32 to index
      %2 = tensor.extract %slice[%1, %1] : tensor<8x3xf32>
      linalg.yield %2 : f32
    } -> tensor<3xf32>
    return %0 : tensor<3xf32>
  }
}

// -----

// So is a transposition of a slice, which would move to the places that are read.
// CHECK-LABEL: func.func @main
// CHECK: %[[MOVED:.*]] = linalg.transpose
// CHECK: %[[WHOLE:.*]] = "iree_tensor_ext.compute_barrier.start"(%[[MOVED]])
// CHECK: tensor.extract %[[WHOLE]]
#map = affine_map<(d0) -> (d0)>
module attributes {dovetail.target = "rocm"} {
  func.func @main(%x: tensor<8x6xf32>, %places: tensor<3xi32>) -> tensor<3xf32> {
    %slice = tensor.extract_slice %x[0, 0] [8, 3] [1, 1] : tensor<8x6xf32> to tensor<8x3xf32>
    %init = tensor.empty() : tensor<3x8xf32>
    %moved = linalg.transpose ins(%slice : tensor<8x3xf32>) outs(%init : tensor<3x8xf32>) permutation = [1, 0]
    %empty = tensor.empty() : tensor<3xf32>
    %0 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]}
        ins(%places : tensor<3xi32>) outs(%empty : tensor<3xf32>) {
    ^bb0(%place: i32, %out: f32):
      %1 = arith.index_cast %place : i32 to index
      %2 = tensor.extract %moved[%1, %1] : tensor<3x8xf32>
      linalg.yield %2 : f32
    } -> tensor<3xf32>
    return %0 : tensor<3xf32>
  }
}

// -----

// What is read on the host is read from the slice.
// CHECK-LABEL: func.func @main
// CHECK: tensor.extract %extracted_slice
module attributes {dovetail.target = "cuda"} {
  func.func @main(%x: tensor<4x8xf32>, %i: index) -> f32 {
    %slice = tensor.extract_slice %x[%i, 0] [1, 8] [1, 1] : tensor<4x8xf32> to tensor<8xf32>
    %0 = tensor.extract %slice[%i] : tensor<8xf32>
    return %0 : f32
  }
}

// -----

// Code for other targets knows where rows begin.
// CHECK-LABEL: func.func @main
// CHECK: tensor.extract %extracted_slice
#map = affine_map<(d0) -> (d0)>
module attributes {dovetail.target = "vulkan"} {
  func.func @main(%x: tensor<8x6xf32>, %places: tensor<3xi32>) -> tensor<3xf32> {
    %slice = tensor.extract_slice %x[0, 0] [8, 3] [1, 1] : tensor<8x6xf32> to tensor<8x3xf32>
    %empty = tensor.empty() : tensor<3xf32>
    %0 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]}
        ins(%places : tensor<3xi32>) outs(%empty : tensor<3xf32>) {
    ^bb0(%place: i32, %out: f32):
      %1 = arith.index_cast %place : i32 to index
      %2 = tensor.extract %slice[%1, %1] : tensor<8x3xf32>
      linalg.yield %2 : f32
    } -> tensor<3xf32>
    return %0 : tensor<3xf32>
  }
}
