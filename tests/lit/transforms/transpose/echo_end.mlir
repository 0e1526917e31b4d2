// What a reference holds at its end is the cotangent of its echo, if a result has a cotangent.
// RUN: dovetail-opt %s --dovetail-transpose=linear=1,2 | FileCheck %s

// CHECK-LABEL: func.func private @main.transpose(
// CHECK-SAME:    %[[HELD:.+]]: tensor<3xf32>, %[[CT:.+]]: tensor<f32>)
// CHECK-NEXT:    return %[[HELD]], %[[CT]]
func.func @main(%held: tensor<3xf32>, %echo: tensor<3xf32>, %x: tensor<f32>) -> tensor<f32> {
  %0 = dovetail.echo_end %held of %echo, %x : tensor<3xf32>, tensor<3xf32>, tensor<f32> -> tensor<f32>
  return %0 : tensor<f32>
}
