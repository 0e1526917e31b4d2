// Rules are of the program that made the module.
// RUN: dovetail-opt %s --split-input-file --verify-diagnostics --dovetail-batch="dims=0 size=3"

func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  // expected-error @+1 {{'rotate' must be batched by the program that has its rule, "rotate.0", got: a program that has none}}
  %0 = dovetail.primitive "rotate" rules "rotate.0"(%x) : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// -----

func.func private @f(%x: tensor<2xf32>) -> tensor<2xf32> {
  return %x : tensor<2xf32>
}
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  // expected-error @+1 {{'rule bwd.0' must be transposed by the program that has its rule, "rule bwd.0", got: a program that has none}}
  %0 = dovetail.custom_vjp @f fwd @f bwd "rule bwd.0" wrt [0](%x) : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
