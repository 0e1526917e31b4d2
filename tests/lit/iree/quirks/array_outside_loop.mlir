// IREE 3.13 takes a loop's use of an array from outside for the last one: each iteration updates what the one before did.
// RUN: dovetail-opt %s | %{compile} - -o %t.vmfb
// RUN: %{run} --module=%t.vmfb --input='i32=3' --input='4xf32=1' --input='1xf32=5' | FileCheck %s --check-prefix=FAULT
// RUN: dovetail-opt %s --dovetail-keep-alive | %{compile} - -o %t.vmfb
// RUN: %{run} --module=%t.vmfb --input='i32=3' --input='4xf32=1' --input='1xf32=5' | FileCheck %s --check-prefix=MENDED

// FAULT: 4xf32=5 5 5 2
// MENDED: 4xf32=2 2 5 2

#id = affine_map<(d0) -> (d0)>
func.func @main(%count: tensor<i32>, %x: tensor<4xf32>, %u: tensor<1xf32>) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %number = tensor.extract %count[] : tensor<i32>
  %n = arith.index_cast %number : i32 to index
  %empty = tensor.empty() : tensor<4xf32>
  %doubled = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : tensor<4xf32>) outs(%empty : tensor<4xf32>) {
  ^bb0(%in: f32, %out: f32):
    %sum = arith.addf %in, %in : f32
    linalg.yield %sum : f32
  } -> tensor<4xf32>
  %last = scf.for %i = %c0 to %n step %c1 iter_args(%before = %x) -> tensor<4xf32> {
    %updated = tensor.insert_slice %u into %doubled[%i] [1] [1] : tensor<1xf32> into tensor<4xf32>
    scf.yield %updated : tensor<4xf32>
  }
  return %last : tensor<4xf32>
}
