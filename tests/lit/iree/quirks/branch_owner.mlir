// What one branch computes and another passes on has no owner in IREE 3.13: an update of it changes the array passed on.
// RUN: dovetail-opt %s | %{compile} - -o %t.vmfb
// RUN: %{run} --module=%t.vmfb --input='i32=0' --input='4xf32=1' --input='1xf32=5' | FileCheck %s --check-prefix=FAULT
// RUN: dovetail-opt %s --dovetail-carry-references | %{compile} - -o %t.vmfb
// RUN: %{run} --module=%t.vmfb --input='i32=0' --input='4xf32=1' --input='1xf32=5' | FileCheck %s --check-prefix=MENDED

// FAULT: 4xf32=2 5 2 2
// FAULT: 4xf32=2 5 2 2
// MENDED: 4xf32=2 5 2 2
// MENDED: 4xf32=2 2 2 2

#id = affine_map<(d0) -> (d0)>
func.func @main(%flag: tensor<i32>, %x: tensor<4xf32>, %u: tensor<1xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %zero = arith.constant 0 : i32
  %number = tensor.extract %flag[] : tensor<i32>
  %isPositive = arith.cmpi sgt, %number, %zero : i32
  %empty = tensor.empty() : tensor<4xf32>
  %doubled = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : tensor<4xf32>) outs(%empty : tensor<4xf32>) {
  ^bb0(%in: f32, %out: f32):
    %sum = arith.addf %in, %in : f32
    linalg.yield %sum : f32
  } -> tensor<4xf32>
  %chosen = scf.if %isPositive -> tensor<4xf32> {
    %negative = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%doubled : tensor<4xf32>) outs(%empty : tensor<4xf32>) {
    ^bb0(%in: f32, %out: f32):
      %opposite = arith.negf %in : f32
      linalg.yield %opposite : f32
    } -> tensor<4xf32>
    scf.yield %negative : tensor<4xf32>
  } else {
    scf.yield %doubled : tensor<4xf32>
  }
  %updated = tensor.insert_slice %u into %chosen[1] [1] [1] : tensor<1xf32> into tensor<4xf32>
  return %updated, %doubled : tensor<4xf32>, tensor<4xf32>
}
