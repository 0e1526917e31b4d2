// Forward mode calls the rule; that of a reverse-mode rule is a linear op that only has a transpose.
// RUN: dovetail-opt %s --split-input-file --dovetail-jvp="wrt=0" | FileCheck %s

func.func private @f(%x: tensor<2xf32>, %y: tensor<2xf32>) -> tensor<2xf32> {
  %0 = dovetail.mul %x, %y : tensor<2xf32>
  return %0 : tensor<2xf32>
}
func.func private @rule(tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>)

// CHECK-LABEL: func.func private @main.jvp(
// CHECK-SAME:    %[[X:.+]]: tensor<2xf32>, %[[Y:.+]]: tensor<2xf32>, %[[DX:.+]]: tensor<2xf32>)
// CHECK-NEXT:    %[[ZERO:.+]] = dovetail.constant dense<0.000000e+00> : tensor<2xf32>
// CHECK-NEXT:    %[[OUT:.+]]:2 = dovetail.call @rule(%[[X]], %[[Y]], %[[DX]], %[[ZERO]])
// CHECK-NEXT:    dovetail.custom_jvp @f rule @rule(%[[Y]], %[[Y]])
// CHECK-NEXT:    return %[[OUT]]#0, {{.+}}, %[[OUT]]#1
func.func @main(%x: tensor<2xf32>, %y: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
  %0 = dovetail.custom_jvp @f rule @rule(%x, %y) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %1 = dovetail.custom_jvp @f rule @rule(%y, %y) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return %0, %1 : tensor<2xf32>, tensor<2xf32>
}

// -----

func.func private @f(tensor<?xf32>, tensor<?xf32>) -> (tensor<?xf32>, tensor<i32>)
func.func private @fwd(tensor<?xf32>, tensor<?xf32>) -> (tensor<?xf32>, tensor<i32>, tensor<?xf32>)
func.func private @bwd(tensor<?xf32>, tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>)

// CHECK-LABEL: func.func private @main.jvp(
// CHECK-SAME:    %[[X:.+]]: tensor<?xf32>, %[[Y:.+]]: tensor<?xf32>, %[[DX:.+]]: tensor<?xf32>)
// CHECK-NEXT:    %[[OUT:.+]]:3 = dovetail.call @fwd(%[[X]], %[[Y]])
// CHECK-NEXT:    %[[SIZE:.+]] = dovetail.dim %[[OUT]]#0, 0
// CHECK-NEXT:    %[[T:.+]] = dovetail.custom_tangent @bwd of [0](%[[OUT]]#2) sizes(%[[SIZE]]) tangents(%[[DX]])
// CHECK-NEXT:    return %[[OUT]]#0, %[[T]]
func.func @main(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  %0:2 = dovetail.custom_vjp @f fwd @fwd bwd @bwd wrt [0, 1](%x, %y) : (tensor<?xf32>, tensor<?xf32>) -> (tensor<?xf32>, tensor<i32>)
  return %0#0 : tensor<?xf32>
}

// -----

// No cotangent, no tangent.
func.func private @f(tensor<f32>, tensor<f32>) -> tensor<f32>
func.func private @fwd(tensor<f32>, tensor<f32>) -> tensor<f32>
func.func private @bwd(tensor<f32>) -> tensor<f32>

// CHECK-LABEL: func.func private @main.jvp(
// CHECK-NEXT:    %[[OUT:.+]] = dovetail.call @fwd
// CHECK-NEXT:    return %[[OUT]] : tensor<f32>
func.func @main(%x: tensor<f32>, %y: tensor<f32>) -> tensor<f32> {
  %0 = dovetail.custom_vjp @f fwd @fwd bwd @bwd wrt [1](%x, %y) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}

// -----

// What only the rules close over has no part in the results.
func.func private @f(%x: tensor<f32>, %y: tensor<f32>) -> tensor<f32> {
  return %x : tensor<f32>
}
func.func private @fwd(tensor<f32>, tensor<f32>) -> tensor<f32>
func.func private @bwd(tensor<f32>, tensor<f32>) -> tensor<f32>

// CHECK-LABEL: func.func private @main.jvp(
// CHECK-SAME:    %[[X:.+]]: tensor<f32>, %[[Y:.+]]: tensor<f32>, %[[DX:.+]]: tensor<f32>)
// CHECK-NEXT:    %[[OUT:.+]] = dovetail.custom_vjp @f fwd @fwd bwd @bwd wrt [0](%[[Y]]) captured(%[[X]])
// CHECK-NEXT:    return %[[OUT]]
func.func @main(%x: tensor<f32>, %y: tensor<f32>) -> tensor<f32> {
  %0 = dovetail.custom_vjp @f fwd @fwd bwd @bwd wrt [0](%y) captured(%x) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}
