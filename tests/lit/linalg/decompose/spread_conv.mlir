// On the CPU, a large convolution of an array with zeros between its elements becomes a convolution for each residue of the
// kernel's positions, or one with as many channels for all, without the zeros.
// RUN: dovetail-opt %s --split-input-file --dovetail-decompose | FileCheck %s

module attributes {dovetail.target = "cpu"} {
  // The kernel's four positions, two for each residue, along each dimension.
  // CHECK-LABEL: @together
  // CHECK: dovetail.pad %arg0, {{.*}} low [0, 1, 1, 0] interior [0, 0, 0, 0] {{.*}} -> tensor<2x30x30x64xf32>
  // CHECK: dovetail.reshape %arg1 : tensor<4x4x64x32xf32> -> tensor<2x2x2x2x64x32xf32>
  // CHECK: dovetail.reverse %{{.*}} [1, 3]
  // CHECK: dovetail.conv {{.*}} : tensor<2x30x30x64xf32>, tensor<2x2x64x2x2x32xf32>
  // CHECK-NOT: dovetail.conv
  // CHECK: dovetail.transpose %{{.*}} [0, 1, 3, 2, 4, 5] : tensor<2x29x29x2x2x32xf32>
  // CHECK: dovetail.reshape {{.*}} -> tensor<2x58x58x32xf32>
  // CHECK: dovetail.slice %{{.*}} starts [0, 1, 1, 0] strides [1, 1, 1, 1] : tensor<2x58x58x32xf32> -> tensor<2x56x56x32xf32>
  func.func @together(%x: tensor<2x28x28x64xf32>, %k: tensor<4x4x64x32xf32>) -> tensor<2x56x56x32xf32> {
    %zero = dovetail.constant dense<0.0> : tensor<f32>
    %p = dovetail.pad %x, %zero low [0, 2, 2, 0] interior [0, 1, 1, 0] : tensor<2x28x28x64xf32>, tensor<f32> -> tensor<2x59x59x64xf32>
    %0 = dovetail.conv %p, %k dims [0, 1, 2, 3] x [1, 2, 3, 4] to [0, 1, 2, 4] windows [1, 2] strides [1, 1] dilations [1, 1] : tensor<2x59x59x64xf32>, tensor<4x4x64x32xf32>
    return %0 : tensor<2x56x56x32xf32>
  }

  // One and two positions along each dimension, with channels first.
  // CHECK-LABEL: @apart
  // CHECK: dovetail.transpose %{{.*}} [0, 2, 3, 1] : tensor<2x64x29x29xf32>
  // CHECK-DAG: dovetail.conv {{.*}} : tensor<2x28x28x64xf32>, tensor<1x1x64x1x1x32xf32>
  // CHECK-DAG: dovetail.conv {{.*}} : tensor<2x28x29x64xf32>, tensor<1x2x64x1x1x32xf32>
  // CHECK-DAG: dovetail.conv {{.*}} : tensor<2x29x28x64xf32>, tensor<2x1x64x1x1x32xf32>
  // CHECK-DAG: dovetail.conv {{.*}} : tensor<2x29x29x64xf32>, tensor<2x2x64x1x1x32xf32>
  // CHECK: dovetail.concatenate {{.*}} dimension 0
  // CHECK: dovetail.reshape {{.*}} -> tensor<2x56x56x32xf32>
  // CHECK: dovetail.optimization_barrier
  // CHECK: dovetail.transpose %{{.*}} [0, 3, 1, 2]
  func.func @apart(%x: tensor<2x64x28x28xf32>, %k: tensor<32x64x3x3xf32>) -> tensor<2x32x56x56xf32> {
    %zero = dovetail.constant dense<0.0> : tensor<f32>
    %p = dovetail.pad %x, %zero low [0, 0, 1, 1] interior [0, 0, 1, 1] : tensor<2x64x28x28xf32>, tensor<f32> -> tensor<2x64x58x58xf32>
    %0 = dovetail.conv %p, %k dims [0, 1, 2, 3] x [4, 1, 2, 3] to [0, 4, 2, 3] windows [2, 3] strides [1, 1] dilations [1, 1] : tensor<2x64x58x58xf32>, tensor<32x64x3x3xf32>
    return %0 : tensor<2x32x56x56xf32>
  }

  // Other values than zero between the elements, and few elements.
  // CHECK-LABEL: @ones
  // CHECK: dovetail.conv {{.*}} : tensor<8x64x514xf32>, tensor<64x64x3xf32>
  func.func @ones(%x: tensor<8x64x256xf32>, %k: tensor<64x64x3xf32>) -> tensor<8x64x512xf32> {
    %one = dovetail.constant dense<1.0> : tensor<f32>
    %p = dovetail.pad %x, %one low [0, 0, 1] interior [0, 0, 1] : tensor<8x64x256xf32>, tensor<f32> -> tensor<8x64x514xf32>
    %0 = dovetail.conv %p, %k dims [0, 1, 2] x [3, 1, 2] to [0, 3, 2] windows [2] strides [1] dilations [1] : tensor<8x64x514xf32>, tensor<64x64x3xf32>
    return %0 : tensor<8x64x512xf32>
  }

  // CHECK-LABEL: @small
  // CHECK: dovetail.conv {{.*}} : tensor<1x4x18xf32>, tensor<4x4x3xf32>
  func.func @small(%x: tensor<1x4x8xf32>, %k: tensor<4x4x3xf32>) -> tensor<1x4x16xf32> {
    %zero = dovetail.constant dense<0.0> : tensor<f32>
    %p = dovetail.pad %x, %zero low [0, 0, 1] interior [0, 0, 1] : tensor<1x4x8xf32>, tensor<f32> -> tensor<1x4x18xf32>
    %0 = dovetail.conv %p, %k dims [0, 1, 2] x [3, 1, 2] to [0, 3, 2] windows [2] strides [1] dilations [1] : tensor<1x4x18xf32>, tensor<4x4x3xf32>
    return %0 : tensor<1x4x16xf32>
  }
}

// -----

// Elsewhere, the array has its zeros.
// CHECK-LABEL: @elsewhere
// CHECK: dovetail.conv {{.*}} : tensor<8x64x514xf32>, tensor<64x64x3xf32>
func.func @elsewhere(%x: tensor<8x64x256xf32>, %k: tensor<64x64x3xf32>) -> tensor<8x64x512xf32> {
  %zero = dovetail.constant dense<0.0> : tensor<f32>
  %p = dovetail.pad %x, %zero low [0, 0, 1] interior [0, 0, 1] : tensor<8x64x256xf32>, tensor<f32> -> tensor<8x64x514xf32>
  %0 = dovetail.conv %p, %k dims [0, 1, 2] x [3, 1, 2] to [0, 3, 2] windows [2] strides [1] dilations [1] : tensor<8x64x514xf32>, tensor<64x64x3xf32>
  return %0 : tensor<8x64x512xf32>
}
