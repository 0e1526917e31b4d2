// Operands that special functions do not take.
// RUN: dovetail-opt %s --split-input-file --verify-diagnostics

func.func @integers(%arg0: tensor<2xi32>) {
  // expected-error @+1 {{'dovetail.lgamma' op operand #0 must be tensor without encoding of float values, but got 'tensor<2xi32>'}}
  %0 = dovetail.lgamma %arg0 : tensor<2xi32>
  return
}

// -----

func.func @types(%arg0: tensor<2xf32>, %arg1: tensor<2xf64>) {
  // expected-error @+1 {{'dovetail.igamma' op requires all operands to have the same type}}
  %0 = "dovetail.igamma"(%arg0, %arg1) : (tensor<2xf32>, tensor<2xf64>) -> tensor<2xf32>
  return
}
