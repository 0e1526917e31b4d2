// IREE 3.13 fills an array once for all arrays of the same bytes, which are then one: a state of a loop overwrites others
// that begin alike, and a result that is the same number.
// RUN: dovetail-opt %s --dovetail-carry-references | FileCheck %s --check-prefix=BARRIER
// RUN: dovetail-opt %s --dovetail-carry-references | %{compile} - -o %t.vmfb
// RUN: iree-run-module --module=%t.vmfb --device=local-sync --function=main | FileCheck %s --check-prefix=MENDED

// MENDED: 3xf64=4 4 4
// MENDED: 3xf64=9 9 9
// MENDED: 3xf64=1 1 1

// BARRIER:      %[[NUMBER:.*]] = arith.constant dense<1.000000e+00> : tensor<3xf64>
// BARRIER:      %[[ONE:.*]] = "util.optimization_barrier"(%[[NUMBER]])
// BARRIER:      "hal.tensor.alias"(%[[ONE]],
// BARRIER:      %[[OTHER:.*]] = "util.optimization_barrier"(%[[NUMBER]])
// BARRIER:      "hal.tensor.alias"(%[[OTHER]],

func.func @main() -> (tensor<3xf64>, tensor<3xf64>, tensor<3xf64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %one = arith.constant dense<1.0> : tensor<3xf64>
  %last:2 = scf.for %i = %c0 to %c2 step %c1 iter_args(%x = %one, %y = %one) -> (tensor<3xf64>, tensor<3xf64>) {
    %e = tensor.empty() : tensor<3xf64>
    %twice = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%x : tensor<3xf64>) outs(%e : tensor<3xf64>) {
    ^bb0(%in: f64, %out: f64):
      %z = arith.addf %in, %in : f64
      linalg.yield %z : f64
    } -> tensor<3xf64>
    %thrice = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%y : tensor<3xf64>) outs(%e : tensor<3xf64>) {
    ^bb0(%in: f64, %out: f64):
      %three = arith.constant 3.0 : f64
      %z = arith.mulf %in, %three : f64
      linalg.yield %z : f64
    } -> tensor<3xf64>
    scf.yield %twice, %thrice : tensor<3xf64>, tensor<3xf64>
  }
  return %last#0, %last#1, %one : tensor<3xf64>, tensor<3xf64>, tensor<3xf64>
}
