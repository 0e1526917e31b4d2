// A rule that applies an op to operands which it does not take is an error at the place of the op it is the rule of.
// RUN: dovetail-opt %s --split-input-file --verify-diagnostics --dovetail-jvp=wrt=0

func.func @main(%a: tensor<?x3xf32>) -> tensor<f32> {
  // expected-error @+2 {{'dovetail.mul' op operands must have one shape, got: 'tensor<3x?xf32>' and 'tensor<?x3xf32>'}}
  // expected-error @+1 {{a rule applies 'dovetail.mul' to operands that it does not take, got: 'tensor<3x?xf32>', 'tensor<?x3xf32>'}}
  %0 = dovetail.det %a : tensor<?x3xf32>
  return %0 : tensor<f32>
}

// -----

// expected-error @+1 {{'f' must have a body of one block that ends in 'func.return' to be transformed}}
func.func private @f(tensor<2xf32>) -> tensor<2xf32>
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = dovetail.custom_vmap @f rule "r.0"(%x) : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
