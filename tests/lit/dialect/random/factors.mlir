// Every dimension is a loop of its own.
// RUN: dovetail-opt %s --verify-diagnostics --dovetail-print-factors

func.func @threefry2x32(%arg0: tensor<2x?xui32>) {
  // expected-remark @+1 {{([i,j],[i,j],[i,j],[i,j])->([i,j],[i,j])}}
  %0:2 = dovetail.threefry2x32 %arg0, %arg0, %arg0, %arg0 : tensor<2x?xui32>
  return
}
