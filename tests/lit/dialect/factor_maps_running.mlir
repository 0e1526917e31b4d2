// The iterations of running reductions depend on each other; sorts have no loop along their dimension.
// RUN: dovetail-opt %s --verify-diagnostics --dovetail-print-factors

func.func @running(%arg0: tensor<2x?xf32>) {
  // expected-remark @+1 {{([i,j])->([i,j])}}
  %0 = dovetail.cumsum %arg0, 1 : tensor<2x?xf32>
  // expected-remark @+1 {{([i,j],[i,j])->([i,j])}}
  %1 = dovetail.linear_recurrence %arg0, %arg0, 0 : tensor<2x?xf32>, tensor<2x?xf32>
  // expected-remark @+1 {{([i,_],[i,_])->([i,_],[i,_])}}
  %2:2 = dovetail.sort %arg0, %arg0 dimension 1 keys 1 : tensor<2x?xf32>, tensor<2x?xf32>
  return
}
