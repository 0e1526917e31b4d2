// Arrays of elements that the code generator does not store hold bytes; what is only moved stays as it is.
// RUN: dovetail-opt %s --dovetail-lower --dovetail-bytes | FileCheck %s

func.func @add(%x: tensor<4xi4>, %y: tensor<4xi4>) -> tensor<4xi4> {
  %0 = dovetail.add %x, %y : tensor<4xi4>
  return %0 : tensor<4xi4>
}
// CHECK-LABEL: func.func @add(%arg0: tensor<4xi8>, %arg1: tensor<4xi8>) -> tensor<4xi8>
// CHECK:       ^bb0(%[[X:.+]]: i8, %[[Y:.+]]: i8, %{{.+}}: i8):
// CHECK-NEXT:    %[[SUM:.+]] = arith.addi %[[X]], %[[Y]] : i8
// CHECK-NEXT:    %[[MASK:.+]] = arith.constant 15 : i8
// CHECK-NEXT:    %[[BYTE:.+]] = arith.andi %[[SUM]], %[[MASK]] : i8
// CHECK-NEXT:    linalg.yield %[[BYTE]] : i8

func.func @less(%x: tensor<4xi4>, %y: tensor<4xi4>) -> tensor<4xi1> {
  %0 = dovetail.compare lt %x, %y : tensor<4xi4>
  return %0 : tensor<4xi1>
}
// CHECK-LABEL: func.func @less(%arg0: tensor<4xi8>, %arg1: tensor<4xi8>) -> tensor<4xi1>
// CHECK:         %[[UP:.+]] = arith.shli %[[X:.+]], %[[FOUR:.+]] : i8
// CHECK-NEXT:    arith.shrsi %[[UP]], %[[FOUR]] : i8
// CHECK:         arith.cmpi slt, %{{.+}}, %{{.+}} : i8

func.func @broadcast(%x: tensor<?xui2>, %size: index) -> tensor<?x?xui2> {
  %c0 = arith.constant 0 : index
  %0 = dovetail.dim %x, 0 : tensor<?xui2>
  %1 = dovetail.broadcast %x dims [1] sizes(%size, %0) : tensor<?xui2> -> tensor<?x?xui2>
  return %1 : tensor<?x?xui2>
}
// CHECK-LABEL: func.func @broadcast(%arg0: tensor<?xi8>, %arg1: index) -> tensor<?x?xi8>
// CHECK:       ^bb0(%[[X:.+]]: i8, %{{.+}}: i8):
// CHECK-NEXT:    linalg.yield %[[X]] : i8

func.func @constant() -> (tensor<2xi4>, tensor<2xf8E4M3>, tensor<2xf8E4M3FN>) {
  %0 = dovetail.constant dense<[-1, 7]> : tensor<2xi4>
  %1 = dovetail.constant dense<[1.0, -1.0]> : tensor<2xf8E4M3>
  %2 = dovetail.constant dense<[1.0, -1.0]> : tensor<2xf8E4M3FN>
  return %0, %1, %2 : tensor<2xi4>, tensor<2xf8E4M3>, tensor<2xf8E4M3FN>
}
// CHECK-LABEL: func.func @constant() -> (tensor<2xi8>, tensor<2xi8>, tensor<2xf8E4M3FN>)
// CHECK-DAG:     arith.constant dense<[15, 7]> : tensor<2xi8>
// CHECK-DAG:     arith.constant dense<[56, -72]> : tensor<2xi8>
// CHECK-DAG:     arith.constant dense<[1.000000e+00, -1.000000e+00]> : tensor<2xf8E4M3FN>

func.func @widen(%x: tensor<4xf4E2M1FN>) -> tensor<4xf32> {
  %0 = dovetail.convert %x : tensor<4xf4E2M1FN> -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
// CHECK-LABEL: func.func @widen(%arg0: tensor<4xi8>) -> tensor<4xf32>
// CHECK:       ^bb0(%[[X:.+]]: i8, %{{.+}}: f32):
// CHECK:         %[[CODE:.+]] = arith.andi %[[X]], %{{.+}} : i8
// CHECK-NEXT:    arith.extui %[[CODE]] : i8 to i32
