// Programs whose requests cannot be granted.
// RUN: dovetail-opt %s --split-input-file --verify-diagnostics --dovetail-expand

// expected-error @+1 {{'main' must not call itself}}
func.func @main(%arg0: tensor<f32>) -> tensor<f32> {
  %0 = dovetail.call @main(%arg0) : (tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}

// -----

// expected-error @+1 {{'even' must not call itself}}
func.func @even(%arg0: tensor<f32>) -> tensor<f32> {
  %0 = dovetail.call @odd(%arg0) : (tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}

func.func private @odd(%arg0: tensor<f32>) -> tensor<f32> {
  %0 = dovetail.call @even(%arg0) : (tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}

// -----

func.func private @f(%arg0: tensor<f32>) -> tensor<f32> {
  %0 = dovetail.sin %arg0 : tensor<f32>
  return %0 : tensor<f32>
}

func.func @main(%arg0: tensor<7xf32>) -> tensor<f32> {
  // expected-error @+1 {{result 0 of 'f' depends on the batch, so 'out' must say where its batch dimension goes, got: none}}
  %0 = dovetail.vmap @f in [0] out [-1](%arg0) : (tensor<7xf32>) -> tensor<f32>
  return %0 : tensor<f32>
}

// -----

// expected-error @+1 {{'f' must have a body of one block that ends in 'func.return' to be transformed}}
func.func private @f(tensor<f32>) -> tensor<f32>

func.func @main(%arg0: tensor<f32>) -> (tensor<f32>, tensor<f32>) {
  %0, %1 = dovetail.jvp @f wrt [0](%arg0) tangents(%arg0) : (tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<f32>)
  return %0, %1 : tensor<f32>, tensor<f32>
}

// -----

func.func private @f(%arg0: tensor<f32>) -> tensor<f32> {
  // expected-error @+1 {{can't apply forward-mode autodiff (jvp) to a custom_vjp function}}
  %0 = dovetail.custom_vjp @g fwd @g bwd @g wrt [0](%arg0) : (tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}

func.func private @g(%arg0: tensor<f32>) -> tensor<f32> {
  return %arg0 : tensor<f32>
}

func.func @main(%arg0: tensor<f32>) -> tensor<f32> {
  %0:2 = dovetail.jvp @f wrt [0](%arg0) tangents(%arg0) : (tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<f32>)
  return %0#1 : tensor<f32>
}
