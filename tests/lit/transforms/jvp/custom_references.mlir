// Rules with references: echoes pass by a call without tangents, and what references hold keeps its tangent.
// RUN: dovetail-opt %s --split-input-file --dovetail-jvp="wrt=0,1,2" | FileCheck %s

func.func private @f(tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<f32>, tensor<f32>)
func.func private @fwd(tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>)
func.func private @bwd(tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<f32>)

// CHECK-LABEL: func.func private @main.jvp(
// CHECK-SAME:    %[[REF:.+]]: tensor<f32>, %[[X:.+]]: tensor<f32>, %[[ECHO:.+]]: tensor<f32>, %[[DREF:.+]]: tensor<f32>, %[[DX:.+]]: tensor<f32>, %[[DECHO:.+]]: tensor<f32>)
// CHECK-NEXT:    %[[OUT:.+]]:4 = dovetail.call @fwd(%[[REF]], %[[X]], %[[ECHO]])
// CHECK-NEXT:    %[[T:.+]]:2 = dovetail.custom_tangent @bwd of [0, 1] echoes 1(%[[OUT]]#3) tangents(%[[DX]], %[[DECHO]])
// CHECK-NEXT:    return %[[OUT]]#0, %[[OUT]]#1, %[[OUT]]#2, %[[T]]#0, %[[DREF]], %[[T]]#1
func.func @main(%ref: tensor<f32>, %x: tensor<f32>, %echo: tensor<f32>) -> (tensor<f32>, tensor<f32>, tensor<f32>) {
  %0:3 = dovetail.custom_vjp @f fwd @fwd bwd @bwd wrt [1, 2] written [0] echoes 1(%ref, %x, %echo) : (tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<f32>, tensor<f32>)
  return %0#0, %0#1, %0#2 : tensor<f32>, tensor<f32>, tensor<f32>
}

// -----

func.func private @f(tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<f32>)
func.func private @fwd(tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<f32>)
func.func private @bwd(tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<f32>)

// CHECK-LABEL: func.func private @main.jvp(
// CHECK-SAME:    %{{.+}}: tensor<f32>, %{{.+}}: tensor<f32>, %[[ECHO:.+]]: tensor<f32>, %{{.+}}: tensor<f32>, %{{.+}}: tensor<f32>, %[[DECHO:.+]]: tensor<f32>)
// CHECK:         %[[OUT:.+]]:2 = dovetail.custom_vjp
// CHECK-NOT:     custom_tangent
// CHECK:         return %[[OUT]]#0, %[[OUT]]#1, %[[DECHO]]
func.func @main(%x: tensor<f32>, %y: tensor<f32>, %echo: tensor<f32>) -> (tensor<f32>, tensor<f32>) {
  %one = dovetail.constant dense<1.0> : tensor<f32>
  %0:2 = dovetail.custom_vjp @f fwd @fwd bwd @bwd wrt [0, 1] echoes 1(%one, %echo) : (tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<f32>)
  return %0#0, %0#1 : tensor<f32>, tensor<f32>
}
