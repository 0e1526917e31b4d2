// Constraints of convolutions.
// RUN: dovetail-opt %s --split-input-file --verify-diagnostics

func.func @wrong(%x: tensor<5xf32>, %k: tensor<2xi32>) {
  // expected-error @+1 {{'dovetail.conv' op operands must have one element type, got: 'tensor<5xf32>' and 'tensor<2xi32>'}}
  %0 = dovetail.conv %x, %k dims [0] x [0] to [0] windows [0] strides [1] dilations [1] : tensor<5xf32>, tensor<2xi32>
  return
}

// -----

func.func @wrong(%x: tensor<5x2xf32>, %k: tensor<2xf32>) {
  // expected-error @+1 {{'dovetail.conv' op lhs_dims must have one label for each dimension of 'tensor<5x2xf32>', got: 1}}
  %0 = dovetail.conv %x, %k dims [0] x [0] to [0] windows [0] strides [1] dilations [1] : tensor<5x2xf32>, tensor<2xf32>
  return
}

// -----

func.func @wrong(%x: tensor<5xf32>, %k: tensor<2xf32>) {
  // expected-error @+1 {{'dovetail.conv' op rhs_dims must have one label for each dimension of 'tensor<2xf32>', got: 2}}
  %0 = dovetail.conv %x, %k dims [0] x [0, 1] to [0] windows [0] strides [1] dilations [1] : tensor<5xf32>, tensor<2xf32>
  return
}

// -----

func.func @wrong(%x: tensor<5x2xf32>, %k: tensor<2x2xf32>) {
  // expected-error @+1 {{'dovetail.conv' op lhs_dims must be distinct, got: 0 twice}}
  %0 = dovetail.conv %x, %k dims [0, 0] x [0, 1] to [0] windows [0] strides [1] dilations [1] : tensor<5x2xf32>, tensor<2x2xf32>
  return
}

// -----

func.func @wrong(%x: tensor<5x2xf32>, %k: tensor<2x2xf32>) {
  // expected-error @+1 {{'dovetail.conv' op ans_dims must be distinct, got: 0 twice}}
  %0 = dovetail.conv %x, %k dims [0, 1] x [0, 1] to [0, 0] windows [0] strides [1] dilations [1] : tensor<5x2xf32>, tensor<2x2xf32>
  return
}

// -----

func.func @wrong(%x: tensor<5x2xf32>, %k: tensor<2x2xf32>) {
  // expected-error @+1 {{'dovetail.conv' op windows must be at least 0 and less than 2, got: 2}}
  %0 = dovetail.conv %x, %k dims [0, 1] x [0, 1] to [0] windows [2] strides [1] dilations [1] : tensor<5x2xf32>, tensor<2x2xf32>
  return
}

// -----

func.func @wrong(%x: tensor<5x2xf32>, %k: tensor<2xf32>) {
  // expected-error @+1 {{'dovetail.conv' op label 1 must be in two or three of operands and result, got: 1}}
  %0 = dovetail.conv %x, %k dims [0, 1] x [0] to [0] windows [0] strides [1] dilations [1] : tensor<5x2xf32>, tensor<2xf32>
  return
}

// -----

func.func @wrong(%x: tensor<5x2xf32>, %k: tensor<2x2xf32>) {
  // expected-error @+1 {{'dovetail.conv' op label 1 must be in both operands and the result, got: 2}}
  %0 = dovetail.conv %x, %k dims [0, 1] x [0, 1] to [0] windows [0, 1] strides [1, 1] dilations [1, 1] : tensor<5x2xf32>, tensor<2x2xf32>
  return
}

// -----

func.func @wrong(%x: tensor<5xf32>, %k: tensor<2xf32>) {
  // expected-error @+1 {{'dovetail.conv' op must have one stride and dilation for each of 1 windows, got: 2 and 1}}
  %0 = dovetail.conv %x, %k dims [0] x [0] to [0] windows [0] strides [1, 1] dilations [1] : tensor<5xf32>, tensor<2xf32>
  return
}

// -----

func.func @wrong(%x: tensor<5xf32>, %k: tensor<2xf32>) {
  // expected-error @+1 {{'dovetail.conv' op strides and dilations must be at least 1, got: 0}}
  %0 = dovetail.conv %x, %k dims [0] x [0] to [0] windows [0] strides [1] dilations [0] : tensor<5xf32>, tensor<2xf32>
  return
}

// -----

func.func @wrong(%x: tensor<5x3xf32>, %k: tensor<2x2xf32>) {
  // expected-error @+1 {{'dovetail.conv' op sizes of label 1 must match, got: 3 and 2}}
  %0 = dovetail.conv %x, %k dims [0, 1] x [0, 1] to [0] windows [0] strides [1] dilations [1] : tensor<5x3xf32>, tensor<2x2xf32>
  return
}

// -----

func.func @huge_label(%x: tensor<5xf32>, %k: tensor<2xf32>) {
  // expected-error @+1 {{'dovetail.conv' op lhs_dims must be at least 0 and less than 3, got: 9223372036854775807}}
  %0 = dovetail.conv %x, %k dims [9223372036854775807] x [9223372036854775807] to [9223372036854775807] windows [9223372036854775807] strides [1] dilations [1] : tensor<5xf32>, tensor<2xf32>
  return
}
