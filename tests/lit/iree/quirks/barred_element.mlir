// IREE 3.13 makes a slice of one element that gets another dimension before a compute barrier one of a higher rank than its
// source. Another barrier keeps it.
// RUN: not %{compile} %s -o %t.vmfb 2>&1 | FileCheck %s
// RUN: sed 's/iree_tensor_ext.compute_barrier.start \(.*\) -> .*/util.optimization_barrier \1/' %s | %{compile} - -o %t.vmfb

// CHECK: expected rank to be smaller or equal to the other rank

func.func @main(%x: tensor<8xi32>) -> tensor<1x1xi32> {
  %0 = tensor.extract_slice %x[3] [1] [1] : tensor<8xi32> to tensor<1xi32>
  %1 = tensor.expand_shape %0 [[0, 1]] output_shape [1, 1] : tensor<1xi32> into tensor<1x1xi32>
  %2 = iree_tensor_ext.compute_barrier.start %1 : tensor<1x1xi32> -> tensor<1x1xi32>
  return %2 : tensor<1x1xi32>
}
