// Text of the ops that move elements.
// RUN: dovetail-opt %s | FileCheck %s
// RUN: dovetail-opt %s --mlir-print-op-generic | dovetail-opt | FileCheck %s

func.func @reshapes(%arg0: tensor<2x3xf32>, %arg1: tensor<?xui8>, %arg2: index, %arg3: index) {
  %0 = dovetail.reshape %arg0 : tensor<2x3xf32> -> tensor<6xf32>
  %1 = dovetail.reshape %arg1 sizes(%arg2) : tensor<?xui8> -> tensor<?x2xui8>
  %2 = dovetail.reshape %arg1 sizes(%arg2, %arg3) : tensor<?xui8> -> tensor<?x?xui8>
  %3 = dovetail.reshape %arg1 : tensor<?xui8> -> tensor<ui8>
  return
}
// CHECK-LABEL: func.func @reshapes(%arg0: tensor<2x3xf32>, %arg1: tensor<?xui8>, %arg2: index, %arg3: index)
// CHECK-NEXT:    %[[RESHAPE:.+]] = dovetail.reshape %arg0 : tensor<2x3xf32> -> tensor<6xf32>
// CHECK-NEXT:    %[[RESHAPE_1:.+]] = dovetail.reshape %arg1 sizes(%arg2) : tensor<?xui8> -> tensor<?x2xui8>
// CHECK-NEXT:    %[[RESHAPE_2:.+]] = dovetail.reshape %arg1 sizes(%arg2, %arg3) : tensor<?xui8> -> tensor<?x?xui8>
// CHECK-NEXT:    %[[RESHAPE_3:.+]] = dovetail.reshape %arg1 : tensor<?xui8> -> tensor<ui8>
// CHECK-NEXT:    return

func.func @broadcasts(%arg0: tensor<3xf32>, %arg1: tensor<complex<f32>>, %arg2: tensor<?xi1>, %arg3: index) {
  %0 = dovetail.broadcast %arg0 dims [1] : tensor<3xf32> -> tensor<2x3xf32>
  %1 = dovetail.broadcast %arg1 dims [] : tensor<complex<f32>> -> tensor<4xcomplex<f32>>
  %2 = dovetail.broadcast %arg2 dims [0] sizes(%arg3) : tensor<?xi1> -> tensor<?x2xi1>
  %3 = dovetail.broadcast %arg2 dims [1] sizes(%arg3, %arg3) : tensor<?xi1> -> tensor<?x?xi1>
  return
}
// CHECK-LABEL: func.func @broadcasts(%arg0: tensor<3xf32>, %arg1: tensor<complex<f32>>, %arg2: tensor<?xi1>, %arg3: index)
// CHECK-NEXT:    %[[BROADCAST:.+]] = dovetail.broadcast %arg0 dims [1] : tensor<3xf32> -> tensor<2x3xf32>
// CHECK-NEXT:    %[[BROADCAST_1:.+]] = dovetail.broadcast %arg1 dims [] : tensor<complex<f32>> -> tensor<4xcomplex<f32>>
// CHECK-NEXT:    %[[BROADCAST_2:.+]] = dovetail.broadcast %arg2 dims [0] sizes(%arg3) : tensor<?xi1> -> tensor<?x2xi1>
// CHECK-NEXT:    %[[BROADCAST_3:.+]] = dovetail.broadcast %arg2 dims [1] sizes(%arg3, %arg3) : tensor<?xi1> -> tensor<?x?xi1>
// CHECK-NEXT:    return

func.func @slices(%arg0: tensor<10x8xf32>, %arg1: tensor<?xi64>, %arg2: index) {
  %0 = dovetail.slice %arg0 starts [1, 0] strides [2, 1] : tensor<10x8xf32> -> tensor<4x8xf32>
  %1 = dovetail.slice %arg0 starts [0, 8] strides [1, 1] : tensor<10x8xf32> -> tensor<10x0xf32>
  %2 = dovetail.slice %arg1 starts [3] strides [1] sizes(%arg2) : tensor<?xi64> -> tensor<?xi64>
  return
}
// CHECK-LABEL: func.func @slices(%arg0: tensor<10x8xf32>, %arg1: tensor<?xi64>, %arg2: index)
// CHECK-NEXT:    %[[SLICE:.+]] = dovetail.slice %arg0 starts [1, 0] strides [2, 1] : tensor<10x8xf32> -> tensor<4x8xf32>
// CHECK-NEXT:    %[[SLICE_1:.+]] = dovetail.slice %arg0 starts [0, 8] strides [1, 1] : tensor<10x8xf32> -> tensor<10x0xf32>
// CHECK-NEXT:    %[[SLICE_2:.+]] = dovetail.slice %arg1 starts [3] strides [1] sizes(%arg2) : tensor<?xi64> -> tensor<?xi64>
// CHECK-NEXT:    return

