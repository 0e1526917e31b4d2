// The derivative of a function that a rule batches is one too: the tangents come behind the arguments.
// RUN: dovetail-opt %s --dovetail-jvp="wrt=1" | FileCheck %s --check-prefix=ARGUMENT
// RUN: dovetail-opt %s --dovetail-jvp="wrt=2" | FileCheck %s --check-prefix=CAPTURED

// ARGUMENT-LABEL: func.func private @f.jvp(
// ARGUMENT-SAME:    %[[N:.+]]: tensor<i32>, %[[X:.+]]: tensor<2xf32>, %[[DX:.+]]: tensor<2xf32>, %[[C:.+]]: tensor<2xf32>)
// ARGUMENT-NEXT:    %[[Y:.+]] = dovetail.mul %[[X]], %[[C]]
// ARGUMENT-NEXT:    %[[DY:.+]] = dovetail.mul %[[DX]], %[[C]]
// ARGUMENT-NEXT:    %[[ZERO:.+]] = dovetail.constant dense<0.000000e+00> : tensor<2xf32>
// ARGUMENT-NEXT:    return %[[Y]], %[[N]], %[[C]], %[[DY]], %[[ZERO]]
func.func private @f(%n: tensor<i32>, %x: tensor<2xf32>, %c: tensor<2xf32>) -> (tensor<2xf32>, tensor<i32>, tensor<2xf32>) {
  %0 = dovetail.mul %x, %c : tensor<2xf32>
  return %0, %n, %c : tensor<2xf32>, tensor<i32>, tensor<2xf32>
}

// ARGUMENT-LABEL: func.func private @main.jvp(
// ARGUMENT:         dovetail.custom_vmap @f.jvp rule "r" jvps [array<i64: 1>](%arg0, %arg1, %arg3) captured(%arg2)
// CAPTURED-LABEL: func.func private @main.jvp(
// CAPTURED:         dovetail.call @f.jvp(%arg0, %arg1, %arg2, %arg3)
func.func @main(%n: tensor<i32>, %x: tensor<2xf32>, %c: tensor<2xf32>) -> tensor<2xf32> {
  %0:3 = dovetail.custom_vmap @f rule "r"(%n, %x) captured(%c) : (tensor<i32>, tensor<2xf32>, tensor<2xf32>) -> (tensor<2xf32>, tensor<i32>, tensor<2xf32>)
  return %0#0 : tensor<2xf32>
}
