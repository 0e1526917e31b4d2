// Constraints of calls and of transform requests.
// RUN: dovetail-opt %s --split-input-file --verify-diagnostics

func.func @wrong(%arg0: tensor<2xf32>, %arg1: tensor<2xi32>, %arg2: tensor<f32>, %arg3: tensor<4x2xf32>, %arg4: tensor<?x2xf32>, %arg5: tensor<1x1x2xf32>) {
  // expected-error @+1 {{'dovetail.call' op callee must be a function of this module, got: @nobody}}
  %0 = dovetail.call @nobody(%arg0) : (tensor<2xf32>) -> tensor<f32>
  return
}

// -----

module @inner {}

func.func @wrong(%arg0: tensor<2xf32>, %arg1: tensor<2xi32>, %arg2: tensor<f32>, %arg3: tensor<4x2xf32>, %arg4: tensor<?x2xf32>, %arg5: tensor<1x1x2xf32>) {
  // expected-error @+1 {{'dovetail.call' op callee must be a function of this module, got: @inner}}
  %0 = dovetail.call @inner(%arg0) : (tensor<2xf32>) -> tensor<f32>
  return
}

// -----

func.func private @callee(tensor<2xf32>, tensor<2xi32>) -> (tensor<f32>, tensor<2xi32>)

func.func @wrong(%arg0: tensor<2xf32>, %arg1: tensor<2xi32>, %arg2: tensor<f32>, %arg3: tensor<4x2xf32>, %arg4: tensor<?x2xf32>, %arg5: tensor<1x1x2xf32>) {
  // expected-error @+1 {{'dovetail.call' op arguments must be ('tensor<2xf32>', 'tensor<2xi32>'), got: ('tensor<2xf32>')}}
  %0:2 = dovetail.call @callee(%arg0) : (tensor<2xf32>) -> (tensor<f32>, tensor<2xi32>)
  return
}

// -----

func.func private @callee(tensor<2xf32>, tensor<2xi32>) -> (tensor<f32>, tensor<2xi32>)

func.func @wrong(%arg0: tensor<2xf32>, %arg1: tensor<2xi32>, %arg2: tensor<f32>, %arg3: tensor<4x2xf32>, %arg4: tensor<?x2xf32>, %arg5: tensor<1x1x2xf32>) {
  // expected-error @+1 {{'dovetail.call' op results must be ('tensor<f32>', 'tensor<2xi32>'), got: ('tensor<f32>')}}
  %0 = dovetail.call @callee(%arg0, %arg1) : (tensor<2xf32>, tensor<2xi32>) -> tensor<f32>
  return
}

// -----

func.func private @callee(tensor<2xf32>, tensor<2xi32>) -> (tensor<f32>, tensor<2xi32>)

func.func @wrong(%arg0: tensor<2xf32>, %arg1: tensor<2xi32>, %arg2: tensor<f32>, %arg3: tensor<4x2xf32>, %arg4: tensor<?x2xf32>, %arg5: tensor<1x1x2xf32>) {
  // expected-error @+1 {{'dovetail.jvp' op callee must be a function of this module, got: @nobody}}
  %0:3 = dovetail.jvp @nobody wrt [0](%arg0, %arg1) tangents(%arg0) : (tensor<2xf32>, tensor<2xi32>, tensor<2xf32>) -> (tensor<f32>, tensor<2xi32>, tensor<f32>)
  return
}

// -----

func.func private @callee(tensor<2xf32>, tensor<2xi32>) -> (tensor<f32>, tensor<2xi32>)

func.func @wrong(%arg0: tensor<2xf32>, %arg1: tensor<2xi32>, %arg2: tensor<f32>, %arg3: tensor<4x2xf32>, %arg4: tensor<?x2xf32>, %arg5: tensor<1x1x2xf32>) {
  // expected-error @+1 {{'dovetail.jvp' op primals must be ('tensor<2xf32>', 'tensor<2xi32>'), got: ('tensor<2xf32>')}}
  %0:3 = dovetail.jvp @callee wrt [0](%arg0) tangents(%arg0) : (tensor<2xf32>, tensor<2xf32>) -> (tensor<f32>, tensor<2xi32>, tensor<f32>)
  return
}

// -----

func.func private @callee(tensor<2xf32>, tensor<2xi32>) -> (tensor<f32>, tensor<2xi32>)

