// IREE 3.13 counts a folded constant once for each vector: the sum of 37 times -1 is not -37.
// RUN: dovetail-opt %s --dovetail-lower | %{compile} - -o %t.vmfb
// RUN: %{run} --module=%t.vmfb --input='37xi32=5' | FileCheck %s --check-prefix=FAULT
// RUN: dovetail-opt %s --dovetail-lower --dovetail-guard-reductions | %{compile} - -o %t.vmfb
// RUN: %{run} --module=%t.vmfb --input='37xi32=5' | FileCheck %s --check-prefix=MENDED

// FAULT-NOT: i32=-37
// FAULT: i32=-{{[0-9]+$}}
// MENDED: i32=-37

func.func @main(%x: tensor<37xi32>) -> tensor<i32> {
  %0 = dovetail.constant dense<-1> : tensor<37xi32>
  %1 = dovetail.or %x, %0 : tensor<37xi32>
  %2 = dovetail.reduce_sum %1 [0] : tensor<37xi32>
  return %2 : tensor<i32>
}
