// In a branch that returns references, IREE 3.13 forgets what an execution waits for if it reads a large constant: what
// computes its operand is dead code then.
// RUN: dovetail-opt %s | %{compile} - -o %t.vmfb
// RUN: %{run} --module=%t.vmfb --input=i32=1 --input=70xf32=1 | FileCheck %s --check-prefix=FAULT
// RUN: dovetail-opt %s --dovetail-keep-waits | %{compile} - -o %t.vmfb
// RUN: %{run} --module=%t.vmfb --input=i32=1 --input=70xf32=1 | FileCheck %s --check-prefix=MENDED

// FAULT: 70xf32=0 1 2 3
// MENDED: 70xf32=2 3 4 5

#id = affine_map<(d0) -> (d0)>
func.func @main(%i: tensor<i32>, %x: tensor<70xf32>) -> tensor<70xf32> {
  %zero = arith.constant 0 : i32
  %number = tensor.extract %i[] : tensor<i32>
  %isPositive = arith.cmpi sgt, %number, %zero : i32
  %table = arith.constant dense<[0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 11.0, 12.0, 13.0, 14.0, 15.0, 16.0, 17.0, 18.0, 19.0, 20.0, 21.0, 22.0, 23.0, 24.0, 25.0, 26.0, 27.0, 28.0, 29.0, 30.0, 31.0, 32.0, 33.0, 34.0, 35.0, 36.0, 37.0, 38.0, 39.0, 40.0, 41.0, 42.0, 43.0, 44.0, 45.0, 46.0, 47.0, 48.0, 49.0, 50.0, 51.0, 52.0, 53.0, 54.0, 55.0, 56.0, 57.0, 58.0, 59.0, 60.0, 61.0, 62.0, 63.0, 64.0, 65.0, 66.0, 67.0, 68.0, 69.0]> : tensor<70xf32>
  %empty = tensor.empty() : tensor<70xf32>
  %first = scf.if %isPositive -> !hal.buffer {
    %b = "hal.tensor.export"(%x) {source_encoding = tensor<70xf32>} : (tensor<70xf32>) -> !hal.buffer
    scf.yield %b : !hal.buffer
  } else {
    %c = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : tensor<70xf32>) outs(%empty : tensor<70xf32>) {
    ^bb0(%in: f32, %out: f32):
      %s = arith.negf %in : f32
      linalg.yield %s : f32
    } -> tensor<70xf32>
    %b = "hal.tensor.export"(%c) {source_encoding = tensor<70xf32>} : (tensor<70xf32>) -> !hal.buffer
    scf.yield %b : !hal.buffer
  }
  %y = "hal.tensor.import"(%first) {operandSegmentSizes = array<i32: 1, 0, 0, 0>, target_encoding = tensor<70xf32>} : (!hal.buffer) -> tensor<70xf32>
  %doubled = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%y : tensor<70xf32>) outs(%empty : tensor<70xf32>) {
  ^bb0(%in: f32, %out: f32):
    %s = arith.addf %in, %in : f32
    linalg.yield %s : f32
  } -> tensor<70xf32>
  %chosen = scf.if %isPositive -> !hal.buffer {
    %sum = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]} ins(%doubled, %table : tensor<70xf32>, tensor<70xf32>) outs(%empty : tensor<70xf32>) {
    ^bb0(%in: f32, %other: f32, %out: f32):
      %s = arith.addf %in, %other : f32
      linalg.yield %s : f32
    } -> tensor<70xf32>
    %buffer = "hal.tensor.export"(%sum) {source_encoding = tensor<70xf32>} : (tensor<70xf32>) -> !hal.buffer
    scf.yield %buffer : !hal.buffer
  } else {
    %sum = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]} ins(%doubled, %table : tensor<70xf32>, tensor<70xf32>) outs(%empty : tensor<70xf32>) {
    ^bb0(%in: f32, %other: f32, %out: f32):
      %s = arith.mulf %in, %other : f32
      linalg.yield %s : f32
    } -> tensor<70xf32>
    %buffer = "hal.tensor.export"(%sum) {source_encoding = tensor<70xf32>} : (tensor<70xf32>) -> !hal.buffer
    scf.yield %buffer : !hal.buffer
  }
  %result = "hal.tensor.import"(%chosen) {operandSegmentSizes = array<i32: 1, 0, 0, 0>, target_encoding = tensor<70xf32>} : (!hal.buffer) -> tensor<70xf32>
  return %result : tensor<70xf32>
}
