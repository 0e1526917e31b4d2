// The solution is differentiated as its equation says: matvec(x') = b' - matvec'(x).
// RUN: dovetail-opt %s --dovetail-jvp="wrt=0" | FileCheck %s --check-prefix=MATRIX
// RUN: dovetail-opt %s --dovetail-jvp="wrt=1" | FileCheck %s --check-prefix=RHS
// RUN: dovetail-opt %s --dovetail-jvp="wrt=0,1" | FileCheck %s --check-prefix=BOTH

// MATRIX-LABEL: func.func private @main.jvp(
// MATRIX-SAME:    %[[A:.+]]: tensor<3xf32>, %[[B:.+]]: tensor<3xf32>, %[[DA:.+]]: tensor<3xf32>)
// MATRIX-NEXT:    %[[X:.+]]:2 = dovetail.linear_solve @divide matvec @times vecmat @times transpose_solve @divide(%[[B]]) captured(%[[A]])
// MATRIX-NEXT:    %[[AX:.+]]:2 = dovetail.call @times.jvp(%[[X]]#0, %[[A]], %[[DA]])
// MATRIX-NEXT:    %[[DB:.+]] = dovetail.neg %[[AX]]#1
// MATRIX-NEXT:    %[[DX:.+]]:2 = dovetail.linear_solve @divide matvec @times vecmat @times transpose_solve @divide(%[[DB]]) captured(%[[A]])
// MATRIX-NEXT:    return %[[X]]#0, %[[X]]#1, %[[DX]]#0

// RHS-LABEL: func.func private @main.jvp(
// RHS-SAME:    %[[A:.+]]: tensor<3xf32>, %[[B:.+]]: tensor<3xf32>, %[[DB:.+]]: tensor<3xf32>)
// RHS-NEXT:    %[[X:.+]]:2 = dovetail.linear_solve @divide matvec @times vecmat @times transpose_solve @divide(%[[B]]) captured(%[[A]])
// RHS-NEXT:    %[[DX:.+]]:2 = dovetail.linear_solve @divide matvec @times vecmat @times transpose_solve @divide(%[[DB]]) captured(%[[A]])
// RHS-NEXT:    return %[[X]]#0, %[[X]]#1, %[[DX]]#0

// BOTH-LABEL: func.func private @main.jvp(
// BOTH:         %[[AX:.+]]:2 = dovetail.call @times.jvp(
// BOTH-NEXT:    dovetail.sub %arg3, %[[AX]]#1
func.func private @divide(%b: tensor<3xf32>, %a: tensor<3xf32>) -> (tensor<3xf32>, tensor<f32>) {
  %0 = dovetail.div %b, %a : tensor<3xf32>
  %1 = dovetail.reduce_sum %0 [0] : tensor<3xf32>
  return %0, %1 : tensor<3xf32>, tensor<f32>
}
func.func private @times(%x: tensor<3xf32>, %a: tensor<3xf32>) -> tensor<3xf32> {
  %0 = dovetail.mul %a, %x : tensor<3xf32>
  return %0 : tensor<3xf32>
}
func.func @main(%a: tensor<3xf32>, %b: tensor<3xf32>) -> (tensor<3xf32>, tensor<f32>) {
  %0:2 = dovetail.linear_solve @divide matvec @times vecmat @times transpose_solve @divide(%b) captured(%a)
    : (tensor<3xf32>, tensor<3xf32>) -> (tensor<3xf32>, tensor<f32>)
  return %0#0, %0#1 : tensor<3xf32>, tensor<f32>
}
