// IREE 3.13 forgets that a bool in `tensor.from_elements` is stored as a byte.
// RUN: not %{compile} %s -o %t.vmfb 2>&1 | FileCheck %s

// CHECK: 'tensor.from_elements' op failed to verify that operand types match result element type

func.func @main(%x: tensor<1xi1>) -> tensor<100xi1> {
  %c0 = arith.constant 0 : index
  %element = tensor.extract %x[%c0] : tensor<1xi1>
  %one = tensor.from_elements %element : tensor<i1>
  %empty = tensor.empty() : tensor<100xi1>
  %filled = linalg.generic {indexing_maps = [affine_map<(d0) -> ()>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%one : tensor<i1>) outs(%empty : tensor<100xi1>) {
  ^bb0(%in: i1, %out: i1):
    linalg.yield %in : i1
  } -> tensor<100xi1>
  return %filled : tensor<100xi1>
}
