// Callbacks as text.
// RUN: dovetail-opt %s | dovetail-opt | FileCheck %s

func.func @main(%x: tensor<2xf32>, %y: tensor<?xi1>, %n: index) -> (tensor<f32>, tensor<?xf64>) {
  // CHECK: dovetail.callback "log.0" effect "debug"() {ordered = true} : () -> ()
  dovetail.callback "log.0" effect "debug"() {ordered = true} : () -> ()
  // CHECK: dovetail.callback "f.1" effect "none" vmap "expand_dims"(%{{.*}}) sizes(%{{.*}}) : (tensor<2xf32>, tensor<?xi1>) -> (tensor<f32>, tensor<?xf64>)
  %0:2 = dovetail.callback "f.1" effect "none" vmap "expand_dims"(%x, %y) sizes(%n) : (tensor<2xf32>, tensor<?xi1>) -> (tensor<f32>, tensor<?xf64>)
  // CHECK: dovetail.callback "g.2" effect "io" vmap "sequential" over ["x", "y"](%arg0) : (tensor<2xf32>) -> ()
  dovetail.callback "g.2" effect "io" vmap "sequential" over ["x", "y"](%x) : (tensor<2xf32>) -> ()
  // CHECK: dovetail.host_step 3(%{{.*}}, %{{.*}}) : (tensor<2xf32>, tensor<?xi1>) -> (tensor<?xi32>, tensor<f32>)
  %1:2 = dovetail.host_step 3(%x, %y) : (tensor<2xf32>, tensor<?xi1>) -> (tensor<?xi32>, tensor<f32>)
  // CHECK: dovetail.late_call "func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> { return %x : tensor<2xf32> }"(%{{.*}}) : (tensor<2xf32>) -> tensor<2xf32>
  %2 = dovetail.late_call "func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> { return %x : tensor<2xf32> }"(%x) : (tensor<2xf32>) -> tensor<2xf32>
  return %0#0, %0#1 : tensor<f32>, tensor<?xf64>
}
