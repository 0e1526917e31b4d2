// Rules are of the program that made the module; what is captured has none.
// RUN: dovetail-opt %s --split-input-file --verify-diagnostics --dovetail-batch="dims=0 size=3"

func.func private @f(tensor<2xf32>) -> tensor<2xf32>

func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  // expected-error @+1 {{'f' must be batched by the program that has its rule, "r.0", got: a program that has none}}
  %0 = dovetail.custom_vmap @f rule "r.0"(%x) : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// -----

func.func private @f(tensor<2xf32>) -> tensor<2xf32>

func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  // expected-error @+1 {{'f', which has a rule for vmap, must not close over a value that depends on the batch, since the rule knows nothing of it; pass the value as an argument}}
  %0 = dovetail.custom_vmap @f rule "r.0"() captured(%x) : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
