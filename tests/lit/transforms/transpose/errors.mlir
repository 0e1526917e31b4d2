// What is not linear is reported at its place in the program.
// RUN: dovetail-opt %s --split-input-file --verify-diagnostics --dovetail-transpose=linear=0

func.func @main(%arg0: tensor<f32>) -> tensor<f32> {
  // expected-error @+1 {{'dovetail.exp' is not linear in its operands that are to be transposed}}
  %0 = dovetail.exp %arg0 : tensor<f32>
  return %0 : tensor<f32>
}

// -----

func.func @main(%arg0: tensor<f32>) -> tensor<f32> {
  // expected-error @+1 {{'dovetail.mul' is not linear in its operands that are to be transposed}}
  %0 = dovetail.mul %arg0, %arg0 : tensor<f32>
  return %0 : tensor<f32>
}

// -----

func.func @main(%arg0: tensor<f32>, %arg1: tensor<f32>) -> tensor<f32> {
  // expected-error @+1 {{'dovetail.div' is not linear in its operands that are to be transposed}}
  %0 = dovetail.div %arg1, %arg0 : tensor<f32>
  return %0 : tensor<f32>
}

// -----

func.func @main(%arg0: tensor<2xf32>) -> tensor<f32> {
  // expected-error @+1 {{no transpose rule for 'dovetail.reduce_max'}}
  %0 = dovetail.reduce_max %arg0 [0] : tensor<2xf32>
  return %0 : tensor<f32>
}

// -----

func.func @main(%arg0: tensor<2xf32>) -> tensor<f32> {
  // expected-error @+1 {{'dovetail.dot_general' is not linear in its operands that are to be transposed}}
  %0 = dovetail.dot_general %arg0, %arg0 batch [] x [] contract [0] x [0] : tensor<2xf32>, tensor<2xf32>
  return %0 : tensor<f32>
}

// -----

func.func @main(%arg0: tensor<9xf32>, %arg1: tensor<?xf32>) -> tensor<?xf32> {
  // expected-error @+1 {{no transpose rule for 'dovetail.conv' with a kernel of unknown size}}
  %0 = dovetail.conv %arg0, %arg1 dims [0] x [0] to [0] windows [0] strides [1] dilations [1] : tensor<9xf32>, tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

func.func @main(%arg0: tensor<f32>, %arg1: tensor<f32>) -> tensor<f32> {
  // expected-error @+1 {{'dovetail.while' op whose number of steps depends on what is differentiated or transposed has no transpose}}
  %0 = dovetail.while init(%arg0) consts(%arg1) : (tensor<f32>, tensor<f32>) -> tensor<f32> {
  ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
    %1 = dovetail.compare lt %arg2, %arg3 : tensor<f32>
    dovetail.yield %1 : tensor<i1>
  } do {
  ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
    %1 = dovetail.neg %arg2 : tensor<f32>
    dovetail.yield %1 : tensor<f32>
  }
  return %0 : tensor<f32>
}

// -----

func.func @main(%arg0: tensor<f32>, %arg1: tensor<3xf32>) -> tensor<f32> {
  %0 = dovetail.scan length 3 init(%arg0) over(%arg1) consts() : (tensor<f32>, tensor<3xf32>) -> tensor<f32> {
  ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
    // expected-error @+1 {{'dovetail.exp' is not linear in its operands that are to be transposed}}
    %1 = dovetail.exp %arg2 : tensor<f32>
    dovetail.yield %1 : tensor<f32>
  }
  return %0 : tensor<f32>
}

// -----

func.func @main(%arg0: tensor<f32>) -> tensor<f32> {
  %0 = dovetail.convert %arg0 : tensor<f32> -> tensor<i32>
  // expected-error @+2 {{'dovetail.scan' op whose number of steps depends on what is transposed has no size}}
  // expected-error @+1 {{'dovetail.scan' is not linear in its operands that are to be transposed}}
  %1:2 = dovetail.scan length -1 count %0 init(%arg0) over() consts() : (tensor<f32>, tensor<i32>) -> (tensor<f32>, tensor<?xf32>) {
  ^bb0(%arg1: tensor<f32>):
    dovetail.yield %arg1, %arg1 : tensor<f32>, tensor<f32>
  }
  %2 = dovetail.reduce_sum %1#1 [0] : tensor<?xf32>
  return %2 : tensor<f32>
}