func.func @wrong(%arg0: tensor<2xf32>, %arg1: tensor<2xi32>, %arg2: tensor<f32>, %arg3: tensor<4x2xf32>, %arg4: tensor<?x2xf32>, %arg5: tensor<1x1x2xf32>) {
  // expected-error @+1 {{'dovetail.jvp' op wrt must name arrays of floats or complex numbers, got: 'tensor<2xi32>' at 1}}
  %0:3 = dovetail.jvp @callee wrt [1](%arg0, %arg1) tangents() : (tensor<2xf32>, tensor<2xi32>) -> (tensor<f32>, tensor<2xi32>, tensor<f32>)
  return
}

// -----

func.func private @callee(tensor<2xf32>, tensor<2xi32>) -> (tensor<f32>, tensor<2xi32>)

func.func @wrong(%arg0: tensor<2xf32>, %arg1: tensor<2xi32>, %arg2: tensor<f32>, %arg3: tensor<4x2xf32>, %arg4: tensor<?x2xf32>, %arg5: tensor<1x1x2xf32>) {
  // expected-error @+1 {{'dovetail.jvp' op wrt must be at least 0 and less than 2, got: 2}}
  %0:3 = dovetail.jvp @callee wrt [2](%arg0, %arg1) tangents() : (tensor<2xf32>, tensor<2xi32>) -> (tensor<f32>, tensor<2xi32>, tensor<f32>)
  return
}

// -----

func.func private @callee(tensor<2xf32>, tensor<2xi32>) -> (tensor<f32>, tensor<2xi32>)

func.func @wrong(%arg0: tensor<2xf32>, %arg1: tensor<2xi32>, %arg2: tensor<f32>, %arg3: tensor<4x2xf32>, %arg4: tensor<?x2xf32>, %arg5: tensor<1x1x2xf32>) {
  // expected-error @+1 {{'dovetail.jvp' op tangents must be ('tensor<2xf32>'), got: ()}}
  %0:3 = dovetail.jvp @callee wrt [0](%arg0, %arg1) tangents() : (tensor<2xf32>, tensor<2xi32>) -> (tensor<f32>, tensor<2xi32>, tensor<f32>)
  return
}

// -----

func.func private @callee(tensor<2xf32>, tensor<2xi32>) -> (tensor<f32>, tensor<2xi32>)

func.func @wrong(%arg0: tensor<2xf32>, %arg1: tensor<2xi32>, %arg2: tensor<f32>, %arg3: tensor<4x2xf32>, %arg4: tensor<?x2xf32>, %arg5: tensor<1x1x2xf32>) {
  // expected-error @+1 {{'dovetail.jvp' op tangents must be ('tensor<2xf32>'), got: ('tensor<f32>')}}
  %0:3 = dovetail.jvp @callee wrt [0](%arg0, %arg1) tangents(%arg2) : (tensor<2xf32>, tensor<2xi32>, tensor<f32>) -> (tensor<f32>, tensor<2xi32>, tensor<f32>)
  return
}

// -----

func.func private @callee(tensor<2xf32>, tensor<2xi32>) -> (tensor<f32>, tensor<2xi32>)

func.func @wrong(%arg0: tensor<2xf32>, %arg1: tensor<2xi32>, %arg2: tensor<f32>, %arg3: tensor<4x2xf32>, %arg4: tensor<?x2xf32>, %arg5: tensor<1x1x2xf32>) {
  // expected-error @+1 {{'dovetail.jvp' op results must be ('tensor<f32>', 'tensor<2xi32>', 'tensor<f32>'), got: ('tensor<f32>', 'tensor<2xi32>')}}
  %0:2 = dovetail.jvp @callee wrt [0](%arg0, %arg1) tangents(%arg0) : (tensor<2xf32>, tensor<2xi32>, tensor<2xf32>) -> (tensor<f32>, tensor<2xi32>)
  return
}

// -----

func.func private @callee(tensor<2xf32>, tensor<2xi32>) -> (tensor<f32>, tensor<2xi32>)

func.func @wrong(%arg0: tensor<2xf32>, %arg1: tensor<2xi32>, %arg2: tensor<f32>, %arg3: tensor<4x2xf32>, %arg4: tensor<?x2xf32>, %arg5: tensor<1x1x2xf32>) {
  // expected-error @+1 {{'dovetail.vjp' op callee must be a function of this module, got: @nobody}}
  %0:3 = dovetail.vjp @nobody wrt [0] of [0](%arg0, %arg1) cotangents(%arg2) : (tensor<2xf32>, tensor<2xi32>, tensor<f32>) -> (tensor<f32>, tensor<2xi32>, tensor<2xf32>)
  return
}

// -----

func.func private @callee(tensor<2xf32>, tensor<2xi32>) -> (tensor<f32>, tensor<2xi32>)

