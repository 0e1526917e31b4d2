// A batch of no elements: windows of one element along a dimension of size 0, of which there are none.
// RUN: dovetail-opt %s --split-input-file --dovetail-batch='dims=0,0 size=0' | FileCheck %s
// RUN: dovetail-opt %s --split-input-file --dovetail-batch='dims=0,0 size=0' --dovetail-pipeline=to=lower

func.func @main(%arg0: tensor<5xf32>, %arg1: tensor<2x1xi32>) -> tensor<2x1xf32> {
  %0 = dovetail.gather %arg0, %arg1 dims [0] window [1] : tensor<5xf32>, tensor<2x1xi32>
  return %0 : tensor<2x1xf32>
}
// CHECK-LABEL: func.func private @main.batch(
// CHECK:         dovetail.gather {{.*}} dims [0, 1] window [1, 1] : tensor<0x5xf32>, tensor<0x2x2xi32>
// CHECK:         return %{{.*}} : tensor<0x2x1xf32>

// -----

func.func @main(%arg0: tensor<5xf32>, %arg1: tensor<2x1xi32>) -> tensor<5xf32> {
  %0 = dovetail.constant dense<1.0> : tensor<2x1xf32>
  %1 = dovetail.scatter_add %arg0, %arg1, %0 dims [0] window [1] : tensor<5xf32>, tensor<2x1xi32>, tensor<2x1xf32>
  return %1 : tensor<5xf32>
}
// CHECK-LABEL: func.func private @main.batch(
// CHECK:         dovetail.scatter_add {{.*}} dims [0, 1] window [1, 1] : tensor<0x5xf32>, tensor<0x2x2xi32>, tensor<0x2x1x1xf32>
// CHECK:         return %{{.*}} : tensor<0x5xf32>
