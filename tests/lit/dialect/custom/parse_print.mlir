// Functions with rules are printed as they are parsed.
// RUN: dovetail-opt %s | dovetail-opt | FileCheck %s

func.func private @f(tensor<2xf32>, tensor<i32>, tensor<2xf32>) -> tensor<2xf32>
func.func private @rule(tensor<2xf32>, tensor<i32>, tensor<2xf32>, tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>)
func.func private @fwd(tensor<2xf32>, tensor<i32>, tensor<2xf32>) -> (tensor<2xf32>, tensor<i32>)
func.func private @bwd(tensor<i32>, tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
func.func private @g(tensor<?xf32>) -> tensor<?xf32>
func.func private @of_g(tensor<?xf32>, tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>)

// CHECK-LABEL: func.func @main
func.func @main(%x: tensor<2xf32>, %n: tensor<i32>, %y: tensor<?xf32>, %size: index) {
  // CHECK-NEXT: dovetail.custom_jvp @f rule @rule(%arg0, %arg1) captured(%arg0) : (tensor<2xf32>, tensor<i32>, tensor<2xf32>) -> tensor<2xf32>
  %0 = dovetail.custom_jvp @f rule @rule(%x, %n) captured(%x) : (tensor<2xf32>, tensor<i32>, tensor<2xf32>) -> tensor<2xf32>
  // CHECK-NEXT: dovetail.custom_jvp @g rule @of_g(%arg2) : (tensor<?xf32>) -> tensor<?xf32>
  %1 = dovetail.custom_jvp @g rule @of_g(%y) : (tensor<?xf32>) -> tensor<?xf32>
  // CHECK-NEXT: dovetail.custom_vjp @f fwd @fwd bwd @bwd wrt [0](%arg0, %arg1) captured(%arg0) : (tensor<2xf32>, tensor<i32>, tensor<2xf32>) -> tensor<2xf32>
  %2 = dovetail.custom_vjp @f fwd @fwd bwd @bwd wrt [0](%x, %n) captured(%x) : (tensor<2xf32>, tensor<i32>, tensor<2xf32>) -> tensor<2xf32>
  // CHECK-NEXT: dovetail.custom_tangent @bwd of [0](%arg1, %arg0) tangents(%arg0) : (tensor<i32>, tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %3 = dovetail.custom_tangent @bwd of [0](%n, %x) tangents(%x) : (tensor<i32>, tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  // CHECK-NEXT: dovetail.custom_tangent @of_g of [1](%arg2) sizes(%arg3) tangents(%arg2) : (tensor<?xf32>, index, tensor<?xf32>) -> tensor<?xf32>
  %4 = dovetail.custom_tangent @of_g of [1](%y) sizes(%size) tangents(%y) : (tensor<?xf32>, index, tensor<?xf32>) -> tensor<?xf32>
  // CHECK-NEXT: dovetail.linear_solve @g matvec @g(%arg2) : (tensor<?xf32>) -> tensor<?xf32>
  %5 = dovetail.linear_solve @g matvec @g(%y) : (tensor<?xf32>) -> tensor<?xf32>
  // CHECK-NEXT: dovetail.linear_solve @f matvec @f vecmat @f transpose_solve @f(%arg0) captured(%arg1, %arg0) : (tensor<2xf32>, tensor<i32>, tensor<2xf32>) -> tensor<2xf32>
  %6 = dovetail.linear_solve @f matvec @f vecmat @f transpose_solve @f(%x) captured(%n, %x) : (tensor<2xf32>, tensor<i32>, tensor<2xf32>) -> tensor<2xf32>
  // CHECK-NEXT: dovetail.custom_partition @f rules "p.0" factors [array<i64: 0>, array<i64>, array<i64: 0>](%arg0, %arg1) captured(%arg0) : (tensor<2xf32>, tensor<i32>, tensor<2xf32>) -> tensor<2xf32>
  %p0 = dovetail.custom_partition @f rules "p.0" factors [array<i64: 0>, array<i64>, array<i64: 0>](%x, %n) captured(%x) : (tensor<2xf32>, tensor<i32>, tensor<2xf32>) -> tensor<2xf32>
  // CHECK-NEXT: dovetail.custom_partition @g rules "p.1"(%arg2) : (tensor<?xf32>) -> tensor<?xf32>
  %p1 = dovetail.custom_partition @g rules "p.1"(%y) : (tensor<?xf32>) -> tensor<?xf32>
  // CHECK-NEXT: dovetail.custom_vmap @f rule "r.0"(%arg0, %arg1) captured(%arg0) : (tensor<2xf32>, tensor<i32>, tensor<2xf32>) -> tensor<2xf32>
  %7 = dovetail.custom_vmap @f rule "r.0"(%x, %n) captured(%x) : (tensor<2xf32>, tensor<i32>, tensor<2xf32>) -> tensor<2xf32>
  // CHECK-NEXT: dovetail.custom_vmap @of_g rule "r.1" jvps [array<i64: 0>](%arg2, %arg2) : (tensor<?xf32>, tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>)
  %8:2 = dovetail.custom_vmap @of_g rule "r.1" jvps [array<i64: 0>](%y, %y) : (tensor<?xf32>, tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>)
  // CHECK-NEXT: dovetail.primitive "rotate" rules "rotate.0"(%arg0, %arg1) : (tensor<2xf32>, tensor<i32>) -> tensor<2xf32>
  %9 = dovetail.primitive "rotate" rules "rotate.0"(%x, %n) : (tensor<2xf32>, tensor<i32>) -> tensor<2xf32>
  // CHECK-NEXT: dovetail.primitive "print" rules "print.1"(%arg0) {has_side_effect = true} : (tensor<2xf32>) -> ()
  dovetail.primitive "print" rules "print.1"(%x) {has_side_effect = true} : (tensor<2xf32>) -> ()
  // CHECK-NEXT: dovetail.custom_vjp @f fwd @fwd bwd "bwd.0" wrt [0](%arg0, %arg1) captured(%arg0) : (tensor<2xf32>, tensor<i32>, tensor<2xf32>) -> tensor<2xf32>
  %10 = dovetail.custom_vjp @f fwd @fwd bwd "bwd.0" wrt [0](%x, %n) captured(%x) : (tensor<2xf32>, tensor<i32>, tensor<2xf32>) -> tensor<2xf32>
  // CHECK-NEXT: dovetail.custom_tangent "bwd.0" of [0](%arg1) tangents(%arg0) : (tensor<i32>, tensor<2xf32>) -> tensor<2xf32>
  %11 = dovetail.custom_tangent "bwd.0" of [0](%n) tangents(%x) : (tensor<i32>, tensor<2xf32>) -> tensor<2xf32>
  return
}
