// IREE 3.13 does not see that an optimization barrier gives the memory that it takes: both results are the updated array.
// RUN: dovetail-opt %s | %{compile} - -o %t.vmfb
// RUN: %{run} --module=%t.vmfb --input='8xf32=1' | FileCheck %s --check-prefix=FAULT
// RUN: dovetail-opt %s --dovetail-keep-alive | %{compile} - -o %t.vmfb
// RUN: %{run} --module=%t.vmfb --input='8xf32=1' | FileCheck %s --check-prefix=MENDED

// FAULT: 8xf32=2 2 2 1 1 2 2 2
// FAULT-NOT: 8xf32=2 2 2 2 2 2 2 2
// MENDED: 8xf32=2 2 2 1 1 2 2 2
// MENDED: 8xf32=2 2 2 2 2 2 2 2

#id = affine_map<(d0) -> (d0)>
func.func @main(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %empty = tensor.empty() : tensor<8xf32>
  %doubled = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : tensor<8xf32>) outs(%empty : tensor<8xf32>) {
  ^bb0(%in: f32, %out: f32):
    %sum = arith.addf %in, %in : f32
    linalg.yield %sum : f32
  } -> tensor<8xf32>
  %behind = "util.optimization_barrier"(%doubled) : (tensor<8xf32>) -> tensor<8xf32>
  %part = tensor.extract_slice %x[0] [2] [1] : tensor<8xf32> to tensor<2xf32>
  %updated = tensor.insert_slice %part into %doubled[3] [2] [1] : tensor<2xf32> into tensor<8xf32>
  return %updated, %behind : tensor<8xf32>, tensor<8xf32>
}
