// IREE 3.13 drops a loop of one iteration, and takes the size of the operand that was read at (d0 + d1) for that of the
// other loop: of 5 elements, a window reads 3.
// RUN: not %{compile} %s -o %t.vmfb 2>&1 | FileCheck %s

// CHECK: inferred input/output operand #1 has shape's dimension #0 to be 5, but found 3

#sum = affine_map<(d0, d1) -> (d0 + d1)>
#within = affine_map<(d0, d1) -> (d1)>
#result = affine_map<(d0, d1) -> (d0)>
func.func @main(%x: tensor<5xf32>) -> tensor<1xf32> {
  %zero = arith.constant 0.0 : f32
  %window = tensor.empty() : tensor<3xi8>
  %empty = tensor.empty() : tensor<1xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<1xf32>) -> tensor<1xf32>
  %sums = linalg.generic {indexing_maps = [#sum, #within, #result], iterator_types = ["parallel", "reduction"]} ins(%x, %window : tensor<5xf32>, tensor<3xi8>) outs(%init : tensor<1xf32>) {
  ^bb0(%in: f32, %none: i8, %out: f32):
    %next = arith.addf %out, %in : f32
    linalg.yield %next : f32
  } -> tensor<1xf32>
  return %sums : tensor<1xf32>
}
