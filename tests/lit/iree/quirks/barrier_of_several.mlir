// IREE 3.13 requires the arrays of an optimization barrier to be in memory of one kind, which it does not always find.
// RUN: not %{compile} %s -o %t.vmfb 2>&1 | FileCheck %s --check-prefix=FAULT
// RUN: dovetail-opt %s --dovetail-separate-barriers | %{compile} - -o %t.vmfb
// RUN: %{run} --module=%t.vmfb --input='4xf32=2' | FileCheck %s --check-prefix=MENDED

// FAULT: 'util.optimization_barrier' op failed to verify that all of {operands, results} have same type
// MENDED: 4xf32=4 8 12 16

#id = affine_map<(d0) -> (d0)>
func.func @main(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %constant = arith.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  %empty = tensor.empty() : tensor<4xf32>
  %doubled = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : tensor<4xf32>) outs(%empty : tensor<4xf32>) {
  ^bb0(%in: f32, %out: f32):
    %sum = arith.addf %in, %in : f32
    linalg.yield %sum : f32
  } -> tensor<4xf32>
  %behind:2 = "util.optimization_barrier"(%doubled, %constant) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  %products = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]} ins(%behind#0, %behind#1 : tensor<4xf32>, tensor<4xf32>) outs(%empty : tensor<4xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %product = arith.mulf %a, %b : f32
    linalg.yield %product : f32
  } -> tensor<4xf32>
  return %products, %behind#0 : tensor<4xf32>, tensor<4xf32>
}
