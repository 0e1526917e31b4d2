// Constraints of the ops that move elements.
// RUN: dovetail-opt %s --split-input-file --verify-diagnostics

func.func @wrong(%arg0: tensor<2x3xf32>) {
  // expected-error @+1 {{'dovetail.reshape' op must keep the number of elements, got: 'tensor<2x3xf32>' and 'tensor<7xf32>'}}
  %0 = dovetail.reshape %arg0 : tensor<2x3xf32> -> tensor<7xf32>
  return
}

// -----

func.func @wrong(%arg0: tensor<6xf32>) {
  // expected-error @+1 {{'dovetail.reshape' op must keep the element type, got: 'tensor<6xf32>' and 'tensor<6xf64>'}}
  %0 = dovetail.reshape %arg0 : tensor<6xf32> -> tensor<6xf64>
  return
}

// -----

func.func @wrong(%arg0: tensor<6xf32>) {
  // expected-error @+1 {{'dovetail.reshape' op must have one size for each '?' of 'tensor<?x2xf32>', got: 0}}
  %0 = dovetail.reshape %arg0 : tensor<6xf32> -> tensor<?x2xf32>
  return
}

// -----

func.func @wrong(%arg0: tensor<6xf32>, %arg1: index) {
  // expected-error @+1 {{'dovetail.reshape' op must have one size for each '?' of 'tensor<3x2xf32>', got: 1}}
  %0 = dovetail.reshape %arg0 sizes(%arg1) : tensor<6xf32> -> tensor<3x2xf32>
  return
}

// -----

func.func @wrong(%arg0: tensor<3xf32>) {
  // expected-error @+1 {{'dovetail.broadcast' op operand dimension 0 must have the size of result dimension 0, got: 'tensor<3xf32>' and 'tensor<4x3xf32>'}}
  %0 = dovetail.broadcast %arg0 dims [0] : tensor<3xf32> -> tensor<4x3xf32>
  return
}

// -----

func.func @wrong(%arg0: tensor<1xf32>) {
  // expected-error @+1 {{'dovetail.broadcast' op operand dimension 0 must have the size of result dimension 0, got: 'tensor<1xf32>' and 'tensor<4xf32>'}}
  %0 = dovetail.broadcast %arg0 dims [0] : tensor<1xf32> -> tensor<4xf32>
  return
}

// -----

func.func @wrong(%arg0: tensor<3xf32>) {
  // expected-error @+1 {{'dovetail.broadcast' op must have one of dims for each operand dimension, got: 0 for 'tensor<3xf32>'}}
  %0 = dovetail.broadcast %arg0 dims [] : tensor<3xf32> -> tensor<4x3xf32>
  return
}

// -----

func.func @wrong(%arg0: tensor<3xf32>) {
  // expected-error @+1 {{'dovetail.broadcast' op dims must be at least 0 and less than 2, got: 2}}
  %0 = dovetail.broadcast %arg0 dims [2] : tensor<3xf32> -> tensor<4x3xf32>
  return
}

// -----

func.func @wrong(%arg0: tensor<3x3xf32>) {
  // expected-error @+1 {{'dovetail.broadcast' op dims must be distinct, got: 1 twice}}
  %0 = dovetail.broadcast %arg0 dims [1, 1] : tensor<3x3xf32> -> tensor<3x3xf32>
  return
}

// -----

func.func @wrong(%arg0: tensor<3x3xf32>) {
  // expected-error @+1 {{'dovetail.broadcast' op dims must be increasing, got: 1 before 0}}
  %0 = dovetail.broadcast %arg0 dims [1, 0] : tensor<3x3xf32> -> tensor<3x3xf32>
  return
}

// -----

func.func @wrong(%arg0: tensor<3xf32>) {
  // expected-error @+1 {{'dovetail.broadcast' op must have one size for each '?' of 'tensor<?x3xf32>', got: 0}}
  %0 = dovetail.broadcast %arg0 dims [1] : tensor<3xf32> -> tensor<?x3xf32>
  return
}

// -----

func.func @wrong(%arg0: tensor<3xf32>) {
  // expected-error @+1 {{'dovetail.broadcast' op must keep the element type, got: 'tensor<3xf32>' and 'tensor<3xi32>'}}
  %0 = dovetail.broadcast %arg0 dims [0] : tensor<3xf32> -> tensor<3xi32>
  return
}

// -----

func.func @wrong(%arg0: tensor<8xf32>) {
  // expected-error @+1 {{'dovetail.slice' op must stay within dimension 0 of size 8, got: 4 elements from 5 with stride 1}}
  %0 = dovetail.slice %arg0 starts [5] strides [1] : tensor<8xf32> -> tensor<4xf32>
  return
}

// -----

func.func @wrong(%arg0: tensor<8xf32>) {
  // expected-error @+1 {{'dovetail.slice' op must stay within dimension 0 of size 8, got: 1 elements from 8 with stride 1}}
  %0 = dovetail.slice %arg0 starts [8] strides [1] : tensor<8xf32> -> tensor<1xf32>
  return
}

