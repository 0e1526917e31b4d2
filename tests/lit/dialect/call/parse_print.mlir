// Text of calls and of transform requests.
// RUN: dovetail-opt %s | FileCheck %s
// RUN: dovetail-opt %s --mlir-print-op-generic | dovetail-opt | FileCheck %s

func.func private @callee(tensor<?xf32>, tensor<2xi32>) -> (tensor<?xf32>, tensor<2xi32>)

func.func private @nothing()

func.func @calls(%arg0: tensor<?xf32>, %arg1: tensor<2xi32>) {
  %0:2 = dovetail.call @callee(%arg0, %arg1) : (tensor<?xf32>, tensor<2xi32>) -> (tensor<?xf32>, tensor<2xi32>)
  dovetail.call @nothing() : () -> ()
  return
}
// CHECK-LABEL: func.func @calls(%arg0: tensor<?xf32>, %arg1: tensor<2xi32>)
// CHECK-NEXT:    %[[CALL:.+]]:2 = dovetail.call @callee(%arg0, %arg1) : (tensor<?xf32>, tensor<2xi32>) -> (tensor<?xf32>, tensor<2xi32>)
// CHECK-NEXT:    dovetail.call @nothing() : () -> ()
// CHECK-NEXT:    return

func.func @requests(%arg0: tensor<?xf32>, %arg1: tensor<2xi32>, %arg2: tensor<?x7xf32>) {
  %0:3 = dovetail.jvp @callee wrt [0](%arg0, %arg1) tangents(%arg0) : (tensor<?xf32>, tensor<2xi32>, tensor<?xf32>) -> (tensor<?xf32>, tensor<2xi32>, tensor<?xf32>)
  %1:3 = dovetail.jvp @callee wrt [](%arg0, %arg1) tangents() : (tensor<?xf32>, tensor<2xi32>) -> (tensor<?xf32>, tensor<2xi32>, tensor<?xf32>)
  %2:3 = dovetail.vjp @callee wrt [0] of [0](%arg0, %arg1) cotangents(%arg0) : (tensor<?xf32>, tensor<2xi32>, tensor<?xf32>) -> (tensor<?xf32>, tensor<2xi32>, tensor<?xf32>)
  %3:2 = dovetail.vjp @callee wrt [] of [](%arg0, %arg1) cotangents() : (tensor<?xf32>, tensor<2xi32>) -> (tensor<?xf32>, tensor<2xi32>)
  %4:2 = dovetail.vmap @callee in [1, -1] out [0, -1](%arg2, %arg1) : (tensor<?x7xf32>, tensor<2xi32>) -> (tensor<7x?xf32>, tensor<2xi32>)
  %5:2 = dovetail.vmap @callee in [-1, -1] out [0, -1] axis "i" over ["x", "y"] size 3(%arg0, %arg1) : (tensor<?xf32>, tensor<2xi32>) -> (tensor<3x?xf32>, tensor<2xi32>)
  return
}
// CHECK-LABEL: func.func @requests(%arg0: tensor<?xf32>, %arg1: tensor<2xi32>, %arg2: tensor<?x7xf32>)
// CHECK-NEXT:    %[[JVP:.+]]:3 = dovetail.jvp @callee wrt [0](%arg0, %arg1) tangents(%arg0) : (tensor<?xf32>, tensor<2xi32>, tensor<?xf32>) -> (tensor<?xf32>, tensor<2xi32>, tensor<?xf32>)
// CHECK-NEXT:    %[[JVP_1:.+]]:3 = dovetail.jvp @callee wrt [](%arg0, %arg1) tangents() : (tensor<?xf32>, tensor<2xi32>) -> (tensor<?xf32>, tensor<2xi32>, tensor<?xf32>)
// CHECK-NEXT:    %[[VJP:.+]]:3 = dovetail.vjp @callee wrt [0] of [0](%arg0, %arg1) cotangents(%arg0) : (tensor<?xf32>, tensor<2xi32>, tensor<?xf32>) -> (tensor<?xf32>, tensor<2xi32>, tensor<?xf32>)
// CHECK-NEXT:    %[[VJP_1:.+]]:2 = dovetail.vjp @callee wrt [] of [](%arg0, %arg1) cotangents() : (tensor<?xf32>, tensor<2xi32>) -> (tensor<?xf32>, tensor<2xi32>)
// CHECK-NEXT:    %[[VMAP:.+]]:2 = dovetail.vmap @callee in [1, -1] out [0, -1](%arg2, %arg1) : (tensor<?x7xf32>, tensor<2xi32>) -> (tensor<7x?xf32>, tensor<2xi32>)
// CHECK-NEXT:    %[[VMAP_1:.+]]:2 = dovetail.vmap @callee in [-1, -1] out [0, -1] axis "i" over ["x", "y"] size 3(%arg0, %arg1) : (tensor<?xf32>, tensor<2xi32>) -> (tensor<3x?xf32>, tensor<2xi32>)
// CHECK-NEXT:    return
