// IREE 3.13 computes a region of bf16 arithmetic in f32 without the roundings between: (2^-8 + 1) - 1 is not 0.
// RUN: %{compile} %s -o %t.vmfb
// RUN: %{run} --module=%t.vmfb --input='2xbf16=0.00390625' | FileCheck %s

// CHECK: 2xbf16=0.00390625 0.00390625

#id = affine_map<(d0) -> (d0)>
func.func @main(%x: tensor<2xbf16>) -> tensor<2xbf16> {
  %one = arith.constant 1.0 : bf16
  %empty = tensor.empty() : tensor<2xbf16>
  %same = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : tensor<2xbf16>) outs(%empty : tensor<2xbf16>) {
  ^bb0(%in: bf16, %out: bf16):
    %sum = arith.addf %in, %one : bf16
    %difference = arith.subf %sum, %one : bf16
    linalg.yield %difference : bf16
  } -> tensor<2xbf16>
  return %same : tensor<2xbf16>
}
