// What an op writes over is copied if others read it that neither come before the op nor behind it by what they need.
// RUN: dovetail-opt %s --split-input-file --dovetail-keep-read | FileCheck %s

// CHECK-LABEL: func.func @apart
// CHECK: %[[Y:.+]] = math.sin
// CHECK: "util.optimization_barrier"(%[[Y]])
// CHECK-NEXT: return
func.func @apart(%x: tensor<8xf32>, %u: tensor<2xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %y = math.sin %x : tensor<8xf32>
  %read = math.cos %y : tensor<8xf32>
  %written = tensor.insert_slice %u into %y[3] [2] [1] : tensor<2xf32> into tensor<8xf32>
  return %read, %written : tensor<8xf32>, tensor<8xf32>
}

// -----

// What is inserted needs what is read.
// CHECK-LABEL: func.func @ordered
// CHECK-NOT: optimization_barrier
func.func @ordered(%x: tensor<8xf32>) -> tensor<8xf32> {
  %y = math.sin %x : tensor<8xf32>
  %read = math.cos %y : tensor<8xf32>
  %u = tensor.extract_slice %read[0] [2] [1] : tensor<8xf32> to tensor<2xf32>
  %written = tensor.insert_slice %u into %y[3] [2] [1] : tensor<2xf32> into tensor<8xf32>
  return %written : tensor<8xf32>
}