// -----

func.func @wrong(%arg0: tensor<8xf32>) {
  // expected-error @+1 {{'dovetail.slice' op must stay within dimension 0 of size 8, got: 3 elements from 0 with stride 9223372036854775807}}
  %0 = dovetail.slice %arg0 starts [0] strides [9223372036854775807] : tensor<8xf32> -> tensor<3xf32>
  return
}

// -----

func.func @wrong(%arg0: tensor<8xf32>) {
  // expected-error @+1 {{'dovetail.slice' op must start at 0 or later and have a positive stride, got: start -1 and stride 1 in dimension 0}}
  %0 = dovetail.slice %arg0 starts [-1] strides [1] : tensor<8xf32> -> tensor<4xf32>
  return
}

// -----

func.func @wrong(%arg0: tensor<8xf32>) {
  // expected-error @+1 {{'dovetail.slice' op must start at 0 or later and have a positive stride, got: start 0 and stride 0 in dimension 0}}
  %0 = dovetail.slice %arg0 starts [0] strides [0] : tensor<8xf32> -> tensor<4xf32>
  return
}

// -----

func.func @wrong(%arg0: tensor<8xf32>) {
  // expected-error @+1 {{'dovetail.slice' op must have one start, stride and size for each of 1 dimensions, got: 2, 1 and 1}}
  %0 = dovetail.slice %arg0 starts [0, 0] strides [1] : tensor<8xf32> -> tensor<4xf32>
  return
}

// -----

func.func @wrong(%arg0: tensor<8xf32>) {
  // expected-error @+1 {{'dovetail.slice' op must have one size for each '?' of 'tensor<?xf32>', got: 0}}
  %0 = dovetail.slice %arg0 starts [0] strides [1] : tensor<8xf32> -> tensor<?xf32>
  return
}

// -----

func.func @wrong(%arg0: tensor<8xf32>) {
  // expected-error @+1 {{'dovetail.slice' op must keep the element type, got: 'tensor<8xf32>' and 'tensor<4xi32>'}}
  %0 = dovetail.slice %arg0 starts [0] strides [1] : tensor<8xf32> -> tensor<4xi32>
  return
}

// -----

func.func @wrong(%arg0: tensor<8xf32>, %arg1: tensor<1xf32>) {
  // expected-error @+1 {{'dovetail.pad' op padding value must have rank 0, got: 'tensor<1xf32>'}}
  %0 = dovetail.pad %arg0, %arg1 low [0] interior [0] : tensor<8xf32>, tensor<1xf32> -> tensor<9xf32>
  return
}

// -----

func.func @wrong(%arg0: tensor<8xf32>, %arg1: tensor<f64>) {
  // expected-error @+1 {{'dovetail.pad' op must keep the element type, got: 'tensor<f64>' and 'tensor<9xf32>'}}
  %0 = dovetail.pad %arg0, %arg1 low [0] interior [0] : tensor<8xf32>, tensor<f64> -> tensor<9xf32>
  return
}

// -----

func.func @wrong(%arg0: tensor<8xf32>, %arg1: tensor<f32>) {
  // expected-error @+1 {{'dovetail.pad' op must keep the element type, got: 'tensor<8xf32>' and 'tensor<9xf64>'}}
  %0 = dovetail.pad %arg0, %arg1 low [0] interior [0] : tensor<8xf32>, tensor<f32> -> tensor<9xf64>
  return
}

// -----

func.func @wrong(%arg0: tensor<8xf32>, %arg1: tensor<f32>) {
  // expected-error @+1 {{'dovetail.pad' op must have one low, interior and size for each of 1 dimensions, got: 2, 1 and 1}}
  %0 = dovetail.pad %arg0, %arg1 low [0, 0] interior [0] : tensor<8xf32>, tensor<f32> -> tensor<9xf32>
  return
}

// -----

func.func @wrong(%arg0: tensor<8xf32>, %arg1: tensor<f32>) {
  // expected-error @+1 {{'dovetail.pad' op interior padding must not be negative, got: -1}}
  %0 = dovetail.pad %arg0, %arg1 low [0] interior [-1] : tensor<8xf32>, tensor<f32> -> tensor<9xf32>
  return
}

// -----

func.func @wrong(%arg0: tensor<8xf32>, %arg1: tensor<f32>) {
  // expected-error @+1 {{'dovetail.pad' op must have one size for each '?' of 'tensor<?xf32>', got: 0}}
  %0 = dovetail.pad %arg0, %arg1 low [0] interior [0] : tensor<8xf32>, tensor<f32> -> tensor<?xf32>
  return
}

// -----

func.func @wrong(%arg0: tensor<2x3xf32>) {
  // expected-error @+1 {{'dovetail.transpose' op permutation must name each of 2 dimensions, got: 1}}
  %0 = dovetail.transpose %arg0 [0] : tensor<2x3xf32>
  return
}

// -----

