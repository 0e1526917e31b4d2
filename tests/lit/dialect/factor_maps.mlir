// Which dimensions of operands and results are one loop of each op's computation.
// RUN: dovetail-opt %s --verify-diagnostics --dovetail-print-factors

func.func @exp_0(%arg0: tensor<2x?xf32>) {
  // expected-remark @+1 {{([i,j])->([i,j])}}
  %0 = dovetail.exp %arg0 : tensor<2x?xf32>
  return
}

func.func @select_1(%arg0: tensor<3xi1>, %arg1: tensor<3xf32>) {
  // expected-remark @+1 {{([i],[i],[i])->([i])}}
  %0 = dovetail.select %arg0, %arg1, %arg1 : tensor<3xi1>, tensor<3xf32>
  return
}

func.func @neg_2(%arg0: tensor<f32>) {
  // expected-remark @+1 {{([])->([])}}
  %0 = dovetail.neg %arg0 : tensor<f32>
  return
}

func.func @iota_3(%arg0: index) {
  // expected-remark @+1 {{([])->([i,j])}}
  %0 = dovetail.iota 0 sizes(%arg0) : tensor<?x4xi32>
  return
}

func.func @transpose_4(%arg0: tensor<2x3x4xf32>) {
  // expected-remark @+1 {{([i,j,k])->([k,i,j])}}
  %0 = dovetail.transpose %arg0 [2, 0, 1] : tensor<2x3x4xf32>
  return
}

func.func @reverse_5(%arg0: tensor<2x3xf32>) {
  // expected-remark @+1 {{([i,j])->([i,j])}}
  %0 = dovetail.reverse %arg0 [1] : tensor<2x3xf32>
  return
}

func.func @roll(%arg0: tensor<2x3xf32>) {
  // expected-remark @+1 {{([i,j])->([i,j])}}
  %0 = dovetail.roll %arg0 dimension 1 shift 1 : tensor<2x3xf32>
  return
}

func.func @reshape_6(%arg0: tensor<2x3x4xf32>) {
  // expected-remark @+1 {{([i,j,k])->([i,j])}}
  %0 = dovetail.reshape %arg0 : tensor<2x3x4xf32> -> tensor<2x12xf32>
  return
}

func.func @reshape_7(%arg0: tensor<6x4xf32>) {
  // expected-remark @+1 {{([i,j])->([i,_,j])}}
  %0 = dovetail.reshape %arg0 : tensor<6x4xf32> -> tensor<2x3x4xf32>
  return
}

func.func @reshape_groups(%arg0: tensor<6x4x1x10xf32>, %arg1: tensor<0x4xf32>) {
  // expected-remark @+1 {{([i,j,k,l])->([i,_,l,_,_])}}
  %0 = dovetail.reshape %arg0 : tensor<6x4x1x10xf32> -> tensor<3x8x5x1x2xf32>
  // expected-remark @+1 {{([i,j])->([i,_])}}
  %1 = dovetail.reshape %arg1 : tensor<0x4xf32> -> tensor<0x5xf32>
  return
}

func.func @reshape_8(%arg0: tensor<?x4xf32>, %arg1: index) {
  // expected-remark @+1 {{([i,j],[])->([_,j])}}
  %0 = dovetail.reshape %arg0 sizes(%arg1) : tensor<?x4xf32> -> tensor<?x4xf32>
  return
}

func.func @broadcast_9(%arg0: tensor<?xf32>, %arg1: index, %arg2: index) {
  // expected-remark @+1 {{([j],[],[])->([i,j])}}
  %0 = dovetail.broadcast %arg0 dims [1] sizes(%arg1, %arg2) : tensor<?xf32> -> tensor<?x?xf32>
  return
}

func.func @slice_10(%arg0: tensor<4x5xf32>) {
  // expected-remark @+1 {{([i,j])->([i,_])}}
  %0 = dovetail.slice %arg0 starts [0, 1] strides [1, 1] : tensor<4x5xf32> -> tensor<4x3xf32>
  return
}

func.func @pad_11(%arg0: tensor<4x5xf32>, %arg1: tensor<f32>) {
  // expected-remark @+1 {{([i,j],[])->([i,_])}}
  %0 = dovetail.pad %arg0, %arg1 low [0, 1] interior [0, 0] : tensor<4x5xf32>, tensor<f32> -> tensor<4x7xf32>
  return
}

func.func @concatenate_12(%arg0: tensor<4x5xf32>, %arg1: tensor<4x2xf32>) {
  // expected-remark @+1 {{([i,_],[i,_])->([i,_])}}
  %0 = dovetail.concatenate %arg0, %arg1 dimension 1 : tensor<4x5xf32>, tensor<4x2xf32>
  return
}

func.func @reduce_max_13(%arg0: tensor<2x3x4xf32>) {
  // expected-remark @+1 {{([i,j,k])->([j]) {reduced i,k}}}
  %0 = dovetail.reduce_max %arg0 [0, 2] : tensor<2x3x4xf32>
  return
}

func.func @argmin_14(%arg0: tensor<2x3xf32>) {
  // expected-remark @+1 {{([i,j])->([i]) {reduced j}}}
  %0 = dovetail.argmin %arg0, 1 : tensor<2x3xf32> -> tensor<2xi32>
  return
}

func.func @dot_general_15(%arg0: tensor<2x3xf32>, %arg1: tensor<3x4xf32>) {
  // expected-remark @+1 {{([i,k],[k,j])->([i,j]) {reduced k}}}
  %0 = dovetail.dot_general %arg0, %arg1 batch [] x [] contract [1] x [0] : tensor<2x3xf32>, tensor<3x4xf32>
  return
}

func.func @dot_general_16(%arg0: tensor<5x2x3x7xf32>, %arg1: tensor<7x3x5x4xf32>) {
  // expected-remark @+1 {{([i,j,l,m],[m,l,i,k])->([i,j,k]) {reduced l,m}}}
  %0 = dovetail.dot_general %arg0, %arg1 batch [0] x [2] contract [2, 3] x [1, 0] : tensor<5x2x3x7xf32>, tensor<7x3x5x4xf32>
  return
}

// Indices select elements along one dimension, and windows of two along the other.
func.func @gather_17(%arg0: tensor<5x7x9xf32>, %arg1: tensor<3x2xi32>) {
  // expected-remark @+1 {{([m,_,l],[i,_])->([i,_,_,l]) {selected m}}}
  %0 = dovetail.gather %arg0, %arg1 dims [0, 1] window [1, 2] : tensor<5x7x9xf32>, tensor<3x2xi32>
  return
}

func.func @scatter_18(%arg0: tensor<5x7x9xf32>, %arg1: tensor<3x2xi32>, %arg2: tensor<3x1x2x9xf32>) {
  // expected-remark @+1 {{([i,_,k],[_,_],[_,_,_,k])->([i,_,k])}}
  %0 = dovetail.scatter %arg0, %arg1, %arg2 dims [0, 1] window [1, 2] : tensor<5x7x9xf32>, tensor<3x2xi32>, tensor<3x1x2x9xf32>
  return
}
