// Constraints of the hashes.
// RUN: dovetail-opt %s --split-input-file --verify-diagnostics

func.func @wrong(%arg0: tensor<2xi32>) {
  // expected-error @+1 {{'dovetail.threefry2x32' op operand #0 must be tensor without encoding of 32-bit unsigned integer values, but got 'tensor<2xi32>'}}
  %0:2 = dovetail.threefry2x32 %arg0, %arg0, %arg0, %arg0 : tensor<2xi32>
  return
}

// -----

func.func @wrong(%arg0: tensor<2xui32>, %arg1: tensor<3xui32>) {
  // expected-error @+1 {{'dovetail.threefry2x32' op requires all operands to have the same type}}
  %0:2 = "dovetail.threefry2x32"(%arg0, %arg0, %arg1, %arg0) : (tensor<2xui32>, tensor<2xui32>, tensor<3xui32>, tensor<2xui32>) -> (tensor<2xui32>, tensor<2xui32>)
  return
}
