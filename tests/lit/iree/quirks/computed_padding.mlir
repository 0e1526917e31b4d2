// IREE 3.13 does not compile a pad whose padding is computed in its region.
// RUN: not %{compile} %s -o %t.vmfb 2>&1 | FileCheck %s

// CHECK: 'tensor.pad' op failed to tile operation

func.func @main(%x: tensor<3xf32>, %value: tensor<f32>) -> tensor<5xf32> {
  %element = tensor.extract %value[] : tensor<f32>
  %padded = tensor.pad %x low[1] high[1] {
  ^bb0(%i: index):
    %negative = arith.negf %element : f32
    tensor.yield %negative : f32
  } : tensor<3xf32> to tensor<5xf32>
  return %padded : tensor<5xf32>
}
