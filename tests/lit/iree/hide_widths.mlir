// A slice whose beginning is not that of a vector reads an array of unknown width.
// RUN: dovetail-opt %s --split-input-file --dovetail-hide-widths | FileCheck %s

// CHECK-LABEL: func.func @main
// CHECK-SAME: %[[X:.*]]: tensor<?x64xf32>
// CHECK: %[[ROWS:.*]] = tensor.dim %[[X]]
// CHECK: %[[WIDTH:.*]] = "util.optimization_barrier"
// CHECK: %[[HIDDEN:.*]] = "flow.tensor.reshape"(%[[X]], %[[ROWS]], %[[ROWS]], %[[WIDTH]]) {{.*}} -> tensor<?x?xf32>
// CHECK: tensor.extract_slice %[[X]][0, 8]
// CHECK: tensor.extract_slice %[[HIDDEN]][0, 2]
// CHECK: tensor.extract_slice %[[HIDDEN]][0, %{{.*}}]
module attributes {dovetail.target = "vulkan"} {
  func.func @main(%x: tensor<?x64xf32>, %i: index) -> (tensor<4x32xf32>, tensor<4x32xf32>, tensor<4x32xf32>) {
    %0 = tensor.extract_slice %x[0, 8] [4, 32] [1, 1] : tensor<?x64xf32> to tensor<4x32xf32>
    %1 = tensor.extract_slice %x[0, 2] [4, 32] [1, 1] : tensor<?x64xf32> to tensor<4x32xf32>
    %2 = tensor.extract_slice %x[0, %i] [4, 32] [1, 1] : tensor<?x64xf32> to tensor<4x32xf32>
    return %0, %1, %2 : tensor<4x32xf32>, tensor<4x32xf32>, tensor<4x32xf32>
  }
}

// -----

// Other targets read it in vectors that may begin anywhere.
// CHECK-LABEL: func.func @main
// CHECK-SAME: %[[X:.*]]: tensor<64xf32>
// CHECK-NEXT: tensor.extract_slice %[[X]][2]
module attributes {dovetail.target = "cuda"} {
  func.func @main(%x: tensor<64xf32>) -> tensor<32xf32> {
    %0 = tensor.extract_slice %x[2] [32] [1] : tensor<64xf32> to tensor<32xf32>
    return %0 : tensor<32xf32>
  }
}