func.func @wrong(%arg0: tensor<2x3xf32>) {
  // expected-error @+1 {{'dovetail.transpose' op permutation must be distinct, got: 0 twice}}
  %0 = dovetail.transpose %arg0 [0, 0] : tensor<2x3xf32>
  return
}

// -----

func.func @wrong(%arg0: tensor<2x3xf32>) {
  // expected-error @+1 {{'dovetail.transpose' op permutation must be at least 0 and less than 2, got: 2}}
  %0 = dovetail.transpose %arg0 [0, 2] : tensor<2x3xf32>
  return
}

// -----

func.func @wrong(%arg0: tensor<2x3xf32>) {
  // expected-error @+2 {{'dovetail.transpose' op inferred type(s) 'tensor<3x2xf32>' are incompatible with return type(s) of operation 'tensor<2x3xf32>'}}
  // expected-error @+1 {{'dovetail.transpose' op failed to infer returned types}}
  %0 = "dovetail.transpose"(%arg0) <{permutation = array<i64: 1, 0>}> : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @wrong(%arg0: tensor<2x3xf32>) {
  // expected-error @+1 {{'dovetail.reverse' op dims must be at least 0 and less than 2, got: 2}}
  %0 = dovetail.reverse %arg0 [2] : tensor<2x3xf32>
  return
}

// -----

func.func @wrong(%arg0: tensor<2x3xf32>) {
  // expected-error @+1 {{'dovetail.reverse' op dims must be distinct, got: 1 twice}}
  %0 = dovetail.reverse %arg0 [1, 1] : tensor<2x3xf32>
  return
}

// -----

func.func @wrong(%arg0: tensor<2x3xf32>) {
  // expected-error @+1 {{'dovetail.roll' op dimension must be at least 0 and less than 2, got: 2}}
  %0 = dovetail.roll %arg0 dimension 2 shift 1 : tensor<2x3xf32>
  return
}

// -----

func.func @wrong() {
  // expected-error @+2 {{'dovetail.concatenate' op must have an operand, got: none}}
  // expected-error @+1 {{'dovetail.concatenate' op failed to infer returned types}}
  %0 = "dovetail.concatenate"() <{dimension = 0 : i64}> : () -> tensor<2xf32>
  return
}

// -----

func.func @wrong(%arg0: tensor<2x3xf32>, %arg1: tensor<2x4xf32>) {
  // expected-error @+1 {{'dovetail.concatenate' op operands must agree outside dimension 0, got: 'tensor<2x3xf32>' and 'tensor<2x4xf32>'}}
  %0 = dovetail.concatenate %arg0, %arg1 dimension 0 : tensor<2x3xf32>, tensor<2x4xf32>
  return
}

// -----

func.func @wrong(%arg0: tensor<2xf32>, %arg1: tensor<2xf64>) {
  // expected-error @+1 {{'dovetail.concatenate' op operands must agree outside dimension 0, got: 'tensor<2xf32>' and 'tensor<2xf64>'}}
  %0 = dovetail.concatenate %arg0, %arg1 dimension 0 : tensor<2xf32>, tensor<2xf64>
  return
}

// -----

func.func @wrong(%arg0: tensor<2xf32>, %arg1: tensor<2x1xf32>) {
  // expected-error @+1 {{'dovetail.concatenate' op operands must agree outside dimension 0, got: 'tensor<2xf32>' and 'tensor<2x1xf32>'}}
  %0 = dovetail.concatenate %arg0, %arg1 dimension 0 : tensor<2xf32>, tensor<2x1xf32>
  return
}

// -----

func.func @wrong(%arg0: tensor<2xf32>) {
  // expected-error @+1 {{'dovetail.concatenate' op dimension must be at least 0 and less than 1, got: 1}}
  %0 = dovetail.concatenate %arg0 dimension 1 : tensor<2xf32>
  return
}

// -----

func.func @concatenate_of_no_array(%arg0: none) -> tensor<4xf32> {
  // expected-error @+1 {{'dovetail.concatenate' op operand #0 must be an array of numbers or bools, got: 'none'}}
  %0 = dovetail.concatenate %arg0 dimension 101 : none
  return %0 : tensor<4xf32>
}

// -----

func.func @barrier_of_no_array(%arg0: tensor<2xf32>, %arg1: index) -> index {
  // expected-error @+1 {{'dovetail.optimization_barrier' op operand #1 must be an array of numbers or bools, got: 'index'}}
  %0:2 = dovetail.optimization_barrier %arg0, %arg1 : tensor<2xf32>, index
  return %0#1 : index
}

// -----

func.func @concatenate_too_many(%arg0: tensor<9223372036854775807xf32>, %arg1: tensor<2xf32>) -> tensor<?xf32> {
  // expected-error @+1 {{'dovetail.concatenate' op operands must fit into one array, got: more elements along dimension 0 than an index can count}}
  %0 = dovetail.concatenate %arg0, %arg1 dimension 0 : tensor<9223372036854775807xf32>, tensor<2xf32>
  return %0 : tensor<?xf32>
}
