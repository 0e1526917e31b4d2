// IREE 3.13 schedules what is before a host loop with what is behind it, if that reads an array of the former, so that
// the loop would have to run in between.
// RUN: not %{compile} %s -o %t.vmfb 2>&1 | FileCheck %s --check-prefix=FAULT
// RUN: dovetail-opt %s --dovetail-separate-loops | %{compile} - -o %t.vmfb
// RUN: %{run} --module=%t.vmfb --input='2xf32=1 2' --input='i32=2' | FileCheck %s --check-prefix=MENDED

// FAULT: circular dependency: input operation uses partition output
// MENDED: 2xf32=10 20

#id = affine_map<(d0) -> (d0)>
func.func @main(%x: tensor<2xf32>, %n: tensor<i32>) -> tensor<2xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %number = tensor.extract %n[] : tensor<i32>
  %end = arith.index_cast %number : i32 to index
  %empty = tensor.empty() : tensor<2xf32>
  %before = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : tensor<2xf32>) outs(%empty : tensor<2xf32>) {
  ^bb0(%a: f32, %out: f32):
    %result = arith.addf %a, %a : f32
    linalg.yield %result : f32
  } -> tensor<2xf32>
  %loop = scf.for %i = %c0 to %end step %c1 iter_args(%carried = %before) -> tensor<2xf32> {
    %next = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%carried : tensor<2xf32>) outs(%empty : tensor<2xf32>) {
    ^bb0(%a: f32, %out: f32):
      %result = arith.addf %a, %a : f32
      linalg.yield %result : f32
    } -> tensor<2xf32>
    scf.yield %next : tensor<2xf32>
  }
  %behind = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]} ins(%before, %loop : tensor<2xf32>, tensor<2xf32>) outs(%empty : tensor<2xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %result = arith.addf %a, %b : f32
    linalg.yield %result : f32
  } -> tensor<2xf32>
  return %behind : tensor<2xf32>
}
