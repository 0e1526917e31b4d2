// Windows of a dimension of size 0 have any size: none is wholly within the operand.
// RUN: dovetail-opt %s | dovetail-opt | FileCheck %s
// RUN: dovetail-opt %s --dovetail-pipeline=to=lower | FileCheck %s --check-prefix=LOWERED

func.func @main(%x: tensor<0x?xf32>, %i: tensor<3x1xi32>, %u: tensor<3x1x?xf32>) -> (tensor<3x1x?xf32>, tensor<0x?xf32>) {
  %0 = dovetail.gather %x, %i dims [0] window [1] : tensor<0x?xf32>, tensor<3x1xi32>
  %1 = dovetail.scatter %x, %i, %u dims [0] window [1] : tensor<0x?xf32>, tensor<3x1xi32>, tensor<3x1x?xf32>
  return %0, %1 : tensor<3x1x?xf32>, tensor<0x?xf32>
}
// CHECK: dovetail.gather %arg0, %arg1 dims [0] window [1] : tensor<0x?xf32>, tensor<3x1xi32>
// CHECK: dovetail.scatter %arg0, %arg1, %arg2 dims [0] window [1] : tensor<0x?xf32>, tensor<3x1xi32>, tensor<3x1x?xf32>
// LOWERED-NOT: tensor.extract {{.*}} : tensor<0x?xf32>
// LOWERED: return %{{.*}}, %arg0 : tensor<3x1x?xf32>, tensor<0x?xf32>
