// Functions with rules are replaced by what they compute.
// RUN: dovetail-opt %s --dovetail-inline | FileCheck %s

func.func private @f(%x: tensor<f32>) -> tensor<f32> {
  %0 = dovetail.sin %x : tensor<f32>
  return %0 : tensor<f32>
}
func.func private @rule(tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<f32>)
func.func private @fwd(tensor<f32>) -> tensor<f32>
func.func private @bwd(tensor<f32>) -> tensor<f32>

// CHECK:      module {
// CHECK-NEXT:   func.func @main(%arg0: tensor<f32>)
// CHECK-NEXT:     %[[SIN:.+]] = dovetail.sin %arg0
// CHECK-NEXT:     %[[AGAIN:.+]] = dovetail.sin %[[SIN]]
// CHECK-NEXT:     return %[[AGAIN]]
// CHECK-NOT:    func.func
func.func @main(%x: tensor<f32>) -> tensor<f32> {
  %0 = dovetail.custom_jvp @f rule @rule(%x) : (tensor<f32>) -> tensor<f32>
  %1 = dovetail.custom_vjp @f fwd @fwd bwd @bwd wrt [0](%0) : (tensor<f32>) -> tensor<f32>
  return %1 : tensor<f32>
}
