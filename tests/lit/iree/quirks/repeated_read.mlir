// IREE 3.13 merges two ways of reading one array, as rows and as columns: of a product only the diagonal is right.
// RUN: dovetail-opt %s --dovetail-lower | %{compile} - -o %t.vmfb
// RUN: %{run} --module=%t.vmfb --input='2x3xf32=1 1 1 2 2 2' | FileCheck %s --check-prefix=FAULT
// RUN: dovetail-opt %s --dovetail-lower --dovetail-separate-reads | %{compile} - -o %t.vmfb
// RUN: %{run} --module=%t.vmfb --input='2x3xf32=1 1 1 2 2 2' | FileCheck %s --check-prefix=MENDED

// FAULT-NOT: [9 18]
// FAULT: 2x2xf32=
// MENDED: 2x2xf32=[9 18][18 36]

func.func @main(%x: tensor<2x3xf32>) -> tensor<2x2xf32> {
  %0 = dovetail.reduce_sum %x [1] : tensor<2x3xf32>
  %1 = dovetail.broadcast %0 dims [0] : tensor<2xf32> -> tensor<2x2xf32>
  %2 = dovetail.broadcast %0 dims [1] : tensor<2xf32> -> tensor<2x2xf32>
  %3 = dovetail.mul %1, %2 : tensor<2x2xf32>
  return %3 : tensor<2x2xf32>
}
