// A gradient, phase by phase.
// RUN: dovetail-opt %s --dovetail-pipeline=to=trace | FileCheck %s --check-prefix=TRACE
// RUN: dovetail-opt %s --dovetail-pipeline=to=expand | FileCheck %s --check-prefix=EXPAND
// RUN: dovetail-opt %s --dovetail-pipeline=to=simplify | FileCheck %s --check-prefix=SIMPLIFY
// RUN: dovetail-opt %s --dovetail-pipeline=to=lower | FileCheck %s --check-prefix=LOWER
// RUN: dovetail-opt %s --dovetail-pipeline=to=expand \
// RUN:   | dovetail-opt --dovetail-pipeline="from=expand to=simplify" | FileCheck %s --check-prefix=SIMPLIFY

func.func private @loss(%arg0: tensor<3xf32>, %arg1: tensor<3xf32>) -> tensor<f32> {
  %0 = dovetail.mul %arg0, %arg1 : tensor<3xf32>
  %1 = dovetail.tanh %0 : tensor<3xf32>
  %2 = dovetail.reduce_sum %1 [0] : tensor<3xf32>
  return %2 : tensor<f32>
}

func.func @main(%arg0: tensor<3xf32>, %arg1: tensor<3xf32>) -> tensor<3xf32> {
  %0 = dovetail.constant dense<1.0> : tensor<f32>
  %1:2 = dovetail.vjp @loss wrt [0] of [0](%arg0, %arg1) cotangents(%0) : (tensor<3xf32>, tensor<3xf32>, tensor<f32>) -> (tensor<f32>, tensor<3xf32>)
  return %1#1 : tensor<3xf32>
}

// TRACE: func.func private @loss
// TRACE: dovetail.vjp @loss

// EXPAND-NOT: @loss(
// EXPAND-DAG: func.func private @loss.jvp.known
// EXPAND-DAG: func.func private @loss.jvp.rest.transpose
// EXPAND: func.func @main
// EXPAND: dovetail.call @loss.jvp.known
// EXPAND: dovetail.call @loss.jvp.rest.transpose

// SIMPLIFY-NOT: func.func private
// SIMPLIFY: func.func @main
// SIMPLIFY-NOT: dovetail.call
// SIMPLIFY: dovetail.tanh
// SIMPLIFY-NOT: dovetail.reduce_sum
// SIMPLIFY: return

// LOWER: func.func @main
// LOWER-NOT: dovetail.
// LOWER: linalg.generic
// LOWER: return
