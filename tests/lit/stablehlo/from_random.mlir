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
