// IREE 3.13 does not store integers of 4 bits unless they fill whole bytes.
// RUN: not %{compile} %s -o %t.vmfb 2>&1 | FileCheck %s

// CHECK: 'tensor<3xi4>' does not have integral number of total bytes

#id = affine_map<(d0) -> (d0)>
func.func @main(%x: tensor<3xi4>) -> tensor<3xi4> {
  %empty = tensor.empty() : tensor<3xi4>
  %doubled = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : tensor<3xi4>) outs(%empty : tensor<3xi4>) {
  ^bb0(%in: i4, %out: i4):
    %sum = arith.addi %in, %in : i4
    linalg.yield %sum : i4
  } -> tensor<3xi4>
  return %doubled : tensor<3xi4>
}