func.func @wrong(%arg0: tensor<2xf32>, %arg1: tensor<2xi32>, %arg2: tensor<f32>, %arg3: tensor<4x2xf32>, %arg4: tensor<?x2xf32>, %arg5: tensor<1x1x2xf32>) {
  // expected-error @+1 {{'dovetail.vjp' op primals must be ('tensor<2xf32>', 'tensor<2xi32>'), got: ('tensor<2xf32>')}}
  %0:3 = dovetail.vjp @callee wrt [0] of [0](%arg0) cotangents(%arg2) : (tensor<2xf32>, tensor<f32>) -> (tensor<f32>, tensor<2xi32>, tensor<2xf32>)
  return
}

// -----

func.func private @callee(tensor<2xf32>, tensor<2xi32>) -> (tensor<f32>, tensor<2xi32>)

func.func @wrong(%arg0: tensor<2xf32>, %arg1: tensor<2xi32>, %arg2: tensor<f32>, %arg3: tensor<4x2xf32>, %arg4: tensor<?x2xf32>, %arg5: tensor<1x1x2xf32>) {
  // expected-error @+1 {{'dovetail.vjp' op of must name arrays of floats or complex numbers, got: 'tensor<2xi32>' at 1}}
  %0:3 = dovetail.vjp @callee wrt [0] of [1](%arg0, %arg1) cotangents(%arg1) : (tensor<2xf32>, tensor<2xi32>, tensor<2xi32>) -> (tensor<f32>, tensor<2xi32>, tensor<2xf32>)
  return
}

// -----

func.func private @callee(tensor<2xf32>, tensor<2xi32>) -> (tensor<f32>, tensor<2xi32>)

func.func @wrong(%arg0: tensor<2xf32>, %arg1: tensor<2xi32>, %arg2: tensor<f32>, %arg3: tensor<4x2xf32>, %arg4: tensor<?x2xf32>, %arg5: tensor<1x1x2xf32>) {
  // expected-error @+1 {{'dovetail.vjp' op cotangents must be ('tensor<f32>'), got: ('tensor<2xf32>')}}
  %0:3 = dovetail.vjp @callee wrt [0] of [0](%arg0, %arg1) cotangents(%arg0) : (tensor<2xf32>, tensor<2xi32>, tensor<2xf32>) -> (tensor<f32>, tensor<2xi32>, tensor<2xf32>)
  return
}

// -----

func.func private @callee(tensor<2xf32>, tensor<2xi32>) -> (tensor<f32>, tensor<2xi32>)

func.func @wrong(%arg0: tensor<2xf32>, %arg1: tensor<2xi32>, %arg2: tensor<f32>, %arg3: tensor<4x2xf32>, %arg4: tensor<?x2xf32>, %arg5: tensor<1x1x2xf32>) {
  // expected-error @+1 {{'dovetail.vjp' op results must be ('tensor<f32>', 'tensor<2xi32>', 'tensor<2xf32>'), got: ('tensor<f32>', 'tensor<2xi32>', 'tensor<f32>')}}
  %0:3 = dovetail.vjp @callee wrt [0] of [0](%arg0, %arg1) cotangents(%arg2) : (tensor<2xf32>, tensor<2xi32>, tensor<f32>) -> (tensor<f32>, tensor<2xi32>, tensor<f32>)
  return
}

// -----

func.func private @callee(tensor<2xf32>, tensor<2xi32>) -> (tensor<f32>, tensor<2xi32>)

func.func @wrong(%arg0: tensor<2xf32>, %arg1: tensor<2xi32>, %arg2: tensor<f32>, %arg3: tensor<4x2xf32>, %arg4: tensor<?x2xf32>, %arg5: tensor<1x1x2xf32>) {
  // expected-error @+1 {{'dovetail.vmap' op callee must be a function of this module, got: @nobody}}
  %0:2 = dovetail.vmap @nobody in [0, -1] out [0, -1](%arg3, %arg1) : (tensor<4x2xf32>, tensor<2xi32>) -> (tensor<4xf32>, tensor<2xi32>)
  return
}

// -----

func.func private @callee(tensor<2xf32>, tensor<2xi32>) -> (tensor<f32>, tensor<2xi32>)

func.func @wrong(%arg0: tensor<2xf32>, %arg1: tensor<2xi32>, %arg2: tensor<f32>, %arg3: tensor<4x2xf32>, %arg4: tensor<?x2xf32>, %arg5: tensor<1x1x2xf32>) {
  // expected-error @+1 {{'dovetail.vmap' op must have one of 'in' for each of 2 values, got: 1 for 2}}
  %0:2 = dovetail.vmap @callee in [0] out [0, -1](%arg3, %arg1) : (tensor<4x2xf32>, tensor<2xi32>) -> (tensor<4xf32>, tensor<2xi32>)
  return
}

