// The transpose of a custom tangent is the rule; a cotangent that is missing is zero.
// RUN: dovetail-opt %s --dovetail-transpose="linear=1,2" | FileCheck %s

func.func private @bwd(tensor<f32>, tensor<?xf32>, tensor<f32>) -> (tensor<2xf32>, tensor<i32>, tensor<f32>)

// CHECK-LABEL: func.func private @main.transpose(
// CHECK-SAME:    %[[R:.+]]: tensor<f32>, %[[SIZE:.+]]: index, %[[CT:.+]]: tensor<f32>)
// CHECK:         %[[ZERO:.+]] = dovetail.broadcast {{.+}}(%[[SIZE]])
// CHECK-NEXT:    %[[OUT:.+]]:3 = dovetail.call @bwd(%[[R]], %[[ZERO]], %[[CT]])
// CHECK-NEXT:    return %[[OUT]]#0, %[[OUT]]#2
func.func @main(%r: tensor<f32>, %t: tensor<2xf32>, %u: tensor<f32>, %size: index) -> tensor<f32> {
  %0:2 = dovetail.custom_tangent @bwd of [0, 2](%r) sizes(%size) tangents(%t, %u) : (tensor<f32>, index, tensor<2xf32>, tensor<f32>) -> (tensor<?xf32>, tensor<f32>)
  return %0#1 : tensor<f32>
}
