// IREE 3.13 loses the size of a fill that is summed: the sum of 100 times 2 is not 200.
// RUN: dovetail-opt %s | %{compile} - -o %t.vmfb
// RUN: %{run} --module=%t.vmfb --input='f32=2' | FileCheck %s --check-prefix=FAULT

// FAULT-NOT: f32=200
// FAULT: f32=

func.func @main(%x: tensor<f32>) -> tensor<f32> {
  %zero = arith.constant 0.0 : f32
  %element = tensor.extract %x[] : tensor<f32>
  %empty = tensor.empty() : tensor<100xf32>
  %filled = linalg.fill ins(%element : f32) outs(%empty : tensor<100xf32>) -> tensor<100xf32>
  %scalar = tensor.empty() : tensor<f32>
  %init = linalg.fill ins(%zero : f32) outs(%scalar : tensor<f32>) -> tensor<f32>
  %sum = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>], iterator_types = ["reduction"]} ins(%filled : tensor<100xf32>) outs(%init : tensor<f32>) {
  ^bb0(%in: f32, %out: f32):
    %next = arith.addf %out, %in : f32
    linalg.yield %next : f32
  } -> tensor<f32>
  return %sum : tensor<f32>
}
