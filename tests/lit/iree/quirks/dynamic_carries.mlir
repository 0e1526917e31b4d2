// IREE 3.13 takes one of two arrays that a loop carries for the other, if the sizes of both are unknown: the first is
// doubled, the second gets one more.
// RUN: %{compile} %s -o %t.vmfb
// RUN: %{run} --module=%t.vmfb --input='1x2xf32=1 2' --input=i32=3 | FileCheck %s --check-prefix=FAULT
// RUN: dovetail-opt %s --dovetail-carry-references | %{compile} - -o %t.vmfb
// RUN: %{run} --module=%t.vmfb --input='1x2xf32=1 2' --input=i32=3 | FileCheck %s --check-prefix=MENDED

// FAULT: 1x2xf32=[8 16]
// FAULT: 1x2xf32=[8 16]
// MENDED: 1x2xf32=[8 16]
// MENDED: 1x2xf32=[4 5]

#id = affine_map<(d0, d1) -> (d0, d1)>
func.func @main(%x: tensor<?x?xf32>, %n: tensor<i32>) -> (tensor<?x?xf32>, tensor<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %rows = tensor.dim %x, %c0 : tensor<?x?xf32>
  %columns = tensor.dim %x, %c1 : tensor<?x?xf32>
  %number = tensor.extract %n[] : tensor<i32>
  %end = arith.index_cast %number : i32 to index
  %last:2 = scf.for %i = %c0 to %end step %c1 iter_args(%first = %x, %second = %x) -> (tensor<?x?xf32>, tensor<?x?xf32>) {
    %empty = tensor.empty(%rows, %columns) : tensor<?x?xf32>
    %doubled = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%first : tensor<?x?xf32>) outs(%empty : tensor<?x?xf32>) {
    ^bb0(%a: f32, %out: f32):
      %result = arith.addf %a, %a : f32
      linalg.yield %result : f32
    } -> tensor<?x?xf32>
    %next = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%second : tensor<?x?xf32>) outs(%empty : tensor<?x?xf32>) {
    ^bb0(%a: f32, %out: f32):
      %one = arith.constant 1.0 : f32
      %result = arith.addf %a, %one : f32
      linalg.yield %result : f32
    } -> tensor<?x?xf32>
    scf.yield %doubled, %next : tensor<?x?xf32>, tensor<?x?xf32>
  }
  return %last#0, %last#1 : tensor<?x?xf32>, tensor<?x?xf32>
}
