// A cotangent of which more is known than of what it belongs to gets that type, so that it can be added to others.
// RUN: dovetail-opt %s --dovetail-transpose=linear=0 | FileCheck %s

func.func @main(%x: tensor<?xf32>, %y: tensor<4xf32>) -> tensor<f32> {
  %0 = dovetail.dot_general %x, %y batch [] x [] contract [0] x [0] : tensor<?xf32>, tensor<4xf32>
  %1 = dovetail.reduce_sum %x [0] : tensor<?xf32>
  %2 = dovetail.add %0, %1 : tensor<f32>
  return %2 : tensor<f32>
}
// CHECK-LABEL: func.func private @main.transpose(%arg0: tensor<4xf32>, %arg1: index, %arg2: tensor<f32>) -> tensor<?xf32>
// CHECK:         %[[KNOWN:.+]] = dovetail.reshape %{{.*}} sizes(%{{.*}}) : tensor<4xf32> -> tensor<?xf32>
// CHECK:         %[[SUM:.+]] = dovetail.add %{{.*}}, %[[KNOWN]] : tensor<?xf32>
// CHECK:         return %[[SUM]] : tensor<?xf32>
