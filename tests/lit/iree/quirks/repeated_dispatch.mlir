// IREE 3.13 repeats a dispatch that reads no array instead of copying its result, and then merges it with its likes: both
// updates are of the same zeros.
// RUN: dovetail-opt %s | %{compile} - -o %t.vmfb
// RUN: %{run} --module=%t.vmfb --input='i32=4' --input='1xf32=5' | FileCheck %s --check-prefix=FAULT
// RUN: dovetail-opt %s --dovetail-separate-generated | %{compile} - -o %t.vmfb
// RUN: %{run} --module=%t.vmfb --input='i32=4' --input='1xf32=5' | FileCheck %s --check-prefix=MENDED

// FAULT: 4xf32=5 5 0 0
// MENDED: 4xf32=5 0 0 0
// MENDED: 4xf32=0 5 0 0

#id = affine_map<(d0) -> (d0)>
#scalar = affine_map<(d0) -> ()>
func.func @main(%size: tensor<i32>, %u: tensor<1xf32>) -> (tensor<?xf32>, tensor<?xf32>) {
  %number = tensor.extract %size[] : tensor<i32>
  %n = arith.index_cast %number : i32 to index
  %zero = arith.constant dense<0.0> : tensor<f32>
  %empty = tensor.empty(%n) : tensor<?xf32>
  %zeros = linalg.generic {indexing_maps = [#scalar, #id], iterator_types = ["parallel"]} ins(%zero : tensor<f32>) outs(%empty : tensor<?xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  } -> tensor<?xf32>
  %first = tensor.insert_slice %u into %zeros[0] [1] [1] : tensor<1xf32> into tensor<?xf32>
  %second = tensor.insert_slice %u into %zeros[1] [1] [1] : tensor<1xf32> into tensor<?xf32>
  return %first, %second : tensor<?xf32>, tensor<?xf32>
}
