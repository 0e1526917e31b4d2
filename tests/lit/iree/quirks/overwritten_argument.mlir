// IREE 3.13 writes over an argument that it sees no later use of, also where the caller keeps it, as `view` here.
// RUN: %{compile} %s -o %t.vmfb
// RUN: %{run} --module=%t.vmfb --input='8xf32=1' --input='2xf32=5' | FileCheck %s

// CHECK: 8xf32=1 1 1 5 5 1 1 1
// CHECK: 8xf32=1 1 1 5 5 1 1 1

func.func @main(%view: !hal.buffer_view, %row: tensor<2xf32>) -> (tensor<8xf32>, !hal.buffer_view) {
  %x = hal.tensor.import %view : !hal.buffer_view -> tensor<8xf32>
  %updated = tensor.insert_slice %row into %x[3] [2] [1] : tensor<2xf32> into tensor<8xf32>
  return %updated, %view : tensor<8xf32>, !hal.buffer_view
}
