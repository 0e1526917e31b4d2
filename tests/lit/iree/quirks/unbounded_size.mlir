// IREE 3.13 puts an array behind another one whose size has no bounds at the offset 0, in the same memory: twice 2, put
// into the second, is 2 there once 2 is put into the first. The result is 2 + 100 * 4 if `%size` is at least 0.
// RUN: %{compile} %s -o %t.vmfb
// RUN: %{run} --module=%t.vmfb --input=1xf32=1 --input=i32=4 | FileCheck %s

// CHECK: 1xf32=202

#id = affine_map<(d0) -> (d0)>
func.func @main(%x: tensor<1xf32>, %n: tensor<i32>) -> tensor<1xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %number = tensor.extract %n[] : tensor<i32>
  %size = arith.index_cast %number : i32 to index
  %unset = tensor.empty(%size) : tensor<?xf32>
  %zero = arith.constant 0.0 : f32
  %zeros = linalg.fill ins(%zero : f32) outs(%unset : tensor<?xf32>) -> tensor<?xf32>
  %empty = tensor.empty() : tensor<1xf32>
  %last:3 = scf.for %i = %c0 to %size step %c1 iter_args(%value = %x, %first = %zeros, %second = %zeros) -> (tensor<1xf32>, tensor<?xf32>, tensor<?xf32>) {
    %doubled = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%value : tensor<1xf32>) outs(%empty : tensor<1xf32>) {
    ^bb0(%a: f32, %out: f32):
      %result = arith.addf %a, %a : f32
      linalg.yield %result : f32
    } -> tensor<1xf32>
    %next_first = tensor.insert_slice %value into %first[%i] [1] [1] : tensor<1xf32> into tensor<?xf32>
    %next_second = tensor.insert_slice %doubled into %second[%i] [1] [1] : tensor<1xf32> into tensor<?xf32>
    scf.yield %doubled, %next_first, %next_second : tensor<1xf32>, tensor<?xf32>, tensor<?xf32>
  }
  %of_first = tensor.extract_slice %last#1[1] [1] [1] : tensor<?xf32> to tensor<1xf32>
  %of_second = tensor.extract_slice %last#2[1] [1] [1] : tensor<?xf32> to tensor<1xf32>
  %both = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]} ins(%of_first, %of_second : tensor<1xf32>, tensor<1xf32>) outs(%empty : tensor<1xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %hundred = arith.constant 100.0 : f32
    %product = arith.mulf %b, %hundred : f32
    %result = arith.addf %a, %product : f32
    linalg.yield %result : f32
  } -> tensor<1xf32>
  return %both : tensor<1xf32>
}