// -----

func.func private @callee(tensor<2xf32>, tensor<2xi32>) -> (tensor<f32>, tensor<2xi32>)

func.func @wrong(%arg0: tensor<2xf32>, %arg1: tensor<2xi32>, %arg2: tensor<f32>, %arg3: tensor<4x2xf32>, %arg4: tensor<?x2xf32>, %arg5: tensor<1x1x2xf32>) {
  // expected-error @+1 {{'dovetail.vmap' op must have one of 'out' for each of 2 values, got: 1 for 2}}
  %0:2 = dovetail.vmap @callee in [0, -1] out [0](%arg3, %arg1) : (tensor<4x2xf32>, tensor<2xi32>) -> (tensor<4xf32>, tensor<2xi32>)
  return
}

// -----

func.func private @callee(tensor<2xf32>, tensor<2xi32>) -> (tensor<f32>, tensor<2xi32>)

func.func @wrong(%arg0: tensor<2xf32>, %arg1: tensor<2xi32>, %arg2: tensor<f32>, %arg3: tensor<4x2xf32>, %arg4: tensor<?x2xf32>, %arg5: tensor<1x1x2xf32>) {
  // expected-error @+1 {{'dovetail.vmap' op must have a batched argument or say the size of the batch, got: neither}}
  %0:2 = dovetail.vmap @callee in [-1, -1] out [0, -1](%arg0, %arg1) : (tensor<2xf32>, tensor<2xi32>) -> (tensor<4xf32>, tensor<2xi32>)
  return
}

// -----

func.func private @callee(tensor<2xf32>, tensor<2xi32>) -> (tensor<f32>, tensor<2xi32>)

func.func @wrong(%arg0: tensor<2xf32>, %arg1: tensor<2xi32>, %arg2: tensor<f32>, %arg3: tensor<4x2xf32>, %arg4: tensor<?x2xf32>, %arg5: tensor<1x1x2xf32>) {
  // expected-error @+1 {{'dovetail.vmap' op size must be at least 0, got: -4}}
  %0:2 = dovetail.vmap @callee in [-1, -1] out [0, -1] size -4(%arg0, %arg1) : (tensor<2xf32>, tensor<2xi32>) -> (tensor<4xf32>, tensor<2xi32>)
  return
}

// -----

func.func private @callee(tensor<2xf32>, tensor<2xi32>) -> (tensor<f32>, tensor<2xi32>)

func.func @wrong(%arg0: tensor<2xf32>, %arg1: tensor<2xi32>, %arg2: tensor<f32>, %arg3: tensor<4x2xf32>, %arg4: tensor<?x2xf32>, %arg5: tensor<1x1x2xf32>) {
  // expected-error @+1 {{'dovetail.vmap' op value 0 of 'in' must be 'tensor<2xf32>', got: 'tensor<f32>'}}
  %0:2 = dovetail.vmap @callee in [-1, 0] out [0, -1](%arg2, %arg1) : (tensor<f32>, tensor<2xi32>) -> (tensor<4xf32>, tensor<2xi32>)
  return
}

// -----

func.func private @callee(tensor<2xf32>, tensor<2xi32>) -> (tensor<f32>, tensor<2xi32>)

func.func @wrong(%arg0: tensor<2xf32>, %arg1: tensor<2xi32>, %arg2: tensor<f32>, %arg3: tensor<4x2xf32>, %arg4: tensor<?x2xf32>, %arg5: tensor<1x1x2xf32>) {
  // expected-error @+1 {{'dovetail.vmap' op 'in' must be -1 or a dimension of the value, got: 2 for 'tensor<4x2xf32>'}}
  %0:2 = dovetail.vmap @callee in [2, -1] out [0, -1](%arg3, %arg1) : (tensor<4x2xf32>, tensor<2xi32>) -> (tensor<4xf32>, tensor<2xi32>)
  return
}

// -----

func.func private @callee(tensor<2xf32>, tensor<2xi32>) -> (tensor<f32>, tensor<2xi32>)

func.func @wrong(%arg0: tensor<2xf32>, %arg1: tensor<2xi32>, %arg2: tensor<f32>, %arg3: tensor<4x2xf32>, %arg4: tensor<?x2xf32>, %arg5: tensor<1x1x2xf32>) {
  // expected-error @+1 {{'dovetail.vmap' op 'in' must be -1 or a dimension of the value, got: -2 for 'tensor<4x2xf32>'}}
  %0:2 = dovetail.vmap @callee in [-2, -1] out [0, -1](%arg3, %arg1) : (tensor<4x2xf32>, tensor<2xi32>) -> (tensor<4xf32>, tensor<2xi32>)
  return
}

