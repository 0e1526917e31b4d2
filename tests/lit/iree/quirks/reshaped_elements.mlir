// IREE 3.13 moves a reshape to the parts of a concatenation, and makes of a slice of one element one of a higher rank
// than its source.
// RUN: not %{compile} %s -o %t.vmfb 2>&1 | FileCheck %s --check-prefix=FAULT
// RUN: dovetail-opt %s --dovetail-separate-reshapes | %{compile} - -o %t.vmfb
// RUN: %{run} --module=%t.vmfb --input='5xf32=1 2 3 4 5' | FileCheck %s

// FAULT: expected rank to be smaller or equal to the other rank
// CHECK: 2x2xf32=[1 0][4 0]
func.func @main(%x: tensor<5xf32>) -> tensor<2x2xf32> {
  %zero = arith.constant 0.0 : f32
  %0 = tensor.extract_slice %x[0] [1] [1] : tensor<5xf32> to tensor<1xf32>
  %1 = tensor.extract_slice %x[3] [1] [1] : tensor<5xf32> to tensor<1xf32>
  %2 = tensor.concat dim(0) %0, %1 : (tensor<1xf32>, tensor<1xf32>) -> tensor<2xf32>
  %3 = tensor.expand_shape %2 [[0, 1]] output_shape [2, 1] : tensor<2xf32> into tensor<2x1xf32>
  %4 = tensor.pad %3 low[0, 0] high[0, 1] {
  ^bb0(%i: index, %j: index):
    tensor.yield %zero : f32
  } : tensor<2x1xf32> to tensor<2x2xf32>
  return %4 : tensor<2x2xf32>
}