func.func @pads(%arg0: tensor<3x?xf32>, %arg1: tensor<f32>, %arg2: index) {
  %0 = dovetail.pad %arg0, %arg1 low [1, -2] interior [0, 1] sizes(%arg2) : tensor<3x?xf32>, tensor<f32> -> tensor<6x?xf32>
  %1 = dovetail.pad %arg0, %arg1 low [0, 0] interior [0, 0] : tensor<3x?xf32>, tensor<f32> -> tensor<4x5xf32>
  return
}
// CHECK-LABEL: func.func @pads(%arg0: tensor<3x?xf32>, %arg1: tensor<f32>, %arg2: index)
// CHECK-NEXT:    %[[PAD:.+]] = dovetail.pad %arg0, %arg1 low [1, -2] interior [0, 1] sizes(%arg2) : tensor<3x?xf32>, tensor<f32> -> tensor<6x?xf32>
// CHECK-NEXT:    %[[PAD_1:.+]] = dovetail.pad %arg0, %arg1 low [0, 0] interior [0, 0] : tensor<3x?xf32>, tensor<f32> -> tensor<4x5xf32>
// CHECK-NEXT:    return

func.func @transposes(%arg0: tensor<2x?x4xui32>, %arg1: tensor<f32>) {
  %0 = dovetail.transpose %arg0 [2, 0, 1] : tensor<2x?x4xui32>
  %1 = dovetail.transpose %arg1 [] : tensor<f32>
  return
}
// CHECK-LABEL: func.func @transposes(%arg0: tensor<2x?x4xui32>, %arg1: tensor<f32>)
// CHECK-NEXT:    %[[TRANSPOSE:.+]] = dovetail.transpose %arg0 [2, 0, 1] : tensor<2x?x4xui32>
// CHECK-NEXT:    %[[TRANSPOSE_1:.+]] = dovetail.transpose %arg1 [] : tensor<f32>
// CHECK-NEXT:    return

func.func @reverses(%arg0: tensor<2x?xi1>) {
  %0 = dovetail.reverse %arg0 [0, 1] : tensor<2x?xi1>
  %1 = dovetail.reverse %arg0 [] : tensor<2x?xi1>
  return
}
// CHECK-LABEL: func.func @reverses(%arg0: tensor<2x?xi1>)
// CHECK-NEXT:    %[[REVERSE:.+]] = dovetail.reverse %arg0 [0, 1] : tensor<2x?xi1>
// CHECK-NEXT:    %[[REVERSE_1:.+]] = dovetail.reverse %arg0 [] : tensor<2x?xi1>
// CHECK-NEXT:    return

func.func @rolls(%arg0: tensor<2x?xi1>) {
  %0 = dovetail.roll %arg0 dimension 1 shift -3 : tensor<2x?xi1>
  return
}
// CHECK-LABEL: func.func @rolls(%arg0: tensor<2x?xi1>)
// CHECK-NEXT:    %[[ROLL:.+]] = dovetail.roll %arg0 dimension 1 shift -3 : tensor<2x?xi1>
// CHECK-NEXT:    return

func.func @concatenations(%arg0: tensor<2x3xf32>, %arg1: tensor<2x4xf32>, %arg2: tensor<?x3xf32>) {
  %0 = dovetail.concatenate %arg0, %arg1 dimension 1 : tensor<2x3xf32>, tensor<2x4xf32>
  %1 = dovetail.concatenate %arg0, %arg2 dimension 0 : tensor<2x3xf32>, tensor<?x3xf32>
  %2 = dovetail.concatenate %arg2 dimension 1 : tensor<?x3xf32>
  return
}
// CHECK-LABEL: func.func @concatenations(%arg0: tensor<2x3xf32>, %arg1: tensor<2x4xf32>, %arg2: tensor<?x3xf32>)
// CHECK-NEXT:    %[[CONCATENATE:.+]] = dovetail.concatenate %arg0, %arg1 dimension 1 : tensor<2x3xf32>, tensor<2x4xf32>
// CHECK-NEXT:    %[[CONCATENATE_1:.+]] = dovetail.concatenate %arg0, %arg2 dimension 0 : tensor<2x3xf32>, tensor<?x3xf32>
// CHECK-NEXT:    %[[CONCATENATE_2:.+]] = dovetail.concatenate %arg2 dimension 1 : tensor<?x3xf32>
// CHECK-NEXT:    return