// -----

func.func private @callee(tensor<2xf32>, tensor<2xi32>) -> (tensor<f32>, tensor<2xi32>)

func.func @wrong(%arg0: tensor<2xf32>, %arg1: tensor<2xi32>, %arg2: tensor<f32>, %arg3: tensor<4x2xf32>, %arg4: tensor<?x2xf32>, %arg5: tensor<1x1x2xf32>) {
  // expected-error @+1 {{'dovetail.vmap' op value 0 of 'in' must be 'tensor<2xf32>' with one more dimension, got: 'tensor<4x2xf32>'}}
  %0:2 = dovetail.vmap @callee in [1, -1] out [0, -1](%arg3, %arg1) : (tensor<4x2xf32>, tensor<2xi32>) -> (tensor<2xf32>, tensor<2xi32>)
  return
}

// -----

func.func private @callee(tensor<2xf32>, tensor<2xi32>) -> (tensor<f32>, tensor<2xi32>)

func.func @wrong(%arg0: tensor<2xf32>, %arg1: tensor<2xi32>, %arg2: tensor<f32>, %arg3: tensor<4x2xf32>, %arg4: tensor<?x2xf32>, %arg5: tensor<1x1x2xf32>) {
  // expected-error @+1 {{'dovetail.vmap' op value 0 of 'in' must be 'tensor<2xf32>' with one more dimension, got: 'tensor<1x1x2xf32>'}}
  %0:2 = dovetail.vmap @callee in [0, -1] out [0, -1](%arg5, %arg1) : (tensor<1x1x2xf32>, tensor<2xi32>) -> (tensor<1xf32>, tensor<2xi32>)
  return
}

// -----

func.func private @callee(tensor<2xf32>, tensor<2xi32>) -> (tensor<f32>, tensor<2xi32>)

func.func @wrong(%arg0: tensor<2xf32>, %arg1: tensor<2xi32>, %arg2: tensor<f32>, %arg3: tensor<4x2xf32>, %arg4: tensor<?x2xf32>, %arg5: tensor<1x1x2xf32>) {
  // expected-error @+1 {{'dovetail.vmap' op batch sizes must be equal, got: 4 and 3}}
  %0:2 = dovetail.vmap @callee in [0, -1] out [0, -1](%arg3, %arg1) : (tensor<4x2xf32>, tensor<2xi32>) -> (tensor<3xf32>, tensor<2xi32>)
  return
}

// -----

func.func private @callee(tensor<2xf32>, tensor<2xi32>) -> (tensor<f32>, tensor<2xi32>)

func.func @wrong(%arg0: tensor<2xf32>, %arg1: tensor<2xi32>, %arg2: tensor<f32>, %arg3: tensor<4x2xf32>, %arg4: tensor<?x2xf32>, %arg5: tensor<1x1x2xf32>) {
  // expected-error @+1 {{'dovetail.vmap' op batch sizes must be equal, got: ? and 3}}
  %0:2 = dovetail.vmap @callee in [0, -1] out [0, -1](%arg4, %arg1) : (tensor<?x2xf32>, tensor<2xi32>) -> (tensor<3xf32>, tensor<2xi32>)
  return
}

// -----

func.func private @sized(index) -> index

func.func @wrong(%arg0: tensor<2xf32>, %arg1: tensor<2xi32>, %arg2: tensor<f32>, %arg3: tensor<4x2xf32>, %arg4: tensor<?x2xf32>, %arg5: tensor<1x1x2xf32>) {
  // expected-error @+1 {{'dovetail.vmap' op value 0 of 'in' must be 'index' with one more dimension, got: 'tensor<2xf32>'}}
  %0 = dovetail.vmap @sized in [0] out [-1](%arg0) : (tensor<2xf32>) -> index
  return
}

// -----

func.func private @callee(tensor<2xf32>, tensor<2xi32>) -> (tensor<f32>, tensor<2xi32>)

func.func @wrong(%arg1: tensor<2xi32>, %arg3: tensor<4x2xf32>) {
  // expected-error @+1 {{'dovetail.vmap' op mesh axes must be distinct, got: "x" twice}}
  %0:2 = dovetail.vmap @callee in [0, -1] out [0, -1] over ["x", "y", "x"](%arg3, %arg1) : (tensor<4x2xf32>, tensor<2xi32>) -> (tensor<4xf32>, tensor<2xi32>)
  return
}
