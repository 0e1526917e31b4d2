// RUN: dovetail-opt %s --dovetail-from-stablehlo | FileCheck %s

// Two blocks of two words are four elements, of which three are wanted; the counter increases by two.
// CHECK-LABEL: func.func @main
func.func @main(%state: tensor<2xui64>) -> (tensor<2xui64>, tensor<3xui32>) {
  // CHECK: dovetail.threefry2x32 %{{.+}} : tensor<2xui32>
  // CHECK: dovetail.slice %{{.+}} starts [0] strides [1] : tensor<4xui32> -> tensor<3xui32>
  // CHECK: dovetail.add %arg0, %{{.+}} : tensor<2xui64>
  %next, %bits = stablehlo.rng_bit_generator %state, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<3xui32>)
  return %next, %bits : tensor<2xui64>, tensor<3xui32>
}

// The ten rounds of Philox multiply by two constants; the counter increases by the number of blocks of four words.
// CHECK-LABEL: func.func @philox
func.func @philox(%state: tensor<2xui64>) -> (tensor<2xui64>, tensor<3x2xui8>) {
  // CHECK-COUNT-20: dovetail.mul
  // CHECK-NOT: dovetail.mul
  // CHECK: dovetail.slice %{{.+}} starts [0] strides [1] : tensor<8xui8> -> tensor<6xui8>
  %next, %bits = stablehlo.rng_bit_generator %state, algorithm = DEFAULT : (tensor<2xui64>) -> (tensor<2xui64>, tensor<3x2xui8>)
  return %next, %bits : tensor<2xui64>, tensor<3x2xui8>
}
